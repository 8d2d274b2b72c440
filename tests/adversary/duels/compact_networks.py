"""Compact positional encodings, averages and networks: what they make of changed letters."""

from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from tests.adversary.duel import Axis, Duel, Pair
from theory.arithmetic.real import Real, midpoint
from theory.compact.averaging.averages import averaging_kernel, poisson_tail
from theory.compact.continuity.network_pairs import Pair as Words
from theory.compact.continuity.scalar_head import ScalarHead, ScalarLayer, run


@cache
def _kernel(length: int, times: int) -> list[Fraction]:
    return averaging_kernel(length, times)


def _tail(tails: Any, setting: tuple[int, int], x: Any, ar: Any) -> Pair:
    """Positions may be changed in part: the bound is concave in their sum."""
    length, times = setting
    found = sum(weight * share for weight, share in zip(_kernel(length, times), x, strict=True))
    return found, tails.tail(times, sum(x) / length)


def _placed(tails: Any, setting: tuple[int, int], x: Any, ar: Any) -> Pair:
    """One changed position, spread over all of them."""
    length, times = setting
    found = sum(weight * share for weight, share in zip(_kernel(length, times), x, strict=True)) / sum(x)
    return found, tails.after(tails.worst(1, length), length, times)


def _power(tails: Any, setting: int, x: Any, ar: Any) -> Pair:
    y, s = x
    return tails.tail(setting, np.exp(-y)), np.exp(-(setting - 1) * np.log(s) - (1 - s) * y)


def _network(x: Any, layers: int) -> tuple[tuple[ScalarLayer, ...], Any]:
    """Layers of one head each, and what is left of the numbers, as floats or as the balls inside."""
    numbers = [getattr(value, "arb", value) for value in x]
    heads = [numbers[5 * layer : 5 * layer + 5] for layer in range(layers)]
    built = (ScalarLayer(skip, (ScalarHead(al, be, value, outer),)) for al, be, value, outer, skip in heads)
    return tuple(built), np.array(numbers[5 * layers :])


def _network_axes(layers: int, logits: float) -> list[Axis]:
    kinds = [("al", -logits, logits), ("be", -logits, logits), ("v", -1, 1), ("f_1", -1.5, 1.5), ("f_0", -1.5, 1.5)]
    return [Axis(f"{name}_{layer}", low, high) for layer in range(layers) for name, low, high in kinds]


def _gap(explicit: Any, setting: tuple[int, int, tuple[int, ...]], x: Any, ar: Any) -> Pair | None:
    """Letters of any embedding; those of the other word stand at the changed places."""
    layers, length, places = setting
    network, states = _network(x, layers)
    u, w = states[:length], states[:length].copy()
    w[[i - 1 for i in places]] = states[length:]
    start = max(abs(u - w), key=float)
    if not start > 0:
        return None
    pair = Words(None, network, start, places, length, abs(run(network, u)[-1] - run(network, w)[-1]))
    return ar.number(pair.gap), ar.least([ar.number(limit) for limit in explicit.limits(pair)])


def _gap_axes(setting: tuple[int, int, tuple[int, ...]]) -> list[Axis]:
    layers, length, places = setting
    states = [Axis(f"x_{i}", -1, 1) for i in range(1, length + 1)]
    return [*_network_axes(layers, 1.5), *states, *(Axis(f"x'_{i}", -1, 1) for i in places)]


def _radius(explicit: Any, setting: int, x: Any, ar: Any) -> Pair:
    level = Fraction(x[0])
    share = midpoint(explicit.radius(setting, level).ball().lower())
    found = Real.of(poisson_tail(setting, share))
    return (found, level) if isinstance(x[0], Fraction) else (float(found), float(level))


def _first(explicit: Any, setting: None, x: Any, ar: Any) -> Pair:
    whole, own, mean, part, running = x
    p, b = explicit.first(whole, own, mean, part * mean)
    return min(whole, own + mean * running), p + b * running


def _unmasked(logs: Any, setting: tuple[int, int, int], x: Any, ar: Any) -> Pair | None:
    """States of two runs that agree from some place on."""
    layers, length, changed = setting
    network, numbers = _network(x, layers)
    states = numbers[0] * numbers[1:]
    u, w = states[:length], np.array([*states[length:], *states[changed:length]])
    start = max(abs(u - w), key=float)
    if not start > 0:
        return None
    found = abs(run(network, u, causal=False)[-1] - run(network, w, causal=False)[-1])
    bound = logs.growth([layer.constants for layer in network]) * start * changed / length
    return ar.number(found), ar.number(bound)


def _unmasked_axes(setting: tuple[int, int, int]) -> list[Axis]:
    layers, length, changed = setting
    states = [Axis(f"x_{i}", -1, 1) for i in range(length + changed)]
    return [*_network_axes(layers, 0.5), Axis("scale", 0.02, 1), *states]


COMPACT_NETWORKS = [
    Duel(
        "poisson-tail-averaging",
        "changed in part, (n, m)",
        ((4, 2), (8, 3), (16, 2)),
        lambda setting: [Axis(f"f_{i}", 0.001, 1) for i in range(1, setting[0] + 1)],
        _tail,
        ("g_(m-1)", "logarithm to base 10"),
        exact=True,
    ),
    Duel(
        "poisson-tail-averaging",
        "one change, anywhere, (n, m)",
        ((4, 2), (8, 3)),
        lambda setting: [Axis(f"f_{i}", 0, 1) for i in range(1, setting[0] + 1)],
        _placed,
        ("latest positions are worst",),
        exact=True,
        sharp=True,
    ),
    Duel(
        "poisson-tail-averaging",
        "g_m(x) <= s^(1 - m) x^(1 - s), m",
        (2, 4, 8),
        lambda setting: [Axis("ln 1/x", 0.01, 40), Axis("s", 0.01, 0.99)],
        _power,
    ),
    Duel(
        "continuity-explicit",
        "gap of a network, (L, n, changed places)",
        ((1, 4, (1,)), (1, 6, (2, 4)), (2, 4, (1,)), (2, 6, (1, 2)), (3, 5, (1,))),
        _gap_axes,
        _gap,
        ("g_(m-1)", "no e^Delta"),
    ),
    Duel(
        "continuity-explicit",
        "radius, L",
        (4, 2, 3),
        lambda setting: [Axis("eps", 1e-4, 0.2)],
        _radius,
        ("the asymptotic radius as a certificate",),
        exact=True,
    ),
    Duel(
        "continuity-explicit",
        "first layer",
        (None,),
        lambda setting: [
            Axis("P", 0.1, 50),
            Axis("a", 0.1, 50),
            Axis("b", 0.1, 50),
            Axis("B/b", 0.01, 1),
            Axis("d", 0.01, 1),
        ],
        _first,
        ("least coefficients",),
        exact=True,
    ),
    Duel(
        "logs-necessary",
        "gap of a network without a mask, (L, n, k)",
        ((1, 3, 1), (2, 3, 1), (2, 5, 2)),
        _unmasked_axes,
        _unmasked,
        ("no mask: prod b_l", "no mask: sum b_l"),
    ),
]
