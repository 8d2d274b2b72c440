"""Log-likelihoods that bend in z: remainders, and what they do to divergences from the posterior."""

from typing import Any

import numpy as np

from tests.adversary.duel import Axis, Duel, Pair
from tests.adversary.duels.linear_pools import _shares


def _tilt(distance: Any, setting: tuple[int, bool], x: Any, ar: Any) -> tuple[Any, Any, Any]:
    """Shares q, those proportional to q e^R, and rho."""
    tasks = setting[0]
    R = np.concatenate((x[:tasks], 0 * x[:1]))
    q = _shares(x[tasks:])
    size = ar.largest(R) - ar.least(R) if distance.spread else ar.largest(abs(R))
    return q, _shares(q * np.exp(R)), size


def _divergence(distance: Any, setting: tuple[int, bool], x: Any, ar: Any) -> Pair | None:
    q, p, rho = _tilt(distance, setting, x, ar)
    if not rho > 0.01:
        return None
    a, b = (p, q) if setting[1] else (q, p)
    return (a * np.log(a / b)).sum(), rho**2 / distance.eight


def _variation(distance: Any, setting: tuple[int, bool], x: Any, ar: Any) -> Pair | None:
    q, p, rho = _tilt(distance, setting, x, ar)
    if not rho > 0.01:
        return None
    growth = np.exp(rho * 2 / distance.four)
    return abs(p - q).sum() / 2, (growth - 1) / (growth + 1)


def _axes(setting: tuple[int, bool]) -> list[Axis]:
    tasks = setting[0]
    return [*(Axis(f"R_{k}", -2, 2) for k in range(tasks)), *(Axis(f"q_{k}", 0.05, 1) for k in range(tasks + 1))]


def _remainder(remainder: Any, setting: int, x: Any, ar: Any) -> Pair | None:
    """Means on a line, variance 1: a remainder is half a curvature."""
    m = x - x.sum() / len(x)
    square = (m**2).sum()
    if not square > 0.001:
        return None
    return m[0] ** 2 / 2, ar.number(remainder.constant * (len(x) - 1) / len(x)) * square


CURVATURE = [
    Duel(
        "gbi-curvature-kl-tv",
        "divergences of tilted shares, (K - 1, way)",
        ((1, True), (1, False), (2, True)),
        _axes,
        _divergence,
        ("rho^2/10", "rho = max |R|"),
    ),
    Duel("gbi-curvature-kl-tv", "total variation, K - 1", ((1, True), (2, True)), _axes, _variation, ("tanh(rho/5)",)),
    Duel(
        "gbi-curvature-argmax",
        "a remainder on a line, K",
        (2, 3, 5),
        lambda tasks: [Axis(f"m_{k}", -1, 1) for k in range(tasks)],
        _remainder,
        ("beta/4",),
    ),
]
