"""Means on a line: the minimiser that is a tilt of the start, and the one of least norm.

Source: derived here.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from flint import arb

from theory.arithmetic.real import Real
from theory.arithmetic.root import falling_root
from theory.compact.elementary import exp, quotient, to_ball
from theory.errors import InputError
from theory.inference.arguments import distribution, number, results, same_length, vector
from theory.inference.simplex import Vector as Entries
from theory.inference.simplex import centred, dot, softmax, uniform
from theory.quantities import Rational, Result, Vector, quantity

CLAIM = "gbi-eg-max-entropy-bias"
# Beyond, tilts of means that are apart by 1 have no digits left.
STEEPEST = 64


def tilt(means: Sequence[Any], y: Any, start: Sequence[Any]) -> tuple[Real, Entries]:
    """Theta and softmax(log z_0 + theta m), with mean y strictly between the means on a line.

    The mean grows with theta, from all of the weight on the least mean to all on the largest.
    """
    scale = max(means) - min(means)

    def excess(theta: arb) -> arb:
        weights = [to_ball(share) * exp(theta * to_ball(m - y)) for share, m in zip(start, means, strict=True)]
        total = sum(weights, arb(0))
        return -sum((w * to_ball(m - y) for w, m in zip(weights, means, strict=True)), arb(0)) / total

    end = Real.of(STEEPEST / scale)
    theta = falling_root(excess, -end, end)
    return theta, softmax([theta * m for m in means], start)


def least_norm(means: Sequence[Any], y: Any) -> Entries:
    """The z of sum 1 and mean y with the least |z|; entries may be negative."""
    spread = centred(means)
    slope = quotient(y - quotient(sum(means), len(means)), dot(spread, spread))
    return tuple(u + slope * entry for u, entry in zip(uniform(len(means)), spread, strict=True))


@quantity("eg-limit", unit="share", claim=CLAIM)
def eg_limit(M: Vector, y: Rational, start: Vector = ()) -> dict[str, Result]:
    """Where exponentiated gradients end for means M on a line and a datum y between them, from u or an interior start.

    Also its tilt theta, and the z of the same mean with the least norm. Raises InputError for y outside or so near an
    end that the tilt is steep.
    """
    means = vector(M)
    u = uniform(len(means))
    begin = vector(start) or u
    same_length("start", begin, len(means))
    distribution("start", begin)
    if not all(isinstance(m, Fraction) for m in means):
        raise InputError("means are compared exactly here; give rational ones")
    if not min(means) < y < max(means):
        raise InputError(f"y = {y} is not strictly between the means: the limit is a face; give one between them")
    theta, z = tilt(means, number(y), begin)
    if not theta.at(128).is_finite():
        raise InputError(
            f"y = {y} is too near an end of the means for a tilt up to {STEEPEST}; give one further inside"
        )
    return results(theta=theta, limit=z, least_norm=least_norm(means, y))
