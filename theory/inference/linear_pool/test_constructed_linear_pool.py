"""Evidence from torch pools for the claims on linear pools: gradients by autograd, steps as they are taken."""

from collections.abc import Iterator
from math import log

import numpy as np
import torch
from torch import Tensor

from constructions.inference import (
    gaussian,
    gradient,
    iterate,
    likelihood_of_every_task,
    linear,
    one_step,
    pool,
    pool_step,
)
from theory.evidence import Case, Constructed
from theory.inference.embeddings import Gaussian, LinearPool
from theory.inference.linear_pool.calibration import Calibration, evidence
from theory.inference.linear_pool.expectation_maximisation import rate
from theory.inference.linear_pool.plug_in import free_energy, jensen_gap, log_evidence
from theory.inference.simplex import Vector, kullback_leibler, total_variation, uniform
from theory.ledger import Submissions

torch.set_num_threads(1)
SEED = 2407
EPSILON = 2.0**-52
F64 = torch.float64


def pools(count: int = 20) -> Iterator[tuple[int, Tensor, Tensor, Tensor]]:
    """K, likelihoods, an interior z and a prior."""
    random = np.random.default_rng(SEED)
    for _ in range(count):
        K = int(random.integers(2, 12))
        p = torch.tensor(random.exponential(size=K) + 1e-3)
        z, prior = torch.tensor(random.dirichlet(np.ones(K), size=2) + 1e-4)
        yield K, p, z / z.sum(), prior / prior.sum()


def near(found: Tensor, expected: Vector | Tensor, scale: float) -> bool:
    """Whether two vectors agree up to a few roundings of numbers of that size."""
    return float((found.flatten() - torch.as_tensor(expected, dtype=F64)).abs().max()) <= 16 * EPSILON * scale


def floats(found: Tensor) -> Vector:
    return tuple(found.flatten().tolist())


def test_the_gradient_is_the_likelihood(ledger: Submissions) -> None:
    def cases() -> Iterator[Case]:
        for number, (K, p, z, prior) in enumerate(pools()):
            exact, ell = LinearPool(floats(p)), pool(p[None])
            g = gradient(ell, 1, K, at=z)
            size = K * float(g.max())
            yield {"pool": number, "part": "g"}, near(g, exact.gradient(floats(z)), size)
            yield {"pool": number, "part": "<z, g> = 1"}, near((g * z).sum(), (1.0,), K)
            yield (
                {"pool": number, "part": "prior"},
                near(one_step(g.log(), prior=prior), exact.posterior(floats(prior)), K),
            )
            step = iterate(ell, 1, K, method="em", steps=1, start=z).z
            yield {"pool": number, "part": "E-step"}, near(step, exact.posterior(floats(z)), K)
            euclidean = pool_step(gradient(ell, 1, K, dtype=F64))
            yield {"pool": number, "part": "1/K"}, near(euclidean, exact.posterior(), K)
            thrice = iterate(ell, 1, K, method="em", steps=3, start=z).z
            yield {"pool": number, "part": "three"}, near(thrice, z * p**3 / (z * p**3).sum(), 4 * K)

    ledger.submit("gbi-linear-pool-gradient-is-likelihood", Constructed("pools by autograd", cases()))


def test_natural_gradients(ledger: Submissions) -> None:
    def cases() -> Iterator[Case]:
        for number, (K, p, z, _) in enumerate(pools()):
            ell, r = pool(p[None]), torch.tensor(LinearPool(floats(p)).responsibilities(floats(z)), dtype=F64)
            for T in (0.1, 1.0, 3.0):
                # By autograd through the softmax, at logits whose softmax is z.
                slope = gradient(lambda a, T=T, ell=ell: ell((a / T).softmax(-1)), 1, K, at=T * z.log())  # type: ignore[misc]
                yield {"pool": number, "T": T}, near(slope, (r - z) / T, K * 12 / T)
            g = gradient(ell, 1, K, at=z)[0]
            natural = z * g - z * (z @ g)
            yield {"pool": number, "unit step": K}, near(z + natural, r, K)
            at_u = gradient(ell, 1, K, dtype=F64)[0]
            u = torch.full((K,), 1 / K, dtype=F64)
            centred = (at_u - at_u.mean()) / K
            yield {"pool": number, "at u": K}, near(u * at_u - u * (u @ at_u), centred, K)

    ledger.submit("gbi-natural-gradient-unit-step", Constructed("through a softmax, and on the simplex", cases()))


def test_one_softmax_step(ledger: Submissions) -> None:
    def cases() -> Iterator[Case]:
        random = np.random.default_rng(SEED)
        for spread in (0.01, 0.1, 0.5, 2.0):
            for K in (2, 3, 4, 8):
                p = torch.tensor(np.exp(spread * random.normal(size=K)))
                g = gradient(pool(p[None]), 1, K, dtype=F64)
                r = LinearPool(floats(p)).responsibilities()
                distance = total_variation(floats(one_step(g)), r)
                bounds = Calibration().bounds(evidence(r))
                ordered = bool((one_step(g)[0].argsort() == p.argsort()).all())
                yield {"K": K, "spread": spread}, ordered and distance <= min(bounds) + 16 * K * EPSILON

    def witness() -> Iterator[Case]:
        g = gradient(pool(torch.tensor([[1.0, 2.0]], dtype=F64)), 1, 2, dtype=F64)
        yield {"p": (1, 2)}, near(one_step(g), (1 / 3, 2 / 3), 1)

    ledger.submit("gbi-softmax-calibration-error", Constructed("pools of weak and strong evidence", cases()))
    ledger.submit("gbi-softmax-calibration-error-informal", Constructed("likelihoods 1 and 2", witness()))


