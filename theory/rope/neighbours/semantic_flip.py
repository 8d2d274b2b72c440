"""One plane cannot keep a content match above a distractor at all offsets of a long input.

Source: arXiv 2410.06205, Thm 6.1, for long enough inputs and irrational angles; explicit, and without irrationality,
here. Steps of less than half a turn cannot jump over an open half circle, so that floor(pi/theta) + 2 consecutive
offsets meet both halves; the target is taken from one such window, the distractor from the next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from random import Random

import numpy as np
from flint import arb
from sympy import Expr, floor, pi

from theory.arithmetic.angle import Angle
from theory.arithmetic.ball import Real
from theory.claims import Hypothesis, Source, claim
from theory.errors import InputError, Undecided
from theory.evidence import BoxCover, Case, Enumeration, Evidence, Search, Trial
from theory.outcome import Outcome
from theory.quantities import AnyAngle, Count, Enclosure, Exact, quantity
from theory.rope.index.window import rational_turns
from theory.rope.neighbours.barbero_basics import BARBERO
from theory.rope.universal_limits.worst_gap import Base
from theory.symbols import theta

CLAIM = "one-plane-semantic-flip"
SEED = 660
HALF = Fraction(1, 2)
CIRCLE = (Fraction(0), Fraction(1))
# Ranges of turns on which floor(pi/theta) is constant: 2 and, for --thorough, 2 and 1.
BOX, MORE_BOXES = (
    (Fraction(11, 50), Fraction(6, 25)),
    [(Fraction(9, 50), Fraction(1, 5)), (Fraction(13, 50), Fraction(12, 25))],
)


@dataclass(frozen=True)
class Flip:
    """From `length` on there are offsets r1 != r2 below n with target(r1) < 0 < distractor(r2), for all phases.

    Args:
        length: from K = floor(pi/theta), integer or symbolic.
        admits: which angles, in turns.
        distractor: whether its amplitude is positive.
        sharp: the flip is also asserted to fail for some phases at every shorter length.
    """

    length: Callable[..., Expr] = lambda K: 2 * K + 4
    admits: Callable[[Fraction], bool] = lambda turns: 0 < turns < HALF
    distractor: bool = True
    sharp: bool = False

    def __str__(self) -> str:
        least = self.length(floor(pi / theta))
        return (
            f"for n >= {least} some r1 != r2 below n have A1 cos(r1 theta + psi1) < 0 < A2 cos(r2 theta + psi2)"
            f"{', and for no smaller n is that so for all phases' if self.sharp else ''}"
        )


@claim(
    CLAIM,
    source=Source(BARBERO, "Thm 6.1", "derived"),
    quantifiers="for all 0 < theta < pi, phases, amplitudes A1, A2 > 0 and n from that length on; K = floor(pi/theta)",
    statement=str,
    variant=Flip(),
    controls={
        "n >= pi/theta": Flip(lambda K: K + 1),
        "one window": Flip(lambda K: K + 2),
        "one offset less": Flip(lambda K: 2 * K + 3),
    },
    hypotheses=(
        Hypothesis("theta > 0", "the plane turns", Flip(admits=lambda turns: turns < HALF)),
        Hypothesis("theta < pi", "less than half a turn a step", Flip(admits=lambda turns: turns > 0)),
        Hypothesis("A2 > 0", "the distractor has a logit", Flip(distractor=False)),
        Hypothesis("A1 > 0", "the target has a logit", remark="by symmetry with A2"),
    ),
    printed="the same for long enough inputs and theta/2 pi irrational",
    does_not_show="that several planes flip: they do where none is a multiple of 2 pi, but later",
)
def one_plane_semantic_flip(flip: Flip, thorough: bool) -> Iterator[Evidence]:
    """All sign patterns of all rational turns; boxes of angles and phases; random angles, which are irrational."""
    yield from evidence(flip, thorough)


@claim(
    "semantic-flip-sharp-length",
    source=Source(BARBERO, "Thm 6.1", "derived"),
    quantifiers="for all 0 < theta < pi/2, phases and amplitudes A1, A2 > 0; the smallest such length",
    statement=str,
    variant=Flip(lambda K: K + 3, lambda turns: 0 < turns < HALF / 2, sharp=True),
    controls={
        "one window": Flip(lambda K: K + 2, lambda turns: 0 < turns < HALF / 2, sharp=True),
        "two windows": Flip(lambda K: 2 * K + 4, lambda turns: 0 < turns < HALF / 2, sharp=True),
    },
    hypotheses=(
        Hypothesis("theta < pi/2", "less than a quarter turn a step", Flip(lambda K: K + 3, sharp=True)),
        Hypothesis("theta > 0", "the plane turns", Flip(lambda K: K + 3, lambda turns: turns < HALF / 2, sharp=True)),
    ),
    does_not_show="anything about theta >= pi/2, where two windows, 2 K + 4 offsets, are needed up to 3 pi/4",
)
def semantic_flip_sharp_length(flip: Flip, thorough: bool) -> Iterator[Evidence]:
    """The same checks; one offset less leaves phases for which only one offset of each kind exists, and the same."""
    yield from evidence(flip, thorough)


def evidence(flip: Flip, thorough: bool) -> Iterator[Evidence]:
    """Exact, certified and sampled evidence for a length from which target and distractor flip."""
    yield Enumeration("rational turns, all phases", _rational(flip, 24 if thorough else 11))
    for low, high in [BOX, *MORE_BOXES * thorough]:
        if flip.admits(low) and flip.admits(high):
            decide = partial(_flips_in_box, _length(flip, low))
            yield BoxCover(f"{low} <= turns <= {high}, all phases", ((low, high), CIRCLE, CIRCLE), decide)
    yield Search("random angles and phases", _random(flip, 20_000 if thorough else 1_000), seed=SEED)


def _length(flip: Flip, turns: Fraction) -> int:
    return int(flip.length(int(HALF / turns) if turns else 40))


def _rational(flip: Flip, order: int) -> Iterator[Case]:
    """Signs of cosines change at quarter turns only: phases that are odd or even multiples of 1/8q give all of them."""
    for turns in rational_turns(1, order):
        if not flip.admits(turns):
            continue
        least = _length(flip, turns)
        for n in range(least, least + 3):
            yield {"turns": str(turns), "n": n}, _always(turns, n, flip.distractor)
        if flip.sharp:
            yield {"turns": str(turns), "n": least - 1}, not _always(turns, least - 1, flip.distractor)


def _always(turns: Fraction, n: int, distractor: bool) -> bool:
    p, q = turns.as_integer_ratio()
    points = [[(8 * r * p + phase) % (8 * q) for r in range(n)] for phase in range(8 * q)]
    below = {frozenset(r for r, x in enumerate(row) if 2 * q < x < 6 * q) for row in points}
    above = {frozenset(r for r, x in enumerate(row) if distractor and not 2 * q <= x <= 6 * q) for row in points}
    return all(any(a != b for a in target for b in other) for target in below for other in above)


def _flips_in_box(n: int, turns: arb, first: arb, second: arb) -> Outcome:
    """Holds if one pair of offsets flips in the whole box; a box of which that is false is only ever undecided."""
    target = [r for r in range(n) if (2 * (r * turns + first)).cos_pi() < 0]
    other = [r for r in range(n) if (2 * (r * turns + second)).cos_pi() > 0]
    return Outcome.of(True if any(a != b for a in target for b in other) else None)


def _random(flip: Flip, count: int) -> Iterator[Trial]:
    """The least max(target(r1), -distractor(r2)) over r1 != r2; a flip makes it negative."""
    random = Random(SEED)
    for _ in range(count):
        angle = random.uniform(0.05, np.pi)
        if not flip.admits(Fraction(angle / (2 * np.pi))):
            continue
        n = int(flip.length(int(np.pi / angle)))
        target, other = (np.cos(np.arange(n) * angle + 2 * np.pi * random.random()) for _ in range(2))
        pairs = np.maximum(target[:, None], -other[None])
        np.fill_diagonal(pairs, 1.0)
        # Phases are off by (n theta + 2 pi) 2^-52 at most.
        yield Trial({"theta": angle, "n": n}, float(pairs.min()), 0.0, (n * angle + 7) * 2.0**-52)


def half_turns(angle: Angle) -> int:
    """floor(pi/theta) for 0 < theta < pi; InputError for other angles."""
    if (angle.real > 0) is not Outcome.HOLDS or (angle.real < Real.of_linear(0, 1)) is not Outcome.HOLDS:
        raise InputError(f"the angle {angle} is not known to lie between 0 and pi; give one that does, such as 1/10")
    if angle.turns is not None:
        return int(HALF / angle.turns)
    if (bounds := (1 / (2 * angle.alpha)).fixed_point(256)) is None or bounds[0] >> 256 != bounds[1] >> 256:
        raise Undecided(f"floor(pi/theta) is undecided at 256 bits for the angle {angle}")
    return bounds[0] >> 256


@quantity("semantic-flip-length", unit="tokens", claim=CLAIM)
def semantic_flip_length(theta: AnyAngle) -> dict[str, Exact]:
    """The length from which one plane has a target below 0 and a distractor above 0; the smallest, if theta < pi/2."""
    whole = half_turns(theta)
    results = {"enough": Exact(2 * whole + 4)}
    if (2 * theta.real < Real.of_linear(0, 1)) is Outcome.HOLDS:
        results["smallest"] = Exact(whole + 3)
    return results


@quantity("wavelength", unit="tokens", claim=CLAIM)
def wavelength(base: Base, d: Count, k: Count | None = None) -> Enclosure:
    """2 pi/theta_k, the positions that plane k takes for a turn; by default of the slowest plane, k = d/2."""
    return Enclosure(Angle.rope(base, d, d // 2 if k is None else k).wavelength)


@quantity("rope-frequency", unit="radians a position", claim=CLAIM)
def rope_frequency(base: Base, d: Count, k: Count) -> Enclosure:
    """theta_k = base^(-2 (k-1)/d), the frequency of plane k = 1..d/2 of RoPE."""
    return Enclosure(Angle.rope(base, d, k).real)
