"""Gradients, log-likelihoods and offsets of the models, against fractions and balls of the embeddings in theory."""

from collections.abc import Callable, Iterable
from fractions import Fraction
from math import log
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from constructions.inference import (
    AdditiveNet,
    GatedNet,
    bernoulli,
    categorical,
    circumcentre_start,
    diagnose,
    exact_offsets,
    gaussian,
    gradient,
    likelihood_of_every_task,
    linear,
    log_linear,
    one_step,
    poisson,
    pool,
    pool_step,
    tokens,
)
from constructions.inference.models import Partition
from theory.inference import embeddings
from theory.inference.simplex import softmax

F64 = torch.float64
rationals = st.fractions(Fraction(-3), Fraction(3), max_denominator=8)
positive = st.fractions(Fraction(1, 16), Fraction(3), max_denominator=16)


def tensor(*rows: object) -> Tensor:
    return torch.tensor(np.array(rows, dtype=np.float64))


def close(found: Tensor, expected: Iterable[Any], scale: float = 1.0) -> None:
    assert found.flatten().tolist() == pytest.approx([float(entry) for entry in expected], abs=1e-12 * scale)


def columns(count: int, height: int) -> st.SearchStrategy[list[tuple[Fraction, ...]]]:
    return st.lists(st.tuples(*[rationals] * height), min_size=count, max_size=count)


@given(st.lists(st.tuples(positive, positive, positive), min_size=2, max_size=5))
def test_linear_pool(table: list[tuple[Fraction, ...]]) -> None:
    p, z, prior = (tuple(row[at] for row in table) for at in range(3))
    z = tuple(entry / sum(z) for entry in z)
    exact, ell = embeddings.LinearPool(p), pool(tensor(p))
    K = len(p)
    g = gradient(ell, 1, K, at=tensor(*z))
    close(g, exact.gradient(z), 100)
    assert float((g * tensor(z)).sum()) == pytest.approx(1, abs=1e-12)
    close(one_step(g.log(), prior=tensor(prior)), exact.posterior(prior))
    close(pool_step(gradient(ell, 1, K, dtype=F64)), exact.responsibilities())
    close(likelihood_of_every_task(ell, 1, K, dtype=F64), exact.log_likelihoods())


def test_several_observations_add_posteriors() -> None:
    ell = pool(tensor((100, 1), (1, 3), (1, 3))[None])
    close(gradient(ell, 1, 2, dtype=F64) / 2, (1.490099009900990, 1.509900990099010))
    close(likelihood_of_every_task(ell, 1, 2, dtype=F64), (log(100), 2 * log(3)))


@given(columns(4, 2), st.tuples(rationals, rationals), st.fractions(Fraction(1, 4), Fraction(4), max_denominator=4))
def test_linear_gaussian(table: list[tuple[Fraction, ...]], x: tuple[Fraction, ...], sigma: Fraction) -> None:
    exact = embeddings.Gaussian(tuple(table), sigma**2)
    output = linear(tensor(*table).T)
    ell = gaussian(output, tensor(x), float(sigma))
    g, B = gradient(ell, 1, 4, dtype=F64), exact_offsets(output, 1, 4, variance=float(sigma) ** 2, dtype=F64)
    scale = float(1 + 100 / sigma**2)
    close(g, exact.gradient(x), scale)
    close(B, exact.offsets(), scale)
    close(likelihood_of_every_task(ell, 1, 4, dtype=F64), exact.log_likelihoods(x), scale)
    prior = (Fraction(1, 10), Fraction(2, 10), Fraction(3, 10), Fraction(4, 10))
    close(one_step(g, offsets=B, prior=tensor(prior)), exact.posterior(x, prior), scale)


def test_the_case_in_which_one_step_is_wrong() -> None:
    means, x = tensor((0, 2, 0), (0, 0, 1)), tensor((0.7, 0.2))
    g = gradient(gaussian(linear(means), x, 0.5), 1, 3, dtype=F64)
    B = exact_offsets(linear(means), 1, 3, variance=0.25, dtype=F64)
    close(one_step(g), (0.3457514111, 0.4514148306, 0.2028337582), 100)
    close(one_step(g, offsets=B), (0.7184361377, 0.0651750560, 0.2163888063), 100)
    prior = tensor(0.2, 0.3, 0.5)
    close(one_step(g, offsets=B, prior=prior), (0.5293631213, 0.0720341084, 0.3986027703), 100)


