"""The three verdicts, the bounds that come with them, and what inference costs."""

from math import tanh

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn

from constructions.inference import (
    AdditiveNet,
    GatedNet,
    cost,
    counted,
    curvature,
    diagnose,
    frozen,
    gaussian,
    gradient,
    iterate,
    linear,
    max_entropy,
    one_step,
    pool,
)
from theory.errors import InputError
from theory.inference.simplex import kullback_leibler, total_variation

F64 = torch.float64


def tensor(*rows: object) -> Tensor:
    return torch.tensor(rows, dtype=F64)


X = torch.randn(20, 2, dtype=F64, generator=torch.Generator().manual_seed(3))


def test_exact_where_all_means_are_equally_far() -> None:
    for means in (tensor((0.2, 0.8), (1, -3)), 2 * torch.eye(2, 4, dtype=F64) - tensor((0, 0, 2, 0), (0, 0, 0, 2))):
        K = means.shape[1]
        found = diagnose(gaussian(linear(means), X, 0.1), 20, K, dtype=F64)
        assert found.verdict == "exact" and bool(found.decided.any())
        assert str(found) == "exact: softmax(g) is the posterior"
        torch.testing.assert_close(one_step(found.gradient), found.posterior)


def test_biased_by_constants_or_by_context() -> None:
    found = diagnose(gaussian(linear(tensor((0, 2, 0), (0, 0, 1))), X, 0.5), 20, 3, dtype=F64)
    assert found.verdict == "biased" and found.constant
    assert str(found).startswith(
        "biased: subtract offsets the same for all examples; without them softmax(g) is off by"
    )
    assert str(found).endswith(f"on {int(found.decided.sum())} of 20 examples")
    assert found.offsets[7].tolist() == pytest.approx([1.111111111, 3.777777778, 1.777777778], abs=1e-8)
    torch.testing.assert_close(one_step(found.gradient, offsets=found.offsets[0]), found.posterior)
    one = diagnose(gaussian(linear(tensor((0, 2, 0), (0, 0, 1))), X[:1], 0.5), 1, 3, dtype=F64)
    assert "offsets of this example (diagnose several" in str(one)
    right = found.gradient.argmax(-1) == found.likelihoods.argmax(-1)
    assert bool(right[found.decided].all()) and not bool(right.all())

    net = GatedNet(tensor((1, -1), (0.5, 2)), tensor((1, 0, 2), (0.5, 1.5, 0)), tensor((0.6, 1), (-0.8, 0.3)))
    found = diagnose(gaussian(lambda z: net(X, z), X, 0.5), 20, 3, dtype=F64)
    assert found.verdict == "biased" and not found.constant and "that depend on the example" in str(found)
    torch.testing.assert_close(one_step(found.gradient, offsets=found.offsets), found.posterior)


def test_offsets_that_depend_on_the_example_a_little() -> None:
    """A scale that the example sets: offsets differ by parts in 1e6, and rounding is 1e-12 of them."""
    means = tensor((0, 2, 0), (0, 0, 1))
    for spread, constant in ((0, True), (1e-6, False)):
        scale = 1 + spread * torch.linspace(0, 1, 20, dtype=F64)[:, None]
        found = diagnose(gaussian(lambda z, scale=scale: scale * (z @ means.T), X, 0.5), 20, 3, dtype=F64)  # type: ignore[misc]
        assert found.verdict == "biased" and found.constant is constant


def test_blind_where_z_is_ignored() -> None:
    ignores = gaussian(lambda z: X, X + 1, 0.5)  # not even in the graph
    cancels = gaussian(lambda z: X + 0.1 * z.sum(-1, keepdim=True), X + 1, 0.5)  # constant on the simplex
    net = AdditiveNet(tensor((1, -0.5), (2, 0)), torch.zeros(2, 4, dtype=F64), torch.eye(2, dtype=F64))
    for ell in (ignores, cancels, gaussian(lambda z: net(X, z), X, 0.5)):
        found = diagnose(ell, 20, 4, dtype=F64)
        assert found.verdict == "blind" and not found.decided.any() and str(found).startswith("blind: ")
        torch.testing.assert_close(found.posterior, torch.full((20, 4), 0.25, dtype=F64))
    # In single precision too, with sums over many pixels.
    data = torch.randn(3, 4000, generator=torch.Generator().manual_seed(4))
    ell = gaussian(lambda z: z @ torch.ones(5, 4000), data, 0.5)
    assert diagnose(ell, 3, 5, terms=4000).verdict == "blind"


