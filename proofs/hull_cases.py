"""The cases by which the steps of proofs.hull_failure are checked: convex hulls, exact data, and growing samples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, pairwise, permutations, product
from typing import Any

import sympy

from theory.arithmetic.ball import Real
from theory.evidence import Case, Equation
from theory.inference.arguments import largest_task
from theory.inference.embeddings import Gaussian, LinearPool, LogLinear
from theory.inference.gaussian.consistency import drift, right_way
from theory.inference.gaussian.hull import Failure
from theory.inference.gaussian.hulls import affine_distance, in_hull, nearest
from theory.inference.log_linear.families import bernoulli
from theory.inference.simplex import Vector, combined, dot
from theory.outcome import Outcome

FAILURE = Failure()
LINE = Gaussian(((Fraction(0),), (Fraction(1),), (Fraction(5),)))
SQUARE = tuple((Fraction(a), Fraction(b)) for a, b in product((0, 1), repeat=2))
GRID = tuple((Fraction(a), Fraction(b)) for a, b in product(range(3), range(2)))
DIRECTIONS = [v for v in product(range(-2, 3), repeat=2) if any(v)]
sigma = sympy.Symbol("sigma", positive=True)


def corrected(model: Gaussian, x: Vector) -> Vector:
    """Gradients with offsets subtracted."""
    return tuple(a - b for a, b in zip(model.gradient(x), model.offsets(), strict=True))


def others(points: Sequence[Vector], c: int) -> list[Vector]:
    """All points but one."""
    return [p for k, p in enumerate(points) if k != c]


def mixtures() -> Iterator[Equation]:
    """The gradient of a task whose parameter is a mixture of two or three others, in the plane, for any A."""
    t, mean = sympy.symbols("t_1:3", real=True), sympy.symbols("mu_1:3", real=True)
    for count in (2, 3):
        shares = sympy.symbols(f"lambda_1:{count}", positive=True)
        shares = (*shares, 1 - sum(shares))
        a, b = (sympy.symbols(f"{name}_1:{count + 1}", real=True) for name in "ab")
        etas = tuple(zip(a, b, strict=True))
        family = LogLinear((*etas, combined(shares, etas)), lambda eta: sympy.S.Zero, lambda eta: mean)
        *g, own = family.gradient(t)
        yield f"of {count}", own, dot(shares, g)


def line(largest: int) -> Iterator[Case]:
    """Three or four means on a line: an extreme task is picked off the mean of all, and there all tie."""
    for count in (3, 4):
        for means in combinations(range(largest + 1), count):
            model = Gaussian(tuple((Fraction(m),) for m in means))
            found = {largest_task(model.gradient((Fraction(i, 3),))) for i in range(-3, 3 * largest + 4)}
            yield {"means": means}, found <= {1, count, "tie"} and len(set(model.gradient(model.output()))) == 1


def line_rows(data: Sequence[int]) -> Iterator[tuple[Any, ...]]:
    """Datum, gradients of the means 0, 1, 5, and the means that g, g - B and the likelihoods pick."""
    names: dict[Any, object] = {1: 0, 2: 1, 3: 5, "tie": "tie"}
    for value in data:
        x = (Fraction(value),)
        g = LINE.gradient(x)
        picks = (largest_task(values) for values in (g, corrected(LINE, x), LINE.log_likelihoods(x)))
        yield value, *g, *(names[pick] for pick in picks)


def line_picks() -> Iterator[Case]:
    """Each of the means 0, 1, 5 is most likely at itself, and by g only 0 and 5 are picked; at 2 all g tie."""
    for c, mean in enumerate(LINE.means, 1):
        g = largest_task(LINE.gradient(mean))
        yield (
            {"x": mean},
            largest_task(LINE.log_likelihoods(mean)) == largest_task(corrected(LINE, mean)) == c and g != 2,
        )
    yield {"x": 2}, set(LINE.gradient((Fraction(2),))) == {0}


def likelihoods(largest: int) -> Iterator[Case]:
    """At x = m_c, distinct points of a grid: likelihoods and g - B pick c."""
    for points in combinations(GRID, largest):
        model = Gaussian(points, Fraction(1, 4))
        picks = [(largest_task(model.log_likelihoods(m)), largest_task(corrected(model, m))) for m in points]
        yield {"means": points}, picks == [(c, c) for c in range(1, largest + 1)]


def vertices() -> Iterator[Case]:
    """A point outside the hull of the others wins at mbar + v, v from the nearest point of it; others never do."""
    for points in combinations(GRID, 4):
        model = Gaussian(points)
        for c, own in enumerate(points):
            distance, weights = nearest(others(points, c), own)
            v = tuple(a - b for a, b in zip(own, combined(weights, others(points, c)), strict=True))
            x = tuple(a + b for a, b in zip(model.output(), v, strict=True))
            won = largest_task(model.gradient(x)) == c + 1
            yield {"means": points, "c": c + 1}, won is (distance > 0)


def triangles() -> Iterator[Case]:
    """Three points of a grid: all are picked iff they are not on one line."""
    for points in combinations(GRID, 3):
        model = Gaussian(points)
        found = {largest_task([dot(p, v) for p in model.means]) for v in DIRECTIONS}
        independent = affine_distance(points[:2], points[2]) > 0
        yield {"means": points}, (found >= {1, 2, 3}) is independent


def corners() -> Iterator[Case]:
    """Each corner of a square lies in the affine hull of the others, not in the convex one, and wins."""
    model = Gaussian(SQUARE)
    for c, own in enumerate(SQUARE):
        x = tuple(2 * a - b for a, b in zip(own, model.output(), strict=True))
        affine = affine_distance(others(SQUARE, c), own) == 0
        yield (
            {"corner": own},
            affine and not in_hull(others(SQUARE, c), own) and largest_task(model.gradient(x)) == c + 1,
        )


def ties() -> Iterator[Case]:
    """The middle of two tasks ties with both where they tie, and lies between them elsewhere."""
    model = Gaussian(((Fraction(0), Fraction(0)), (Fraction(1), Fraction(0)), (Fraction(2), Fraction(0))))
    for v in DIRECTIONS:
        g = [dot(eta, v) for eta in model.natural]
        yield {"t - mu_0": v}, FAILURE.fails(g[1], [g[0], g[2]]) and (g[1] == max(g)) is (v[0] == 0)


def coins() -> Iterator[Case]:
    """Bernoulli tasks 1/5, 1/2, 4/5 and one outcome: the likelihood of task 2 is never the largest."""
    rates = [Fraction(k, 10) for k in (2, 5, 8)]
    eta = [Real.of(row[0]) for row in bernoulli(rates).natural]
    yield "the middle of the others", abs(2 * eta[1] - eta[0] - eta[2]) <= Fraction(1, 10**30)
    for x, pool in ((1, LinearPool(tuple(rates))), (0, LinearPool(tuple(1 - p for p in rates)))):
        yield {"x": x}, largest_task(pool.likelihoods) == (3 if x else 1)


def drifts() -> Iterator[Equation]:
    """Both forms of s for any A, and of Gaussian tasks in the plane; c = 1, j = 2 of three."""
    eta = sympy.symbols("eta_1:4", real=True)
    own, mean, *levels, level = sympy.symbols("mu_1 mu_0 A_1 A_2 A_3 A_0", real=True)
    values = dict(zip(eta, levels, strict=True))
    family = LogLinear(tuple((a,) for a in eta), lambda e: values.get(e[0], level), lambda e: (mean,))
    offsets = family.offsets()
    divergence = levels[1] - levels[0] - own * (eta[1] - eta[0])
    yield "any A", divergence + offsets[0] - offsets[1], (eta[0] - eta[1]) * (own - mean)
    a, b = (sympy.symbols(f"{name}_1:4", real=True) for name in "ab")
    model = Gaussian(tuple(zip(a, b, strict=True)), sigma**2)
    divergence = ((a[0] - a[1]) ** 2 + (b[0] - b[1]) ** 2) / (2 * sigma**2)
    offsets = model.offsets()
    yield "Gaussian", drift(model, 0, 1), divergence + offsets[0] - offsets[1]


def sample_rows(sizes: Sequence[int]) -> Iterator[tuple[Any, ...]]:
    """Number of data of task 1, and the chances that its gradient exceeds those of the tasks 0 and 5."""
    for n in sizes:
        yield n, *(f"{float(Real.of(right_way(LINE, 1, j, n))):.6f}" for j in (0, 2))


def worse() -> Iterator[Case]:
    """Against task 0 s is -1, and the chance falls with n."""
    yield "s", drift(LINE, 1, 0) == -1
    chances = [Real.of(right_way(LINE, 1, 0, n)) for n in (1, 2, 4, 8, 16, 32)]
    for n, (before, after) in enumerate(pairwise(chances)):
        yield {"n": 2**n}, after < before


def never() -> Iterator[Case]:
    """The mean of all s_cj under the weights of the hull is 0, so that one of them is not positive."""
    for points in combinations(GRID, 4):
        model = Gaussian(points, Fraction(1, 4))
        for c, own in enumerate(points):
            distance, weights = nearest(others(points, c), own)
            if distance == 0:
                s = [drift(model, c, j) for j in range(4) if j != c]
                yield {"means": points, "c": c + 1}, dot(weights, s) == 0 and min(s) <= 0


def two_tasks() -> Iterator[Equation]:
    """K = 2: eta_1 - eta_2 is twice eta_1 - eta_0, and s of Gaussian tasks half a squared distance."""
    (a, c), (b, d) = (sympy.symbols(f"{name}_1:3", real=True) for name in "ab")
    model = Gaussian(((a, b), (c, d)), sigma**2)
    for k, (eta, middle) in enumerate(zip(model.natural[0], model.parameter(), strict=True), 1):
        yield f"coordinate {k}", eta - model.natural[1][k - 1], 2 * (eta - middle)
    yield "s", drift(model, 0, 1), ((a - c) ** 2 + (b - d) ** 2) / (2 * sigma**2)


def two_coins() -> Iterator[Case]:
    """The mean of two coins lies strictly between theirs, so that s > 0 both ways."""
    for p, q in permutations([Fraction(k, 10) for k in (1, 2, 5, 9)], 2):
        family = bernoulli((p, q))
        (mean,) = family.mean(family.parameter())
        s = (Real.of(family.natural[0][0]) - family.natural[1][0]) * (p - Real.of(mean))
        yield {"p": (p, q)}, s > 0


def twins() -> Iterator[Case]:
    """Task 3 is task 1: their gradients are equal for all data, so neither is ever the larger."""
    model = Gaussian(((Fraction(0),), (Fraction(1),), (Fraction(0),)))
    for x in range(-3, 4):
        g = model.gradient((Fraction(x),))
        yield {"x": x}, Outcome.of(g[0] == g[2] and drift(model, 0, 2) == 0)
