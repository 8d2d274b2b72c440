"""Evidence from torch models for the claims on repeated steps: rates, limits, and how long a wrong belief lasts."""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import torch
from torch import Tensor

from constructions.inference import gaussian, iterate, linear
from theory.evidence import Case, Constructed
from theory.inference.entropy.contraction import squared_diameter
from theory.inference.iteration.exponentiated import rate, smoothness
from theory.inference.iteration.line import tilt
from theory.inference.iteration.saturation import Saturation, confidence
from theory.inference.simplex import kullback_leibler
from theory.ledger import Submissions

torch.set_num_threads(1)
SEED = 2470
EPSILON = 2.0**-52
F64 = torch.float64


def hbar_of(means: Tensor, variance: float) -> float:
    """The curvature of the loss in the distance of exponentiated steps; means are columns."""
    return float(smoothness(squared_diameter(means.T.tolist()), variance))


def test_exponentiated_steps(ledger: Submissions) -> None:
    def cases() -> Iterator[Case]:
        random = np.random.default_rng(SEED)
        for K, D in ((2, 1), (4, 2), (8, 3)):
            means = torch.tensor(random.normal(size=(D, K)))
            best = torch.tensor(random.dirichlet(np.ones(K)))
            x, hbar = (means @ best)[None], hbar_of(means, 0.25)
            ell = gaussian(linear(means), x, 0.5)
            trace = iterate(ell, 1, K, method="exponentiated", steps=60, rate=1 / hbar, dtype=F64)
            losses = -trace.history[:, 0]
            slack = 64 * EPSILON * float(1 + losses[0])
            yield {"K": K, "part": "monotone"}, bool((losses.diff() <= slack).all())
            # The least loss is 0, at z = `best`.
            divergence = kullback_leibler(best.tolist(), [1 / K] * K)
            for T in (1, 5, 60):
                yield {"K": K, "T": T}, float(losses[T]) <= rate(divergence, 1 / hbar, T) + slack

    ledger.submit("gbi-eg-monotone-rate", Constructed("linear models, data inside the hull", cases()))


def test_entropy_of_the_limit(ledger: Submissions) -> None:
    def cases() -> Iterator[Case]:
        """The limit is an exponential tilt of the start, and all minimisers are at least as far from that."""
        random = np.random.default_rng(SEED)
        for means in ((0.0, 1.0, 2.0), (0.0, 1.0, 2.0, 4.0)):
            M, K = torch.tensor([means], dtype=F64), len(means)
            ell, size = gaussian(linear(M), torch.tensor([[1.0]], dtype=F64), 1.0), 1 / hbar_of(M, 1.0)
            for start in (torch.full((K,), 1 / K, dtype=F64), torch.tensor(random.dirichlet(np.ones(K)))):
                z = iterate(ell, 1, K, method="exponentiated", steps=250, rate=size, start=start).z[0]
                fractions = [Fraction(share) for share in start.tolist()]
                _, exact = tilt([Fraction(mean) for mean in means], Fraction(1), fractions)
                near = float((z - torch.tensor([float(share) for share in exact], dtype=F64)).abs().max())
                yield {"means": means, "part": "limit"}, near <= 1e-9
                own = kullback_leibler(z.tolist(), start.tolist())
                # e_2, and what lies between it and the limit: minimisers too.
                for share in (0.5, 0.9):
                    other = (1 - share) * z + share * torch.eye(K, dtype=F64)[1]
                    yield {"means": means, "share": share}, kullback_leibler(other.tolist(), start.tolist()) >= own

    ledger.submit("gbi-eg-max-entropy-bias", Constructed("means that a vertex fits too", cases()))


def test_saturation(ledger: Submissions) -> None:
    def cases() -> Iterator[Case]:
        """Constant evidence Delta against a belief eps: small steps, whose number times the rate is a time."""
        for eps in (0.1, 0.01):
            W = confidence(eps)
            for T, delta in ((1.0, 1.0), (0.5, 2.0)):

                def ell(z: Tensor, delta: float = delta) -> Tensor:
                    return delta * z[:, 0]

                start = torch.tensor([eps, 1 - eps], dtype=F64)
                for method, time in (("softmax", Saturation().time(W, T, delta)), ("exponentiated", W / delta)):
                    size = 1.1 * float(time) / 200
                    path = iterate(ell, 1, 2, method=method, steps=200, rate=size, temperature=T, start=start).path
                    reached = size * int((path[:, 0, 0] < 0.5).sum())
                    # Euler steps of a slope that grows e^W-fold are off by W steps, and the count by one.
                    yield {"eps": eps, "T": T, "method": method}, abs(reached - time) <= 3 * (W + 1) * size

    ledger.submit("gbi-saturation-time", Constructed("small steps against constant evidence", cases()))
