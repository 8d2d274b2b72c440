"""Two Gaussian tasks that switch: a filter that adds gradients at u is the Bayes filter, datum by datum.

Source: arXiv 2407.17356 has the idea of putting gradients into Bayes' rule; the statement is derived here. Two means
are equally far from their midpoint f(u), so that g_1 - g_2 = <m_1 - m_2, x - mbar>/sigma^2 = ell_1 - ell_2, and both
filters add one number to one prior. With hazard h the task is drawn anew with probability h: for two tasks it
*changes* with h/2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any, Literal

import numpy as np
import sympy

from theory.arithmetic.real import Real
from theory.claims import Hypothesis, Source, claim
from theory.compact.elementary import exp, log, quotient
from theory.errors import InputError
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.inference.arguments import results, vector
from theory.inference.embeddings import Gaussian
from theory.inference.simplex import Vector as Entries
from theory.inference.simplex import combined, dot, multiplied, normalised, uniform
from theory.outcome import Outcome
from theory.quantities import Positive, Rational, Result, Vector, quantity

CLAIM = "gbi-two-task-bayes-filter"
SEED = 2410
HALF = Fraction(1, 2)
Start = Literal["u", "the prior"]


def predicted(shares: Entries, hazard: Any, redrawn: Any = None) -> Entries:
    """The prior of the next datum: (1 - h) pi + h/K; `redrawn` in place of h/K where it is given."""
    share = quotient(hazard, len(shares)) if redrawn is None else redrawn
    return tuple((1 - hazard) * entry + share for entry in shares)


def updated(prior: Entries, evidence: Sequence[Any], power: Callable[[Any], Any] = exp) -> Entries:
    """Shares proportional to prior_k e^(evidence_k); another base where a power function is given."""
    return normalised(multiplied(prior, tuple(power(entry) for entry in evidence)))


@dataclass(frozen=True)
class Filter:
    """The filter that uses gradients, against the Bayes filter.

    Args:
        start: at which z the gradient is taken.
        scaled: whether it is that of the log-likelihood, or lacks the factor 1/sigma^2.
        redrawn: what the prior of the next datum adds to (1 - h) pi, from h and K.
        switch: whether its h is the chance of a change: h/2 stands for h.
        two: whether there are two tasks, or three.
        linear: whether f(z) = M z, or M z + z_1 z_2.
        one_variance: whether all tasks have the variance that the gradient takes for granted.
    """

    start: Start = "u"
    scaled: bool = True
    redrawn: Callable[[Any, int], Any] = quotient
    switch: bool = False
    two: bool = True
    linear: bool = True
    one_variance: bool = True

    def __str__(self) -> str:
        scale = "" if self.scaled else " times sigma^2"
        curved = "" if self.linear else " + z_1 z_2"
        noise = "sigma" if self.one_variance else "sigma_k"
        added = self.redrawn(sympy.Symbol("h"), 2)
        return (
            f"{2 if self.two else 3} tasks, f(z) = M z{curved}, noise {noise}: the Bayes filter is the one that adds "
            f"g({self.start}){scale}, with h{'/2' * self.switch} and prior (1 - h) pi + {added}"
        )

    def gradient(self, model: Gaussian, x: Entries, prior: Entries) -> Entries:
        """What stands in for log-likelihoods."""
        z = uniform(model.tasks) if self.start == "u" else prior
        slopes = model.means
        output = model.output(z)
        if not self.linear:
            output = tuple(entry + z[0] * z[1] for entry in output)
            bend = (z[1], z[0], *[0] * (model.tasks - 2))
            slopes = tuple(tuple(entry + b for entry in mean) for mean, b in zip(slopes, bend, strict=True))
        residual = tuple(a - b for a, b in zip(x, output, strict=True))
        return tuple(quotient(dot(slope, residual), model.variance if self.scaled else 1) for slope in slopes)

    def log_likelihoods(self, model: Gaussian, x: Entries) -> Entries:
        """Those of the tasks; with variances 1, 4, ... times the one of the model where they have no common one."""
        if self.one_variance:
            return model.log_likelihoods(x)
        distances = model.squared_distances(x)
        sizes = [4**k for k in range(model.tasks)]
        dimensions = len(x)
        return tuple(
            -quotient(quotient(d, 2 * size), model.variance) - log(Fraction(size)) * Fraction(dimensions, 2)
            for d, size in zip(distances, sizes, strict=True)
        )

    def runs(
        self, data: Iterable[tuple[Gaussian, Entries]], hazard: Any, prior: Entries, power: Callable[[Any], Any] = exp
    ) -> Iterator[tuple[Entries, Entries]]:
        """The posteriors of the Bayes filter and of this one, datum by datum; each datum comes with its tasks."""
        bayes = mine = prior
        own = hazard / 2 if self.switch else hazard
        for model, x in data:
            bayes = updated(predicted(bayes, hazard), self.log_likelihoods(model, x), power)
            before = predicted(mine, own, self.redrawn(own, model.tasks))
            mine = updated(before, self.gradient(model, x, before), power)
            yield bayes, mine


@claim(
    CLAIM,
    source=Source("2407.17356", "Gradients in Bayes' rule", "derived"),
    quantifiers="for all two means in R^D, also as past data change them, sigma, x_1, x_2, ..., h and priors; equality",
    statement=str,
    variant=Filter(),
    controls={
        "gradient at the current prior": Filter(start="the prior"),
        "h for h/2": Filter(redrawn=lambda hazard, tasks: hazard),
        "no 1/sigma^2": Filter(scaled=False),
    },
    hypotheses=(
        Hypothesis("two tasks", "K = 2", Filter(two=False)),
        Hypothesis("linear", "f(z) = M z", Filter(linear=False)),
        Hypothesis("one variance", "all tasks have the variance sigma^2", Filter(one_variance=False)),
        Hypothesis("one hazard", "h is the chance that the task is drawn anew, in both", Filter(switch=True)),
    ),
    does_not_show="that the filter is Bayes' for three tasks: subtract offsets; or optimal for blocks of other lengths",
)
def two_task_bayes_filter(claimed: Filter, thorough: bool) -> Iterator[Evidence]:
    """Differences of fractions; all short runs, with 4^a for e^a; one step in symbols; long runs in float64."""
    yield Enumeration("evidence of one datum", _differences(claimed, 3 if thorough else 2))
    yield Enumeration("all runs of three data, powers of 4", _runs(claimed, 4 if thorough else 3))
    yield Identity("one step", _step(claimed), sympy.simplify)
    yield Search("long runs", _random(claimed, 10_000 if thorough else 150), seed=SEED)


def _models(claimed: Filter, largest: int) -> Iterator[Gaussian]:
    """Means (0, 0), (a, b), and 2 (a, b) where there are three."""
    for a, b in product(range(-largest, largest + 1), range(1, largest + 1)):
        means = [tuple(Fraction(k * entry) for entry in (a, b)) for k in range(2 if claimed.two else 3)]
        yield Gaussian(tuple(means), HALF)


def _differences(claimed: Filter, largest: int) -> Iterator[Case]:
    for model in _models(claimed, largest):
        for x in product((Fraction(-1), Fraction(0), Fraction(1, 3)), repeat=2):
            g = claimed.gradient(model, x, (Fraction(1, 4), Fraction(3, 4), Fraction(0))[: model.tasks])
            ell = claimed.log_likelihoods(model, x)
            gaps = [(Real.of(g[0] - g[k])).equals(ell[0] - ell[k]) for k in range(1, model.tasks)]
            yield {"m_2": [*map(str, model.means[1])], "x": [*map(str, x)]}, Outcome.every(gaps)


def _power(value: Fraction | Real) -> Any:
    """4^a, a fraction at half-integers, which is all that these runs need; reals where tasks differ in variance."""
    if isinstance(value, Fraction) and value.denominator <= 2:
        return Fraction(2) ** int(2 * value)
    return exp(value)


def _runs(claimed: Filter, length: int) -> Iterator[Case]:
    model = Gaussian(tuple((Fraction(k),) for k in range(2 if claimed.two else 3)), HALF)
    tilted = normalised((Fraction(3), *[Fraction(1)] * (model.tasks - 1)))
    for hazard, prior in product((Fraction(0), Fraction(1, 10), Fraction(1)), (uniform(model.tasks), tilted)):
        for xs in product((-1, 0, 2), repeat=length):
            runs = claimed.runs([(model, (Fraction(x),)) for x in xs], hazard, prior, _power)
            case = {"h": str(hazard), "x": xs, "prior of task 1": str(prior[0])}
            yield case, Outcome.every(Real.of(a[0]).equals(b[0]) for a, b in runs)


def _step(claimed: Filter) -> Iterator[Equation]:
    """The slope along z, and the log-ratio of two tasks of free means."""
    m = sympy.symbols("m_1:5", real=True)
    x = sympy.symbols("x_1:3", real=True)
    sigma = sympy.Symbol("sigma", positive=True)
    z = sympy.symbols("z_1:3", real=True)
    model = Gaussian((m[:2], m[2:]), sigma**2)
    prior = (sympy.Rational(1, 4), sympy.Rational(3, 4))
    output = combined(z, model.means)
    ell = -sum((a - b) ** 2 for a, b in zip(x, output, strict=True)) / (2 * sigma**2)
    slopes = [sympy.diff(ell, entry).subs(dict.fromkeys(z, HALF)) for entry in z]
    own, true = claimed.gradient(model, x, prior), claimed.log_likelihoods(model, x)
    yield "gradient", own[0] - own[1], slopes[0] - slopes[1]
    yield "log-ratio", own[0] - own[1], true[0] - true[1]


def _random(claimed: Filter, steps: int) -> Iterator[Trial]:
    random = np.random.default_rng(SEED)
    eps = float(np.finfo(float).eps)
    for case in range(4):
        tasks, dimensions = 2 if claimed.two else 3, case + 1
        deviation, hazard = float(random.uniform(0.3, 2)), float(random.uniform(0.01, 0.9))
        data = []
        for k in random.integers(0, tasks, size=steps):
            means = tuple(tuple(map(float, mean)) for mean in random.normal(size=(tasks, dimensions)))
            datum = tuple(map(float, means[k] + deviation * random.normal(size=dimensions)))
            data.append((Gaussian(means, deviation**2), datum))
        worst, size = 0.0, 0.0
        prior = tuple(map(float, uniform(tasks)))
        for (model, x), (bayes, mine) in zip(data, claimed.runs(data, hazard, prior), strict=True):
            worst = max(worst, *(abs(a - b) for a, b in zip(bayes, mine, strict=True)))
            size = max(size, *map(abs, (*claimed.log_likelihoods(model, x), *claimed.gradient(model, x, prior))))
        # A share has the slope 1/4 at most in log-ratios, whose rounding the prior forgets by the factor 1 - h.
        yield Trial(case, worst, 0.0, 8 * dimensions * eps * (1 + size) / hazard)


@quantity("two-task-filter", unit="probability", claim=CLAIM)
def two_task_filter(means: Vector, sigma: Positive, hazard: Rational, x: Vector) -> dict[str, Result]:
    """The posterior of task 1 after each datum of x, by the Bayes filter and by gradients; two scalar means.

    Raises InputError for other than two means, and for a hazard outside [0, 1].
    """
    centres = vector(means)
    if len(centres) != 2:
        raise InputError(f"{len(centres)} means; the filter by gradients is Bayes' for two: give two")
    if not 0 <= hazard <= 1:
        raise InputError(f"hazard = {hazard} is no probability; give a number from 0 to 1")
    model = Gaussian(tuple((centre,) for centre in centres), sigma**2)
    runs = [*Filter().runs([(model, (entry,)) for entry in vector(x)], hazard, uniform(2))]
    return results(bayes=tuple(a[0] for a, _ in runs), gradient=tuple(b[0] for _, b in runs))