FAMILIES: list[tuple[Partition, Callable[[list[float]], Tensor], Tensor]] = [
    (bernoulli, lambda eta: torch.tensor(eta, dtype=F64).sigmoid(), tensor((1, 0, 1))),
    (poisson, lambda eta: torch.tensor(eta, dtype=F64).exp(), tensor((3, 0, 2))),
    (categorical, lambda eta: torch.tensor(eta, dtype=F64).softmax(-1), tensor((0, 1, 0))),
]


@pytest.mark.parametrize(("partition", "mean", "statistic"), FAMILIES)
@given(table=columns(3, 3))
def test_exponential_families(
    partition: Partition, mean: Callable[[list[float]], Tensor], statistic: Tensor, table: list[tuple[Fraction, ...]]
) -> None:
    ell, natural = log_linear(tensor(*table), partition, statistic), tuple(tuple(map(float, row)) for row in table)
    exact = embeddings.LogLinear(
        natural,
        lambda eta: float(partition(torch.tensor(eta, dtype=F64))),
        lambda eta: tuple(mean(list(eta)).tolist()),
    )
    found, t = diagnose(ell, 1, 3, dtype=F64), tuple(statistic[0].tolist())
    close(found.gradient, exact.gradient(t), 100)
    close(found.offsets, exact.offsets(), 1000)
    close(one_step(found.gradient, offsets=found.offsets), softmax(exact.log_likelihoods(t)), 100)
    assert found.verdict == "exact" or float(found.offsets.min()) >= -1e-10


def test_poisson_rates_at_which_the_offsets_decide() -> None:
    found = diagnose(log_linear(tensor(1, 2, 6).log()[:, None], poisson, tensor((3.0,))), 1, 3, dtype=F64)
    close(found.gradient, (0, 0.4925306421, 1.273173240), 1000)
    close(found.offsets, (0.6069102038, 0.0199993043, 1.504805037), 1000)
    assert found.verdict == "biased" and found.gradient.argmax() == 2 and found.likelihoods.argmax() == 1


def test_tokens() -> None:
    rows = tensor((2, 0, -1, 0), (0, 1.5, 0, -1), (0, 0, 1, 1))

    def logits(z: Tensor) -> Tensor:
        return (z @ rows)[:, None]

    ell = tokens(logits, torch.tensor([[0]]))
    B = exact_offsets(logits, 1, 3, dtype=F64)
    close(B, (0.4177900509, 0.3181557493, 0.3062268449), 100)
    g = gradient(ell, 1, 3, dtype=F64)
    close(g, (1.482624640, -0.2632169514, -0.3573690646), 1000)
    close(one_step(g, offsets=B), one_step(likelihood_of_every_task(ell, 1, 3, dtype=F64)).flatten())
    five = tokens(lambda z: (z @ rows)[:, None].expand(-1, 5, -1), torch.zeros(1, 5, dtype=torch.int64))
    close(five(tensor((1, 0, 0))), [5 * rows[0].log_softmax(-1)[0]], 10)


V, G = tensor((1, -1), (0.5, 2)), tensor((1, 0, 2), (0.5, 1.5, 0))


@pytest.mark.parametrize("phi", [torch.tanh, torch.relu, torch.sin])
def test_one_gated_layer_is_linear(phi: Callable[[Tensor], Tensor]) -> None:
    net = GatedNet(V, G, tensor((0.6,), (-0.8,)), phi=phi)
    x, u = torch.full((3, 1), 0.5, dtype=F64), torch.full((1, 3), 1 / 3, dtype=F64)
    vertices = net(x, torch.eye(3, dtype=F64))
    torch.testing.assert_close(net(x[:1], u)[0], vertices.mean(0), rtol=0, atol=1e-15)
    if phi is torch.tanh:
        expected = (0.4812870936, -0.2342926560, 0.5699234434, -1.139846887, 0.5826252249, 0.2913126125)
        close(vertices, expected, 1000)


def test_two_gated_layers_are_homogeneous_and_not_linear() -> None:
    net = GatedNet(V, G, tensor((0.6,), (0.8,)), tensor((1, 0.5), (-0.3, 0.8)), phi=torch.relu)
    x, u = torch.full((1, 1), 0.5, dtype=F64), torch.full((1, 3), 1 / 3, dtype=F64)
    close(net(x, u), (0.3511111111, 0.3811111111), 100)
    torch.testing.assert_close(net(x, 2 * u), 4 * net(x, u), rtol=1e-15, atol=0)
    close(net(x.expand(3, 1), torch.eye(3, dtype=F64)).mean(0), (0.2816666667, 0.77), 100)


