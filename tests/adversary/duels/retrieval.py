"""Retrieval: gaps of letters on a circle of A; frequencies as shares of the largest that a claim admits."""

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from tests.adversary.duel import Axis, Duel, Pair
from theory.arithmetic.real import Real
from theory.outcome import Outcome
from theory.rope.retrieval.discrepancy import half_angles
from theory.rope.retrieval.head import retrieval_phase

SHARE = Axis("share", 0.001, 1)


def frequency(share: Any, reach: Fraction, letters: int, length: int, ar: Any) -> Any:
    """`share` of reach omega/length, in turns."""
    return share * ar.number(reach / letters / length)


def rivals(letters: int, places: range, turns: Any, ar: Any, kappas: range | tuple[int, ...] | None = None) -> Any:
    """The logits of other letters, a row for each letter step, a column for each offset."""
    kappas = range(1, letters) if kappas is None else kappas
    step, offsets = ar.number(Fraction(1, letters)), np.array(places)
    return np.array([ar.cos_pi(2 * retrieval_phase(kappa, 0, offsets, step, turns)) for kappa in kappas])


def _feasible(interval: Any, setting: tuple[int, int], x: Any, ar: Any) -> Pair:
    """Every match has a larger logit than every other letter."""
    letters, length = setting
    turns = frequency(x[0], interval.reach, letters, length, ar)
    matches = ar.cos_pi(2 * np.arange(length) * turns)
    return 2 + ar.largest(rivals(letters, range(length), turns, ar)), 2 + ar.least(matches)


def _nearest(interval: Any, setting: tuple[int, int], x: Any, ar: Any) -> Pair:
    """And a match a larger one than the match before it."""
    letters, length = setting
    turns = frequency(x[0], interval.reach, letters, length, ar)
    matches = ar.cos_pi(2 * np.arange(length) * turns)
    falls = matches[1:] - matches[:-1]
    return 1 + ar.largest(falls if interval.nearest else -falls), 1


def _smallest(worst: Any, setting: tuple[int, int], x: Any, ar: Any) -> Pair:
    """No place of match and rival has a gap below the claimed one; that of the worst place is an identity."""
    letters, length = setting
    turns, step = frequency(x[0], worst.reach, letters, length - 1, ar), ar.number(Fraction(1, letters))
    positive = bool((2 * length - 3) * turns * letters <= 1)
    first, second = worst.halves(length, turns, step, positive)
    matches = ar.cos_pi(2 * np.arange(length) * turns)
    logits = rivals(letters, range(length), turns, ar, worst.rivals)
    known = None
    if worst.halves is half_angles:
        known = (*((length - 2, length - 1) if positive else (length - 1, length - 2)), len(logits) - 1)
    gaps = [
        matches[s] - logits[kappa, r]
        for s, r, kappa in product(range(length), range(length), range(len(logits)))
        if (s != r or not worst.distinct) and ((s, r, kappa) != known)
    ]
    # Gaps lie between -2 and 2.
    return 3 + 2 * ar.sin_pi(2 * first) * ar.sin_pi(2 * second), 3 + ar.least(gaps)


def _printed(bound: Any, setting: tuple[int, int], x: Any, ar: Any) -> Pair:
    letters, length = setting
    delta, limit = bound.floats(letters, length, float(x[0]))
    return 2 + delta, 2 + limit


def _holds(bound: Any, setting: tuple[int, int], point: list[Fraction]) -> Outcome:
    return bound.holds(*setting, Real.of(point[0]))


def _radians(setting: tuple[int, int]) -> tuple[Axis, ...]:
    letters, length = setting
    return (Axis("theta", 0.001, 2 * np.pi / letters / (length - 1), "radians"),)


def _codes(setting: tuple[int, int]) -> list[Axis]:
    planes, _ = setting
    codes = [Axis(f"{name}_{k}", -1, 1) for name in "ckdl" for k in range(planes)]
    return [*codes, *(Axis(f"speed_{k}", 0, 1) for k in range(1, planes)), Axis("share", 0.001, 1)]


