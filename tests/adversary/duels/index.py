"""Index: one plane, frequencies in turns."""

from functools import cache
from typing import Any

import numpy as np

from tests.adversary.arithmetic import constant
from tests.adversary.duel import Axis, Duel, Pair
from theory.arithmetic.ball import evaluate, minimum, versine
from theory.arithmetic.real import Real
from theory.rope.index.best_case import m
from theory.rope.index.circle import Delta
from theory.rope.index.closest_return import Rule
from theory.rope.index.discrepancy import BEST, TURN, WORST
from theory.rope.index.margins import margin_forms
from theory.rope.index.window import angle_of, fold, query_distance, reach
from theory.rope.universal_limits.m_frequency_gaps import gap_at
from theory.symbols import beta, n

TURNS = (Axis("theta", 1e-4, 0.5, "turns"),)


def gap(last: int, turns: Any, ar: Any) -> Any:
    """The least gap of one aligned plane over the offsets 1..last."""
    return ar.least(gap_at(np.arange(1, last + 1), [1], [turns], ar.sin_pi))


@constant
def _worst_bound(bound: Any, length: int) -> Real:
    return versine(TURN * bound.at(length)[0])


def _worst(bound: Any, length: int, x: Any, ar: Any) -> Pair:
    return gap(bound.at(length)[1], x[0], ar), ar.number(_worst_bound(bound, length))


@constant
def _best_bound(bound: Any, length: int, integers: int) -> Real:
    values = {n: length, m: integers}
    bounds = [versine(TURN / (bound.reach(length, integers) + 1)), evaluate(bound.decay, values)]
    if length > integers or bound.many:
        bounds.append(evaluate(bound.few, values))
    return minimum(bounds)


def _best(bound: Any, setting: tuple[int, int], x: Any, ar: Any) -> Pair:
    length, integers = setting
    nearest = min(reach(length, offset) for offset in range(min(integers, length - 1) + 1))
    return gap(nearest, x[0], ar), ar.number(_best_bound(bound, length, integers))


def _printed(bound: Any, setting: tuple[int, int], x: Any, ar: Any) -> Pair:
    """Without its first term, 1 - cos theta, which is one of the gaps (claim index-discrepancy-neighbour)."""
    length, offset = setting
    offset = offset if bound.largest else 0
    return gap(reach(length, offset), x[0], ar), ar.formula(bound.decay, {n: length})


def _circle(spread: Any, setting: tuple[int, int], x: Any, ar: Any) -> Pair | None:
    length, offset = setting
    turns, scale = x[0], np.exp(x[1])
    gaps = gap_at(np.arange(1, length), [1], [turns], ar.sin_pi)
    weights = np.exp(-scale * gaps)
    smallest = ar.least(gaps[: length - 1 - spread.fewer])
    if not smallest > 1e-12:
        return None
    total = weights[:offset].sum() + weights[: length - 1 - offset].sum()
    return total, ar.formula(spread.bound, {beta: scale, Delta: smallest})


def _returns(rule: Rule, up_to: int, x: Any, ar: Any) -> Pair:
    """No step comes closer than the one that is said to."""
    return rule.find(angle_of(x[0]), up_to).closest.distance.exact, fold(int(x[1]) * x[0])


def _side(rule: Rule, up_to: int, x: Any, ar: Any) -> Pair:
    """Nor on the upper side of the start."""
    return rule.find(angle_of(x[0]), up_to).above.distance.exact, int(x[1]) * x[0] % 1


def _apart(condition: Any, length: int, x: Any, ar: Any) -> Pair | None:
    """D > 0, D < 1/2 the distance of the nearest competitor in turns."""
    if not condition.met(angle_of(x[0]), length):
        return None
    return 1 - query_distance(length, 0, x[0]), 1


def _decodes(threshold: Any, setting: tuple[int, int], x: Any, ar: Any) -> Pair:
    """For any weights of the competitors: the least margin is at least bound - F > 0, or none is positive."""
    length, offset = setting
    weights = dict(zip([t for t in range(-offset, length - offset + 1) if t], x, strict=True)) | {0: 1}
    claimed = sum(weights[t] * count for t, count in threshold.form(length, offset).items())
    least = min(sum(weights[t] * c for t, c in form) for form in _forms(length, offset, threshold.alpha))
    total = sum(weights[t] for t in range(-offset, length - offset))
    return 1 + (claimed - least if claimed > 0 else least) / total, 1


@cache
def _forms(length: int, offset: int, alpha: int) -> list[tuple[tuple[int, int], ...]]:
    found = {tuple(sorted(form.items())) for _, forms in margin_forms(length, offset, alpha) for form in forms}
    return sorted(found)


def _steps(up_to: int) -> tuple[Axis, ...]:
    return Axis("theta", 0.001, 0.999, "turns"), Axis("t", 1, up_to, "tokens", whole=True)


INDEX = [
    Duel(
        WORST,
        "gap of a letter query, (n)",
        (2, 3, 5, 8, 13, 40),
        lambda _: TURNS,
        _worst,
        ("n + 1 parts", "n - 1 parts", "offsets up to n", "without letter queries"),
        sharp=True,
    ),
    Duel(
        BEST,
        "largest gap over offsets, (n, m)",
        ((4, 1), (13, 30), (4, 6), (21, 30), (9, 3)),
        lambda _: TURNS,
        _best,
        ("the middle rounded down", "2 pi^2/n^2, as printed", "8 pi^2/(n + 2)^2", "without few integers"),
        sharp=True,
    ),
    Duel(
        "index-discrepancy-printed",
        "gap of a query, (n, s)",
        ((4, 1), (7, 3), (5, 0)),
        lambda _: TURNS,
        _printed,
        ("without 1 - cos theta", "pi^2/(2 n^2), for the minimum"),
    ),
    Duel(
        "index-circle-bound",
        "weight of the competitors, (n, s)",
        ((4, 1), (3, 0), (8, 3), (20, 7)),
        lambda _: (Axis("theta", 1e-3, 0.5, "turns"), Axis("ln beta", -2, 6)),
        _circle,
        ("competitors on one side only", "only the nearest on either side", "the gap of length n - 1"),
    ),
    Duel(
        "delta-min-continued-fraction",
        "distance of a step to a whole turn, (T)",
        (5, 13, 40),
        _steps,
        _returns,
        ("the convergent before", "intermediate convergents for the minimum"),
        exact=True,
        rounds=True,
    ),
    Duel(
        "delta-min-continued-fraction",
        "distance of a step on the upper side, (T)",
        (5, 13, 40),
        _steps,
        _side,
        ("the convergent before", "j - 1 steps"),
        exact=True,
        rounds=True,
    ),
    Duel(
        "index-positivity-printed",
        "gap at irrational angles, (n)",
        (3, 5, 9),
        lambda _: (Axis("theta", 0.05, 0.5, "turns"),),
        _apart,
        ("theta not 0", "theta a rational multiple of pi"),
        exact=True,
        rounds=True,
        strict=True,
        near_miss=False,
    ),
    Duel(
        "index-softmax-threshold",
        "least margin over all inputs at any weights, (n, s)",
        ((3, 0), (3, 1), (2, 0), (4, 2)),
        lambda setting: [Axis(f"f_{t}", 0.001, 1) for t in range(-setting[1], setting[0] - setting[1] + 1) if t],
        _decodes,
        (
            "bound 1 for letters",
            "bound 3 for integers",
            "offsets up to n",
            "the query's own key forgotten",
            "without alpha = 2",
        ),
        exact=True,
    ),
]
