"""The nearest point of a simplex, in fractions or floats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from theory.compact.elementary import quotient
from theory.inference.simplex import Vector


def projected(v: Sequence[Any]) -> Vector:
    """The z in the simplex with the least |z - v|: max(v_k - t, 0), with t such that all add up to 1."""
    threshold, total = None, 0
    for count, entry in enumerate(sorted(v, reverse=True), 1):
        total += entry
        candidate = quotient(total - 1, count)
        if entry > candidate:
            threshold = candidate
    return tuple(max(entry - threshold, 0 * entry) for entry in v)


def is_optimal(slopes: Sequence[Any], z: Sequence[Any]) -> bool:
    """Whether z, in the simplex, maximises a concave function of those slopes at z: no task could gain."""
    best = max(slopes)
    inside = min(z) >= 0 and sum(z) == 1
    return inside and all(share == 0 or slope == best for share, slope in zip(z, slopes, strict=True))
