"""Where the output does not depend on z no gradient tells tasks apart, though their likelihoods may.

Source: derived here, for arXiv 2407.17356. g = J^T (x - f)/sigma^2, so that P g = 0 where J vanishes along the
simplex, and |P g| <= |J P| |x - f|/sigma^2 in general, with the largest singular value. Every step then stays at u.
Tasks that differ in their noise alone have one output; a head that has the variance as an output tells them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import sqrt as root
from typing import Any, Literal

import numpy as np
import sympy

from theory.arithmetic.real import Real
from theory.claims import Hypothesis, Source, claim
from theory.compact.elementary import log, quotient
from theory.errors import InputError
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.inference.arguments import positive, result, vector
from theory.inference.embeddings import Gaussian
from theory.inference.normal import density
from theory.inference.simplex import Vector as Entries
from theory.inference.simplex import centred, dot, softmax, uniform
from theory.quantities import Number, Result, Vector, quantity

CLAIM = "gbi-variance-only-blindness"
SEED = 2417
SMALL = Fraction(1, 10**30)
Head = Literal["squared error", "learned variance"]


def variance_gradient(x: Any, mean: Any, variances: Entries, z: Entries) -> Entries:
    """Gradient of -log v/2 - (x - m)^2/(2 v) with v = sum_k z_k v_k."""
    v = dot(z, variances)
    slope = quotient(quotient((x - mean) ** 2, v) - 1, 2 * v)
    return tuple(slope * entry for entry in variances)


def noise_log_ratio(x: Any, mean: Any, variances: Entries) -> Any:
    """ell_1 - ell_2 of two tasks of one mean, with variances v_1 and v_2."""
    return log(quotient(variances[1], variances[0])) / Fraction(2) + (
        quotient((x - mean) ** 2, 2 * variances[1]) - quotient((x - mean) ** 2, 2 * variances[0])
    )


def deviation_log_ratio(x: Any, mean: Any, variances: Entries) -> Any:
    """Log sigma_2/sigma_1, which is ell_1 - ell_2 at x = m and nowhere else."""
    return log(quotient(variances[1], variances[0])) / Fraction(2)


@dataclass(frozen=True)
class Blind:
    """Where the output does not depend on z.

    Args:
        all_of_g: whether g itself vanishes, or P g.
        likelihoods: whether the tasks' likelihoods are said to be equal too.
        constant: whether outputs of all tasks are one.
        head: what is fitted.
        exponent: of sigma in the bound |P g| <= |J P| |x - f|/sigma^exponent.
        ratio: ell_1 - ell_2 of two tasks that differ in their noise alone.
    """

    all_of_g: bool = False
    likelihoods: bool = False
    constant: bool = True
    head: Head = "squared error"
    exponent: int = 2
    ratio: Callable[[Any, Any, Entries], Any] = noise_log_ratio

    def __str__(self) -> str:
        where = "f(z) constant on the simplex" if self.constant else "any f"
        same = ", and so do likelihoods" if self.likelihoods else ""
        quadratic = " + (1/v_2 - 1/v_1)(x - m)^2/2" if self.ratio is noise_log_ratio else ""
        return (
            f"{self.head}, {where}: {'g' if self.all_of_g else 'P g'} = 0, one step and iterated ones stay at u{same}; "
            f"|P g| <= |J P| |x - f|/sigma^{self.exponent}; noise v_k: ell_1 - ell_2 = log(v_2/v_1)/2{quadratic}"
        )


@claim(
    CLAIM,
    source=Source("2407.17356", "Loss of the decoder", "derived"),
    quantifiers="for all x, sigma and models of one output at all z of the simplex; the bound for all models",
    statement=str,
    variant=Blind(),
    controls={
        "g vanishes too": Blind(all_of_g=True),
        "likelihoods are equal too": Blind(likelihoods=True),
        "1/sigma": Blind(exponent=1),
        "likelihoods differ by one number": Blind(ratio=deviation_log_ratio),
    },
    hypotheses=(
        Hypothesis("one output", "f(z) does not depend on z on the simplex", Blind(constant=False)),
        Hypothesis("squared error", "the variance is no output", Blind(head="learned variance")),
    ),
    does_not_show="that a model which was trained ignores z: that is measured, by the spread of its K outputs",
)
def variance_only_blindness(claimed: Blind, thorough: bool) -> Iterator[Evidence]:
    """Tasks of one mean; log-ratios of densities; the bound, with singular values; slopes in symbols; networks."""
    yield Enumeration("tasks of one mean", _tasks(claimed, 4 if thorough else 2))
    yield Enumeration("log-ratios of normal densities", _ratios(claimed, 4 if thorough else 2))
    yield Enumeration("the bound", _bounds(claimed, 3 if thorough else 2))
    yield Identity("slopes along the simplex, a log-ratio", _symbols(claimed), sympy.simplify)
    yield Search("random networks", _networks(claimed, 1000 if thorough else 80), seed=SEED)


def _tasks(claimed: Blind, largest: int) -> Iterator[Case]:
    for mean, x, tasks in product((Fraction(1), Fraction(1, 2)), range(-largest, largest + 1), (2, 3)):
        variances = tuple(Fraction(4**k, 100) for k in range(tasks))
        means = tuple((mean + (0 if claimed.constant else k),) for k in range(tasks))
        model, u = Gaussian(means, variances[0]), uniform(tasks)
        case = {"m": str(mean), "x": x, "K": tasks}
        if claimed.head == "learned variance":
            g = variance_gradient(Fraction(x), mean, variances, u)
        else:
            g = model.gradient((Fraction(x),))
        still = all(entry == 0 for entry in (g if claimed.all_of_g else centred(g)))
        # Additive steps, which projections leave alone at P g = 0, and those on logits.
        yield case, still and softmax(tuple(entry - g[0] for entry in g)) == u
        if claimed.likelihoods:
            yield case, Real.of(noise_log_ratio(Fraction(x), mean, variances)).equals(0)


def _ratios(claimed: Blind, largest: int) -> Iterator[Case]:
    """Against logarithms of densities, each of its own deviation."""
    for sigmas, x in product(product((Fraction(1, 10), Fraction(3, 10), Fraction(2)), repeat=2), range(largest + 1)):
        mean, variances = Fraction(1, 2), tuple(sigma**2 for sigma in sigmas)
        first, second = (Real.of(log(density((x - mean) / sigma))) - log(sigma) for sigma in sigmas)
        gap = abs(first - second - Real.of(claimed.ratio(Fraction(x), mean, variances)))
        yield {"sigma_1": str(sigmas[0]), "sigma_2": str(sigmas[1]), "x": x}, gap <= SMALL


def _bounds(claimed: Blind, largest: int) -> Iterator[Case]:
    """Two tasks in the plane: J P has one singular value, |m_1 - m_2|/sqrt(2), so that squares are fractions."""
    points = [*product(range(largest + 1), repeat=2)]
    for m, x, variance in product(points, points, (Fraction(1, 4), Fraction(1))):
        model = Gaussian(((Fraction(0), Fraction(0)), tuple(map(Fraction, m))), variance)
        datum = tuple(map(Fraction, x))
        moved = centred(model.gradient(datum))
        residual = tuple(a - b for a, b in zip(datum, model.output(), strict=True))
        bound = Fraction(dot(m, m), 2) * dot(residual, residual) / variance**claimed.exponent
        yield {"m_2": m, "x": x, "sigma^2": str(variance)}, dot(moved, moved) <= bound


def _symbols(claimed: Blind) -> Iterator[Equation]:
    """Any f of z_1 + z_2 and x: the slopes in z_1 and z_2 are equal, and vanish along the simplex."""
    z = sympy.symbols("z_1:3", real=True)
    x, sigma = sympy.Symbol("x", real=True), sympy.Symbol("sigma", positive=True)
    output = sympy.Function("f")(z[0] + z[1])
    ell = -((x - output) ** 2) / (2 * sigma**2)
    yield "P g", sympy.diff(ell, z[0]) - sympy.diff(ell, z[1]), sympy.S.Zero
    first, second = sympy.symbols("v_1:3", positive=True)
    v = z[0] * first + z[1] * second
    spread = -sympy.log(v) / 2 - x**2 / (2 * v)
    one, other = (spread.subs({z[0]: 1 - k, z[1]: k}) for k in (0, 1))
    ratio = sympy.expand_log(claimed.ratio(x, sympy.S.Zero, (first, second)), force=True)
    yield "log-ratio", ratio, one - other
    yield "learned variance", sympy.diff(spread, z[0]), variance_gradient(x, sympy.S.Zero, (first, second), z)[0]


def _networks(claimed: Blind, count: int) -> Iterator[Trial]:
    """F(z) = A tanh(W z): |J P| by singular values."""
    random = np.random.default_rng(SEED)
    eps = float(np.finfo(float).eps)
    for case in range(count):
        tasks, hidden, dimensions = (int(random.integers(low, 9)) for low in (2, 1, 1))
        inner, outer = random.normal(size=(hidden, tasks)), random.normal(size=(dimensions, hidden))
        inside = inner.mean(axis=1)
        jacobian = outer @ np.diag(1 - np.tanh(inside) ** 2) @ inner
        projected = jacobian - jacobian.mean(axis=1, keepdims=True)
        residual = random.normal(size=dimensions) - outer @ np.tanh(inside)
        variance = float(random.uniform(0.1, 4))
        moved = projected.T @ residual / variance
        size = float(np.linalg.norm(projected, 2) * np.linalg.norm(residual))
        bound = size / root(variance) ** claimed.exponent
        yield Trial(case, float(np.linalg.norm(moved)), bound, 64 * eps * (1 + size / variance))


@quantity("variance-blindness", unit="nats", claim=CLAIM)
def variance_blindness(mean: Number, sigmas: Vector, x: Number) -> dict[str, Result]:
    """Two tasks of one mean: ell_1 - ell_2, and g_1 - g_2 under squared error and of a learned variance.

    Raises InputError for other than two positive deviations.
    """
    deviations = vector(sigmas)
    positive("sigmas", deviations)
    if len(deviations) != 2:
        raise InputError(f"{len(deviations)} deviations; a ratio is of two: give two")
    variances = tuple(entry**2 for entry in deviations)
    model = Gaussian(((mean,), (mean,)), variances[0])
    squares, learned = model.gradient((x,)), variance_gradient(x, mean, variances, uniform(2))
    return {
        "log-ratio": result(noise_log_ratio(x, mean, variances)),
        "squared-error": result(squares[0] - squares[1]),
        "learned-variance": result(learned[0] - learned[1]),
    }
