"""Evidence from torch models for the claims on the entropic objective and on its quadratic stand-in."""

from collections.abc import Iterator

import numpy as np
import torch
from torch import Tensor

from constructions.inference import AdditiveNet, frozen, gaussian, gradient, iterate, linear, one_step, projection_step
from theory.evidence import Case, Constructed
from theory.inference.entropy.contraction import lipschitz, squared_diameter
from theory.inference.entropy.projection import projected
from theory.ledger import Submissions

torch.set_num_threads(1)
SEED = 2460
EPSILON = 2.0**-52
F64 = torch.float64


def drawn(random: np.random.Generator, *shape: int) -> Tensor:
    return torch.tensor(random.normal(size=shape))


def tangent(K: int) -> Tensor:
    """An orthonormal basis of the vectors with sum 0, (K, K - 1)."""
    basis = torch.linalg.qr(torch.cat((torch.ones(K, 1, dtype=F64), torch.eye(K, dtype=F64)[:, 1:]), dim=1)).Q
    return basis[:, 1:]


def test_concavity(ledger: Submissions) -> None:
    def cases() -> Iterator[Case]:
        """Half the largest eigenvalue seen, as weight of the entropy, makes the objective concave where it was seen."""
        random = np.random.default_rng(SEED)
        for K, H in ((2, 3), (4, 8)):
            net = frozen(AdditiveNet(drawn(random, 2, H), drawn(random, H, K), drawn(random, H, 1)))
            x, y = drawn(random, 1), drawn(random, 2)
            basis = tangent(K)
            points = torch.tensor(random.dirichlet(np.ones(K), size=20))

            def ell(z: Tensor, net: AdditiveNet = net, x: Tensor = x, y: Tensor = y) -> Tensor:
                return -(y - net(x, z)).square().sum() / 2

            hessians = [basis.T @ torch.autograd.functional.hessian(ell, z) @ basis for z in points]
            most = max(float(torch.linalg.eigvalsh(hessian).max()) for hessian in hessians)
            for at, (z, hessian) in enumerate(zip(points, hessians, strict=True)):
                curved = basis.T @ (z.reciprocal()[:, None] * basis)
                slack = 64 * K * EPSILON * float(1 + curved.abs().max() + hessian.abs().max())
                least = float(torch.linalg.eigvalsh(curved).min())
                top = float(torch.linalg.eigvalsh(hessian - max(0.0, most / 2) * curved).max())
                yield {"K": K, "z": at}, least >= 2 - slack and top <= slack

    ledger.submit("gbi-entropy-objective-concavity", Constructed("nets that z enters, at random z", cases()))


def test_contraction(ledger: Submissions) -> None:
    def cases() -> Iterator[Case]:
        random = np.random.default_rng(SEED)
        for K, D in ((2, 1), (3, 2), (6, 4)):
            means, x = drawn(random, D, K), drawn(random, 5, D)
            ell = gaussian(linear(means), x, 0.5)
            square = squared_diameter(means.T.tolist())
            for q in (0.5, 0.75):
                alpha = lipschitz(square, 1.0, 0.25) / q
                of = {"method": "picard", "temperature": alpha, "dtype": F64}
                path = iterate(ell, 5, K, steps=130, **of).path
                fixed, step = path[-1], path[1]
                slack = 256 * EPSILON * (1 + square)
                error, moved = ((a - b).abs().sum(-1) for a, b in ((step, fixed), (step, path[0])))
                yield {"K": K, "q": q, "part": "one step"}, bool((error <= q / (1 - q) * moved + slack).all())
                gaps = path.diff(dim=0).abs().sum(-1)
                yield {"K": K, "q": q, "part": "Lipschitz"}, bool((gaps[1:] <= q * gaps[:-1] + slack).all())
                start = torch.tensor(random.dirichlet(np.ones(K), size=5))
                other = iterate(ell, 5, K, steps=130, start=start, **of).z
                same = bool(((other - fixed).abs() <= slack / (1 - q)).all())
                yield {"K": K, "q": q, "part": "one fixed point"}, same

    ledger.submit("gbi-entropy-objective-contraction", Constructed("Picard iterates of linear models", cases()))


def test_sparsemax(ledger: Submissions) -> None:
    def cases() -> Iterator[Case]:
        """The step is the nearest point, and no point of a cloud near it and far from it does better."""
        random = np.random.default_rng(SEED)
        for K, weight in ((2, 0.3), (3, 1.0), (6, 5.0)):
            for number in range(5):
                g = 3 * drawn(random, K)
                z = projection_step(g, weight)
                others = torch.tensor(random.dirichlet(np.full(K, 0.5), size=200))
                others = torch.cat((others, 0.99 * z + 0.01 * others))
                best, rest = (v @ g - weight * v.square().sum(-1) for v in (z, others))
                exact = torch.tensor(projected((g / (2 * weight)).tolist()), dtype=F64)
                same = float((z - exact).abs().max()) <= 64 * EPSILON * float(1 + g.abs().max() / weight)
                yield {"K": K, "lambda": weight, "g": number}, same and bool((rest <= best + 64 * EPSILON * 20).all())

    def informal() -> Iterator[Case]:
        """The entropy of the weight that matches near u: alpha = 2 lambda/K."""
        g, weight = torch.tensor([0.0, 1.0], dtype=F64), 1.0
        entropic = one_step(g, temperature=2 * weight / 2)
        same = bool(((projection_step(g, weight) - entropic).abs() <= 64 * EPSILON).all())
        yield {"g": (0, 1), "lambda": weight}, same

    ledger.submit("gbi-l2-is-sparsemax-informal", Constructed("a step by the entropy instead", informal()))
    ledger.submit("gbi-l2-is-sparsemax", Constructed("the projected step against a cloud", cases()))


def test_one_step_is_the_first_iterate() -> None:
    ell = gaussian(linear(torch.tensor([[0.0, 1.0, 3.0]], dtype=F64)), torch.tensor([[0.4]], dtype=F64), 1.0)
    path = iterate(ell, 1, 3, method="picard", steps=1, temperature=2.0, dtype=F64).path
    assert torch.equal(path[1], (gradient(ell, 1, 3, dtype=F64) / 2).softmax(-1))