def test_what_is_cut_off_is_refused() -> None:
    ell = gaussian(linear(tensor((0, 2, 0), (0, 0, 1))), X, 0.5)
    for broken in (lambda z: ell(z.detach()), torch.no_grad()(ell)):
        with pytest.raises(InputError, match="without detach"):
            diagnose(broken, 20, 3, dtype=F64)
    with pytest.raises(InputError, match="excludes some example"):
        diagnose(pool(tensor((1, 0))), 1, 2, dtype=F64)


def test_a_gradient_of_0_at_u_alone_is_not_cut_off() -> None:
    # Means 0, 0, 0, 4 and the datum 1 that their mean fits exactly.
    found = diagnose(gaussian(linear(tensor((0, 0, 0, 4))), tensor((1,)), 1.0), 1, 4, dtype=F64)
    assert not found.gradient.any() and found.verdict == "biased"
    assert found.offsets.tolist() == [[0.5, 0.5, 0.5, 4.5]]
    # One example on which tasks are equally likely does not hide that the others are cut off.
    ell = gaussian(linear(tensor((0, 2))), tensor((1,), (3,)), 1.0)
    with pytest.raises(InputError, match="without detach"):
        diagnose(lambda z: ell(z.detach()), 2, 2, dtype=F64)


def test_examples_that_depend_on_each_other_are_refused() -> None:
    means, norm = tensor((0, 2, 0), (0, 0, 1)), torch.nn.BatchNorm1d(2, dtype=F64)
    ell = gaussian(linear(means), X, 0.5)
    drop = torch.nn.Dropout(0.5)
    for coupled in (
        gaussian(lambda z: norm(z @ means.T), X, 0.5),
        gaussian(lambda z: drop(z @ means.T), X, 0.5),
        gaussian(lambda z: z.mean(0).expand(20, 3) @ means.T, X, 0.5),
        lambda z: ell(z).mean().expand(20),
    ):
        with pytest.raises(InputError, match="z of other examples or by chance"):
            diagnose(coupled, 20, 3, dtype=F64)
    frozen(norm)
    assert diagnose(gaussian(lambda z: norm(z @ means.T), X, 0.5), 20, 3, dtype=F64).verdict == "biased"


def test_only_the_diagnosis_notices_that_examples_depend_on_each_other() -> None:
    means = tensor((0, 2, 0), (0, 0, 1))
    apart = gradient(gaussian(linear(means), X, 0.5), 20, 3, dtype=F64)
    shared = gaussian(lambda z: 0.5 * (z + z.flip(0)) @ means.T, X, 0.5)
    assert not torch.allclose(gradient(shared, 20, 3, dtype=F64), apart)  # of two data, and no complaint
    assert bool(iterate(shared, 20, 3, steps=2, dtype=F64).z.isfinite().all())
    with pytest.raises(InputError, match="z of other examples"):
        diagnose(shared, 20, 3, dtype=F64)
    with pytest.raises(InputError, match="z of other examples"):
        diagnose(gaussian(lambda z: 0.5 * (z + z.flip(0)) @ means.T, X[:2], 0.5), 2, 3, dtype=F64)


def test_a_verdict_is_that_of_all_examples() -> None:
    net = GatedNet(tensor((1, -1), (0.5, 2)), tensor((1, 0, 2), (0.5, 1.5, 0)), tensor((0.6, 1), (-0.8, 0.3)))
    data = torch.cat((torch.zeros(1, 2, dtype=F64), X[:3]))  # at x = 0 all outputs are 0
    found = diagnose(gaussian(lambda z: net(data, z), data + 1, 0.5), 4, 3, dtype=F64)
    assert found.verdict == "biased" and float(found.oscillation[0]) < 1e-12 < float(found.oscillation[1:].min())


