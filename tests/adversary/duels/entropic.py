"""An entropy added to an objective: how curved it is, and how far the softmax of gradients moves."""

from typing import Any

import numpy as np

from tests.adversary.duel import Axis, Duel, Pair
from tests.adversary.duels.linear_pools import _shares


def _form(tasks: int, x: Any) -> tuple[Any, Any] | None:
    """|v|^2 and sum_k v_k^2/z_k for a v of sum 0."""
    z, v = _shares(x[:tasks]), x[tasks:]
    v = v - v.sum() / tasks
    square = (v**2).sum()
    return (square, (v**2 / z).sum()) if square > 0.001 else None


def _curved(concavity: Any, tasks: int, x: Any, ar: Any) -> Pair | None:
    pair = _form(tasks, x)
    return None if pair is None else (pair[0] * concavity.least(tasks), pair[1])


def _enough(concavity: Any, tasks: int, x: Any, ar: Any) -> Pair | None:
    pair = _form(tasks, x)
    return None if pair is None else (pair[0], pair[1] * ar.number(concavity.share))


def _axes(tasks: int) -> list[Axis]:
    return [*(Axis(f"z_{k}", 0.01, 1) for k in range(tasks)), *(Axis(f"v_{k}", -1, 1) for k in range(tasks))]


def _phi(m: Any, alpha: Any, x: Any, z: Any) -> Any:
    return _shares(np.exp(m * (x - (m * z).sum()) / alpha))


def _moved(contraction: Any, tasks: int, x: Any, ar: Any) -> Pair | None:
    """Means on a line, variance 1."""
    m, z, other = x[:tasks], _shares(x[tasks : 2 * tasks]), _shares(x[2 * tasks : 3 * tasks])
    alpha, datum = x[-1], x[-2]
    start = abs(z - other).sum()
    spread = ar.largest(m) - ar.least(m)
    if not (start > 0.001 and spread > 0.05):
        return None
    q = spread**2 / (alpha * contraction.four)
    return abs(_phi(m, alpha, datum, z) - _phi(m, alpha, datum, other)).sum(), q * start


def _moves(tasks: int) -> list[Axis]:
    shares = [Axis(f"{name}_{k}", 0.1, 1) for name in ("z", "z'") for k in range(tasks)]
    return [*(Axis(f"m_{k}", -1, 1) for k in range(tasks)), *shares, Axis("x", -1, 1), Axis("alpha", 0.2, 2)]


ENTROPIC = [
    Duel(
        "gbi-entropy-objective-concavity",
        "curvature of the entropy, K",
        (3, 2, 4),
        _axes,
        _curved,
        ("3 for three tasks", "K everywhere"),
    ),
    Duel("gbi-entropy-objective-concavity", "enough entropy, K", (2, 3), _axes, _enough, ("alpha >= lambda/4",)),
    Duel(
        "gbi-entropy-objective-contraction",
        "how far a softmax of gradients moves, K",
        (2, 3),
        _moves,
        _moved,
        ("D^2/(8 alpha sigma^2)",),
    ),
]
