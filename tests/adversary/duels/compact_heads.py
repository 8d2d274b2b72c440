"""Compact positional encodings, one head: its weights, letters that change, states that move."""

from functools import cache
from typing import Any

import numpy as np
import sympy

from tests.adversary.duel import Axis, Duel, Pair
from theory.arithmetic.ball import evaluate
from theory.arithmetic.real import Real
from theory.compact.continuity.constants import HeadConstants


@cache
def _weight_bound(weights: Any, side: str, setting: tuple[int, int, int]) -> Real:
    length, virtual, ratio = setting
    bounds = getattr(weights, side)(sympy.Integer(length), sympy.Integer(virtual), sympy.log(ratio))
    return Real.of(sympy.Max(*bounds) if side == "lower" else sympy.Min(*bounds))


def _heaviest(weights: Any, setting: tuple[int, int, int], x: Any, ar: Any) -> Pair:
    return max(x[: setting[0]]) / sum(x), _held(_weight_bound(weights, "upper", setting), ar)


def _lightest(weights: Any, setting: tuple[int, int, int], x: Any, ar: Any) -> Pair:
    return _held(_weight_bound(weights, "lower", setting), ar), min(x[: setting[0]]) / sum(x)


def _held(bound: Real, ar: Any) -> Any:
    return bound if bound.exact is None else bound.exact


def _exponentials(count: int, ratio: int, name: str = "e^s") -> list[Axis]:
    return [Axis(f"{name}_{j}", 1 / ratio, 1) for j in range(count)]


@cache
def _mass_bound(sharp: Any, setting: tuple[int, int, int]) -> Any:
    length, changed, ratio = setting
    return _held(evaluate(sharp.bound(sympy.log(ratio), sympy.Integer(changed), sympy.Integer(length))), None)


def _head(sharp: Any, setting: tuple[int, int, int], x: Any, ar: Any) -> Pair:
    """The first letters are changed: they have logits and values of their own in the other run."""
    length, changed, _ = setting
    weights, values, others, changes = np.split(np.array(x, dtype=object), [length, 2 * length, 2 * length + changed])
    first = sum(weights * values) / sum(weights)
    weights, values = np.array([*others, *weights[changed:]]), np.array([*changes, *values[changed:]])
    second = sum(weights * values) / sum(weights)
    return abs(first - second), _mass_bound(sharp, setting)


def _head_axes(setting: tuple[int, int, int]) -> list[Axis]:
    length, changed, ratio = setting
    units = [[Axis(f"{name}_{j}", 0, 1) for j in range(count)] for name, count in (("v", length), ("v'", changed))]
    return [*_exponentials(length, ratio), *units[0], *_exponentials(changed, ratio, "e^s'"), *units[1]]


def _moved(setting: tuple[int, ...], x: Any, ar: Any) -> tuple[Any, Any, Any, Any, Any]:
    """Weights of both runs, and Delta, lambda_q e_i and the e_j with lambda_k = 1; of groups of equal keys."""
    groups, copies = len(setting), np.array(setting)
    logits, by_query, by_keys = (x[part * groups : (part + 1) * groups] for part in range(3))
    moved = logits + by_query + by_keys
    first, second = (copies * np.exp(row) / (copies * np.exp(row)).sum() for row in (logits, moved))
    spread = ar.largest([ar.largest(row) - ar.least(row) for row in (logits, moved)])
    return first, second, spread, ar.largest(abs(by_query)), abs(by_keys)


def _variation(perturbation: Any, setting: tuple[int, ...], x: Any, ar: Any) -> Pair:
    first, second, spread, query, keys = _moved(setting, x, ar)
    mean = (np.array(setting) * keys).sum() / sum(setting)
    return abs(first - second).sum() / 2, perturbation.total_variation(spread, query, mean)


def _output(perturbation: Any, setting: tuple[int, ...], x: Any, ar: Any) -> Pair:
    """Values that move by at most lambda_v e_j, lambda_v = 1."""
    first, second, spread, query, keys = _moved(setting, x, ar)
    groups = len(setting)
    values, shares = x[3 * groups : 4 * groups], x[4 * groups :]
    others = values + shares * keys
    everything = [*values, *others]
    head = HeadConstants(spread, ar.largest(everything) - ar.least(everything), 1, 1, 1)
    bound = perturbation.output(head, query, (np.array(setting) * keys).sum() / sum(setting))
    return abs((first * values).sum() - (second * others).sum()), bound


def _moved_axes(setting: tuple[int, ...], most: float = 1) -> list[Axis]:
    kinds = [("s", 0, 3), ("query", -1, 1), ("key", -most, most)]
    return [Axis(f"{name}_{j}", low, high) for name, low, high in kinds for j in range(len(setting))]


COMPACT_HEADS = [
    Duel(
        "weights-bound",
        "largest weight, (n, virtual keys, e^Delta)",
        ((2, 0, 4), (4, 0, 4), (8, 0, 32)),
        lambda setting: _exponentials(setting[0] + setting[1], setting[2]),
        _heaviest,
        ("p <= e^(Delta/2)/n",),
        exact=True,
        sharp=True,
    ),
    Duel(
        "weights-bound",
        "least weight, (n, virtual keys, e^Delta)",
        ((2, 1, 4), (4, 2, 4), (8, 0, 32)),
        lambda setting: _exponentials(setting[0] + setting[1], setting[2]),
        _lightest,
        ("virtual keys do not count", "p >= e^(-Delta/2)/(n + v)"),
        exact=True,
        sharp=True,
    ),
    Duel(
        "single-head-continuity-sharp",
        "difference of two means, (n, k, e^Delta)",
        ((2, 1, 4), (4, 1, 8), (5, 3, 4)),
        _head_axes,
        _head,
        ("half the range", "e^Delta d/(1 + e^Delta d)", "k/(n + 1)", "e^Delta d attained"),
        exact=True,
        sharp=True,
    ),
    Duel(
        "attention-perturbation",
        "total variation, groups of keys",
        ((1, 1), (1, 15), (1, 1, 1, 1)),
        _moved_axes,
        _variation,
        ("lambda_q e_i/4", "no e^Delta", "half the range"),
    ),
    Duel(
        "attention-perturbation",
        "difference of two outputs, groups of keys",
        ((1, 1), (1, 15), (1, 1, 1, 1)),
        lambda setting: [
            *_moved_axes(setting, 0.2),
            *(Axis(f"{name}_{j}", -1, 1) for name in ("v", "share") for j in range(len(setting))),
        ],
        _output,
        ("values alone",),
    ),
]