def test_rounding_of_one_example_is_no_offset_of_another() -> None:
    means, data = tensor((0, 2, 0), (0, 0, 1)), tensor((0, 0), (1e6, 3e5))
    found = diagnose(gaussian(linear(means), data, 0.5), 2, 3, dtype=F64)
    gap = (found.offsets[0] - found.offsets[1]).abs().max()
    assert float(found.allowance[0]) < float(gap) < float(found.allowance[1])
    assert found.verdict == "biased" and found.constant
    # Numbers of the size of 1 that cancel: what is left is rounding, however small all of it is.
    weights = tensor(0.3, 0.1 + 0.2, 0.3)
    found = diagnose(lambda z: (z * weights).sum(-1) - (0.3 * z).sum(-1), 2, 3, dtype=F64)
    assert found.gradient.any() and found.verdict == "blind"


def test_a_tie_is_not_decided() -> None:
    # Linear in z, so that there are no offsets; of the first example the best two differ by no more than rounding.
    weights = tensor((0, 1e-14, -1), (0, 0.5, -1))
    found = diagnose(lambda z: (z * weights).sum(-1), 2, 3, dtype=F64)
    assert found.verdict == "exact" and found.decided.tolist() == [False, True]


def test_a_precision_without_digits_is_refused() -> None:
    ell = gaussian(linear(torch.tensor([[0, 2, 0]]).half()), torch.ones(1, 1).half(), 0.5)
    with pytest.raises(InputError, match="leave no digits"):
        diagnose(ell, 1, 3, dtype=torch.float16)
    assert diagnose(ell, 1, 3, terms=8, dtype=torch.float16).verdict == "biased"
    with pytest.raises(InputError, match="terms = 0"):
        diagnose(ell, 1, 3, terms=0, dtype=torch.float16)


numbers = st.lists(st.floats(-2, 2), min_size=12, max_size=12)


@given(numbers, st.floats(0.3, 2))
def test_bounds_hold_for_nets(entries: list[float], sigma: float) -> None:
    weights = torch.tensor(entries, dtype=F64)
    net = AdditiveNet(tensor((1, -0.5)), weights[:6].reshape(2, 3), weights[6:8].reshape(2, 1))
    data, target = weights[8:10, None], weights[10:12, None]
    ell = gaussian(lambda z: net(data, z), target, sigma)
    found = diagnose(ell, 2, 3, dtype=F64)
    step = one_step(found.gradient)
    for p, q, at in zip(found.posterior.tolist(), step.tolist(), range(2), strict=True):
        divergence = max(kullback_leibler(p, q), kullback_leibler(q, p))
        assert divergence <= float(found.divergence_bound[at]) + 1e-12
        assert total_variation(p, q) <= float(found.variation_bound[at]) + 1e-12
    best = found.likelihoods.argmax(-1)
    assert bool((found.gradient.argmax(-1) == best)[found.decided].all())


def test_bounds_of_the_net_with_known_numbers() -> None:
    net = AdditiveNet(tensor((1, -0.5)), tensor((0.8, -0.3, 0.1), (0.2, 0.5, -0.7)), tensor((0.4,), (-0.2,)))
    found = diagnose(gaussian(lambda z: net(tensor((0.6,)), z), tensor((0.5,)), 0.5), 1, 3, dtype=F64)
    assert float(found.oscillation) == pytest.approx(0.9461772901, abs=1e-9)
    assert float(found.divergence_bound) == pytest.approx(0.1119064330, abs=1e-9)
    assert float(found.variation_bound) == pytest.approx(0.2322290725, abs=1e-9)
    bends = curvature(gaussian(lambda z: net(tensor((0.6,)), z), tensor((0.5,)), 0.5), 1, 3, points=65, dtype=F64)
    assert bool((found.offsets.abs() < 0.99 * bends).all())  # no bound is met, so that 65 points are enough
    p, q = found.posterior[0].tolist(), one_step(found.gradient)[0].tolist()
    assert kullback_leibler(p, q) == pytest.approx(0.0660773451, abs=1e-9)
    assert total_variation(p, q) == pytest.approx(0.1569484055, abs=1e-9)


def test_two_tasks_attain_the_bound_of_variation() -> None:
    rho = 1.3
    q = 1 / (1 + torch.e ** (rho / 2))
    p = [q * torch.e**rho, 1 - q]
    assert total_variation([each / sum(p) for each in p], [q, 1 - q]) == pytest.approx(tanh(rho / 4))


