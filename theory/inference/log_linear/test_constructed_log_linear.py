"""Evidence from torch models for the claims on log-linear families: gradients by autograd, offsets by K + 1 passes."""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import torch
from torch import Tensor

from constructions.inference import (
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
    tokens,
)
from theory.errors import InputError
from theory.evidence import Case, Constructed
from theory.inference.log_linear import families
from theory.inference.log_linear.circumcentre import circumcentre_start as exact_start
from theory.inference.log_linear.gaussian import equal_radii
from theory.ledger import Submissions

torch.set_num_threads(1)
SEED = 2420
EPSILON = 2.0**-52
F64 = torch.float64


def near(found: Tensor, expected: object, scale: float) -> bool:
    """Whether two tensors agree up to a few dozen roundings of numbers of that size."""
    return float((found.flatten() - torch.as_tensor(expected, dtype=F64).flatten()).abs().max()) <= 64 * EPSILON * scale


def centred(values: Tensor) -> Tensor:
    return values - values.mean(-1, keepdim=True)


def size_of(*values: Tensor) -> float:
    """A bound on what is added up: K, plus the largest of all entries, times it."""
    return sum(float(value.abs().max()) for value in values) + values[0].shape[-1]


def drawn(random: np.random.Generator, *shape: int) -> Tensor:
    return torch.tensor(random.normal(size=shape))


def whole(random: np.random.Generator, K: int, D: int) -> tuple[tuple[int, ...], ...]:
    """Distinct integer means."""
    while len(means := {tuple(map(int, row)) for row in random.integers(-3, 4, size=(K, D))}) < K:
        pass
    return tuple(sorted(means))


def tensor(means: object) -> Tensor:
    return torch.tensor(np.array(means, dtype=np.float64))


def test_master_identity(ledger: Submissions) -> None:
    def nets() -> Iterator[Case]:
        """Both sides by the net: g - B and ell differ by a constant. Several outputs add up, as data do."""
        random = np.random.default_rng(SEED)
        for H, d, D, K in ((3, 1, 1, 2), (5, 2, 4, 3), (16, 3, 7, 6)):
            net = GatedNet(drawn(random, D, H), drawn(random, H, K), drawn(random, H, d))
            x, y = drawn(random, 8, d), drawn(random, 8, D)
            ell = gaussian(lambda z, net=net, x=x: net(x, z), y, 0.5)  # type: ignore[misc]
            g, likelihoods = gradient(ell, 8, K, dtype=F64), likelihood_of_every_task(ell, 8, K, dtype=F64)
            B = exact_offsets(lambda z, net=net, x=x: net(x, z), 8, K, variance=0.25, dtype=F64)  # type: ignore[misc]
            left = centred(g - B - likelihoods)
            yield {"H": H, "D": D, "K": K}, near(left, torch.zeros_like(left), H * size_of(g, B, likelihoods))

    def named() -> Iterator[Case]:
        for rates, x in (((1, 2, 6), 3), ((1, 5), 0), ((3, 1, 4, 1), 7)):
            exact = families.poisson(rates)
            found = diagnose(log_linear(tensor(rates).log()[:, None], poisson, tensor([[x]])), 1, len(rates), dtype=F64)
            yield {"rates": rates}, near(found.offsets, [float(b) for b in exact.offsets()], 40)
        for logits, bit in (((0, 3), 1), ((-2, 1, 2), 0)):
            exact = families.bernoulli_of_logits(logits)
            found = diagnose(log_linear(tensor(logits)[:, None], bernoulli, tensor([[bit]])), 1, len(logits), dtype=F64)
            yield {"log-odds": logits}, near(found.offsets, [float(b) for b in exact.offsets()], 10)
        rows = ((2, 0, -1, 0), (0, 1, 0, -1), (0, 0, 1, 1))
        exact = families.categorical(rows)
        found = diagnose(log_linear(tensor(rows), categorical, tensor([families.one_hot(2, 4)])), 1, 3, dtype=F64)
        yield {"logits": rows}, near(found.offsets, [float(b) for b in exact.offsets()], 10)

    claim = "gbi-log-linear-master-identity"
    ledger.submit(claim, Constructed("gated nets, both sides by the net", nets()))
    ledger.submit(claim, Constructed("Poisson, Bernoulli and categorical tasks against balls", named()))


def test_exactness(ledger: Submissions) -> None:
    cube = tuple(tuple(int(a == b) for b in range(3)) for a in range(3))
    configurations = [((0,), (3,)), ((1, 2), (-1, 0)), cube, ((1, 0), (0, 1), (-1, 0), (0, -1)), ((0,), (1,), (2,))]
    random = np.random.default_rng(SEED)
    configurations += [whole(random, K, D) for K, D in ((3, 2), (3, 3), (4, 2), (5, 3))]

    def exact() -> Iterator[Case]:
        """Equal offsets: the same shares and choices at every datum. Others: another choice at some datum."""
        for means in configurations:
            K, D = len(means), len(means[0])
            x = 3 * drawn(random, 2000, D)
            found = diagnose(gaussian(linear(tensor(means).T), x, 0.5), 2000, K, dtype=F64)
            same = found.gradient.argmax(-1) == found.likelihoods.argmax(-1)
            equal = equal_radii(means)
            right = found.verdict == ("exact" if equal else "biased") and bool(same.all()) is equal
            yield {"means": means}, right and bool(same[found.decided].all())

    def centroid() -> Iterator[Case]:
        found = diagnose(gaussian(linear(tensor([[0, 1, 2]])), tensor([[1.2]]), 1.0), 1, 3, dtype=F64)
        yield {"means": (0, 1, 2), "x": "6/5"}, int(found.gradient.argmax()) == int(found.likelihoods.argmax())

    ledger.submit("gbi-exactness-iff-equal-offsets", Constructed("means on spheres, and not", exact()))
    ledger.submit(
        "gbi-exactness-iff-equal-offsets-informal", Constructed("three equidistant means on a line", centroid())
    )
    ledger.submit("gbi-gaussian-corollary", Constructed("diagnosis against equal radii", exact()))


