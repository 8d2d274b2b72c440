"""Linear pools of tasks: one softmax step against the posterior, and what EM gains."""

from typing import Any

import numpy as np

from tests.adversary.duel import Axis, Duel, Pair


def _shares(weights: Any) -> Any:
    return weights / weights.sum()


def _step(x: Any) -> tuple[Any, Any, Any]:
    """Total variation of softmax(K r) from r, and epsilon = K r - 1."""
    r = _shares(x)
    epsilon = len(x) * r - 1
    return abs(_shares(np.exp(epsilon)) - r).sum() / 2, r, epsilon


def _calibration(calibration: Any, tasks: int, x: Any, ar: Any) -> Pair | None:
    distance, _, epsilon = _step(x)
    delta = ar.largest(abs(epsilon))
    return (distance, calibration.third(delta)) if delta < 1 and delta > 0.001 else None


def _by_logits(calibration: Any, tasks: int, x: Any, ar: Any) -> Pair | None:
    distance, _, epsilon = _step(x)
    # Equal likelihoods leave 0 on both sides.
    if not ar.largest(abs(epsilon)) > 0.001:
        return None
    logits = epsilon - np.log(1 + epsilon)
    spread = ar.largest(logits) - ar.least(logits)
    growth = np.exp(spread / 2)
    return distance, (growth - 1) / (growth + 1)


def _weights(tasks: int) -> list[Axis]:
    return [Axis(f"p_{k}", 0.2, 1.8) for k in range(tasks)]


def _gain(ascent: Any, setting: tuple[int, int], x: Any, ar: Any) -> Pair:
    """Both sides of the gain of one EM step."""
    n, tasks = setting
    p, z = x[: n * tasks].reshape(n, tasks), _shares(x[n * tasks :])
    level = p @ z
    after = (z * p / level[:, None]).sum(axis=0) / n
    divergence = (after * np.log(after / z)).sum()
    return ascent.copies * (n if ascent.counted else 1) * divergence, np.log(p @ after / level).sum()


def _gain_axes(setting: tuple[int, int]) -> list[Axis]:
    n, tasks = setting
    likelihoods = [Axis(f"p_{i}{k}", 0.01, 1) for i in range(n) for k in range(tasks)]
    return [*likelihoods, *(Axis(f"z_{k}", 0.2, 1) for k in range(tasks))]


def _gap(ascent: Any, setting: tuple[int, int], x: Any, ar: Any) -> Pair:
    """Rows (1, q_i) whose q_i add up to at most n: the first task is a maximiser, with ell* = 0."""
    n, steps = setting
    q, share = x[:n], np.exp(x[n])
    total = q.sum()
    if total > n:
        q = q * (n / total)
    divergence = -x[n]
    for _ in range(steps):
        share = (share / (share + (1 - share) * q)).sum() / n
    return -np.log(share + (1 - share) * q).sum(), ascent.left(n, divergence, steps)


def _gap_axes(setting: tuple[int, int]) -> list[Axis]:
    return [*(Axis(f"q_{i}", 0.001, 2) for i in range(setting[0])), Axis("ln z_1", -16, -0.05)]


LINEAR_POOLS = [
    Duel(
        "gbi-softmax-calibration-error",
        "one softmax step, bound in delta, K",
        (4, 2, 3),
        _weights,
        _calibration,
        ("1/16",),
    ),
    Duel("gbi-softmax-calibration-error", "one softmax step, bound in w, K", (2, 3), _weights, _by_logits),
    Duel(
        "gbi-em-monotone-rate",
        "divergence of a step against its gain, (n, K)",
        ((3, 2), (2, 3)),
        _gain_axes,
        _gain,
        ("twice the divergence",),
    ),
    Duel(
        "gbi-em-monotone-rate",
        "what is left to gain, (n, steps)",
        ((2, 0), (2, 8), (1, 1), (3, 2)),
        _gap_axes,
        _gap,
        ("rate 1/(T + 1)^2", "no factor n", "nine tenths of the rate from T = 1 on"),
    ),
]
