"""Points, vectors and distances on a simplex of K tasks, in whatever numbers they are given (see `elementary`)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import prod
from typing import Any

from theory.compact.elementary import exp, largest, log, quotient, smallest
from theory.errors import InputError

Vector = tuple[Any, ...]


def uniform(tasks: int) -> tuple[Fraction, ...]:
    """The point u of maximal entropy. Raises InputError for fewer than two tasks."""
    if tasks < 2:
        raise InputError(f"K = {tasks} tasks leave nothing to infer; give at least 2")
    return (Fraction(1, tasks),) * tasks


def dot(x: Sequence[Any], y: Sequence[Any]) -> Any:
    """The scalar product. Raises InputError on different lengths."""
    if len(x) != len(y):
        raise InputError(f"vectors of {len(x)} and {len(y)} entries have no product; give equal lengths")
    return sum(a * b for a, b in zip(x, y, strict=True))


def combined(z: Sequence[Any], vectors: Sequence[Vector]) -> Vector:
    """sum_k z_k v_k."""
    return tuple(dot(z, entries) for entries in zip(*vectors, strict=True))


def centred(g: Sequence[Any]) -> Vector:
    """P g: every entry minus the mean of all."""
    mean = quotient(sum(g), len(g))
    return tuple(entry - mean for entry in g)


def oscillation(a: Sequence[Any]) -> Any:
    """osc(a): the largest entry minus the least."""
    return largest(*a) - smallest(*a)


def normalised(weights: Sequence[Any]) -> Vector:
    """The weights over their sum. Raises InputError where the sum is known to be 0."""
    total = sum(weights)
    if isinstance(total, int | float | Fraction) and total == 0:
        raise InputError("weights that add up to 0 have no shares; give a positive one")
    return tuple(quotient(weight, total) for weight in weights)


def softmax(a: Sequence[Any], weights: Sequence[Any] | None = None) -> Vector:
    """Shares proportional to w_k e^(a_k), the weights w (a prior, say) 1 where none are given."""
    shift = max(a) if all(isinstance(entry, float) for entry in a) else 0
    powers = [exp(entry - shift) for entry in a]
    return normalised(powers if weights is None else [w * x for w, x in zip(weights, powers, strict=True)])


def argmax(a: Sequence[Any]) -> int:
    """The first index of the largest of exact numbers or floats."""
    return max(range(len(a)), key=lambda k: a[k])


def total_variation(p: Sequence[Any], q: Sequence[Any]) -> Any:
    """Half the sum of |p_k - q_k|."""
    return quotient(sum(abs(a - b) for a, b in zip(p, q, strict=True)), 2)


def kullback_leibler(p: Sequence[Any], q: Sequence[Any]) -> Any:
    """KL(p||q) in nats; entries of p that are 0 count nothing, those of q must be positive where p is."""
    pairs = [(a, b) for a, b in zip(p, q, strict=True) if not (isinstance(a, int | float | Fraction) and a == 0)]
    return sum(a * log(quotient(a, b)) for a, b in pairs)


def entropy(p: Sequence[Any]) -> Any:
    """H(p) in nats."""
    return -kullback_leibler(p, (1,) * len(p))


def multiplied(*vectors: Sequence[Any]) -> Vector:
    """The product, entry by entry."""
    return tuple(prod(entries) for entries in zip(*vectors, strict=True))
