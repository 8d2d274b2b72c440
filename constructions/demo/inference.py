"""One gradient in a task variable beside the posterior of the tasks: equal, biased, blind to a task, or blind.

Source: arXiv 2407.17356 has the idea of one step; what it gives is derived in theory.inference.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil
from typing import Any

import torch
from torch import Tensor

from constructions.demo.certified import EPSILON, Certified
from constructions.demo.inferred import Bounded, Filtered, Hull, Inferred, Shares
from constructions.inference import (
    AdditiveNet,
    BayesFilter,
    Diagnosis,
    GradientFilter,
    classes,
    diagnose,
    exact_offsets,
    gaussian,
    gradient,
    likelihood_of_every_task,
    linear,
    one_step,
    pool,
    pool_step,
)
from theory.arithmetic.ball import Real
from theory.inference.curvature.distance import Distance
from theory.inference.curvature.network import TanhNetwork
from theory.inference.embeddings import Gaussian, LinearPool
from theory.inference.simplex import Vector, argmax, oscillation, softmax, total_variation

LINE = Gaussian(((0,), (1,), (5,)))  # the second task lies between the others
PLANE = Gaussian(((0, 0), (2, 0), (0, 1)), Fraction(1, 4))
LIKELIHOODS = (Fraction(1, 5), Fraction(1, 2), Fraction(1, 10), Fraction(9, 10))
OBSERVATIONS = [Fraction(i, 16) for i in range(-32, 113)]
NET = TanhNetwork(
    outer=(1, Fraction(-1, 2)),
    inner=tuple(tuple(Fraction(entry, 10) for entry in row) for row in ((8, -3, 1), (2, 5, -7))),
    weights=(Fraction(2, 5), Fraction(-1, 5)),
    x=Fraction(3, 5),
    target=Fraction(1, 2),
    variance=Fraction(1, 4),
)
PAIR, HAZARD, STREAM = Gaussian(((Fraction(1, 5),), (Fraction(4, 5),)), Fraction(9, 100)), 0.1, 300


def inferred() -> Inferred:
    """Run the models."""
    return Inferred(tuple(_shares()), _hull(), _pooled(), _curved(), _filtered())


def tensor(rows: Any) -> Tensor:
    """Numbers of any kind in float64."""
    if isinstance(rows, tuple | list):
        return torch.stack([tensor(row) for row in rows])
    return torch.tensor(float(rows), dtype=torch.float64)


def _shares() -> Iterator[Shares]:
    yield _compared(
        "equal",
        "All means are equally far from their mean: the step is the posterior.",
        "gbi-gaussian-corollary",
        Gaussian(((2, 0, 0), (0, 2, 0), (0, 0, 2))),
        (1, Fraction(3, 2), Fraction(1, 2)),
        "exact",
    )
    yield _compared(
        "unequal",
        "Means are not equally far: the step leans to the farther ones, and offsets B put it right.",
        "gbi-bias-corrected-equals-lli",
        PLANE,
        (Fraction(7, 10), Fraction(1, 5)),
        "biased",
    )
    yield _compared(
        "ignored",
        "The output does not depend on z: nothing can be inferred, in any number of steps.",
        "gbi-variance-only-blindness",
        Gaussian(((Fraction(1, 2),),) * 3, Fraction(1, 100)),
        (Fraction(3, 4),),
        "blind",
    )
    yield _compared(
        "between",
        "Means 0, 1, 5 and x = 1: the step prefers 0.",
        "gbi-exactness-iff-equal-offsets",
        LINE,
        (1,),
        "biased",
    )


def _compared(name: str, reason: str, claim: str, model: Gaussian, x: Vector, expected: str) -> Shares:
    found = _diagnosed(model, [x])
    output, variance = linear(tensor(model.means).T), float(model.variance)
    offsets = exact_offsets(output, 1, model.tasks, variance=variance, dtype=torch.float64)
    g, likelihoods = model.gradient(x), model.log_likelihoods(x)
    step, posterior = softmax(g), softmax(likelihoods)
    size = ceil(max(map(abs, (*g, *likelihoods, *model.offsets()))))
    return Shares(
        name,
        reason,
        claim,
        found.verdict,
        expected,
        _certified(one_step(found.gradient), step, size),
        _certified(one_step(found.gradient, offsets=offsets), posterior, size),
        _certified(found.posterior, posterior, size),
    )


def _diagnosed(model: Gaussian, observations: list[Vector]) -> Diagnosis:
    ell = gaussian(linear(tensor(model.means).T), tensor(observations), float(model.variance) ** 0.5)
    return diagnose(ell, len(observations), model.tasks, dtype=torch.float64)


def _certified(found: Tensor, exact: Vector, size: int) -> tuple[Certified, ...]:
    """Shares of logits up to the size, each of which a few operations round."""
    pairs = zip(found.flatten().tolist(), exact, strict=True)
    return tuple(Certified(share, Real.of(value), 32 * (1 + size) * EPSILON) for share, value in pairs)


def _hull() -> Hull:
    points = [(x,) for x in OBSERVATIONS]
    found = _diagnosed(LINE, list(points))
    chosen, likeliest = classes(found.gradient).tolist(), classes(found.likelihoods).tolist()
    exact = [(LINE.gradient(point), LINE.log_likelihoods(point)) for point in points]
    agree = all(
        (choice == argmax(scores) or _ties(scores))
        for choices, kind in ((chosen, 0), (likeliest, 1))
        for choice, scores in zip(choices, [pair[kind] for pair in exact], strict=True)
    )
    return Hull(chosen.count(1), likeliest.count(1), agree)


def _ties(scores: Vector) -> bool:
    return sorted(scores)[-1] == sorted(scores)[-2]


def _pooled() -> tuple[Certified, ...]:
    g = gradient(pool(tensor([LIKELIHOODS])), 1, len(LIKELIHOODS), dtype=torch.float64)
    return _certified(pool_step(g), LinearPool(LIKELIHOODS).posterior(), len(LIKELIHOODS))


def _curved() -> Bounded:
    net = AdditiveNet(tensor([NET.outer]), tensor(NET.inner), tensor(NET.weights)[:, None])
    x, target = tensor([[NET.x]]), tensor([[NET.target]])
    found = diagnose(gaussian(lambda z: net(x, z), target, float(NET.variance) ** 0.5), 1, 3, dtype=torch.float64)
    variation = total_variation(one_step(found.gradient)[0].tolist(), found.posterior[0].tolist())
    exact = total_variation(softmax(NET.gradient()), softmax(NET.log_likelihoods()))
    bound = Distance().distance(oscillation(NET.remainders()))
    # Sums of a few numbers below 2, over sigma^2.
    allowance = 64 * EPSILON / NET.variance
    return Bounded(Certified(variation, exact, allowance), Certified(float(found.variation_bound), bound, allowance))


def _filtered() -> Filtered:
    generator = torch.Generator().manual_seed(1)
    task = torch.arange(STREAM) // 25 % 2
    means, sigma = tensor(PAIR.means)[:, 0], float(PAIR.variance) ** 0.5
    x = means[task] + sigma * torch.randn(STREAM, dtype=torch.float64, generator=generator)
    ell = gaussian(linear(means[None]), x[:, None], sigma)
    evidence = likelihood_of_every_task(ell, STREAM, 2, dtype=torch.float64)
    exact, by_gradient = BayesFilter(HAZARD, 2), GradientFilter(HAZARD, 2)
    rows = zip(evidence, gradient(ell, STREAM, 2, dtype=torch.float64), strict=True)
    difference = max(float((exact.step(a) - by_gradient.step(b)).abs().max()) for a, b in rows)
    # What evidence is rounded by adds to the log-odds, of which the hazard forgets its share at every step.
    return Filtered(difference, 16 * float(EPSILON) * (1 + float(evidence.abs().max())) / HAZARD)