def test_corrected_steps(ledger: Submissions) -> None:
    random = np.random.default_rng(SEED)

    def cases() -> Iterator[Case]:
        for K, D, sigma in ((2, 1, 0.3), (3, 2, 0.5), (6, 4, 2.0)):
            output, x = linear(drawn(random, D, K)), drawn(random, 50, D)
            ell = gaussian(output, x, sigma)
            g, likelihoods = gradient(ell, 50, K, dtype=F64), likelihood_of_every_task(ell, 50, K, dtype=F64)
            B = exact_offsets(output, 1, K, variance=sigma**2, dtype=F64)[0]  # K numbers, for all data
            prior = torch.tensor(random.dirichlet(np.ones(K)))
            found, expected = one_step(g, offsets=B, prior=prior), one_step(likelihoods, prior=prior)
            yield {"K": K, "sigma": sigma}, near(found, expected, size_of(g, likelihoods))
        for H, K in ((4, 3), (16, 5)):
            net, x = GatedNet(drawn(random, 3, H), drawn(random, H, K), drawn(random, H, 2)), drawn(random, 20, 2)
            ell = gaussian(lambda z, net=net, x=x: net(x, z), drawn(random, 20, 3), 0.7)  # type: ignore[misc]
            g, likelihoods = gradient(ell, 20, K, dtype=F64), likelihood_of_every_task(ell, 20, K, dtype=F64)
            B = exact_offsets(lambda z, net=net, x=x: net(x, z), 20, K, variance=0.49, dtype=F64)  # type: ignore[misc]
            expected = one_step(likelihoods)
            right = near(one_step(g, offsets=B), expected, H * size_of(g, likelihoods, B))
            # Those of one input do not serve another.
            yield {"H": H, "K": K}, right and not near(one_step(g, offsets=B[0]), expected, 10**9)

    ledger.submit("gbi-bias-corrected-equals-lli", Constructed("linear models, and gated nets by input", cases()))


def test_language_models(ledger: Submissions) -> None:
    def cases() -> Iterator[Case]:
        """A recurrent body, a gated head with logits V((G z) * h) + b: linear in z at every position."""
        random = np.random.default_rng(SEED)
        for letters, K, n in ((3, 2, 4), (5, 4, 12)):
            words = torch.tensor(random.integers(letters, size=(6, n)))
            body = torch.nn.LSTM(letters, 7, batch_first=True).double().requires_grad_(False)
            h = body(torch.nn.functional.one_hot(words, letters).double())[0]
            V, G, b = drawn(random, letters, 7), drawn(random, 7, K), drawn(random, letters)

            def logits(z: Tensor, h: Tensor = h, V: Tensor = V, G: Tensor = G, b: Tensor = b) -> Tensor:
                return ((z @ G.T)[:, None] * h) @ V.T + b

            following = torch.tensor(random.integers(letters, size=(6, n)))
            found = diagnose(tokens(logits, following), 6, K, dtype=F64)
            B = exact_offsets(logits, 6, K, dtype=F64)
            yield {"letters": letters, "K": K, "n": n}, near(found.offsets, B, n * size_of(found.likelihoods, B))

    torch.manual_seed(SEED)
    ledger.submit("gbi-softmax-lm-corollary", Constructed("recurrent models with gated heads", cases()))


def test_circumcentres(ledger: Submissions) -> None:
    def cases() -> Iterator[Case]:
        random = np.random.default_rng(SEED)
        for K, D in ((2, 1), (2, 3), (3, 2), (3, 3), (4, 3), (3, 1), (4, 2)):
            means = whole(random, K, D)
            x = drawn(random, 10, D)
            start = circumcentre_start(tensor(means).T)
            try:
                exact = [float(entry) for entry in exact_start(tuple(tuple(map(Fraction, m)) for m in means))]
            except InputError:
                # On a line there is none; in a plane four of these are not on a circle.
                yield {"means": means}, start is None
                continue
            assert start is not None
            scale = 1000 * max(1, *map(abs, exact))
            yield {"means": means, "part": "z_0"}, near(start, exact, scale)
            g = gradient(gaussian(linear(tensor(means).T), x, 1.0), 10, K, at=start)
            ell = likelihood_of_every_task(gaussian(linear(tensor(means).T), x, 1.0), 10, K, dtype=F64)
            yield {"means": means, "part": "posterior"}, near(one_step(g), one_step(ell), scale)

    ledger.submit("gbi-circumcentre-start", Constructed("the start by a pseudo-inverse against fractions", cases()))
