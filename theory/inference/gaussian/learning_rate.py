"""The one learning rate at which a gradient step on latent logits is Bayes' rule.

Source: derived here, for arXiv 2407.17356. With z = softmax(a/T), a constant, the loss L = |x - f|^2 has the slopes
dL/da_k = -2 sigma^2 (g_k - gbar)/(K T): one step of rate eta moves a/T by 2 eta sigma^2 P g/(K T^2), which is P g, and
z then the posterior of tasks with equal radii, iff eta = K T^2/(2 sigma^2).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any, Literal

import numpy as np
import sympy
from sympy import Expr

from theory.arithmetic.ball import Real, evaluate
from theory.claims import Hypothesis, Source, claim
from theory.compact.elementary import exp, quotient
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.inference.arguments import results, rows, same_length, vector
from theory.inference.embeddings import Gaussian
from theory.inference.simplex import Vector as Entries
from theory.inference.simplex import centred, softmax, total_variation
from theory.quantities import Count, Enclosure, Matrix, Positive, Result, Vector, quantity

CLAIM = "gbi-learning-rate-identity"
SEED = 2412
K, N = sympy.symbols("K N", integer=True, positive=True)
T, SIGMA, VARIANCE = sympy.symbols("T sigma v", positive=True)
Loss = Literal["square", "half", "mean", "likelihood"]
Optimiser = Literal["sgd", "momentum", "adam"]
RATE = K * T**2 / (2 * SIGMA**2)
# By what the rate of |x - f|^2 is multiplied for |x - f|^2/2, for a mean over N numbers, and for -ell.
LOSSES: dict[Loss, Expr] = {"square": sympy.S.One, "half": sympy.Integer(2), "mean": N, "likelihood": 2 * SIGMA**2}


def at(expression: Expr, model: Gaussian, temperature: Any, count: int = 1) -> Any:
    """An expression in K, T, N and even powers of sigma for a model: a float for one of floats, else a fraction."""
    expression = expression.subs(SIGMA, sympy.sqrt(VARIANCE))
    values = {K: model.tasks, T: temperature, N: count, VARIANCE: model.variance}
    if isinstance(model.variance, float):
        return float(sympy.lambdify(tuple(values), expression, "math")(*values.values()))
    return evaluate(expression, values).exact


def moved_logits(g: Entries, rate: Any, temperature: Any, slope: Any) -> Entries:
    """A/T after one step from constant a: rate times (g - gbar)/(K T^2), for a loss whose slope in ell is -`slope`."""
    factor = quotient(rate * slope, len(g) * temperature**2)
    return tuple(factor * entry for entry in centred(g))


@dataclass(frozen=True)
class Rate:
    """The rates at which one step gives the posterior.

    Args:
        rate: that of the loss |x - f|^2.
        optimiser: what makes of slopes a step; momentum has a history.
        equal_radii: whether all means are equally far from their mean.
        differ: whether two means differ.
        constant: whether a is constant before the step.
    """

    rate: Expr = RATE
    optimiser: Optimiser = "sgd"
    equal_radii: bool = True
    differ: bool = True
    constant: bool = True

    def __str__(self) -> str:
        radii = "equal radii" if self.equal_radii else "any radii"
        kind = "not all equal" if self.differ else "perhaps all equal"
        start = "constant a" if self.constant else "any a"
        others = ", ".join(f"{self.rate * factor} for {loss}" for loss, factor in LOSSES.items())
        return (
            f"means of {radii}, {kind}: one step of {self.optimiser} from {start} gives the posterior for every x iff "
            f"eta = {others}; softmax(g/alpha) iff eta/alpha"
        )

    def logits(self, model: Gaussian, g: Entries, rate: Any, temperature: Any, slope: Any) -> Entries:
        """A/T after the step, minus its mean."""
        if self.optimiser == "adam":
            # The first step is the rate times a sign.
            return centred([quotient(rate * ((entry > 0) - (entry < 0)), temperature) for entry in centred(g)])
        moved = moved_logits(g, rate, temperature, slope)
        if self.optimiser == "momentum":
            # The last velocity was that of the first task's mean.
            last = model.gradient(model.means[0])
            past = moved_logits(last, rate, temperature, slope)
            moved = tuple(a + quotient(9 * b, 10) for a, b in zip(moved, past, strict=True))
        if not self.constant:
            moved = centred((moved[0] + 1, *moved[1:]))
        return moved


@claim(
    CLAIM,
    source=Source("2407.17356", "Latent updates", "derived"),
    quantifiers="for all K >= 2, means of equal radii, sigma, T; an equivalence, over all x",
    statement=str,
    variant=Rate(),
    controls={
        "K T/(2 sigma^2)": Rate(K * T / (2 * SIGMA**2)),
        "T^2/(2 sigma^2)": Rate(T**2 / (2 * SIGMA**2)),
        "K T^2/sigma^2": Rate(K * T**2 / SIGMA**2),
    },
    hypotheses=(
        Hypothesis("equal radii", "all |m_k - mbar| are equal", Rate(equal_radii=False)),
        Hypothesis("plain steps", "SGD, no rescaling by the size of a slope", Rate(optimiser="adam")),
        Hypothesis("no history", "no momentum of earlier data", Rate(optimiser="momentum")),
        Hypothesis("means differ", "else every rate gives the posterior", Rate(differ=False)),
        Hypothesis("constant a", "all logits are equal before the step", Rate(constant=False)),
    ),
    does_not_show="that this rate is good for iterated steps, which go on towards a vertex",
)
def learning_rate_identity(claimed: Rate, thorough: bool) -> Iterator[Evidence]:
    """Grids of means, data and temperatures in fractions; the chain rule in symbols; random orthogonal means."""
    yield Enumeration("one step, all four losses", _steps(claimed, 3 if thorough else 2))
    yield Enumeration("no other rate", _other_rates(claimed))
    yield Identity("slopes at constant a", _chain(claimed), sympy.simplify)
    yield Search("random orthogonal means", _random(claimed, 400 if thorough else 50), seed=SEED)


def _models(claimed: Rate) -> Iterator[Gaussian]:
    """Two tasks; three and four orthogonal means of one norm; 0, 1, 3 where radii may differ."""
    variance = Fraction(9, 100)
    if not claimed.differ:
        yield Gaussian(((Fraction(1),),) * 2, variance)
    if not claimed.equal_radii:
        yield Gaussian(((Fraction(0),), (Fraction(1),), (Fraction(3),)), variance)
    yield Gaussian(((Fraction(1, 5),), (Fraction(4, 5),)), variance)
    yield Gaussian(((Fraction(0), Fraction(1)), (Fraction(2), Fraction(1, 2))), Fraction(2))
    for tasks in (3, 4):
        yield Gaussian(tuple(tuple(Fraction(2 * (i == k)) for i in range(tasks)) for k in range(tasks)), Fraction(1, 2))


def _slope(loss: Loss, model: Gaussian, count: int) -> Any:
    """Minus the slope of the loss in ell."""
    return 2 * model.variance / at(LOSSES[loss], model, Fraction(1), count)


def _is_posterior(claimed: Rate, model: Gaussian, x: Entries, rate: Any, heat: Any, slope: Any, soft: Any = 1) -> bool:
    """Whether centred logits are those of the posterior, or of softmax(g/alpha) where alpha is not 1."""
    g = model.gradient(x)
    target = model.log_likelihoods(x) if soft == 1 else tuple(entry / soft for entry in g)
    return claimed.logits(model, g, rate, heat, slope) == centred(target)


def _steps(claimed: Rate, largest: int) -> Iterator[Case]:
    for model in _models(claimed):
        dimensions = len(model.means[0])
        for heat, x in product((Fraction(1, 10), Fraction(2)), product(range(largest), repeat=dimensions)):
            datum = tuple(Fraction(entry, 3) for entry in x)
            for loss, soft in (*product(LOSSES, (1,)), ("square", 2)):
                rate = at(claimed.rate * LOSSES[loss], model, heat, 5) / soft
                case = {"K": model.tasks, "T": str(heat), "x": x, "loss": loss, "alpha": soft}
                yield case, _is_posterior(claimed, model, datum, rate, heat, _slope(loss, model, 5), soft)


def _other_rates(claimed: Rate) -> Iterator[Case]:
    """At x = m_1 all entries of P g move."""
    for model in _models(claimed):
        right = at(claimed.rate, model, Fraction(1))
        for factor in (Fraction(1, 2), Fraction(9, 10), Fraction(11, 10), Fraction(2)):
            found = _is_posterior(claimed, model, model.means[0], factor * right, Fraction(1), 2 * model.variance)
            yield {"K": model.tasks, "m_1": [*map(str, model.means[0])], "of the rate": str(factor)}, not found


def _chain(claimed: Rate) -> Iterator[Equation]:
    """The loss itself, differentiated through the softmax at a = (c, c, ...), two and three tasks on a line."""
    c, x = sympy.symbols("c x", real=True)
    for tasks in (2, 3):
        a = sympy.symbols(f"a_1:{tasks + 1}", real=True)
        means = sympy.symbols(f"m_1:{tasks + 1}", real=True)
        powers = [sympy.exp(entry / T) for entry in a]
        output = sum(p * m for p, m in zip(powers, means, strict=True)) / sum(powers)
        slope = sympy.diff((x - output) ** 2, a[0]).subs(dict.fromkeys(a, c))
        g = Gaussian(tuple((m,) for m in means), SIGMA**2).gradient((x,))
        yield f"K = {tasks}", -claimed.rate.subs(K, tasks) * slope / T, centred(g)[0]


def _random(claimed: Rate, count: int) -> Iterator[Trial]:
    random = np.random.default_rng(SEED)
    eps = float(np.finfo(float).eps)
    for case in range(count):
        tasks = int(random.integers(2, 7))
        axes = np.linalg.qr(random.normal(size=(tasks + 1, tasks + 1)))[0][:tasks]
        means = tuple(tuple(map(float, random.uniform(0.5, 2) * axis)) for axis in axes)
        if claimed.equal_radii:
            means = tuple(tuple(map(float, axis)) for axis in axes)
        deviation, heat = float(random.uniform(0.3, 2)), float(random.uniform(0.1, 2))
        model = Gaussian(means, deviation**2)
        x = tuple(map(float, random.normal(size=tasks + 1)))
        rate = float(at(claimed.rate, model, heat))
        g, ell = model.gradient(x), model.log_likelihoods(x)
        found = softmax(claimed.logits(model, g, rate, heat, 2 * model.variance))
        size = max(map(abs, (*g, *ell)))
        # Sums of K + 1 products on either side, whose rounding moves shares by a quarter at most; axes are rounded.
        yield Trial(case, total_variation(found, model.posterior(x)), 0.0, 16 * (tasks + 4) * eps * (1 + size))


@quantity("matching-learning-rate", unit="1/loss", claim=CLAIM)
def matching_learning_rate(tasks: Count, sigma: Positive, temperature: Positive, n: Count = 1) -> dict[str, Result]:
    """The rate of one SGD step that is Bayes' rule, for |x - f|^2, half of it, its mean over n numbers, and -ell."""
    values = {K: tasks, T: temperature, SIGMA: sigma, N: n}
    return results(**{loss: evaluate(RATE * factor, values) for loss, factor in LOSSES.items()})


@quantity("latent-step", unit="probability", claim=CLAIM)
def latent_step(means: Matrix, x: Vector, sigma: Positive, temperature: Positive, rate: Positive) -> dict[str, Result]:
    """Z after one SGD step on |x - f|^2 from constant logits, and the posterior; Gaussian tasks of one sigma."""
    centres, datum = rows(means), vector(x)
    same_length("x", datum, len(centres[0]), "entry of a mean")
    model = Gaussian(centres, sigma**2)
    logits = moved_logits(model.gradient(datum), rate, temperature, 2 * model.variance)
    return results(z=softmax(logits), posterior=model.posterior(datum))


@quantity("adam-step", unit="probability", claim=CLAIM)
def adam_step(rate: Positive, temperature: Positive) -> Enclosure:
    """Z of the preferred of two tasks after a first step of Adam from constant logits, whatever the evidence."""
    return Enclosure(Real.of(1 / (1 + exp(-2 * rate / temperature))))
