"""Steps, filters, scores and what they refuse, against the definitions."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn

from constructions.inference import (
    TIED,
    BayesFilter,
    GradientFilter,
    auroc,
    circumcentre_start,
    classes,
    cost,
    exact_offsets,
    frozen,
    gaussian,
    gradient,
    iterate,
    likelihood_of_every_task,
    linear,
    log_linear,
    negative_entropy,
    negative_pixel_entropy,
    offsets,
    one_step,
    ood_scores,
    poisson,
    pool,
    project,
    projection_step,
    squared_norm,
    tokens,
)
from theory.errors import InputError

F64 = torch.float64


def tensor(*rows: object) -> Tensor:
    return torch.tensor(rows, dtype=F64)


def nearest(v: Sequence[Fraction]) -> list[Fraction]:
    """The projection on the simplex by trying every support."""
    K, found = len(v), []
    for support in product((0, 1), repeat=K):
        kept = [k for k in range(K) if support[k]]
        if kept:
            shift = (1 - sum(v[k] for k in kept)) / Fraction(len(kept))
            point = [v[k] + shift if support[k] else Fraction(0) for k in range(K)]
            if min(point) >= 0:
                found.append((sum((a - b) ** 2 for a, b in zip(point, v, strict=True)), point))
    return min(found)[1]


@given(st.lists(st.fractions(-4, 4, max_denominator=16), min_size=2, max_size=5), st.integers(-(10**6), 10**6))
def test_projection(v: list[Fraction], shift: int) -> None:
    exact = [float(entry) for entry in nearest(v)]
    rows = torch.tensor([list(map(float, v))] * 2, dtype=F64)
    rows[1] += shift  # exact: 30 bits and denominators up to 16 fill less than a float
    found = project(rows)
    assert found[0].tolist() == pytest.approx(exact, abs=1e-14)
    assert found[1].tolist() == pytest.approx(exact, abs=1e-9)


def test_projection_step_is_sparsemax() -> None:
    g = tensor(1, 0.4, -2)
    for weight, expected in ((0.25, (1, 0, 0)), (1, (0.65, 0.35, 0)), (5, (0.4533333333, 0.3933333333, 0.1533333333))):
        assert projection_step(g, weight).tolist() == pytest.approx(expected, abs=1e-10)


def test_temperature_and_prior_and_ties() -> None:
    g = tensor((1, 3, 2), (5, 5, 0))
    torch.testing.assert_close(one_step(g, temperature=2), (g / 2).softmax(-1))
    prior = tensor(1, 0, 3)
    assert one_step(g, prior=prior)[0].tolist() == pytest.approx(
        [1 / (1 + 3 * torch.e), 0, 3 * torch.e / (1 + 3 * torch.e)]
    )
    # The temperature weighs the entropy against log-likelihood and log prior together.
    tempered = one_step(g, temperature=2, prior=prior)
    torch.testing.assert_close(tempered, ((g + prior.log()) / 2).softmax(-1))
    assert classes(g).tolist() == [1, TIED] and classes(g, allowance=1).tolist() == [TIED, TIED]


def test_filters_agree_on_two_tasks() -> None:
    means, sigma = tensor((0.2, 0.8)), 0.3
    exact, by_gradient = BayesFilter(0.1, 2), GradientFilter(0.1, 2)
    seen = []
    for x in (0.1, 0.35, 0.9, 0.75, 0.4, 0.55):
        ell = gaussian(linear(means), tensor((x,)), sigma)
        posterior = exact.step(likelihood_of_every_task(ell, 1, 2, dtype=F64)[0])
        torch.testing.assert_close(by_gradient.step(gradient(ell, 1, 2, dtype=F64)[0]), posterior, rtol=0, atol=1e-14)
        seen.append(float(posterior[0]))
    expected = [0.935030830871, 0.957157697127, 0.416952267085, 0.122615078933, 0.271122877195, 0.229821783094]
    assert seen == pytest.approx(expected, abs=1e-12)


@given(st.lists(st.lists(st.floats(-5, 5), min_size=3, max_size=3), min_size=1, max_size=6), st.floats(0, 1))
def test_filters_of_three_tasks_need_the_offsets(stream: list[list[float]], hazard: float) -> None:
    B = tensor(0.5, 0, 0.5)
    exact, corrected = BayesFilter(hazard, 3), GradientFilter(hazard, 3, offsets=B)
    belief = [1 / 3] * 3
    for log_likelihoods in stream:
        ell = tensor(*log_likelihoods)
        weights = [((1 - hazard) * b + hazard / 3) * float(p) for b, p in zip(belief, ell.exp(), strict=True)]
        belief = [w / sum(weights) for w in weights]
        assert exact.step(ell).tolist() == pytest.approx(belief, abs=1e-12)
        assert corrected.step(ell + B).tolist() == pytest.approx(belief, abs=1e-12)


def test_filters_of_a_batch() -> None:
    evidence = torch.randn(5, 4, 3, dtype=F64, generator=torch.Generator().manual_seed(0))
    together = BayesFilter(0.2, 3)
    alone = [BayesFilter(0.2, 3) for _ in range(4)]
    for rows in evidence:
        torch.testing.assert_close(
            together.step(rows), torch.stack([f.step(e) for f, e in zip(alone, rows, strict=True)])
        )
    assert float(together.prior.sum()) == pytest.approx(4)


@given(st.lists(st.integers(0, 4), min_size=1, max_size=12), st.lists(st.integers(0, 4), min_size=1, max_size=12))
def test_area_counts_pairs(inside: list[int], outside: list[int]) -> None:
    pairs = [(a > b) + (a == b) / 2 for a, b in product(inside, outside)]
    found = auroc(torch.tensor(inside, dtype=F64), torch.tensor(outside, dtype=F64))
    assert found == pytest.approx(sum(pairs) / len(pairs))


def test_scores() -> None:
    g, ell = tensor((3, 0, 0), (1, 1, 1), (0, 0, 3)), tensor((-1, -4, -4), (-9, -9, -9), (-1, -1, 0))
    found = ood_scores(g, ell, tensor(4, 0, 0))
    assert {name: score.tolist() for name, score in found.items()} == {
        "centred max": [2, 0, 2],
        "centred norm": pytest.approx([6**0.5, 0, 6**0.5]),
        "soft": pytest.approx([torch.e**3 / (torch.e**3 + 2), 1 / 3, torch.e**3 / (torch.e**3 + 2)]),
        "alignment": [0.5, 0, 0],  # where nothing is left to be explained there is no direction of it
        "likelihood": [-1, -9, 0],
    }


def test_scores_of_outputs() -> None:
    o = tensor((0.3, -2, 1))
    p = (2 * o).sigmoid()
    expected = (p * p.log() + (1 - p) * (1 - p).log()).sum()
    assert float(negative_pixel_entropy(o)) == pytest.approx(float(expected))
    share = o.softmax(-1)
    assert float(negative_entropy(o)) == pytest.approx(float((share * share.log()).sum()))
    assert float(squared_norm(o)) == pytest.approx(5.09)
    # At e_k of one-hot logits, the task itself is what lowers the entropy.
    assert gradient(lambda z: negative_entropy(4 * z), 1, 3, at=tensor(1, 0, 0)).argmax() == 0


def test_mean_offsets() -> None:
    g, ell = tensor((1, 2), (3, 5)), tensor((0, 4), (0, 0))
    assert offsets(g, ell).tolist() == [2, 1.5]


def test_frozen_weights_take_no_gradient() -> None:
    net = nn.Sequential(nn.Linear(3, 4), nn.Dropout(0.5), nn.Linear(4, 1)).double()
    assert frozen(net) is net and not net.training
    gradient(lambda z: net(z)[:, 0], 2, 3, dtype=F64)
    assert all(weight.grad is None and not weight.requires_grad for weight in net.parameters())


def test_a_batch_is_as_its_examples_and_no_graph_is_left() -> None:
    x = torch.randn(6, 2, dtype=F64, generator=torch.Generator().manual_seed(1))
    means = tensor((0, 2, 1), (1, 0, 1))
    together = gradient(gaussian(linear(means), x, 0.7), 6, 3, dtype=F64)
    alone = [gradient(gaussian(linear(means), row[None], 0.7), 1, 3, dtype=F64) for row in x]
    torch.testing.assert_close(together, torch.cat(alone))
    assert not together.requires_grad
    with torch.no_grad():
        torch.testing.assert_close(gradient(gaussian(linear(means), x, 0.7), 6, 3, dtype=F64), together)


def ell(z: Tensor) -> Tensor:
    return z.sum(-1)


BAD: list[tuple[Callable[[], object], str]] = [
    (lambda: gradient(ell, 1, 1), "K = 1 tasks"),
    (lambda: gradient(ell, 0, 2), "batch = 0"),
    (lambda: gradient(ell, 1, 3, at=torch.ones(2)), r"shape \(2,\) for K = 3"),
    (lambda: gradient(ell, 1, 2, at=tensor(1, torch.nan)), "not finite"),
    (lambda: gradient(lambda z: z, 1, 2), r"shape \(1, 2\) for 1 examples"),
    (lambda: gradient(lambda z: z.sum(), 1, 2), r"shape \(\) for 1 examples"),
    (lambda: gradient(lambda z: z.sum(-1) * torch.nan, 1, 2), "example 0 is nan"),
    (lambda: gradient(lambda z: z.sum(-1) + torch.inf, 1, 2), "example 0 is inf"),
    (lambda: gradient(lambda z: (z[:, 0] - z[:, 1]).sqrt(), 1, 2), r"gradient of example 0 is \["),
    (lambda: likelihood_of_every_task(ell, 1, 1), "K = 1"),
    (lambda: gaussian(linear(tensor((0, 1))), tensor((torch.nan,)), 1), r"observation at \(0, 0\) is nan"),
    (lambda: gaussian(linear(tensor((0, 1))), tensor((1,)), 0), "sigma = 0"),
    (lambda: gaussian(linear(tensor((0, 1))), tensor((1,)), -2), "sigma = -2"),
    (lambda: gaussian(linear(tensor((0, 1))), tensor(1), 1)(tensor((0.5, 0.5))), r"shape \(1, 1\) for data \(1,\)"),
    (lambda: pool(tensor((1, -1))), "must be >= 0"),
    (lambda: pool(tensor((0, 0))), "not all 0"),
    (lambda: pool(tensor((torch.nan, 1))), "must be >= 0"),
    (lambda: one_step(tensor((1, 2)), temperature=0), "temperature = 0"),
    (lambda: one_step(tensor((1, 2)), prior=tensor(-1, 2)), "no distribution"),
    (lambda: one_step(tensor((-torch.inf, -torch.inf))), "no posterior"),
    (lambda: one_step(tensor((1, torch.nan))), "no posterior"),
    (lambda: one_step(tensor((1, 2), (-torch.inf, -torch.inf))), "-inf for all tasks"),
    (lambda: projection_step(tensor((1, 2)), -1), "weight = -1"),
    (lambda: offsets(tensor((1, 2)), tensor((0, -torch.inf))), "not finite"),
    (lambda: gaussian(ell, tensor(1), tensor(1, 2)), r"sigma of shape \(2,\)"),  # type: ignore[arg-type]
    (lambda: gaussian(ell, tensor(1), None), "sigma = None"),  # type: ignore[arg-type]
    (lambda: gradient(ell, 1, 3.0), "K = 3.0"),  # type: ignore[arg-type]
    (lambda: gradient(ell, 1.0, 3), "batch = 1.0"),  # type: ignore[arg-type]
    (lambda: gradient(nn.Linear(2, 1), 5, 3), r"no z of shape \(5, 3\) in torch.float32 \(mat1"),
    (lambda: likelihood_of_every_task(nn.Linear(2, 1), 1, 2, dtype=F64), "in torch.float64 .* dtype= of its weights"),
    (lambda: exact_offsets(nn.Linear(2, 1), 1, 3, variance=1), r"shape \(1, 3\)"),
    (lambda: iterate(nn.Linear(2, 1), 1, 3, steps=1), r"shape \(1, 3\)"),
    (lambda: cost(nn.Linear(2, 1), 1, 3), r"shape \(1, 3\)"),
    (lambda: BayesFilter(1.5, 2), "hazard = 1.5"),
    (lambda: BayesFilter(0.5, 1), "K = 1"),
    (lambda: BayesFilter(0.5, 3).step(tensor(1, 2)), r"shape \(2,\) for K = 3"),
    (lambda: auroc(tensor(), tensor(1)), "inside holds no score"),
    (lambda: auroc(tensor(1), tensor(torch.nan)), "outside holds NaN: 1 of 1"),
    (lambda: iterate(ell, 1, 2, steps=0), "steps = 0"),
    (lambda: iterate(ell, 1, 2, steps=1, rate=-1), "rate = -1"),
    (lambda: iterate(ell, 1, 2, steps=1, method="newton"), "'newton' is unknown"),
    (lambda: iterate(ell, 1, 2, steps=1, start=tensor(2, -1)), "not on the simplex"),
    (lambda: iterate(ell, 1, 2, steps=1, start=tensor(0.5, 0.51)), "give entries >= 0 that add up"),
    (lambda: iterate(lambda z: -z[:, 0], 1, 2, steps=1, method="em"), "no linear pool"),
    (lambda: iterate(lambda z: 0 * z[:, 0], 1, 2, steps=1, method="em"), "gradient is 0 where z is not"),
    (lambda: gradient(lambda z: 0.0, 1, 2), "of type float"),  # type: ignore[arg-type, return-value]
    (lambda: gradient(lambda z: z.argmax(-1), 1, 2), "of type torch.int64"),
    (lambda: gradient(ell, 1, 2, at=torch.tensor([1, 0])), "whole numbers"),
    (lambda: gradient(linear(tensor((0, 1))), 1, 3, dtype=F64), r"shape \(1, 3\) enters a model of K = 2"),
    (lambda: gradient(linear(tensor((0, 1))), 1, 2), "z in torch.float32 enters a model in torch.float64"),
    (lambda: gradient(pool(tensor((1, 2))), 1, 3, dtype=F64), "of K = 2 tasks"),
    (lambda: gradient(log_linear(torch.ones(3, 1), poisson, torch.ones(1, 1)), 1, 2), "of K = 3 tasks"),
    (lambda: pool(tensor(1, 2)), r"likelihoods of shape \(2,\)"),
    (lambda: one_step(tensor((1, torch.inf))), "no posterior"),
    (lambda: one_step(tensor((1, 2)), offsets=tensor(1, 2, 3)), r"offsets of shape \(3,\) .* give \(2,\) or \(1, 2\)"),
    (
        lambda: one_step(tensor((1, 2)), prior=tensor((1, 1), (1, 1))),
        r"prior of shape \(2, 2\) .* give \(2,\) or",
    ),
    (lambda: project(tensor((1, torch.nan))), "to project holds NaN"),
    (lambda: classes(tensor((1, torch.nan))), "hold NaN"),
    (lambda: classes(tensor((1,))), "fewer than 2 tasks"),
    (lambda: offsets(torch.ones(0, 2), torch.ones(0, 2)), "not empty"),
    (lambda: offsets(torch.ones(1, 2), torch.ones(1, 1)), r"of shape \(1, 2\) and log-likelihoods of \(1, 1\)"),
    (lambda: exact_offsets(lambda z: z * torch.nan, 1, 2, variance=1), "holds NaN or inf"),
    (lambda: exact_offsets(lambda z: torch.ones(5, 2), 1, 2, variance=1), r"of shape \(5, 2\)"),
    (lambda: GradientFilter(0.5, 2, offsets=tensor(1, 2, 3)).step(tensor(1, 2)), r"offsets of shape \(3,\) for K = 2"),
    (lambda: ood_scores(torch.ones(2, 3), torch.ones(2, 3), torch.ones(2, 1)), r"\(2, 3\), \(2, 1\)"),
    (lambda: circumcentre_start(tensor((0, torch.nan, 1))), "no points"),
    (lambda: circumcentre_start(tensor(0, 1)), "no points"),
    (lambda: gradient(ell, 1, 2, dtype=torch.int64), "dtype = torch.int64"),
    (lambda: tokens(ell, tensor(1, 2)), "no indices"),
    (lambda: gradient(tokens(lambda z: z[:, None], torch.tensor([[2]])), 1, 2), r"token at \(0, 0\) is 2"),
    (lambda: gradient(tokens(lambda z: z[:, None], torch.tensor([[-1]])), 1, 2), "is -1 .* give 0 to 1"),
    (lambda: gradient(tokens(lambda z: z[:, None], torch.tensor([[0, 1]])), 1, 2), r"logits of shape \(1, 1, 2\)"),
]


@pytest.mark.parametrize(("call", "message"), BAD, ids=[message for _, message in BAD])
def test_bad_input(call: Callable[[], object], message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)
