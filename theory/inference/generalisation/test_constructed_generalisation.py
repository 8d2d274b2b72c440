"""Evidence from torch models: recomposed means, weights of tasks that are gated off, and scores of strange data."""

from collections.abc import Iterator
from fractions import Fraction
from math import sqrt

import numpy as np
import torch
from torch import Tensor, nn

from constructions.inference import auroc, gaussian, gradient, iterate, linear, ood_scores
from theory.evidence import Case, Constructed
from theory.inference.gaussian.hulls import nearest
from theory.inference.gaussian.pair_error import ERRORS
from theory.inference.generalisation.auroc import Auroc
from theory.inference.generalisation.recomposition import clipped_error
from theory.ledger import Submissions

torch.set_num_threads(1)
SEED = 2440
EPSILON = 2.0**-52
F64 = torch.float64


def tensor(rows: object) -> Tensor:
    return torch.tensor(np.array(rows, dtype=np.float64))


def test_recomposition(ledger: Submissions) -> None:
    def hulls() -> Iterator[Case]:
        """Projected ascent at noiseless data, against exact distances; loss differences fall like 1/steps."""
        means = ((0, 0), (2, 0), (0, 1), (1, 3))
        half = Fraction(1, 2)
        targets: list[tuple[int | Fraction, ...]] = [(half, half), (3, 3), (-1, 0), (half, -2), (1, 3)]
        ell = gaussian(linear(tensor(means).T), tensor(targets), 1.0)
        found = -2 * iterate(ell, len(targets), 4, method="projected", steps=400, rate=1 / 15, dtype=F64).history[-1]
        points = [tuple(map(Fraction, mean)) for mean in means]
        for target, squared in zip(targets, found.tolist(), strict=True):
            exact = float(nearest(points, tuple(Fraction(entry) for entry in target))[0])
            # Steps of 1/L, L < 15 the largest slope: within L |z_0 - z*|^2/(steps) < 0.04 of the minimum.
            yield {"y": str(target)}, -64 * EPSILON <= squared - exact <= 0.04

    def windows() -> Iterator[Case]:
        """Two means; the best z for the mean of 7 data, in closed form; a fresh datum of the same task."""
        random, samples, low, high = np.random.default_rng(SEED), 4000, 0.2, 0.8
        for sigma, mu in ((0.1, 0.5), (0.2, 0.2), (0.1, 0.9), (0.2, 0.1)):
            x = mu + sigma / sqrt(7) * torch.tensor(random.normal(size=(samples, 1)))
            ell = gaussian(linear(tensor([[low, high]])), x, 1.0)
            # A step of 1/L = 2/(low - high)^2 along the simplex is the minimum itself, before the projection.
            z = iterate(ell, samples, 2, method="projected", steps=1, rate=2 / (high - low) ** 2, dtype=F64).z
            errors = (z @ tensor([low, high]) - mu).square()
            seen, expected = float(errors.mean()) + sigma**2, clipped_error(low, high, mu, sigma, 7)
            yield {"mu": mu, "sigma": sigma}, abs(seen - expected) <= ERRORS * float(errors.std()) / sqrt(samples)

    claim = "gbi-recomposition-distance-to-hull"
    ledger.submit(claim, Constructed("means inside and outside a quadrilateral", hulls()))
    ledger.submit(claim, Constructed("z fitted to 4,000 windows of 7 data", windows()))


class Gated(nn.Module):
    """y = sum_k z_k W_k x, and a network with binary masks G_k on its hidden units."""

    def __init__(self, K: int, H: int, d: int, generator: torch.Generator) -> None:
        super().__init__()

        def weight(*shape: int) -> nn.Parameter:
            return nn.Parameter(torch.randn(*shape, dtype=F64, generator=generator))

        self.linear, self.incoming, self.outgoing = weight(K, 2, d), weight(H, d), weight(2, H)
        self.masks = torch.rand(K, H, generator=generator) < 0.5

    def loss(self, z: Tensor, x: Tensor, t: Tensor) -> Tensor:
        """|t - y|^2/2 of both outputs, x (d,), t (2,)."""
        hidden = (z @ self.masks.double()) * (self.incoming @ x).relu()
        linear_part = torch.einsum("k,kod,d->o", z, self.linear, x)
        return ((t - linear_part).square().sum() + (t - self.outgoing @ hidden).square().sum()) / 2