def _multi_plane(bound: Any, setting: tuple[int, int], x: Any, ar: Any) -> Pair | None:
    """The gap of two unit codes; in plane k they are (c_k, k_k) and (d_k, l_k)."""
    planes, length = setting
    one, other = x[: 2 * planes], x[2 * planes : 4 * planes]
    squares = [(code * code).sum() for code in (one, other)]
    if not all(square > 1e-3 for square in squares):
        return None
    one, other = (code / np.sqrt(square) for code, square in zip((one, other), squares, strict=True))
    (a, b), (c, d) = one.reshape(2, planes), other.reshape(2, planes)
    inner = (a * c + b * d).sum()
    if not (inner < 0.9999 and inner > -0.9999):
        return None
    separation = np.arccos(inner)
    speeds = np.array([1, *x[4 * planes : -1]])
    fastest = x[-1] * ar.number(bound.reach) * separation / (length - 1)
    phases = np.outer(np.arange(length), speeds * fastest)
    cosines, sines = np.cos(phases), np.sin(phases)
    targets = cosines @ (a * a + b * b)
    others = (cosines @ (a * c + b * d) - sines @ (b * c - a * d)) * ar.number(bound.norm)
    gaps = [targets[s] - others[r] for s, r in product(range(length), repeat=2) if s != r]
    said = bound.value(length, fastest, ar.least(speeds) * fastest, separation, np.cos)
    return 4 + said, 4 + ar.least(gaps)


def _defect(defect: Any, setting: tuple[int, int, int], x: Any, ar: Any) -> Pair:
    letters, length, kappa = setting
    turns = frequency(x[0], defect.reach, letters, length, ar)
    phases = retrieval_phase(kappa, 0, np.arange(1, length), ar.number(Fraction(1, letters)), turns)
    row = ar.cos_pi(2 * phases)
    return ar.largest(row) - ar.least(row), defect.bound(length, 2 * ar.pi * turns)


def _printed_duel(claim: str) -> Duel:
    return Duel(
        claim,
        "gap, (A, n)",
        ((2, 2), (3, 4), (8, 6)),
        _radians,
        _printed,
        ("n + 1 for n", "half of it, with n - 1"),
        verdict=_holds,
    )


RETRIEVAL = [
    Duel(
        "retrieval-feasibility",
        "other letters against matches, (A, n0)",
        ((2, 2), (3, 5), (8, 9)),
        lambda _: (SHARE,),
        _feasible,
        ("theta < omega/n0 suffices", "without theta < omega/(2 n0)"),
        strict=True,
    ),
    Duel(
        "retrieval-feasibility",
        "earlier matches against later ones, (A, n0)",
        ((2, 2), (3, 5), (8, 9)),
        lambda _: (SHARE,),
        _nearest,
        ("the farthest match wins",),
        strict=True,
    ),
    Duel(
        "retrieval-discrepancy-worst-case",
        "gaps of all places of match and rival, (A, n)",
        ((3, 2), (3, 4), (5, 6)),
        lambda _: (Axis("share", 0.001, 0.999),),
        _smallest,
        ("2n - 4", "first factors exchanged", "without (n - 1) theta <= omega", "without one token a position"),
    ),
    *map(
        _printed_duel,
        (
            "retrieval-discrepancy-printed",
            "retrieval-discrepancy-smallest-printed",
            "retrieval-discrepancy-largest-printed",
        ),
    ),
    Duel(
        "retrieval-multi-plane",
        "gap of two codes, (planes, n)",
        ((1, 3), (2, 3), (3, 6)),
        _codes,
        _multi_plane,
        (
            "the slowest plane",
            "only the competitor moves",
            "only the target moves",
            "without (n - 1) theta_max <= alpha_0",
            "without unit codes",
        ),
    ),
    Duel(
        "retrieval-symbolic-defect",
        "range of a content's logits, (A, n, letter)",
        ((4, 5, 1), (2, 3, 0), (6, 9, 4)),
        lambda _: (SHARE,),
        _defect,
        ("(n - 3) theta", "(n - 2) theta/2"),
    ),
]
