"""With enough entropy the E-step is a fixed point that one step comes near to: z = softmax(g(z)/alpha).

Phi(z) = softmax(g(z)/alpha) has Lipschitz constant q = D^2/(4 alpha sigma^2) in L1 for linear Gaussian models, D the
largest distance of two means. If q < 1 there is one fixed point z*, and the first iterate, one step from u, is within
q/(1-q) |Phi(u) - u|_1 of it.

Source: derived here, for the E-step of arXiv 2407.17356. |softmax(a) - softmax(b)|_1 <= 2 tanh(osc(a-b)/4) <=
osc(a-b)/2; with d = z - z', M d = (|d|_1/2)(p - p') for p, p' in the hull of the means, so that osc(M^T M d) <=
D^2 |d|_1/2. Then Banach's theorem. Nothing changes where ell is replaced by its reflection, which is convex.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise, product
from typing import Any

import numpy as np
import sympy
from flint import arb

from theory.arithmetic.real import Real
from theory.arithmetic.root import falling_root
from theory.claims import Hypothesis, Source, claim
from theory.compact.elementary import exp, largest, quotient, to_ball
from theory.errors import InputError
from theory.evidence import BoxCover, Case, Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.inference.arguments import doubles, number, results, rows, same_length, vector
from theory.inference.embeddings import Gaussian
from theory.inference.simplex import Vector as Entries
from theory.inference.simplex import centred, dot, normalised, softmax, total_variation, uniform
from theory.outcome import Outcome
from theory.quantities import Count, Matrix, Optimum, Positive, Result, Vector, quantity

CLAIM = "gbi-entropy-objective-contraction"
SEED = 2434
SMALL = Fraction(1, 10**30)
QUARTER = Fraction(1, 4)
MOST = 10_000


def squared_diameter(means: Sequence[Entries]) -> Any:
    """D^2, the largest squared distance of two means."""
    gaps = [tuple(a - b for a, b in zip(p, q, strict=True)) for p, q in combinations(means, 2)]
    return largest(*(dot(gap, gap) for gap in gaps))


def lipschitz(square: Any, alpha: Any, variance: Any, four: int = 4) -> Any:
    """Q = D^2/(4 alpha sigma^2) from D^2; of n observations n times that."""
    return quotient(square, four * alpha * variance)


def entropic(gaussian: Gaussian, x: Entries, alpha: Any, z: Sequence[Any] | None = None, bent: int = 1) -> Entries:
    """Phi(z), Phi(u) where no z is given; bent -1 reflects ell at its slope in u, which makes it convex."""
    g = gaussian.gradient(x, z)
    if bent < 0:
        g = tuple(2 * a - b for a, b in zip(gaussian.gradient(x), g, strict=True))
    return softmax([quotient(slope, alpha) for slope in g])


def apart(z: Entries, other: Entries) -> Any:
    """|z - z'|_1."""
    return 2 * total_variation(z, other)


def fixed_share(gaussian: Gaussian, x: Entries, alpha: Any, bent: int = 1) -> Real:
    """z*_1 of two tasks: Phi_1 - z_1 falls, for concave ell and where q < 1."""
    lead = [a - b for a, b in zip(*gaussian.means, strict=True)]
    origin, slope = (Real.of(quotient(dot(lead, v), gaussian.variance * alpha)) for v in (x, lead))
    # g_1 - g_2 over alpha at z = (s, 1 - s): from f(z) = m_2 + s (m_1 - m_2).
    start = origin - Real.of(quotient(dot(lead, gaussian.means[1]), gaussian.variance * alpha))
    if bent < 0:
        start, slope = start - slope, -slope

    def excess(s: arb) -> arb:
        return 1 / (1 + exp(slope.enclose() * s - start.enclose())) - s

    return falling_root(excess, 0, 1)


@quantity("entropy-fixed-point", unit="share", claim=CLAIM)
def entropy_fixed_point(means: Matrix, x: Vector, variance: Positive, alpha: Positive) -> dict[str, Result]:
    """Q, one step Phi(u), and for two tasks the fixed point, the error |Phi(u) - z*|_1 and, if q < 1, its bound.

    Row k of means is that of task k.
    """
    gaussian, datum, weight = _model(means, x, variance, alpha)
    q = lipschitz(squared_diameter(gaussian.means), weight, gaussian.variance)
    step = entropic(gaussian, datum, weight)
    found = results(q=q, step=step)
    if gaussian.tasks == 2:
        share = fixed_share(gaussian, datum, weight)
        found |= results(fixed=(share, 1 - share), error=apart(step, (share, 1 - share)))
    if (Real.of(q) < 1) is Outcome.HOLDS:
        found |= results(bound=Contraction().error(q, apart(step, uniform(gaussian.tasks))))
    return found


