"""What competitors weigh, and the inverse temperature that takes; frequencies and phases in turns."""

from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
from sympy import sqrt

from tests.adversary.arithmetic import constant
from tests.adversary.duel import Axis, Duel, Pair
from tests.adversary.duels.phases import PHASE, TURNS
from theory.arithmetic.real import Real
from theory.rope.index.weights import decoding_bound
from theory.rope.universal_limits.bessel_bound import x as ARGUMENT
from theory.rope.universal_limits.m_frequency_gaps import HALVES, UNEVEN, Amplitudes, gap_at
from theory.rope.universal_limits.weight_floor import ONE

THIRDS: Amplitudes = (Fraction(1, 3),) * 3


def frequencies(amplitudes: Amplitudes) -> list[Axis]:
    """A frequency for each amplitude."""
    return [TURNS for _ in amplitudes]


def competing(amplitudes: Amplitudes, turns: Any, left: int, right: int, scale: Any, ar: Any) -> Any:
    """F_{left,right} of an aligned head."""
    gaps = gap_at(np.arange(1, max(left, right) + 1), map(ar.number, amplitudes), turns, ar.sin_pi)
    weights = np.exp(-scale * gaps)
    return weights[:left].sum() + weights[:right].sum()


def _bessel(root: Any, setting: Any, x: Any, ar: Any) -> Pair:
    argument = np.exp(x[0])
    return ar.formula(1 / sqrt(1 + root.c * ARGUMENT), {ARGUMENT: argument}), ar.bes(argument)


@constant
def _floor_bound(floor: Any, setting: Any) -> Real:
    amplitudes, left, right, scale = setting
    return floor.at(left, right, scale, amplitudes)


def _floor(floor: Any, setting: Any, x: Any, ar: Any) -> Pair | None:
    amplitudes, left, right, scale = setting
    found = competing(amplitudes, x, left, right, ar.number(scale), ar)
    least = ar.number(_floor_bound(floor, setting))
    return (least, found) if least > 0 else None


@constant
def _ceiling_bound(ceiling: Any, setting: Any) -> Real:
    amplitudes, side, _, scale = setting
    return ceiling.at(side, scale, amplitudes)


def _ceiling(ceiling: Any, setting: Any, x: Any, ar: Any) -> Pair | None:
    """The weight of a target with `side` keys before it and `after` behind, at any frequencies and phases."""
    amplitudes, side, after, scale = setting
    m = len(amplitudes)
    if ceiling.ends:
        side, after = 0, side
    offsets = np.arange(-side, after + 1)
    parts = zip(map(ar.number, amplitudes), x[:m], x[m:], strict=True)
    heights = sum(a * (ar.cos_pi(2 * (p + offsets * turn)) - ar.cos_pi(2 * p)) for a, turn, p in parts)
    highest = ar.number(_ceiling_bound(ceiling, setting))
    return (1 / np.exp(ar.number(scale) * heights).sum(), highest) if highest < 1 else None


@constant
def _needed(separation: Any, length: int, offset: int) -> Real:
    return separation.of(length, offset).needed(length)


def _separation(separation: Any, setting: tuple[int, int], x: Any, ar: Any) -> Pair:
    """At the inverse temperature below which the query is said to fail at every frequency, it does."""
    length, offset = setting
    scale = ar.number(_needed(separation, length, offset))
    return decoding_bound(offset), competing(ONE, x, offset, length - 1 - offset, scale, ar)


@cache
def _several_needed(several: Any, setting: Any) -> tuple[Fraction, ...]:
    """The midpoints of the balls that the claim's checker takes, rounded, one for each part of the statement."""
    amplitudes, length, offset = setting
    return tuple(Fraction(float(scale.mid())) for scale in several.fails_at(length, offset, amplitudes))


def _several(several: Any, setting: Any, x: Any, ar: Any) -> Pair | None:
    amplitudes, length, offset = setting
    if not (scales := _several_needed(several, setting)):
        return None
    found = [competing(amplitudes, x, offset, length - 1 - offset, ar.number(s), ar) for s in scales]
    return decoding_bound(offset), ar.least(found)


@constant
def _best_needed(best: Any, sides: int, steps: int) -> Real:
    return best.least(sides, steps)


def _best(best: Any, setting: tuple[int, int], x: Any, ar: Any) -> Pair | None:
    sides, steps = setting
    left = steps if sides == 2 else 0
    scale = ar.number(_best_needed(best, sides, steps))
    return 1, competing(ONE, x, left, steps, scale, ar)


SCALES = tuple(map(Fraction, ("1/2", "2", "7", "30")))

WEIGHTS = [
    Duel(
        "bessel-lower-bound",
        "mean weight at a random angle",
        ((),),
        lambda _: (Axis("ln x", -12, 18),),
        _bessel,
        ("6 in place of 2 pi", "2 in place of 2 pi"),
    ),
    Duel(
        "competitor-weight-floor",
        "weight of the competitors, (amplitudes, a, b, beta)",
        (
            (ONE, 0, 6, SCALES[2]),
            (ONE, 2, 5, SCALES[1]),
            (ONE, 20, 20, SCALES[3]),
            (HALVES, 5, 8, SCALES[1]),
            (UNEVEN, 0, 9, SCALES[1]),
        ),
        lambda setting: frequencies(setting[0]),
        _floor,
        (
            "two-sided without the half",
            "one-sided with b + 2",
            "two-sided, own weight forgotten",
            "I_0 in place of Bes",
        ),
    ),
    Duel(
        "positional-weight-ceiling",
        "weight of a target, (amplitudes, T, keys behind, beta)",
        (
            (ONE, 6, 6, Fraction(3)),
            (ONE, 6, 6, Fraction(7)),
            (ONE, 25, 25, Fraction(40)),
            (HALVES, 6, 8, Fraction(2)),
            (UNEVEN, 12, 12, Fraction(3)),
        ),
        lambda setting: [*frequencies(setting[0]), *[PHASE] * len(setting[0])],
        _ceiling,
        ("T + 2", "2 T + 1", "I_0 in place of Bes", "without shorter side"),
    ),
    Duel(
        "temperature-separation",
        "competitors at the inverse temperature that is needed, (n, s)",
        ((9, 0), (9, 8), (9, 4), (33, 32), (33, 16), (40, 0)),
        lambda _: (TURNS,),
        _separation,
        ("letters: n M < 5", "integers: (n + 1) M < 3", "offset n - 1: n M < 2"),
    ),
    Duel(
        "temperature-several-planes",
        "competitors at the inverse temperature that is needed, (amplitudes, n, s)",
        (
            (HALVES, 17, 16),
            (ONE, 17, 8),
            (UNEVEN, 17, 8),
            (HALVES, 40, 0),
            (THIRDS, 33, 32),
        ),
        lambda setting: frequencies(setting[0]),
        _several,
        (
            "offset n - 1: n M < 2",
            "integers: (n + 1) M < 3",
            "several planes need n^2",
            "three times as much",
        ),
    ),
    Duel(
        "temperature-best-frequency",
        "competitors at the inverse temperature that is needed, (sides, T)",
        ((1, 8), (2, 8), (1, 128)),
        lambda setting: (Axis("theta", 1e-4, 0.5 if setting[1] < 100 else 0.02, "turns"),),
        _best,
        ("0.0202 n^2 is needed",),
    ),
]
