"""Evidence from torch nets for the claims on curvature and gating: nets that z enters, and nets that it multiplies."""

from collections.abc import Callable, Iterator
from fractions import Fraction

import numpy as np
import torch
from torch import Tensor

from constructions.inference import AdditiveNet, GatedNet, curvature, diagnose, frozen, gaussian, linear, one_step
from theory.evidence import Case, Constructed
from theory.inference.curvature.distance import Distance
from theory.inference.curvature.network import TanhNetwork
from theory.inference.simplex import kullback_leibler, oscillation, total_variation
from theory.ledger import Submissions

torch.set_num_threads(1)
SEED = 2450
EPSILON = 2.0**-52
F64 = torch.float64
Output = Callable[[Tensor], Tensor]


def drawn(random: np.random.Generator, *shape: int) -> Tensor:
    return torch.tensor(random.normal(size=shape))


def tensor(rows: object) -> Tensor:
    return torch.tensor(np.array(rows, dtype=np.float64))


def nets(random: np.random.Generator) -> Iterator[tuple[dict[str, object], Output, Tensor, int]]:
    """Outputs f(z) of nets on 6 inputs, targets, and K."""
    for K, H, phi in ((2, 4, torch.tanh), (3, 2, torch.sigmoid), (5, 16, torch.tanh)):
        for gain in (0.3, 2.0):
            net = frozen(AdditiveNet(drawn(random, 2, H), gain * drawn(random, H, K), drawn(random, H, 3), phi))
            x, y = drawn(random, 6, 3), drawn(random, 6, 2)
            yield {"K": K, "H": H, "gain": gain}, lambda z, net=net, x=x: net(x, z), y, K  # type: ignore[misc]


def test_curvature(ledger: Submissions) -> None:
    def choices() -> Iterator[Case]:
        random = np.random.default_rng(SEED)
        for case, f, y, K in nets(random):
            ell = gaussian(f, y, 0.5)
            found = diagnose(ell, 6, K, dtype=F64)
            right = found.gradient.argmax(-1) == found.likelihoods.argmax(-1)
            yield case | {"part": "argmax"}, bool(right[found.decided].all())
        # Of a linear model the second derivative is constant, and half of it is what the gradient misses.
        means, x = drawn(random, 3, 4), drawn(random, 6, 3)
        ell = gaussian(linear(means), x, 0.5)
        bends, found = curvature(ell, 6, 4, points=2, dtype=F64), diagnose(ell, 6, 4, dtype=F64)
        yield {"linear": "attained"}, bool(((bends - found.offsets.abs()).abs() <= 10 * found.allowance[:, None]).all())

    def distances() -> Iterator[Case]:
        for case, f, y, K in nets(np.random.default_rng(SEED)):
            found = diagnose(gaussian(f, y, 0.5), 6, K, dtype=F64)
            rows = zip(found.posterior.tolist(), one_step(found.gradient).tolist(), strict=True)
            for at, (p, q) in enumerate(rows):
                slack = 64 * float(found.allowance[at])
                divergence = max(kullback_leibler(p, q), kullback_leibler(q, p))
                within = divergence <= float(found.divergence_bound[at]) + slack
                yield case | {"x": at}, within and total_variation(p, q) <= float(found.variation_bound[at]) + slack

    def against_fractions() -> Iterator[Case]:
        for target in (Fraction(1, 2), Fraction(-1)):
            for inner in (((8, -3, 1), (2, 5, -7)), ((1, 0, 9), (-9, 4, 4))):
                rows = tuple(tuple(Fraction(entry, 10) for entry in row) for row in inner)
                weights = (Fraction(2, 5), Fraction(-1, 5))
                exact = TanhNetwork((1, Fraction(-1, 2)), rows, weights, 1, target, Fraction(1, 4))
                net = frozen(AdditiveNet(tensor([exact.outer]), tensor(rows), tensor(exact.weights)[:, None]))
                x = tensor([[1]])
                ell = gaussian(lambda z, net=net, x=x: net(x, z), tensor([[target]]), 0.5)  # type: ignore[misc]
                found = diagnose(ell, 1, 3, dtype=F64)
                misses = [float(entry) for entry in exact.remainders()]
                near = float((found.offsets + tensor(misses)).abs().max()) <= float(found.allowance)
                rho = float(oscillation(exact.remainders()))
                divergence, distance = float(Distance().divergence(rho)), float(Distance().distance(rho))
                near = near and abs(float(found.divergence_bound) - divergence) <= float(found.allowance) * (1 + rho)
                near = near and abs(float(found.variation_bound) - distance) <= float(found.allowance)
                yield {"U": inner, "y": str(target)}, near

    ledger.submit("gbi-curvature-kl-tv", Constructed("rho and its bounds against balls", against_fractions()))
    ledger.submit("gbi-curvature-argmax", Constructed("nets that z enters, and a linear model", choices()))
    ledger.submit("gbi-curvature-kl-tv", Constructed("posterior and step of nets that z enters", distances()))


def test_gating(ledger: Submissions) -> None:
    def cases() -> Iterator[Case]:
        random = np.random.default_rng(SEED)
        for K, H, d, D in ((2, 3, 1, 1), (4, 8, 2, 3)):
            V, G = drawn(random, D, H), drawn(random, H, K)
            W, W2 = drawn(random, H, d), drawn(random, H, H)
            x, u = drawn(random, 5, d), torch.full((1, K), 1 / K, dtype=F64)
            for phi in (torch.tanh, torch.relu, torch.sin):
                net = frozen(GatedNet(V, G, W, phi=phi))
                vertices = torch.stack([net(x, e.expand(5, K)) for e in torch.eye(K, dtype=F64)])
                scale = 64 * H * EPSILON * float(1 + vertices.abs().max())
                right = float((net(x, u) - vertices.mean(0)).abs().max()) <= scale
                yield {"K": K, "phi": phi.__name__, "part": "linear"}, right
            # A gate of positive entries passes through a ReLU; of several gated layers f(cz) = c^L f(z).
            gate, h = G.abs() @ u[0], x @ W.T
            right = torch.allclose((gate * h).relu(), gate * h.relu(), rtol=4 * EPSILON, atol=0)
            yield {"K": K, "part": "ReLU"}, right
            two = frozen(GatedNet(V, G.abs(), W, W2, phi=torch.relu))
            yield {"K": K, "part": "f(2z) = 4 f(z)"}, torch.allclose(two(x, 2 * u), 4 * two(x, u), rtol=0, atol=0)
            vertices = torch.stack([two(x, e.expand(5, K)) for e in torch.eye(K, dtype=F64)])
            yield (
                {"K": K, "part": "two layers are not linear"},
                float((two(x, u) - vertices.mean(0)).abs().max()) > 0.01,
            )
            # The Hessian of an additive net, output by output: U^T diag(V_i phi'') U.
            additive, a = frozen(AdditiveNet(V, G, W)), W @ x[0] + G @ u[0]
            second = -2 * a.tanh() * (1 - a.tanh() ** 2)
            for i in range(D):
                found = torch.autograd.functional.hessian(lambda z, i=i, net=additive, x=x: net(x[0], z)[i], u[0])
                exact = G.T @ (V[i] * second)[:, None].mul(G)
                slack = 64 * H * EPSILON * float(1 + exact.abs().max())
                yield {"K": K, "output": i, "part": "Hessian"}, float((found - exact).abs().max()) <= slack

    ledger.submit("gbi-multiplicative-gating-linear", Constructed("gated and additive nets", cases()))