def test_several_observations(ledger: Submissions) -> None:
    def cases() -> Iterator[Case]:
        for number, (K, p, z, prior) in enumerate(pools(8)):
            rows = torch.stack((p, z, prior))
            g = gradient(pool(rows[None]), 1, K, dtype=F64)
            r = torch.tensor([LinearPool(floats(row)).responsibilities() for row in rows], dtype=F64)
            yield {"pool": number}, near(g, K * r.sum(0), 3 * K * K)
        for most in (4.0, 100.0, 1e9):
            ell = pool(torch.tensor([[[most, 1.0], [1.0, 3.0], [1.0, 3.0]]], dtype=F64))
            g, likelihoods = gradient(ell, 1, 2, dtype=F64), likelihood_of_every_task(ell, 1, 2, dtype=F64)
            likeliest = 0 if most > 9 else 1
            yield {"M": most}, (int(g.argmax()), int(likelihoods.argmax())) == (1, likeliest)
        # One more pool: of whole sequences.
        ell = pool(torch.tensor([[100.0, 9.0]], dtype=F64))
        yield {"whole sequences": 100}, int(gradient(ell, 1, 2, dtype=F64).argmax()) == 0

    claim = "gbi-several-observations-sum-of-posteriors"
    ledger.submit(claim, Constructed("pools of several observations", cases()))


def test_expectation_maximisation(ledger: Submissions) -> None:
    def cases() -> Iterator[Case]:
        random = np.random.default_rng(SEED)
        for n, K in ((1, 2), (4, 3), (10, 5), (30, 8)):
            p = torch.tensor(random.exponential(size=(n, K)))
            trace = iterate(pool(p[None]), 1, K, method="em", steps=60, dtype=F64)
            path, levels = [floats(z) for z in trace.path], trace.history[:, 0].tolist()
            slack = 64 * EPSILON * n * (1 + max(map(abs, levels)))
            for step in range(30):
                least = n * kullback_leibler(path[step + 1], path[step])
                yield {"n": n, "K": K, "step": step}, levels[step + 1] - levels[step] >= least - slack
            for steps in (0, 1, 10):
                # The last level is below the maximum: what is checked is the weaker half of the bound.
                gap = levels[-1] - levels[steps]
                yield {"n": n, "K": K, "T": steps}, gap <= rate(n, log(K), steps) + slack

    ledger.submit("gbi-em-monotone-rate", Constructed("random likelihoods", cases()))


def test_out_of_distribution(ledger: Submissions) -> None:
    def cases() -> Iterator[Case]:
        for number, (K, p, _, _) in enumerate(pools()):
            score = gradient(pool(p[None]), 1, K, dtype=F64).max() / K
            most = max(LinearPool(floats(p)).responsibilities())
            yield {"pool": number}, near(score, (most,), K)
            larger = gradient(pool(1024 * p[None]), 1, K, dtype=F64).max() / K
            yield {"pool": number, "times": 1024}, bool(larger == score)

    ledger.submit("gbi-ood-linear-pool-no-gain", Constructed("the score, and likelihoods times 1024", cases()))


def test_plug_in(ledger: Submissions) -> None:
    def cases() -> Iterator[Case]:
        random = np.random.default_rng(SEED)
        for number in range(10):
            K, D = int(random.integers(2, 6)), int(random.integers(1, 4))
            means, x = torch.tensor(random.normal(size=(D, K))), torch.tensor(random.normal(size=(1, D)))
            z = torch.tensor(random.dirichlet(np.ones(K)))
            model = Gaussian(tuple(map(floats, means.T)), 0.25)
            ell = gaussian(linear(means), x, 0.5)
            likelihoods = likelihood_of_every_task(ell, 1, K, dtype=F64)[0]
            gap = ell(z[None]) - z @ likelihoods
            size = 16 * float(1 + likelihoods.abs().max())
            yield {"model": number, "part": "G"}, near(gap, (jensen_gap(model, floats(z)),), size)
            yield {"model": number, "part": "G >= 0"}, float(gap) >= -16 * EPSILON * size
            best = one_step(likelihoods[None])
            plug_in = free_energy(float(ell(best)), floats(best), tuple(map(float, uniform(K))))
            level = log_evidence(floats(likelihoods), tuple(map(float, uniform(K))))
            yield {"model": number, "part": "above the evidence"}, plug_in >= level - 16 * EPSILON * size

    ledger.submit("gbi-plug-in-versus-expectation", Constructed("linear Gaussian models", cases()))
