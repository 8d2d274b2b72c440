"""How much entropy makes an objective concave: -Hess H >= 2 I along vectors of sum 0, and 2 is the best constant.

F = ell + alpha H is concave for alpha >= max(0, lambda/2), lambda the largest eigenvalue of Hess ell along sum 0; where
ell is concave, as in a linear pool or a log-linear family, for every alpha >= 0.

Source: arXiv 2407.17356 adds the entropy; the constant is derived here. sum_k v_k^2/z_k >= (sum_k |v_k|)^2 by
Cauchy-Schwarz; entries of v above and below 0 both add up to |v|_1/2 =: s, and |v|^2 <= 2 s^2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import sympy
from flint import fmpq, fmpq_mat

from theory.arithmetic.ball import sqrt
from theory.arithmetic.real import Real
from theory.claims import Hypothesis, Source, claim
from theory.compact.elementary import quotient
from theory.errors import InputError
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.inference.arguments import distribution, results, vector
from theory.inference.embeddings import Gaussian, LinearPool
from theory.inference.simplex import Vector as Entries
from theory.inference.simplex import normalised
from theory.quantities import Count, Optimum, Result, Vector, quantity

CLAIM = "gbi-entropy-objective-concavity"
SEED = 2433
MOST = 10**6


def inverse_eigenvalues(z: Sequence[Any], root: Callable[[Any], Any]) -> tuple[Any, Any]:
    """1/eigenvalues of -Hess H along sum 0, three tasks: e_2 +- sqrt(e_2^2 - 3 e_3), the larger first.

    e_2, e_3 are the symmetric polynomials of z; 3 e_3 x^2 - 2 e_2 x + 1 = 0 has the eigenvalues.
    """
    a, b, c = z
    second, third = a * b + a * c + b * c, a * b * c
    spread = root(second * second - 3 * third)
    return second + spread, second - spread


@quantity("entropy-curvature", unit="nats", claim=CLAIM)
def entropy_curvature(z: Vector) -> dict[str, Result]:
    """The least and the largest eigenvalue of -Hess H at z along vectors of sum 0.

    Raises InputError for other than two or three tasks, and where z is no interior point.
    """
    shares = vector(z)
    distribution("z", shares)
    if len(shares) == 2:
        only = 1 / (2 * shares[0] * shares[1])
        return results(least=only, largest=only)
    if len(shares) != 3:
        raise InputError(f"K = {len(shares)} tasks have no eigenvalues in closed form here; give two or three")
    # A spread that is the root of a hidden 0 has a ball around 0 that reaches below it.
    large, small = inverse_eigenvalues(shares, lambda x: sqrt(abs(Real.of(x))))
    return results(least=1 / large, largest=1 / small)


@quantity("entropy-curvature-sample", unit="nats", claim=CLAIM)
def entropy_curvature_sample(points: Count) -> dict[str, Result]:
    """The least of those eigenvalues over random points of three tasks, Dirichlet(0.3), in float64.

    Raises InputError for more points than a million.
    """
    if points > MOST:
        raise InputError(f"points = {points} is more than takes a moment; give at most {MOST}")
    least = float(_least(np.random.default_rng(SEED).dirichlet([0.3] * 3, size=points)).min())
    return {"least": Optimum(least, "random points in float64")}


def _least(points: np.ndarray) -> np.ndarray:
    found: np.ndarray = 1 / inverse_eigenvalues(tuple(points.T), lambda x: np.sqrt(np.maximum(x, 0)))[0]
    return found


def is_semidefinite(diagonal: Sequence[Fraction], tangent: bool) -> bool:
    """Whether sum_k d_k v_k^2 >= 0 for all v, or all of sum 0: by principal minors."""
    size = len(diagonal) - 1 if tangent else len(diagonal)
    last = diagonal[-1] if tangent else Fraction(0)
    matrix = [[last + (diagonal[i] if i == j else 0) for j in range(size)] for i in range(size)]
    return all(_determinant(matrix, chosen) >= 0 for n in range(1, size + 1) for chosen in combinations(range(size), n))


def _determinant(matrix: Sequence[Sequence[Fraction]], chosen: Sequence[int]) -> Fraction:
    entries = [[matrix[i][j] for j in chosen] for i in chosen]
    value = fmpq_mat([[fmpq(entry.numerator, entry.denominator) for entry in row] for row in entries]).det()
    return Fraction(int(value.p), int(value.q))


@dataclass(frozen=True)
class Concavity:
    """-Hess H >= c I, and F is concave for alpha >= share lambda.

    Args:
        least: c from K.
        share: of lambda.
        tangent: whether vectors have sum 0.
    """

    least: Callable[[int], int] = lambda tasks: 2
    share: Fraction = Fraction(1, 2)
    tangent: bool = True

    def __str__(self) -> str:
        constants = ", ".join(f"{self.least(K)} for K = {K}" for K in (2, 3, 4))
        along = "along sum 0" if self.tangent else "along all vectors"
        return f"-Hess H >= c I {along}, c = {constants}; ell + alpha H is concave for alpha >= {self.share} lambda"

    def bounded(self, z: Entries, excess: Fraction = Fraction(0)) -> bool:
        """Whether -Hess H >= (c + excess) I at z."""
        level = self.least(len(z)) + excess
        return is_semidefinite([1 / share - level for share in z], self.tangent)


@claim(
    CLAIM,
    source=Source("2407.17356", "E-step objective", "derived"),
    quantifiers="for all K >= 2 and interior z; the constant is attained at u for two tasks, and approached at the "
    "middle of an edge for more",
    statement=str,
    variant=Concavity(),
    controls={
        "alpha >= lambda/4": Concavity(share=Fraction(1, 4)),
        "3 for three tasks": Concavity(lambda tasks: 3 if tasks == 3 else 2),
        "K everywhere": Concavity(lambda tasks: tasks),
        "1 is the best constant": Concavity(lambda tasks: 1),
    },
    hypotheses=(Hypothesis("sum 0", "vectors have sum 0", Concavity(tangent=False)),),
    does_not_show="that less entropy leaves several maxima: that needs an ell with such a curvature",
)
def entropy_objective_concavity(concavity: Concavity, thorough: bool) -> Iterator[Evidence]:
    """Rational points; middles of edges; the least alpha; squares and eigenvalues in symbols; random points."""
    yield Enumeration("rational points", _points(concavity, 5 if thorough else 4))
    yield Enumeration("middles of edges", _edges(concavity))
    yield Enumeration("the least alpha", _alpha(concavity))
    yield Identity("squares, eigenvalues, Hessians", _symbols(concavity), sympy.cancel)
    yield Search("random points", _random(concavity, 2000 if thorough else 400), seed=SEED)


def _points(concavity: Concavity, most: int) -> Iterator[Case]:
    for tasks in (2, 3, 4):
        for weights in product(range(1, most), repeat=tasks):
            yield {"z": weights}, concavity.bounded(normalised(weights))


def _edges(concavity: Concavity) -> Iterator[Case]:
    """Nearly all of z on two tasks: c holds and c + 1/50 does not."""
    for tasks, small in product((2, 3, 4, 5), (Fraction(1, 1000), Fraction(1, 10**6))):
        rest = small * (tasks - 2)
        z = ((1 - rest) / 2, (1 - rest) / 2, *[small] * (tasks - 2))
        sharp = not concavity.bounded(z, Fraction(1, 50))
        yield {"K": tasks, "others": str(small)}, concavity.bounded(z) and sharp


def _alpha(concavity: Concavity) -> Iterator[Case]:
    """Ell = (lambda/2) |z - u|^2: alpha is enough everywhere, and at u of two tasks 99/100 of it is not."""
    for tasks, scale in product((2, 3), (Fraction(1), Fraction(7, 2))):
        alpha = concavity.share * scale
        for weights in product((1, 2, 20), repeat=tasks):
            z = normalised(weights)
            enough = is_semidefinite([alpha / share - scale for share in z], concavity.tangent)
            yield {"lambda": str(scale), "z": weights}, enough
        less = alpha * Fraction(99, 100)
        yield {"lambda": str(scale), "less": "1 %"}, not is_semidefinite([less * 2 - scale] * 2, concavity.tangent)


def _symbols(concavity: Concavity) -> Iterator[Equation]:
    """A square for two tasks, the characteristic polynomial for three, and Hessians of two kinds of models."""
    a, b, x = sympy.symbols("z_1 z_2 x", positive=True)
    level = concavity.least(2) * (2 if concavity.tangent else 1)
    yield "two tasks", 1 / a + 1 / (1 - a) - level, (1 - 2 * a) ** 2 / (a * (1 - a))
    z = (a, b, 1 - a - b)
    last = 1 / z[2] - x
    matrix = sympy.Matrix(2, 2, lambda i, j: last + (1 / z[i] - x if i == j else 0))
    pairs, triple = a * b + (a + b) * z[2], a * b * z[2]
    yield "three tasks", matrix.det() * triple, 3 * triple * x**2 - 2 * pairs * x + 1
    p, m = sympy.symbols("p_1:3", positive=True), sympy.symbols("m_1:3", real=True)
    pool, y = LinearPool(p), sympy.Symbol("y", real=True)
    gaussian = Gaussian(tuple((mean,) for mean in m), sympy.Symbol("v", positive=True))
    for i, j in ((0, 0), (0, 1)):
        g = pool.gradient((a, b))
        yield "pool", sympy.diff(pool.log_likelihood((a, b)), (a, b)[i], (a, b)[j]), -g[i] * g[j]
        second = sympy.diff(gaussian.log_likelihood((y,), (a, b)), (a, b)[i], (a, b)[j])
        yield "Gaussian", second, -quotient(m[i] * m[j], gaussian.variance)


def _random(concavity: Concavity, count: int) -> Iterator[Trial]:
    points = np.random.default_rng(SEED).dirichlet([0.3] * 3, size=count)
    found = _least(points) if concavity.tangent else 1 / points.max(axis=1)
    for case, least in enumerate(found):
        # A few roundings: e_2 and its root add positive numbers.
        yield Trial(case, float(concavity.least(3)), float(least), 1e-9)