@quantity("picard-iterates", unit="share", claim=CLAIM)
def picard_iterates(
    means: Matrix, x: Vector, variance: Positive, alpha: Positive, steps: Count = 200
) -> dict[str, Result]:
    """The last two iterates of Phi from u in float64. Raises InputError for too many steps."""
    if steps > MOST:
        raise InputError(f"steps = {steps} take long; give at most {MOST}")
    gaussian, datum, weight = _model(means, x, variance, alpha)
    m = tuple(tuple(doubles("means", mean)) for mean in gaussian.means)
    v, _, a, _ = doubles("variance or alpha", (gaussian.variance, 1 / gaussian.variance, weight, 1 / weight))
    before, z = _iterates(Gaussian(m, v), tuple(doubles("x", datum)), a, steps)
    how = f"{steps} steps in float64"
    shares = [("before", before), ("last", z)]
    return {f"{name}-{k}": Optimum(share, how) for name, point in shares for k, share in enumerate(point, 1)}


def _model(means: Matrix, x: Vector, variance: Positive, alpha: Positive) -> tuple[Gaussian, Entries, Any]:
    gaussian, datum = Gaussian(rows(means), number(variance)), vector(x)
    same_length("x", datum, len(gaussian.means[0]), "entry of a mean")
    return gaussian, datum, number(alpha)


def _iterates(gaussian: Gaussian, x: Entries, alpha: Any, steps: int) -> tuple[Entries, Entries]:
    before = z = tuple(map(float, uniform(gaussian.tasks)))
    for _ in range(steps):
        before, z = z, entropic(gaussian, x, alpha, z)
    return before, z


@dataclass(frozen=True)
class Contraction:
    """What is said of Phi.

    Args:
        four: the divisor in q.
        needed: whether q < 1 is said to be needed for one fixed point.
        summed: whether the error has 1/(1 - q).
        contracting: whether convergence is said of q < 1 only.
    """

    four: int = 4
    needed: bool = False
    summed: bool = True
    contracting: bool = True

    def __str__(self) -> str:
        factor = "q/(1 - q)" if self.summed else "q"
        which = "if q < 1" if self.contracting else "for every q"
        several = "; if q >= 1 there are several" if self.needed else ""
        return (
            f"|Phi(z) - Phi(z')|_1 <= q |z - z'|_1, q = D^2/({self.four} alpha sigma^2); {which} Phi from u converges "
            f"to its one fixed point z*, |Phi(u) - z*|_1 <= {factor} |Phi(u) - u|_1{several}"
        )

    def error(self, q: Any, first: Any) -> Any:
        """The bound of |Phi(u) - z*|_1."""
        return q / (1 - q) * first if self.summed else q * first


@claim(
    CLAIM,
    source=Source("2407.17356", "E-step objective", "derived"),
    quantifiers="for all means, x, sigma and alpha of linear Gaussian models and their reflections; the constant is "
    "attained at u for two tasks and x in their middle",
    statement=str,
    variant=Contraction(),
    controls={
        "D^2/(8 alpha sigma^2)": Contraction(four=8),
        "q < 1 is needed": Contraction(needed=True),
        "no 1/(1 - q)": Contraction(summed=False),
    },
    hypotheses=(
        Hypothesis("q < 1", "for convergence from u", Contraction(contracting=False)),
        Hypothesis(
            "linear", "means are linear in z", remark="any osc(g(z) - g(z')) <= kappa |z - z'|_1 serves as well"
        ),
    ),
    does_not_show="that Phi diverges at q >= 1, or that the factor 1/(1 - q) is needed for concave ell",
)
def entropy_objective_contraction(contraction: Contraction, thorough: bool) -> Iterator[Evidence]:
    """Pairs of rational points; fixed points in balls; one fixed point at q = 2; symbols at u; iterates in float64."""
    yield Enumeration("pairs of points", _pairs(contraction, 4 if thorough else 3))
    yield Enumeration("errors of one step", _errors(contraction))
    yield Enumeration("fixed points at q = 2", _fixed_points(contraction))
    yield BoxCover("share of the first task, of two at q = 2", ((Fraction(0), Fraction(1)),), _falls)
    yield Identity("derivatives at u, stationary points", _symbols(contraction), sympy.simplify)
    yield Search.decided("iterates from u", _picard(contraction, 40 if thorough else 10), seed=SEED)
    yield Search("random tasks", _random(contraction, 400 if thorough else 60), seed=SEED)


def _pairs(contraction: Contraction, most: int) -> Iterator[Case]:
    for tasks, alpha, bent in ((2, Fraction(1), 1), (2, Fraction(2), -1), (3, QUARTER, 1), (3, Fraction(2), -1)):
        gaussian = Gaussian(tuple((Fraction(k * k),) for k in range(tasks)), QUARTER)
        limit = lipschitz(squared_diameter(gaussian.means), alpha, gaussian.variance, contraction.four)
        points = [normalised(weights) for weights in product(range(1, most), repeat=tasks)]
        close = tuple(share + Fraction(k == 0, 100) - Fraction(k == 1, 100) for k, share in enumerate(uniform(tasks)))
        for x in (gaussian.output(), (Fraction(1),)):
            for z, other in ((uniform(tasks), close), *pairwise(points)):
                moved = Real.of(apart(entropic(gaussian, x, alpha, z, bent), entropic(gaussian, x, alpha, other, bent)))
                case = {"K": tasks, "alpha": str(alpha), "x": str(x[0]), "z": [*map(str, z)], "z'": [*map(str, other)]}
                yield case, moved <= limit * apart(z, other) + SMALL


