"""Evidence from torch models for the claims on Gaussian tasks: gradients by autograd, steps on logits, samples."""

from collections.abc import Iterator
from fractions import Fraction
from math import sqrt

import numpy as np
import torch
from torch import Tensor

from constructions.inference import (
    AdditiveNet,
    BayesFilter,
    GradientFilter,
    diagnose,
    exact_offsets,
    frozen,
    gaussian,
    gradient,
    iterate,
    likelihood_of_every_task,
    linear,
    one_step,
)
from theory.arithmetic.ball import Real
from theory.evidence import Case, Constructed
from theory.inference.embeddings import Gaussian
from theory.inference.gaussian.consistency import right_way
from theory.inference.gaussian.filter import predicted, updated
from theory.inference.gaussian.high_dimension import Rescue
from theory.inference.gaussian.hulls import affine_weights
from theory.inference.gaussian.learning_rate import RATE, at
from theory.inference.gaussian.log_ratio import Remainder
from theory.inference.gaussian.pair_error import ERRORS, PairError
from theory.ledger import Submissions

torch.set_num_threads(1)
SEED = 2430
EPSILON = 2.0**-52
F64 = torch.float64


def drawn(random: np.random.Generator, *shape: int) -> Tensor:
    return torch.tensor(random.normal(size=shape))


def tensor(rows: object) -> Tensor:
    return torch.tensor(np.array(rows, dtype=np.float64))


def near(found: Tensor, expected: Tensor, scale: float) -> bool:
    """Whether two tensors agree up to a few dozen roundings of numbers of that size."""
    return float((found - expected).abs().max()) <= 64 * EPSILON * scale


def evidence(means: Tensor, x: Tensor, sigma: float) -> tuple[Tensor, Tensor]:
    """The gradient at u and the log-likelihoods of x (batch, D), by M (D, K)."""
    ell, of = gaussian(linear(means), x, sigma), (len(x), means.shape[1])
    return gradient(ell, *of, dtype=F64), likelihood_of_every_task(ell, *of, dtype=F64)


def within(seen: float, chance: float, samples: int) -> bool:
    """Whether a share of samples is within so many standard errors of its chance."""
    return abs(seen - chance) <= ERRORS * sqrt(chance * (1 - chance) / samples) + 1 / samples


