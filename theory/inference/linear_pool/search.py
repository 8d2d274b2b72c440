"""The most likely weights of a linear pool, by a search in float64; likelihoods have one row an observation."""

from __future__ import annotations

import numpy as np

TOLERANCE, MOST = 1e-12, 100_000


def maximiser(likelihoods: np.ndarray, most: int = MOST) -> tuple[np.ndarray, float]:
    """z* and ell* by EM from u; ell is concave, so ell* - ell(z) <= max_k g_k(z) - n says when to stop.

    Where a maximiser on a face is tied to first order EM takes for ever: now and then small shares are dropped.
    """
    count, tasks = likelihoods.shape
    z = np.full(tasks, 1 / tasks)
    for index in range(most):
        if index % 50 == 0:
            kept = np.where(z > z.max() / 50, z, 0)
            for candidate in (z, kept / kept.sum()):
                if gradient(likelihoods, candidate).max() - count <= TOLERANCE:
                    return candidate, level(likelihoods, candidate)
        z = em_step(likelihoods, z)
    return z, level(likelihoods, z)


def level(likelihoods: np.ndarray, z: np.ndarray) -> float:
    """The log-likelihood ell(z)."""
    return float(np.log(likelihoods @ z).sum())


def gradient(likelihoods: np.ndarray, z: np.ndarray) -> np.ndarray:
    """The gradient g(z)."""
    found: np.ndarray = (likelihoods / (likelihoods @ z)[:, None]).sum(axis=0)
    return found


def em_step(likelihoods: np.ndarray, z: np.ndarray) -> np.ndarray:
    """One EM step, z g(z)/n."""
    return z * gradient(likelihoods, z) / len(likelihoods)


def divergence(p: np.ndarray, q: np.ndarray) -> float:
    """KL(p||q), where q is positive."""
    kept = p > 0
    return float((p[kept] * np.log(p[kept] / q[kept])).sum())