TWO = Gaussian(((Fraction(0),), (Fraction(1),)), QUARTER)


def _errors(contraction: Contraction) -> Iterator[Case]:
    for alpha, x, bent in product((Fraction(2), Fraction(5, 4)), (Fraction(7, 10), Fraction(11, 20)), (1, -1)):
        q = lipschitz(Fraction(1), alpha, TWO.variance, contraction.four)
        share = fixed_share(TWO, (x,), alpha, bent)
        step = entropic(TWO, (x,), alpha, None, bent)
        fixed = (share, 1 - share)
        stays = Real.of(apart(entropic(TWO, (x,), alpha, fixed, bent), fixed)) <= SMALL
        near = Real.of(apart(step, fixed)) <= contraction.error(q, Real.of(apart(step, uniform(2)))) + SMALL
        yield {"alpha": str(alpha), "x": str(x), "convex": bent < 0}, Outcome.every([stays, near])


def _fixed_points(contraction: Contraction) -> Iterator[Case]:
    """Signs of Phi_1 - z_1 change once on a grid where q = 2, since Phi_1 falls."""
    for x in (Fraction(7, 10), Fraction(1, 2)):
        grid = [Fraction(k, 23) for k in range(24)]
        signs = [Real.of(entropic(TWO, (x,), Fraction(1, 2), (s, 1 - s))[0]) > s for s in grid]
        changes = sum(a is not b for a, b in pairwise(signs))
        yield {"q": 2, "x": str(x)}, (changes > 1) is contraction.needed


def _falls(s: arb) -> Outcome:
    """The derivative of Phi_1 - z_1 is -1 - q' Phi_1 Phi_2 < 0, with D^2/(alpha sigma^2) = q' = 8 for x = 7/10."""
    share = 1 / (1 + (to_ball(Fraction(28, 5)) - 8 * (1 - s)).exp())
    slope = -1 - 8 * share * (1 - share)
    return Outcome.settled(slope < 0, slope >= 0)


def _symbols(contraction: Contraction) -> Iterator[Equation]:
    s, alpha, variance = sympy.symbols("s alpha v", positive=True)
    m = sympy.symbols("m_1:3", real=True)
    gaussian = Gaussian(tuple((mean,) for mean in m), variance)
    middle = (sum(m) / 2,)
    slope = sympy.diff(entropic(gaussian, middle, alpha, (s, 1 - s))[0], s).subs(s, sympy.Rational(1, 2))
    yield "derivative at u", slope, -lipschitz((m[0] - m[1]) ** 2, alpha, variance, contraction.four)
    g, e = sympy.symbols("g_1:4", real=True), sympy.Symbol("e", positive=True)
    first = sympy.diff(softmax([e * slope for slope in g])[0], e).subs(e, 0)
    yield "large alpha", first, centred(g)[0] / 3
    z = softmax([slope / alpha for slope in g])
    stationary = [slope - alpha * sympy.log(share) for slope, share in zip(g, z, strict=True)]
    yield "stationary", sympy.expand_log(stationary[0] - stationary[1], force=True), sympy.S.Zero


def _picard(contraction: Contraction, count: int) -> Iterator[tuple[Any, bool]]:
    """Two tasks at q = 1/2, and at q = 2 where that is said to converge; then random tasks at q = 0.9."""
    two = Gaussian(((0.0,), (1.0,)), 0.25)
    for q in (0.5, *([] if contraction.contracting else [2.0])):
        before, z = _iterates(two, (0.7,), 1 / q, 200)
        yield {"q": q}, float(apart(before, z)) < 1e-9
    random = np.random.default_rng(SEED)
    for case in range(count):
        means = tuple(tuple(row) for row in random.normal(size=(int(random.integers(2, 6)), 2)).tolist())
        alpha = float(squared_diameter(means)) / (4 * 0.9)
        before, z = _iterates(Gaussian(means, 1.0), tuple(random.normal(size=2).tolist()), alpha, 300)
        yield case, float(apart(before, z)) < 1e-9


def _random(contraction: Contraction, count: int) -> Iterator[Trial]:
    random = np.random.default_rng(SEED)
    for case in range(count):
        tasks, alpha = int(random.integers(2, 6)), float(random.uniform(0.1, 3))
        means = tuple(tuple(row) for row in random.normal(size=(tasks, 2)).tolist())
        gaussian, x = Gaussian(means, 0.5), tuple(random.normal(size=2).tolist())
        z, other = (tuple(point) for point in random.dirichlet(np.ones(tasks), size=2).tolist())
        limit = float(lipschitz(squared_diameter(means), alpha, 0.5, contraction.four)) * float(apart(z, other))
        moved = float(apart(entropic(gaussian, x, alpha, z), entropic(gaussian, x, alpha, other)))
        yield Trial(case, moved, limit, 1e-12)
