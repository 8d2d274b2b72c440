"""Gaps of a target at any phase, of one plane and of several; frequencies and phases in turns."""

from fractions import Fraction
from typing import Any

import numpy as np

from tests.adversary.arithmetic import constant
from tests.adversary.duel import Axis, Duel, Pair
from theory.arithmetic.ball import versine
from theory.arithmetic.real import Real
from theory.rope.universal_limits.m_frequency_gaps import gap_at
from theory.rope.universal_limits.one_frequency import TURN
from theory.rope.universal_limits.one_frequency_phase import A, B

TURNS = Axis("theta", 1e-4, 0.5, "turns")

# Not symmetric about the best phase, 0, so that no corner of the box is an equality case.
PHASE = Axis("psi", -0.45, 0.49, "turns")


def planes(m: int, *more: Axis) -> list[Axis]:
    """m frequencies and as many amplitudes."""
    turns = [Axis(f"theta_{k}", 1e-4, 0.5, "turns") for k in range(1, m + 1)]
    return [*turns, *(Axis(f"a_{k}", 0.05, 1, "logit") for k in range(1, m + 1)), *more]


def worst(amplitudes: Any, turns: Any, last: int, ar: Any) -> Any:
    """The least gap over the offsets 1..last."""
    return ar.least(gap_at(np.arange(1, last + 1), amplitudes, turns, ar.sin_pi))


def target_gap(amplitudes: Any, turns: Any, phases: Any, before: int, after: int, ar: Any) -> Any:
    """The logit of a target less the largest one of the keys at offsets -before..after from it."""
    offsets = np.array([t for t in range(-before, after + 1) if t])
    heights = [a * ar.cos_pi(2 * (p + offsets * x)) for a, x, p in zip(amplitudes, turns, phases, strict=True)]
    own = [a * ar.cos_pi(2 * p) for a, p in zip(amplitudes, phases, strict=True)]
    return sum(own) - ar.largest(sum(heights))


@constant
def _one_bound(limit: Any, side: int, length: int) -> Real:
    return versine(TURN * limit.distance(side, length))


def _one(limit: Any, setting: tuple[int, int], x: Any, ar: Any) -> Pair:
    side, length = setting
    side = max(side, limit.least) if limit.least else 0
    found = target_gap([1], [x[0]], [x[1]], side, length - 1 - side, ar)
    return found, ar.number(_one_bound(limit, side, length))


@constant
def _ends_bound(ends: Any, length: int) -> Real:
    return ends.value(length)


@constant
def _ends_rate(ends: Any) -> Real:
    return ends.limit()


def _ends(ends: Any, length: int, x: Any, ar: Any) -> Pair:
    found = target_gap([1], [x[0]], [x[1]], 0, length - 1, ar)
    return found, ar.number(_ends_bound(ends, length))


def _rate(ends: Any, length: int, x: Any, ar: Any) -> Pair:
    found = target_gap([1], [x[0]], [x[1]], 0, length - 1, ar)
    return (length - 1) * found, ar.number(_ends_rate(ends))


def _phase(optimum: Any, setting: tuple[int, int], x: Any, ar: Any) -> Pair | None:
    before, after = setting
    turned = [(t * x[0], t) for t in range(-before, after + 1) if t]
    parts = [part - np.floor(float(getattr(part, "arb", part))) for part, _ in turned]
    right, left = ar.least(parts), ar.least([1 - part for part in parts])
    if not (right > 0 and left > 0):
        return None
    value = ar.formula(optimum.value, {A: 2 * ar.pi * left, B: 2 * ar.pi * right})
    return target_gap([1], [x[0]], [x[1]], before, after, ar), value


def _two_sided(bound: Any, setting: tuple[int, int, int], x: Any, ar: Any) -> Pair | None:
    m, side, length = setting
    side = max(side, bound.least) if bound.least else 0
    reach = bound.length(side, length)
    if reach < 2:
        return None
    turns, shares, phases = x[:m], x[m : 2 * m], x[2 * m :]
    most = worst(shares, turns, reach - 1, ar)
    if not most > 1e-9:  # all planes return, and both gaps are 0
        return None
    return target_gap(shares, turns, phases, side, length - 1 - side, ar), most


def _middle(bound: Any, setting: tuple[tuple[float, ...], int], x: Any, ar: Any) -> Pair | None:
    turns, side = setting
    reach = bound.length(side, 2 * side + 1)
    exact = [ar.number(Fraction(turn)) for turn in turns]
    shares = [1] * len(turns)
    found = target_gap(shares, exact, x, side, side, ar)
    return (found, worst(shares, exact, reach - 1, ar)) if reach > 1 else None


PHASES = [
    Duel(
        "one-frequency-universal-limit",
        "gap of an interior target, (T, n)",
        ((1, 3), (3, 7), (3, 9), (8, 17)),
        lambda _: (TURNS, PHASE),
        _one,
        ("T + 2 points", "n points", "without interior"),
    ),
    Duel(
        "one-frequency-universal-limit",
        "gap of the middle target, (T, n)",
        ((2, 5), (3, 7), (8, 17)),
        lambda _: (TURNS, PHASE),
        _one,
        ("T points, attained",),
        sharp=True,
    ),
    Duel(
        "one-frequency-end-target",
        "gap of the first target, (n)",
        (2, 3, 5, 17),
        lambda _: (TURNS, PHASE),
        _ends,
        ("pi/n", "2 sin(pi/(2 (n - 1)))", "1 - cos(2 pi/n), aligned", "max_y(arc) at n"),
        sharp=True,
    ),
    Duel(
        "one-frequency-end-target",
        "n - 1 times the gap of the first target, (n)",
        (17, 5, 40),
        lambda _: (TURNS, PHASE),
        _rate,
        ("a limit of pi",),
    ),
    Duel(
        "one-frequency-phase-optimal",
        "gap at any phase, (a, b)",
        ((1, 2), (0, 3), (2, 2), (5, 9)),
        lambda _: (TURNS, PHASE),
        _phase,
        ("1 - cos min(A, B)", "without min(., pi)"),
    ),
    Duel(
        "one-frequency-phase-optimal",
        "gap at any phase, (a, b, theta in turns)",
        ((1, 2, 0.15), (0, 3, 0.12), (5, 9, 0.37)),
        lambda _: (PHASE,),
        lambda optimum, setting, x, ar: _phase(optimum, setting[:2], [ar.number(Fraction(setting[2])), x[0]], ar),
        ("1 - cos((A + B)/2)", "without min(., pi)", "1 - cos min(A, B)"),
        sharp=True,
    ),
    Duel(
        "m-frequency-two-sided-gap",
        "gap of a target, (m, T, n)",
        ((1, 2, 5), (2, 3, 7), (2, 2, 6), (3, 4, 9)),
        lambda setting: planes(setting[0], *[PHASE] * setting[0]),
        _two_sided,
        ("G(T + 2)", "G(n)", "without two-sided"),
    ),
    Duel(
        "m-frequency-two-sided-gap",
        "gap of the middle target at any phases, (frequencies in turns, T)",
        (((0.22,), 2), ((0.13, 0.31), 3), ((0.05, 0.21, 0.4), 5)),
        lambda setting: [PHASE] * len(setting[0]),
        _middle,
        ("G(T), attained",),
        sharp=True,
    ),
]