def test_curvature_of_a_quadratic_is_its_offsets() -> None:
    ell = gaussian(linear(tensor((0, 2, 0), (0, 0, 1))), X, 0.5)
    torch.testing.assert_close(
        curvature(ell, 20, 3, points=2, dtype=F64), diagnose(ell, 20, 3, dtype=F64).offsets, rtol=1e-9, atol=1e-9
    )
    # Second derivatives of a cubic are largest at an end.
    cubic = torch.randn(3, 3, 3, dtype=F64, generator=torch.Generator().manual_seed(5))

    def bent(z: Tensor) -> Tensor:
        return torch.einsum("bi,bj,bk,ijk->b", z, z, z, cubic)

    bound, offsets = curvature(bent, 1, 3, points=2, dtype=F64), diagnose(bent, 1, 3, dtype=F64).offsets
    assert bool((offsets.abs() <= bound).all())
    # The fourth power of the first share bends most at its task: 12 (1/2)^2, of two tasks, and half of that.
    assert curvature(lambda z: z[:, 0] ** 4, 1, 2, points=3, dtype=F64).tolist() == [[1.5, 0.375]]
    for flat in (lambda z: X[:, 0], lambda z: z.sum(-1)):
        assert not curvature(flat, 20, 3, dtype=F64).any()
    with pytest.raises(InputError, match="points = 1"):
        curvature(ell, 20, 3, points=1)


def test_weights_that_are_not_frozen_do_not_stand_in_for_z() -> None:
    weights = torch.ones(2, dtype=F64, requires_grad=True)  # in the graph, where z is not
    ell = gaussian(lambda z: X * weights, X + 1, 0.5)
    assert not gradient(ell, 20, 4, dtype=F64).any() and not curvature(ell, 20, 4, dtype=F64).any()
    assert diagnose(ell, 20, 4, dtype=F64).verdict == "blind" and weights.grad is None


LATENT, HIDDEN, TASKS, PIXELS = 8, 128, 10, 64


def test_costs_of_a_decoder() -> None:
    first, last = nn.Linear(LATENT + TASKS, HIDDEN), nn.Linear(HIDDEN, PIXELS)
    decoder = nn.Sequential(first, nn.ReLU(), last)
    latent, x = torch.randn(1, LATENT), torch.randn(1, PIXELS)
    ell = gaussian(lambda z: decoder(torch.cat((latent, z), -1)), x, 1.0)
    with_weights = counted(lambda: ell(max_entropy(1, TASKS).requires_grad_()).sum().backward())
    frozen(decoder)
    found = cost(ell, 1, TASKS)
    assert (found.forward, found.one_step, found.every_task) == (10496, 20992, 104960)
    assert [found.in_forwards(each) for each in (found.one_step, with_weights, found.every_task)] == [2, 3, 10]
    assert found.iterative(5) == found.every_task < found.iterative(6)

    # A model that takes z as it is, rather than beside a code.
    plain = cost(gaussian(frozen(nn.Linear(TASKS, PIXELS)), x, 1.0), 1, TASKS)
    assert (plain.forward, plain.one_step) == (TASKS * PIXELS, 2 * TASKS * PIXELS)

    def split(z: Tensor) -> Tensor:
        hidden = latent @ first.weight[:, :LATENT].T + z @ first.weight[:, LATENT:].T + first.bias
        return last(hidden.relu())

    found = cost(gaussian(split, x, 1.0), 1, TASKS)
    assert (found.forward, found.one_step) == (10496, 19968)

    # With the part of the latent computed once, and each column of z looked up: d H + K H D.
    ready = latent @ first.weight[:, :LATENT].T + first.bias
    heads = gaussian(lambda z: last((ready + first.weight[:, LATENT + z.argmax(-1)].T).relu()), x, 1.0)
    once = counted(lambda: latent @ first.weight[:, :LATENT].T)
    assert once + TASKS * counted(lambda: heads(torch.eye(1, TASKS))) == 82944

    with pytest.raises(InputError, match="multiplies no matrices"):
        cost(lambda z: z.sum(-1), 1, 2)
