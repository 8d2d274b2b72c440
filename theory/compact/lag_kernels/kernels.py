"""Lag kernels: what a query at position i gives to the key r places back, for exact weights and for random nets.

A lag kernel does not rise with the lag. Compact encodings have the uniform one, up to a factor e^Delta; slopes, windows
and chunks have others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Kernel:
    """Weights by lag, before they are normalised: `weight(i, r)` of the key r places before a query at i, r < i."""

    name: str
    weight: Callable[[int, int], Fraction | int]

    def at(self, i: int) -> list[Fraction]:
        """The weights of lags 0, ..., i - 1; they add up to 1."""
        return _normalised(self, i)

    def mean(self, values: Sequence[Any], i: int) -> Any:
        """The mean of values at positions 1, ..., i under the weights of a query at i."""
        return sum((weight * values[i - 1 - r] for r, weight in enumerate(self.at(i)) if weight), Fraction(0))

    def means(self, values: Sequence[Any]) -> list[Any]:
        """A_kappa applied to f(1), ..., f(n)."""
        return [self.mean(values, i) for i in range(1, len(values) + 1)]

    def __str__(self) -> str:
        return self.name


@cache
def _normalised(kernel: Kernel, i: int) -> list[Fraction]:
    weights = [Fraction(kernel.weight(i, r)) for r in range(i)]
    total = sum(weights)
    return [weight / total for weight in weights]


@cache
def geometric(q: Fraction) -> Kernel:
    """A slope m on logits, q = e^-m: each place back multiplies the weight by q."""
    return Kernel(f"q={q}", lambda i, r: q**r)


def window(size: int) -> Kernel:
    """The last `size` keys, the query's own included."""
    return Kernel(f"window {size}", lambda i, r: int(r < size))


def chunk(size: int) -> Kernel:
    """The keys in the query's own chunk of `size` positions."""
    return Kernel(f"chunk {size}", lambda i, r: int(r <= (i - 1) % size))


def sink_and_window(size: int) -> Kernel:
    """A window beside the first key, which every query sees: rises again at the largest lag."""
    return Kernel(f"window {size} and first key", lambda i, r: size if r == i - 1 else int(r < size))


UNIFORM = Kernel("uniform", lambda i, r: 1)
HARMONIC = Kernel("1/(1 + r)", lambda i, r: Fraction(1, r + 1))
# Of which kind the kernel is depends on the query: any mixture over queries is allowed.
MIXED = Kernel("mixed", lambda i, r: int(r < 2) if i % 2 else Fraction(1, (1 + r) ** 2))
RISING = Kernel("q=2", lambda i, r: 2**r)
FALLING = (UNIFORM, geometric(Fraction(1, 2)), window(2), chunk(3), HARMONIC, MIXED)


def random_biases(random: np.random.Generator, n: int) -> np.ndarray:
    """Biases (query, key) that do not rise with the lag, a kind drawn for each query; -inf above the diagonal."""
    biases = np.full((n, n), -np.inf)
    for i in range(1, n + 1):
        lags = np.arange(i)
        row = (
            np.zeros(i),
            -lags * random.exponential(1.0),
            np.where(lags < random.integers(1, i + 1), 0.0, -np.inf),
            -random.exponential(2.0) * np.log1p(lags),
            -np.cumsum(random.exponential(0.5, i) * (random.random(i) < 0.4)),
        )[random.integers(5)]
        biases[i - 1, :i] = row[::-1]
    return biases