@given(columns(3, 2), columns(1, 2))
def test_gated_nets_have_the_offsets_of_their_context(
    table: list[tuple[Fraction, ...]], x: list[tuple[Fraction, ...]]
) -> None:
    net, data = GatedNet(V, tensor(*table).T, tensor((0.6, 1), (-0.8, 0.3))), tensor(*x)
    ell = gaussian(lambda z: net(data, z), tensor((0.3, -0.4)), 0.5)
    found = diagnose(ell, 1, 3, dtype=F64)
    exact = exact_offsets(lambda z: net(data, z), 1, 3, variance=0.25, dtype=F64)
    torch.testing.assert_close(found.offsets, exact, rtol=0, atol=1e-11)


def test_a_net_that_z_enters_has_no_such_offsets() -> None:
    net = AdditiveNet(tensor((1, -0.5)), tensor((0.8, -0.3, 0.1), (0.2, 0.5, -0.7)), tensor((0.4,), (-0.2,)))
    data = tensor((0.6,))
    found = diagnose(gaussian(lambda z: net(data, z), tensor((0.5,)), 0.5), 1, 3, dtype=F64)
    close(found.gradient, (0.0601622153, -0.0527620367, 0.0456000583), 100)
    close(-found.offsets, (-0.1543383578, -1.027149160, -0.0809718697), 1000)
    exact = exact_offsets(lambda z: net(data, z), 1, 3, variance=0.25, dtype=F64)
    assert float((exact - found.offsets).abs().max()) > 0.01


@given(columns(3, 2))
def test_start_at_the_circumcentre(table: list[tuple[Fraction, ...]]) -> None:
    (a, b), (c, d) = ([table[k][i] - table[0][i] for k in (1, 2)] for i in range(2))
    determinant = a * d - b * c
    start = circumcentre_start(tensor(*table).T)
    if determinant == 0:
        assert (start is None) == (len(set(table)) == 3)
        return
    assert start is not None
    point = tensor(*table).T @ start
    distances = (tensor(*table) - point).square().sum(-1)
    # Of means below 4, M z0 is off by a few epsilon |z0|, and a squared distance by that times the distance.
    rounding = 2.0**-52 * 64 * float((1 + start.norm()) * (1 + distances.max().sqrt()))
    assert float(distances.max() - distances.min()) <= rounding
    assert float(start.sum()) == pytest.approx(1, abs=rounding)


def test_a_start_far_outside_is_found() -> None:
    # Nearly in a hyperplane: one solution of the linear system has lost too many digits, and is refined.
    means = torch.randn(4, 5, dtype=F64, generator=torch.Generator().manual_seed(237))
    means[0] *= 1e-5
    start = circumcentre_start(means)
    assert start is not None and float(start.abs().max()) > 1000
    distances = (means - (means @ start)[:, None]).norm(dim=0)
    assert float((distances / distances.mean() - 1).abs().max()) < 1e-9


def test_starts_that_are_known() -> None:
    def start(*means: tuple[float, ...]) -> list[float]:
        found = circumcentre_start(tensor(*means).T)
        assert found is not None
        return found.tolist()

    assert start((0, 0), (2, 0), (0, 1)) == pytest.approx([0, 0.5, 0.5])
    assert start((0, 0), (4, 0), (1, 1)) == pytest.approx([1.25, 0.75, -1])
    assert start((0, 0), (1, 0), (0, 1), (1, 1)) == pytest.approx([0.25] * 4)
    assert start((5.0,), (5.0,)) == [0.5, 0.5]
    assert circumcentre_start(tensor((0, 1, 2))) is None
    # Four points in the plane, the last one off the circle of the others by far more than rounding.
    assert circumcentre_start(tensor((1, 0), (0, 1), (-1, 0), (0, -1 - 1e-9)).T) is None
    means, x = tensor((0, 2, 0), (0, 0, 1)), tensor((0.7, 0.2))
    z = circumcentre_start(means)
    close(
        one_step(gradient(gaussian(linear(means), x, 0.5), 1, 3, at=z)), (0.7184361377, 0.0651750560, 0.2163888063), 100
    )
