"""The cases by which the steps of proofs.universal_limits are checked, from the logits of rotary planes."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise

from sympy import Expr, Matrix, Min, Symbol, cos, pi, sin, symbols

from theory.arithmetic.ball import Real, versine
from theory.arithmetic.ball import sin as real_sin
from theory.evidence import Case, Equation
from theory.outcome import Outcome
from theory.rope.index.window import query_distance
from theory.rope.rotation import logit
from theory.rope.universal_limits.dyadic_frequencies import dyadic, gap_at
from theory.rope.universal_limits.one_frequency import DYADIC, LETTERS, TURN
from theory.rope.universal_limits.one_frequency_end_target import N, arc, supremum, y
from theory.rope.universal_limits.one_frequency_phase import OPTIMUM, A, B
from theory.symbols import n, r, s, t

psi, a, b = symbols("psi a b", real=True)
L, R = symbols("L R", nonnegative=True)
BEST_PHASE = OPTIMUM.xreplace({A: L, B: R})
TO_RIGHT, TO_LEFT = 2 * sin(b) * sin(psi + b), 2 * sin(a) * sin(a - psi)


def height(offset: Expr, m: int) -> Expr:
    """The logit of the key at an offset, as a sum of cosines."""
    return sum(a_k * cos(psi_k + offset * theta_k) for a_k, psi_k, theta_k in _planes(m))


def _planes(m: int) -> Iterator[tuple[Expr, Expr, Expr]]:
    """Amplitude, phase and frequency of each plane."""
    for k in range(1, m + 1):
        q, key = symbols(f"q_{k} k_{k}", positive=True)
        yield q * key, Symbol(f"u_{k}", real=True) - Symbol(f"v_{k}", real=True), Symbol(f"theta_{k}", real=True)


def heads(most: int) -> Iterator[Equation]:
    """The logit through the rotations, for vectors with the lengths q_k, k_k and the directions u_k, v_k."""
    for m in range(1, most + 1):
        query, key = _stacked("q", "u", m), _stacked("k", "v", m)
        angles = [theta_k for *_, theta_k in _planes(m)]
        yield f"m = {m}", logit(query, n, key, n - r, angles), height(r, m)


def _stacked(length: str, direction: str, m: int) -> Matrix:
    lengths = symbols(f"{length}_1:{m + 1}", positive=True)
    directions = symbols(f"{direction}_1:{m + 1}", real=True)
    return Matrix([size * turn(u) for size, u in zip(lengths, directions, strict=True) for turn in (cos, sin)])


def averaging(most: int) -> Iterator[Equation]:
    """A logit minus the mean of the two logits t places before and after it."""
    for m in range(1, most + 1):
        lost = sum(a_k * cos(psi_k + s * theta_k) * versine(t * theta_k) for a_k, psi_k, theta_k in _planes(m))
        yield f"m = {m}", height(s, m) - (height(s + t, m) + height(s - t, m)) / 2, lost


def lattice(most: int) -> Iterator[Case]:
    """At 1/(T+1) turns the target in the middle of 2 T + 1 keys has the distance 1/(T+1)."""
    for T in range(1, most + 1):
        turns = Fraction(1, T + 1)
        yield f"T = {T}", query_distance(2 * T + 1, T, turns) == turns


def outside() -> Iterator[Case]:
    """Heads beyond one plane whose gap exceeds the limit of one."""
    for rival in (LETTERS, DYADIC):
        yield rival.name, rival.gap > one_plane(rival.side)
    yield "three planes, t < 8", Outcome.every(gap_at(dyadic(3), t) >= Fraction(2, 3) for t in range(1, 8))
    yield "one plane", one_plane(DYADIC.side) < Fraction(3, 10)


def one_plane(T: int) -> Real:
    """1 - cos(2 pi/(T+1))."""
    return versine(TURN / (T + 1))


def rising() -> Iterator[Equation]:
    """The difference of two sines as a product."""
    yield "sines", sin(b) - sin(a), 2 * sin((b - a) / 2) * cos((b + a) / 2)


def curves() -> Iterator[Equation]:
    """The gaps to the nearest keys on both sides, and to the nearest cosine at both best phases."""
    yield "right", cos(psi) - cos(psi + 2 * b), TO_RIGHT
    yield "left", cos(psi) - cos(psi - 2 * a), TO_LEFT
    yield "in the middle", cos(a - b) - cos(a + b), 2 * sin(a) * sin(b)
    yield "at a - pi/2", cos(a - pi / 2) - cos(a + pi / 2), 2 * sin(a)


def nearest(most: int) -> Iterator[Case]:
    """Between neighbouring fractions p/q < p'/q' the keys q and q' places away are nearest, for q, q' <= N."""
    for keys in range(1, most + 1):
        fractions = sorted({Fraction(p, q) for q in range(1, keys + 1) for p in range(q + 1)})
        for before, after in pairwise(fractions):
            q, later_q = before.denominator, after.denominator
            for share in (1, 2, 5):
                turns = (share * before + after) / (share + 1)
                right = min(offset * turns % 1 for offset in range(1, keys + 1))
                left = min(-offset * turns % 1 for offset in range(1, keys + 1))
                found = right == q * (turns - before) and left == later_q * (after - turns)
                yield (keys, turns), found and q * left + later_q * right == 1 and q + later_q > keys


def first_arc() -> Iterator[Equation]:
    """The best gap between 0 and 1/N turns, at N theta = y: y >= pi, and y < pi, where L is above pi."""
    short = {Min(L, pi): 2 * pi - y, Min(R, pi): y / N}
    yield "y at least pi", BEST_PHASE.xreplace(short), arc(y, N)
    yield "y below pi", BEST_PHASE.xreplace(short | {Min(L, pi): pi}), 2 * sin(y / N / 2)


def other_arcs(longest: int) -> Iterator[Case]:
    """pi^2/(4 (n - 2)) lies below the first arc at y = pi for n >= 6, and pi^2/12 below the supremum before."""
    for length in range(4, longest + 1):
        first = 2 * real_sin(TURN / 4 / (length - 1))
        other = TURN**2 / (16 * (length - 2)) if length >= 6 else TURN**2 / 48
        yield f"n = {length}", other < (first if length >= 6 else supremum(length))
