"""How far a recency plane of phase 0 sets neighbouring offsets apart: by about 14.8/n^2.

Source: derived for arXiv 2511.11579, Thm 6. With g(t) = cos(t theta + psi), the gap of offset t is
g(t) - g(t + 1) = 2 sin((t + 1/2) theta + psi) sin(theta/2), and the gap of the plane is the least over t = 1..n-2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import sympy
from flint import arb, fmpq
from sympy import Expr, Integer, Rational, pi

from theory.arithmetic.ball import Real, acos, cos, evaluate, minimum, sin
from theory.claims import Hypothesis, Source, claim
from theory.errors import InputError
from theory.evidence import BoxCover, Enumeration, Equation, Evidence, Identity
from theory.outcome import Outcome
from theory.quantities import Enclosure, Length, quantity
from theory.rope.expressivity.partial_induction import PSI
from theory.rope.index.window import angle_of
from theory.symbols import n, t, theta

SOURCE = Source("2511.11579", "Thm 6", "derived")
SEED = 2511


def sine_gap(offset: Any, angle: Any, phase: Any, sine: Callable[[Any], Any]) -> Any:
    """The gap of an offset as a product of sines, generic over the arithmetic; radians."""
    return 2 * sine(angle / 2) * sine((2 * offset + 1) * angle / 2 + phase)


def plane_gap(turns: Fraction, phase: Fraction, length: int) -> Real:
    """The least of the gaps of offsets 1..n-2, for a frequency and a phase in turns."""
    return minimum(sine_gap(at, angle_of(turns).real, angle_of(phase).real, sin) for at in range(1, length - 1))


@dataclass(frozen=True)
class Aligned:
    """What phase 0 allows: at which frequencies g falls, and the largest gap of the plane with its frequency.

    Args:
        optimum, angle: as functions of n.
        falls: whether g is said to fall strictly on 1..n-1, for a length and a frequency in half turns, at most 1.
        shortest: the least length to which `optimum` applies.
    """

    optimum: Callable[[Any], Expr] = lambda length: sympy.cos(pi / length) - sympy.cos(2 * pi / length)
    angle: Callable[[Any], Expr] = lambda length: pi / length
    falls: Callable[[Any, Any], Any] = lambda length, half_turns: (length - Fraction(3, 2)) * half_turns < 1
    shortest: int = 5

    def __str__(self) -> str:
        return (
            f"cos(t theta) falls strictly on 1..n-1 iff {self.falls(n, theta / pi)}, and for n >= {self.shortest} its "
            f"least step is at most {self.optimum(n)}, attained at theta = {self.angle(n)} only"
        )

    def cases(self, lengths: Sequence[int]) -> Iterator[tuple[object, Outcome]]:
        for length in lengths:
            optimum = Real.of(self.optimum(length))
            shares = [Fraction(63, 64), Fraction(65, 64), *(Fraction(k, 8) for k in range(1, 8 * length + 1) if k != 8)]
            for half_turns in (share / length for share in shares):
                least = plane_gap(half_turns / 2, Fraction(0), length)
                case = {"n": length, "theta": str(angle_of(half_turns / 2))}
                yield case, least > 0 if self.falls(length, half_turns) else least <= 0
                if length >= self.shortest:
                    yield case, least < optimum


@claim(
    "partial-induction-recency-aligned",
    source=SOURCE,
    quantifiers="for all n >= 3 and 0 < theta <= pi at phase 0; maximum over theta of the minimum over offsets 1..n-2",
    statement=str,
    variant=Aligned(),
    controls={
        "falls iff (n - 1) theta <= pi": Aligned(falls=lambda length, half_turns: (length - 1) * half_turns <= 1),
        "offset 0 included": Aligned(lambda length: 1 - sympy.cos(pi / (length - 1)), lambda length: pi / (length - 1)),
        "1 - cos(pi/n)": Aligned(lambda length: 1 - sympy.cos(pi / length)),
    },
    hypotheses=(
        Hypothesis("five tokens", "n >= 5", Aligned(shortest=4), "at n = 3 and 4 the best frequencies lie elsewhere"),
    ),
    does_not_show="that other phases do no better: partial-induction-recency-phase",
)
def recency_aligned(aligned: Aligned, thorough: bool) -> Iterator[Evidence]:
    """Frequencies on a grid; at the optimum both ends of the window agree, below it one rises, above it one falls."""
    lengths = range(3, 17 if thorough else 7)
    yield Enumeration(f"rational turns, n <= {lengths[-1]}", aligned.cases(lengths))
    yield Identity("gaps, their slopes, and the optimum", _aligned_proof(aligned))
    shares = ((Fraction(0), Fraction(1)),)
    for length in range(aligned.shortest, 60 if thorough else 20, 7):
        yield BoxCover(f"beyond the optimum the last gap falls, n={length}", shares, partial(_falls, length))


def gap(offset: Expr, phase: Expr = sympy.S.Zero, angle: Expr = theta) -> Expr:
    """g(t) - g(t + 1) from the definition."""
    return sympy.cos(offset * angle + phase) - sympy.cos((offset + 1) * angle + phase)


def _aligned_proof(aligned: Aligned) -> Iterator[Equation]:
    yield "gap of offset t", gap(t, PSI), sine_gap(t, theta, PSI, sympy.sin)
    yield "gap of offset 1 at the optimum", gap(Integer(1), angle=aligned.angle(n)), aligned.optimum(n)
    yield "gap of offset n - 2 at the optimum", gap(n - 2, angle=aligned.angle(n)), aligned.optimum(n)
    # Positive while cos theta > 1/4, so up to pi/n.
    slope = sympy.sin(theta) * (4 * sympy.cos(theta) - 1)
    yield "slope of the gap of offset 1", sympy.diff(gap(Integer(1)), theta), slope


def _falls(length: int, share: arb) -> Outcome:
    """The slope of the gap of offset n - 2 in theta, from pi/n (share 0) to pi/(n - 3/2) (share 1)."""
    start, end = fmpq(1, length), 1 / (length - fmpq(3, 2))
    angle = arb.pi() * (start + share * (end - start))
    slope = evaluate(sympy.diff(gap(n - 2), theta), {n: length, theta: Real(lambda: angle)}).enclose()
    return Outcome.of(slope < 0) if slope < 0 or slope > 0 else Outcome.UNDECIDED


def named(angle: Real, least: Real) -> dict[str, Enclosure]:
    """The two results of an optimum over frequencies."""
    return {"gap": Enclosure(least), "theta": Enclosure(angle)}


def check_length(length: int) -> None:
    """Raise InputError unless there are two earlier tokens."""
    if length < 3:
        raise InputError(f"n={length} leaves no two earlier tokens to tell apart; give n >= 3")


@quantity("recency-gap-aligned", unit="logit; radians", claim="partial-induction-recency-aligned")
def recency_gap_aligned(n: Length) -> dict[str, Enclosure]:
    """Largest recency gap of a plane at phase 0 over the frequencies, and the frequency that has it."""
    check_length(n)
    if n >= 5:
        return named(Real.of(Aligned().angle(n)), Real.of(Aligned().optimum(n)))
    # The slope of the last gap vanishes: 4 c = 1 for n = 3, and 12 c^2 - 4 c = 3 for n = 4, with c = cos theta.
    angle = acos(Real.of(Rational(1, 4) if n == 3 else (1 + sympy.sqrt(10)) / 6))
    return named(angle, cos((n - 2) * angle) - cos((n - 1) * angle))
