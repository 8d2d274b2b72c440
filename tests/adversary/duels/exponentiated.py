"""Exponentiated gradients on means on a line: the curvature along shares, one step, and the rate."""

from typing import Any

import numpy as np

from tests.adversary.duel import Axis, Duel, Pair
from tests.adversary.duels.linear_pools import _shares


def _hbar(descent: Any, m: Any, ar: Any) -> Any:
    """Of variance 1."""
    spread = ar.largest(m) - ar.least(m)
    return spread**2 / descent.four


def _curved(descent: Any, tasks: int, x: Any, ar: Any) -> Pair | None:
    m, d = x[:tasks], x[tasks:]
    d = d - d.sum() / tasks
    size, hbar = abs(d).sum(), _hbar(descent, m, ar)
    if not (size > 0.01 and hbar > 0.001):
        return None
    return (m * d).sum() ** 2, hbar * size**2


def _directions(tasks: int) -> list[Axis]:
    return [Axis(f"{name}_{k}", -1, 1) for name in ("m", "d") for k in range(tasks)]


def _loss(m: Any, datum: Any, z: Any) -> Any:
    return (datum - (m * z).sum()) ** 2 / 2


def _step(m: Any, datum: Any, eta: Any, z: Any) -> Any:
    return _shares(z * np.exp(m * (datum - (m * z).sum()) * eta))


def _falls(descent: Any, tasks: int, x: Any, ar: Any) -> Pair | None:
    m, z, datum = x[:tasks], _shares(x[tasks : 2 * tasks]), x[-1]
    hbar = _hbar(descent, m, ar)
    before = _loss(m, datum, z)
    if not (hbar > 0.01 and before > 0.0001):
        return None
    return _loss(m, datum, _step(m, datum, descent.most / hbar, z)), before


def _starts(tasks: int) -> list[Axis]:
    return [
        *(Axis(f"m_{k}", -1, 1) for k in range(tasks)),
        *(Axis(f"z_{k}", 0.1, 1) for k in range(tasks)),
        Axis("x", -1, 1),
    ]


def _rate(descent: Any, steps: int, x: Any, ar: Any) -> Pair:
    """Means 0 and 1, the datum at the second: L* = 0 at e_2."""
    m = np.concatenate((0 * x[:1], 0 * x[:1] + 1))
    z, datum = _shares(x[:2]), m[1]
    eta = x[2] / _hbar(descent, m, ar)
    divergence = -np.log(z[1])
    for _ in range(steps):
        z = _step(m, datum, eta, z)
    return _loss(m, datum, z), divergence / (eta * steps**descent.power)


EXPONENTIATED = [
    Duel(
        "gbi-eg-monotone-rate",
        "curvature along shares, K",
        (2, 3, 4),
        _directions,
        _curved,
        ("D^2/(8 sigma^2)",),
    ),
    Duel("gbi-eg-monotone-rate", "the loss after a step, K", (2, 3), _starts, _falls, ("eta <= 3/hbar",)),
    Duel(
        "gbi-eg-monotone-rate",
        "what is left of the loss, T",
        (1, 10),
        lambda steps: [Axis("z_1", 0.05, 1), Axis("z_2", 0.05, 1), Axis("eta hbar", 0.05, 1)],
        _rate,
        ("rate 1/T^2",),
    ),
]