def test_filters(ledger: Submissions) -> None:
    def cases() -> Iterator[Case]:
        random = np.random.default_rng(SEED)
        for D, hazard, sigma in ((1, 0.1, 0.3), (3, 0.02, 1.0), (2, 1.0, 0.5)):
            means = drawn(random, D, 2)
            x = means.T[torch.arange(200) // 20 % 2] + sigma * drawn(random, 200, D)
            g, ell = evidence(means, x, sigma)
            exact, by_gradient = BayesFilter(hazard, 2), GradientFilter(hazard, 2)
            shares: tuple[float, ...] = (0.5, 0.5)
            # Log-odds forget a share `hazard` of their rounding at every step.
            scale = float(1 + ell.abs().max() + g.abs().max()) / hazard
            for step in range(200):
                shares = updated(predicted(shares, hazard), ell[step].tolist())
                same = near(by_gradient.step(g[step]), exact.step(ell[step]), scale)
                yield {"D": D, "h": hazard, "t": step}, same and near(exact.posterior, tensor(shares), scale)

    ledger.submit("gbi-two-task-bayes-filter", Constructed("streams of two tasks, step by step", cases()))


def test_learning_rate(ledger: Submissions) -> None:
    def cases() -> Iterator[Case]:
        """A step on logits by autograd, of a summed squared error."""
        tenth = Fraction(1, 10)
        random = np.random.default_rng(SEED)
        for K, sigma, T in ((2, 2 * tenth, tenth), (2, 3 * tenth, Fraction(1)), (4, Fraction(1), Fraction(2))):
            means = tensor([[0.2, 0.8]]) if K == 2 else 2 * torch.eye(4, dtype=F64)
            for x in means.mean(-1) + 0.1 * drawn(random, 5, len(means)):
                rate = float(at(RATE, Gaussian(((0,),) * K, sigma**2), T))
                g, ell = evidence(means, x[None], float(sigma))
                posterior, scale = one_step(ell), float(1 + ell.abs().max())
                for factor in (1.0, 1.2):
                    logits = torch.zeros(1, K, dtype=F64, requires_grad=True)
                    loss = (x - (logits / float(T)).softmax(-1) @ means.T).square().sum()
                    (slope,) = torch.autograd.grad(loss, logits)
                    z = (-rate * factor * slope / float(T)).softmax(-1)
                    case = {"K": K, "sigma": str(sigma), "T": str(T), "eta/eta*": factor}
                    right = near(z, one_step(factor * g), scale)
                    yield case, right and near(z, posterior, scale) is (factor == 1)

    ledger.submit("gbi-learning-rate-identity", Constructed("a step at the rate, and at 6/5 of it", cases()))


def test_log_ratio(ledger: Submissions) -> None:
    def cases() -> Iterator[Case]:
        x = torch.linspace(-2, 3, 41, dtype=F64)[:, None]
        g, ell = evidence(tensor([[0.2, 0.8]]), x, 0.5)
        delta = g[:, 0] - g[:, 1]
        error = one_step(ell)[:, 0] - 0.5 - delta / 4
        for d, e in zip(delta.tolist(), error.tolist(), strict=True):
            yield {"Delta": d}, abs(e) <= float(Remainder().allowed(Fraction(d))) + 16 * EPSILON * (1 + abs(d))

    def informal() -> Iterator[Case]:
        g, ell = evidence(tensor([[0, 1]]), tensor([[0]]), 1.0)
        share = 0.5 + (g[0, 0] - g[0].mean()) / 2
        yield {"m": (0, 1), "x": 0}, near(share, one_step(ell)[0, 0], 1)

    ledger.submit("gbi-log-ratio-not-likelihood", Constructed("two tasks by autograd", cases()))
    ledger.submit("gbi-log-ratio-not-likelihood-informal", Constructed("means 0 and 1", informal()))


def test_errors_of_samples(ledger: Submissions) -> None:
    means = ((0, 0), (1, 0), (Fraction(3, 10), 2))
    samples = 20_000

    def pairs() -> Iterator[Case]:
        random, model, M = np.random.default_rng(SEED), Gaussian(means, Fraction(4, 25)), tensor(means).T
        for c in range(3):
            g, _ = evidence(M, M[:, c] + 0.4 * drawn(random, samples, 2), 0.4)
            for j in range(3):
                if j != c:
                    chance = float(PairError().chance(model, c, j))
                    yield {"c": c + 1, "j": j + 1}, within(float((g[:, j] > g[:, c]).double().mean()), chance, samples)

    def consistent() -> Iterator[Case]:
        """Means of n data of the task between two others: more data make it worse."""
        random, model = np.random.default_rng(SEED), Gaussian(((0,), (1,), (5,)))
        for c, j in ((1, 0), (1, 2), (0, 1), (2, 1)):
            for n in (1, 10):
                mean = model.means[c][0] + drawn(random, samples, 1) / sqrt(n)
                g, _ = evidence(tensor([[0, 1, 5]]), mean, 1 / sqrt(n))
                seen = float((g[:, c] > g[:, j]).double().mean())
                yield {"c": c + 1, "j": j + 1, "n": n}, within(seen, float(right_way(model, c, j, n)), samples)

    def rescued() -> Iterator[Case]:
        random = np.random.default_rng(SEED)
        for K, d, s in ((3, 1, 0.5), (10, 5, 0.5), (4, 3, 0.0), (10, 10, 2.0)):
            M = drawn(random, 5000, K, d)
            x = M[:, 0] + s * drawn(random, 5000, d)
            # One model a row, at unit variance: only signs are compared.
            g = gradient(gaussian(lambda z, M=M: (z[:, None] @ M)[:, 0], x, 1.0), 5000, K, dtype=F64)  # type: ignore[misc]
            chance = float(Real.of(Rescue().chance(d, K, Fraction(s))))
            yield {"K": K, "d": d, "s": s}, within(float((g[:, 1] > g[:, 0]).double().mean()), chance, 5000)

    ledger.submit("gbi-pair-error-closed-form", Constructed("20,000 data of each of three tasks", pairs()))
    ledger.submit("gbi-large-sample-consistency", Constructed("20,000 means of 1 and 10 data", consistent()))
    ledger.submit("gbi-high-dimension-rescue", Constructed("5,000 sets of random means", rescued()))


def test_hulls(ledger: Submissions) -> None:
    def cases() -> Iterator[Case]:
        random = np.random.default_rng(SEED)
        for K, D in ((3, 1), (4, 2), (6, 3)):
            others = drawn(random, D, K - 1)
            inner = others @ torch.tensor(random.dirichlet(np.ones(K - 1)))
            means = torch.cat((others, inner[:, None]), dim=-1)
            x = torch.cat((inner[None], 5 * drawn(random, 500, D)))
            g, ell = evidence(means, x, 0.3)
            slack = 64 * EPSILON * float(1 + g.abs().max())
            yield {"K": K, "D": D}, bool((g[:, -1] <= g[:, :-1].amax(-1) + slack).all())
            corrected = g - exact_offsets(linear(means), 1, K, variance=0.09, dtype=F64)
            yield {"K": K, "D": D, "x": "m_c"}, int(ell[0].argmax()) == int(corrected[0].argmax()) == K - 1

    ledger.submit("gbi-hull-failure", Constructed("a random point of a random hull", cases()))


def test_blindness(ledger: Submissions) -> None:
    def cases() -> Iterator[Case]:
        random = np.random.default_rng(SEED)
        for K, H in ((2, 4), (5, 16)):
            V, W, x, y = drawn(random, 3, H), drawn(random, H, 2), drawn(random, 10, 2), drawn(random, 10, 3)
            column = drawn(random, H, 1)
            for name, U in (("U = 0", torch.zeros(H, K, dtype=F64)), ("equal columns of U", column.expand(H, K))):
                net = AdditiveNet(V, U, W)
                ell = gaussian(lambda z, net=net, x=x: net(x, z), y, 0.5)  # type: ignore[misc]
                found = diagnose(ell, 10, K, dtype=F64)
                start = torch.full((10, K), 1 / K, dtype=F64)
                methods = ("softmax", "projected")
                still = [iterate(ell, 10, K, method=each, steps=5, rate=0.1, dtype=F64).z for each in methods]
                scale = H * float(1 + found.gradient.abs().max())
                yield {"K": K, "net": name}, found.verdict == "blind" and all(near(z, start, scale) for z in still)
            # One that reads z is bounded by its slopes.
            net = frozen(AdditiveNet(V, drawn(random, H, K), W))
            u = torch.full((K,), 1 / K, dtype=F64)
            g = gradient(gaussian(lambda z, net=net, x=x: net(x, z), y, 0.5), 10, K, dtype=F64)  # type: ignore[misc]
            for row in range(10):
                J = torch.autograd.functional.jacobian(lambda z, row=row, net=net, x=x: net(x[row], z), u)
                norm = torch.linalg.matrix_norm(J - J.mean(-1, keepdim=True), 2)
                bound = norm * (y[row] - net(x[row], u)).norm() / 0.25
                moved = (g[row] - g[row].mean()).norm()
                yield {"K": K, "x": row}, bool(moved <= bound * (1 + 64 * H * EPSILON))

    ledger.submit("gbi-variance-only-blindness", Constructed("nets that do not read z, and nets that do", cases()))


def test_gauss_newton(ledger: Submissions) -> None:
    def solution(means: Tensor, x: Tensor) -> Tensor:
        """Least squares on the plane sum z = 1, from u along its tangent."""
        K = means.shape[1]
        u, tangent = torch.full((K,), 1 / K, dtype=F64), torch.eye(K, dtype=F64)[:, 1:] - torch.eye(K, dtype=F64)[:, :1]
        return u + tangent @ torch.linalg.lstsq(means @ tangent, (x - means @ u)[:, None]).solution[:, 0]

    def cases() -> Iterator[Case]:
        for means in (((0, 0), (1, 0), (Fraction(3, 10), 2)), ((0, 0), (1, Fraction(1, 10)), (5, 0)), ((0, 1), (3, 2))):
            points = [tuple(Fraction(entry) for entry in mean) for mean in means]
            for x in (*points, (Fraction(2, 5), Fraction(1, 2))):
                exact = affine_weights(points, x)
                assert exact is not None
                found = solution(tensor(means).T, tensor(x))
                yield {"means": str(means), "x": str(x)}, near(found, tensor(exact), 1000)
        g, _ = evidence(tensor(((0, 0), (1, 0.1), (5, 0))).T, tensor([(1, 0.1)]), 1.0)
        yield {"Euclidean step": "x = m_2"}, int(g.argmax()) == 0

    ledger.submit("gbi-gauss-newton-one-step", Constructed("least squares of torch against fractions", cases()))
