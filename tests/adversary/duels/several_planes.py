"""Worst gaps of several aligned planes: frequencies in turns, and amplitudes."""

from functools import cache
from math import prod
from typing import Any

import numpy as np
from sympy import pi

from tests.adversary.arithmetic import Constant, constant
from tests.adversary.duel import Axis, Duel, Pair
from tests.adversary.duels.phases import planes, worst
from theory.arithmetic.real import Real
from theory.rope.universal_limits.log_frequencies import D
from theory.rope.universal_limits.m_frequency_dirichlet import P, rho_squared
from theory.rope.universal_limits.m_frequency_slow_planes import a as AMPLITUDE
from theory.rope.universal_limits.optimal_amplitudes import rope_angles
from theory.symbols import n, theta


@constant
def _box_bound(box: Any, m: int, length: int) -> Real:
    return box.at(m, length)


def _box(box: Any, setting: tuple[int, int], x: Any, ar: Any) -> Pair:
    m, length = setting
    return worst(x[m:], x[:m], length - 1, ar), x[m:].sum() * ar.number(_box_bound(box, m, length))


def _ellipsoid(limit: Any, setting: tuple[int, int], x: Any, ar: Any) -> Pair | None:
    m, length = setting
    square = ar.formula(limit.square(m), {P: prod(x[m:]), n: length})
    if limit.small and not square < ar.least(x[m:]):
        return None
    bound = ar.formula(2 * pi**2, {P: x[0]}) * square
    return (worst(x[m:], x[:m], length - 1, ar), bound) if bound < 2 * x[m:].sum() else None


def _form(limit: Any, setting: tuple[int, int], x: Any, ar: Any) -> Pair | None:
    """The integer point of the proof: with the distances to whole turns in place of cosines."""
    m, length = setting
    amplitudes = np.exp(x[m:])
    square = ar.formula(limit.square(m), {P: prod(amplitudes), n: length})
    if limit.small and not square < ar.least(amplitudes):
        return None
    offsets = np.arange(1, length)
    turned = [offsets * turn for turn in x[:m]]
    near = [row - np.round([float(getattr(part, "arb", part)) for part in row]) for row in turned]
    return ar.least(sum(a * row**2 for a, row in zip(amplitudes, near, strict=True))), square


def _slow(slow: Any, setting: tuple[int, int, int], x: Any, ar: Any) -> Pair | None:
    fast, m, length = setting
    turns, amplitudes = x[:m], x[m:]
    square = ar.formula(rho_squared(fast), {P: prod(amplitudes[:fast]), n: length})
    if slow.small and not square < ar.least(amplitudes[:fast]):
        return None
    costs = (
        ar.formula(slow.cost, {AMPLITUDE: amplitude, theta: 2 * ar.pi * turn, n: length})
        for amplitude, turn in zip(amplitudes[fast:], turns[fast:], strict=True)
    )
    bound = ar.formula(2 * pi**2, {P: x[0]}) * square + sum(costs)
    return (worst(amplitudes, turns, length - 1, ar), bound) if bound < 2 * amplitudes.sum() else None


def _slow_axes(setting: tuple[int, int, int]) -> list[Axis]:
    fast, m, length = setting
    axes = planes(m)
    return [Axis(axis.name, 1e-4, 0.3 / length, "turns") if fast <= k < m else axis for k, axis in enumerate(axes)]


def _needed(needed: Any, setting: tuple[int, int], x: Any, ar: Any) -> Pair | None:
    m, length = setting
    gap = worst(x[m:], x[:m], length - 1, ar) / x[m:].sum()
    if not gap > 1e-9:
        return None
    distance = np.arccos(1 - gap) / (2 * ar.pi)
    return ar.formula(needed.least, {n: length, D: distance}), m


@constant
def _best_amplitudes(largest: Any, setting: tuple[int, int, int]) -> Real:
    base, d, length = setting
    return largest.value(rope_angles(base, d), length)


@cache
def _rope_turns(base: int, d: int) -> tuple[Constant, ...]:
    return tuple(Constant(angle.alpha) for angle in rope_angles(base, d))


def _amplitudes(largest: Any, setting: tuple[int, int, int], x: Any, ar: Any) -> Pair:
    base, d, length = setting
    turns = [ar.number(alpha) for alpha in _rope_turns(base, d)]
    return worst(x, turns, length - 1, ar), x.sum() * ar.number(_best_amplitudes(largest, setting))


PLANES = [
    Duel(
        "m-frequency-box-limit",
        "worst gap, (m, n)",
        ((1, 5), (2, 5), (1, 12), (2, 9), (3, 12), (2, 30)),
        lambda setting: planes(setting[0]),
        _box,
        ("n^(-2/m)", "n + 1 parts", "half of it"),
    ),
    Duel(
        "m-frequency-dirichlet-limit",
        "worst gap, (m, n)",
        ((1, 5), (2, 12), (1, 20), (2, 24), (3, 40)),
        lambda setting: planes(setting[0]),
        _ellipsoid,
        ("n^(-3/m)", "V_m squared"),
    ),
    Duel(
        "m-frequency-dirichlet-limit",
        "least sum a_k ||t x_k||^2, (m, n)",
        ((2, 10), (2, 14), (3, 20)),
        lambda setting: [
            axis if axis.unit == "turns" else Axis(f"ln {axis.name}", -20, 0) for axis in planes(setting[0])
        ],
        _form,
        ("n^(-3/m)", "the volume of the cube", "without small"),
    ),
    Duel(
        "m-frequency-slow-planes",
        "worst gap, (fast planes, planes, n)",
        ((1, 2, 6), (1, 3, 9), (2, 3, 20)),
        _slow_axes,
        _slow,
        ("slow planes forgotten", "one step of them", "a quarter of it"),
    ),
    Duel(
        "log-frequencies",
        "planes needed for the worst gap that is found, (m, n)",
        ((1, 5), (2, 9), (1, 30), (3, 20)),
        lambda setting: planes(setting[0]),
        _needed,
        ("log2 n", "3 pi/2 in place of 2 pi", "one plane more"),
    ),
    Duel(
        "rope-optimal-amplitudes",
        "worst gap at any amplitudes, (base, d, n)",
        ((100, 6, 12), (10_000, 8, 20), (3, 8, 12)),
        lambda setting: [Axis(f"a_{k}", 0, 1, "logit") for k in range(1, setting[1] // 2 + 1)],
        _amplitudes,
        ("equal amplitudes are best", "2 pi^2/n^2", "the fastest plane at t = 1"),
        sharp=True,
    ),
]