def trained(model: Gated, steps: int, z: Tensor, random: torch.Generator) -> None:
    """Plain gradient descent on random data, at a rate low enough not to diverge."""
    for _ in range(steps):
        x, t = (torch.randn(n, dtype=F64, generator=random) for n in (model.incoming.shape[1], 2))
        weights = list(model.parameters())
        for weight, slope in zip(weights, torch.autograd.grad(model.loss(z, x, t), weights), strict=True):
            weight.data -= 0.005 * slope


def test_forgetting(ledger: Submissions) -> None:
    def cases() -> Iterator[Case]:
        """Bitwise: not a bit of what task 1 alone uses changes while task 2 is trained."""
        random = torch.Generator().manual_seed(SEED)
        for K, H, d in ((2, 6, 3), (3, 20, 5)):
            model = Gated(K, H, d, random)
            before = [weight.detach().clone() for weight in model.parameters()]
            trained(model, 20, torch.eye(K, dtype=F64)[1], random)
            W, incoming, outgoing = (weight.detach() for weight in model.parameters())
            others, masked = torch.arange(K) != 1, ~model.masks[1]
            still = torch.equal(W[others], before[0][others])
            still = still and torch.equal(incoming[masked], before[1][masked])
            still = still and torch.equal(outgoing[:, masked], before[2][:, masked])
            yield {"K": K, "H": H}, still and not torch.equal(W[1], before[0][1])

    def leaks() -> Iterator[Case]:
        random = torch.Generator().manual_seed(SEED)
        for z in (tensor([0.9, 0.1]), tensor([0.5, 0.5]), tensor([1.0, 0.0])):
            W = torch.randn(2, 1, 3, dtype=F64, generator=random, requires_grad=True)
            x, t = torch.randn(3, dtype=F64, generator=random), torch.randn(1, dtype=F64, generator=random)
            residual = t - torch.einsum("k,kod,d->o", z, W, x)
            (slope,) = torch.autograd.grad(residual.square().sum() / 2, W)
            for j in range(2):
                expected = float(z[j] * residual.detach().norm() * x.norm())
                near = abs(float(slope[j].norm()) - expected) <= 16 * EPSILON * (1 + expected)
                yield {"z": z.tolist(), "j": j}, near

    claim = "gbi-hard-gate-zero-forgetting"
    ledger.submit(claim, Constructed("gated weights and masked units, bit by bit", cases()))
    ledger.submit(claim, Constructed("the leak of a soft z", leaks()))


def test_area_of_two_tasks(ledger: Submissions) -> None:
    def cases() -> Iterator[Case]:
        """The second coordinate is orthogonal to the means: data may be as far off as they like along it."""
        random, samples = np.random.default_rng(SEED), 4000
        for a, b, sigma, tau in ((0.3, 0.0, 0.2, 0.2), (0.3, 0.1, 0.2, 0.5), (1.0, 0.5, 0.3, 0.1)):
            means = tensor([[-a, a], [0, 0]])
            task = torch.tensor(random.integers(2, size=samples))
            inside = means.T[task] + sigma * torch.tensor(random.normal(size=(samples, 2)))
            across, up = b + tau * random.normal(size=samples), 9 * random.normal(size=samples)
            outside = torch.tensor(np.stack((across, up), axis=-1))

            def score(x: Tensor, means: Tensor = means, sigma: float = sigma) -> Tensor:
                g = gradient(gaussian(linear(means), x, sigma), len(x), 2, dtype=F64)
                return ood_scores(g, g, x.norm(dim=-1))["centred norm"]

            seen = auroc(score(inside), score(outside))
            exact = float(Auroc().value(*(Fraction(str(number)) for number in (a, b, sigma, tau))))
            # The variance of the area is at most that of a share of one of the samples.
            near = abs(seen - exact) <= ERRORS * sqrt(exact * (1 - exact) / samples)
            yield {"a": a, "b": b, "sigma": sigma, "tau": tau}, near

    ledger.submit("gbi-ood-auroc-two-task", Constructed("4,000 data of each kind", cases()))
