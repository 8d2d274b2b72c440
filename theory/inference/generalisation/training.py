"""Exact training of y = sum_k z_k <w_k, x> + b on one datum at a time, loss (t - y)^2/2, by four kinds of steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from theory.arithmetic.ball import Real, sqrt
from theory.inference.simplex import Vector, dot

Optimiser = Literal["SGD", "momentum", "Adam", "decay"]
Table = list[Vector]
FIRST, SECOND, SMALL = Fraction(9, 10), Fraction(99, 100), Fraction(1, 10**8)
DECAY = Fraction(1, 2)


def residual(weights: Sequence[Vector], z: Vector, x: Vector, target: Any) -> Any:
    """The target minus sum_k z_k <w_k, x>, one output."""
    return target - sum(share * dot(row, x) for share, row in zip(z, weights, strict=True))


def slopes(weights: Sequence[Vector], z: Vector, x: Vector, target: Any) -> Table:
    """Of the loss in every w_k: -z_k residual x."""
    gap = residual(weights, z, x, target)
    return [tuple(-share * gap * entry for entry in x) for share in z]


def _times(factor: Fraction, table: Table) -> Table:
    return [tuple(factor * entry for entry in row) for row in table]


def _sum(first: Table, second: Table) -> Table:
    return [tuple(a + b for a, b in zip(*pair, strict=True)) for pair in zip(first, second, strict=True)]


@dataclass
class Training:
    """The weights w_k, the bias b that all tasks share if there is one, and the memory of the optimiser."""

    weights: Table
    optimiser: Optimiser = "SGD"
    biased: bool = False

    def __post_init__(self) -> None:
        self.bias = Fraction(0)
        self.velocity = self.squares = _times(Fraction(0), self.weights)
        self.steps = 0

    def step(self, z: Vector, x: Vector, target: Any, rate: Fraction) -> None:
        """One step on one datum."""
        self.steps += 1
        found = slopes(self.weights, z, x, target - self.bias)
        if self.biased:
            self.bias += rate * residual(self.weights, z, x, target - self.bias)
        self.weights = _sum(self.weights, _times(-rate, self._moves(found)))

    def _moves(self, found: Table) -> Table:
        """What the rate multiplies."""
        if self.optimiser == "SGD":
            return found
        if self.optimiser == "decay":
            return _sum(found, _times(DECAY, self.weights))
        self.velocity = _sum(_times(FIRST, self.velocity), _times(1 - FIRST, found))
        if self.optimiser == "momentum":
            return self.velocity
        squared = [tuple(entry * entry for entry in row) for row in found]
        self.squares = _sum(_times(SECOND, self.squares), _times(1 - SECOND, squared))
        return [*self._rescaled()]

    def _rescaled(self) -> Iterator[Vector]:
        first, second = 1 - FIRST**self.steps, 1 - SECOND**self.steps
        for pair in zip(self.velocity, self.squares, strict=True):
            entries = zip(*pair, strict=True)
            yield tuple(Real.of(m) / first / (sqrt(Real.of(s) / second) + SMALL) for m, s in entries)


def ramps(mask: Sequence[int], inner: Sequence[Fraction], outer: Sequence[Fraction], x: Fraction) -> Fraction:
    """The output of one layer of masked ramps: sum_i v_i m_i max(0, w_i x)."""
    units = zip(mask, inner, outer, strict=True)
    return sum((m * v * max(Fraction(0), w * x) for m, w, v in units), Fraction(0))
