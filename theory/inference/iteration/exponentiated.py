"""Exponentiated gradients on a linear Gaussian model: z_k <- z_k e^(eta g_k(z)), over their sum."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from theory.arithmetic.ball import log
from theory.arithmetic.real import Real
from theory.errors import InputError
from theory.inference.arguments import number, results, rows, same_length, vector
from theory.inference.embeddings import Gaussian
from theory.inference.entropy.contraction import squared_diameter
from theory.inference.simplex import Vector, softmax, uniform
from theory.quantities import Amount, Matrix, Positive, Result, quantity
from theory.quantities import Vector as Entries

MOST = 64


def exponentiated(gaussian: Gaussian, x: Vector, eta: Any, z: Sequence[Any]) -> Vector:
    """One step."""
    return softmax([eta * slope for slope in gaussian.gradient(x, z)], z)


def iterates(gaussian: Gaussian, x: Vector, eta: Any, start: Sequence[Any], steps: int) -> list[Vector]:
    """The start, and what steps make of it."""
    found: list[Vector] = [tuple(start)]
    for _ in range(steps):
        found.append(exponentiated(gaussian, x, eta, found[-1]))
    return found


def loss(gaussian: Gaussian, x: Vector, z: Sequence[Any]) -> Any:
    """L(z) = |x - M z|^2/(2 sigma^2)."""
    return -gaussian.log_likelihood(x, z)


def smoothness(square: Any, variance: Any, four: int = 4) -> Any:
    """D^2/(4 sigma^2) from D^2; of n observations n times that."""
    return square / (four * variance)


@quantity("eg-losses", unit="nats", claim="gbi-eg-monotone-rate")
def eg_losses(means: Matrix, x: Entries, variance: Positive, eta: Positive, steps: Amount = 0) -> dict[str, Result]:
    """Loss and z after steps of that size from u, hbar = D^2/(4 sigma^2), and log K/(eta T), a bound if eta <= 1/hbar.

    Row k of means is that of task k. Raises InputError for too many steps.
    """
    if steps > MOST:
        raise InputError(f"steps = {steps} are too many nested exponentials; give at most {MOST}")
    gaussian, datum, size = Gaussian(rows(means), number(variance)), vector(x), number(eta)
    same_length("x", datum, len(gaussian.means[0]), "entry of a mean")
    z = iterates(gaussian, datum, size, uniform(gaussian.tasks), steps)[-1]
    hbar = smoothness(squared_diameter(gaussian.means), gaussian.variance)
    found = results(loss=loss(gaussian, datum, z), z=z, hbar=hbar)
    if steps:
        found |= results(bound=Real.of(rate(logarithm(gaussian.tasks), size, steps)))
    return found


def logarithm(tasks: int) -> Real:
    """Log K, the largest divergence from u."""
    return log(Fraction(tasks))


def rate(divergence: Any, eta: Any, steps: Any, power: int = 1) -> Any:
    """KL(z*||z_0)/(eta T^power)."""
    return divergence / (eta * steps**power)
