"""One softmax step from u against the posterior of a linear pool: equal to first order in weak evidence only.

Source: derived here. With g = K r = 1 + epsilon the posterior is softmax(log(1 + epsilon)) and the step is
softmax(epsilon): logits differ by w = epsilon - log(1 + epsilon) >= 0, and softmaxes of logits that differ by R are
within tanh(osc(R)/4) in total variation. For |epsilon| <= delta < 1, w lies between 0 and -delta - log(1 - delta) =
delta^2/2 + delta^3/3 + ...
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import sympy
from flint import arb

from theory.arithmetic.real import Real
from theory.claims import Hypothesis, Source, claim
from theory.compact.elementary import exp, largest, log, to_ball
from theory.evidence import BoxCover, Case, Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.inference.arguments import positive, results
from theory.inference.embeddings import Gaussian, LinearPool
from theory.inference.linear_pool.likelihood import pool
from theory.inference.simplex import Vector as Entries
from theory.inference.simplex import normalised, oscillation, softmax, total_variation
from theory.outcome import Outcome
from theory.quantities import Rational, Result, Vector, quantity

CLAIM = "gbi-softmax-calibration-error"
SEED = 2407
EIGHTH = Fraction(1, 8)
DELTA = sympy.Symbol("delta", positive=True)


def evidence(r: Entries) -> Entries:
    """epsilon_k = K r_k - 1."""
    return tuple(len(r) * share - 1 for share in r)


def strength(epsilon: Entries) -> Any:
    """Delta, the largest |epsilon_k|."""
    return largest(*map(abs, epsilon))


def tanh(x: Any) -> Any:
    """The hyperbolic tangent of any number."""
    return 1 - 2 / (exp(2 * x) + 1)


def by_logits(epsilon: Entries) -> Any:
    """tanh(osc(w)/4), w = epsilon - log(1 + epsilon)."""
    return tanh(oscillation([e - log(1 + e) for e in epsilon]) / 4)


def by_strength(delta: Any) -> Any:
    """tanh((-delta - log(1 - delta))/4)."""
    return tanh((-delta - log(1 - delta)) / 4)


@quantity("pool-softmax-step", unit="probability", claim=CLAIM)
def pool_softmax_step(p: Vector, constant: Rational = EIGHTH) -> dict[str, Result]:
    """The step softmax(g(u)), its total variation from the posterior, and up to three bounds of that.

    The bounds: tanh(osc(w)/4), and for delta < 1 tanh((-delta - log(1 - delta))/4) and constant delta^2/(1 - delta),
    no bound for a constant below 1/8, with "attained" the total variation over the last one. Raises InputError for a
    constant <= 0.
    """
    positive("constant", (constant,))
    model, _ = pool(p, ())
    g, r = model.gradient(), model.responsibilities()
    epsilon = evidence(r)
    distance = total_variation(softmax(g), r)
    found = results(step=softmax(g), total_variation=distance, by_logits=by_logits(epsilon))
    delta = strength(epsilon)
    if _certain(delta > 0) and _certain(delta < 1):
        last = Calibration(constant).third(delta)
        found |= results(by_strength=by_strength(delta), by_square=last, attained=distance / last)
    return found


@dataclass(frozen=True)
class Calibration:
    """What is said of the distance between one softmax step and the posterior.

    Args:
        constant: c in c delta^2/(1 - delta).
        own_bound: whether all three bounds are claimed, or that the distance is 0.
        temperature: what g is divided by, 1 or K.
        weak: whether the evidence has delta < 1.
        pooled: whether the model is a linear pool, or Gaussian.
    """

    constant: Fraction = EIGHTH
    own_bound: bool = True
    by_tasks: bool = False
    weak: bool = True
    pooled: bool = True

    def __str__(self) -> str:
        step = "softmax(g/K)" if self.by_tasks else "softmax(g)"
        if not self.own_bound:
            return f"TV({step}, r) = 0"
        return (
            f"TV({step}, r) <= tanh(osc(w)/4) <= tanh((-delta - log(1 - delta))/4) <= {self.third(DELTA)}, "
            "and both have one order"
        )

    def third(self, delta: Any) -> Any:
        """C delta^2/(1 - delta)."""
        return self.constant * delta**2 / (1 - delta)

    def step(self, g: Entries) -> Entries:
        return softmax([entry / len(g) for entry in g] if self.by_tasks else g)

    def bounds(self, epsilon: Entries) -> list[Any]:
        """The bounds that apply."""
        if not self.own_bound:
            return [0]
        delta = strength(epsilon)
        if not self.weak:
            return [by_logits(epsilon), self.third(delta)]
        return [by_logits(epsilon), *([by_strength(delta), self.third(delta)] if _certain(delta < 1) else [])]


def _certain(said: bool | Outcome) -> bool:
    """Of fractions and of reals."""
    return said in (True, Outcome.HOLDS)


@claim(
    CLAIM,
    source=Source("2407.17356", "One softmax step", "derived"),
    quantifiers="for all K >= 2, p > 0 with all |K r_k - 1| <= delta < 1; the first bound and the order without that",
    statement=str,
    variant=Calibration(),
    controls={
        "1/16": Calibration(constant=Fraction(1, 16)),
        "TV = 0": Calibration(own_bound=False),
        "softmax(g/K) = r": Calibration(own_bound=False, by_tasks=True),
    },
    hypotheses=(
        Hypothesis("weak evidence", "delta < 1, for the bounds in delta", Calibration(weak=False)),
        Hypothesis("linear pool", "z enters as a linear pool of likelihoods", Calibration(pooled=False)),
    ),
    does_not_show="that the step is far off where evidence is strong: both then are near a vertex",
)
def softmax_calibration_error(calibration: Calibration, thorough: bool) -> Iterator[Evidence]:
    """Rational likelihoods in balls; boxes of delta; the leading terms; random likelihoods in float64."""
    yield Enumeration("rational likelihoods", _rational(calibration, 4 if thorough else 3))
    yield Enumeration("near the leading term", _witness(calibration))
    if calibration.own_bound:
        yield BoxCover("delta", ((Fraction(1, 5), Fraction(9, 10)),), lambda delta: _chain(calibration, delta))
    yield Identity("leading terms", _series(calibration), lambda difference: sympy.cancel(sympy.expand(difference)))
    yield Search("random likelihoods", _random(calibration, 400 if thorough else 40), seed=SEED)


def _pair(calibration: Calibration, p: Entries) -> tuple[Entries, Entries]:
    """The step and the posterior; of a Gaussian with means 0, 1, ... at its mean where the model is no pool."""
    if calibration.pooled:
        model = LinearPool(p)
        return calibration.step(model.gradient()), model.responsibilities()
    gaussian = Gaussian(tuple((k,) for k in range(len(p))))
    centre = gaussian.output()
    return calibration.step(gaussian.gradient(centre)), gaussian.posterior(centre)


def _verdict(calibration: Calibration, p: Entries) -> Outcome:
    step, r = _pair(calibration, p)
    distance = Real.of(total_variation(step, r))
    ranked = [(i, j) for i in range(len(p)) for j in range(len(p)) if (Real.of(r[i]) > r[j]) is Outcome.HOLDS]
    ordered = (Real.of(step[i]) > step[j] for i, j in ranked)
    return Outcome.every([*(distance <= limit for limit in calibration.bounds(evidence(r))), *ordered])


def _rational(calibration: Calibration, largest: int) -> Iterator[Case]:
    yield {"p": (1, 1, 2)}, _verdict(calibration, (Fraction(1), Fraction(1), Fraction(2)))
    yield {"p": (97, 1, 1, 1)}, _verdict(calibration, (Fraction(97), Fraction(1), Fraction(1), Fraction(1)))
    for tasks in (2, 3):
        for p in product(map(Fraction, range(1, largest + 1)), repeat=tasks):
            if len(set(p)) > 1:
                yield {"p": p}, _verdict(calibration, p)


def _witness(calibration: Calibration) -> Iterator[Case]:
    """R = (1 + delta, 1 - delta, 1, 1)/4, which comes near to the last bound."""
    for delta in (Fraction(1, 10), Fraction(1, 100)):
        p = (1 + delta, 1 - delta, Fraction(1), Fraction(1))
        step, r = _pair(calibration, p)
        distance = Real.of(total_variation(step, r))
        limit = calibration.third(delta) if calibration.own_bound else Fraction(0)
        near = distance >= (1 - Fraction(11, 10) * delta) * limit
        yield {"delta": str(delta)}, Outcome.every([distance <= limit, near])


def _chain(calibration: Calibration, delta: arb) -> Outcome:
    """Epsilons of size delta have w(delta) < w(-delta), and the last bound is above the second."""
    middle, last = by_strength(delta), to_ball(calibration.constant) * delta**2 / (1 - delta)
    falls = -delta - (1 - delta).log() - (delta - (1 + delta).log())
    return Outcome.settled(middle <= last and falls > 0, middle > last or falls < 0)


def _series(calibration: Calibration) -> Iterator[Equation]:
    """Two tasks: delta^3/6. Four: the constant times delta^2. Differences of bounds grow from 0: their derivatives."""
    largest_w, least_w = -DELTA - sympy.log(1 - DELTA), DELTA - sympy.log(1 + DELTA)
    grows = sympy.diff(DELTA**2 / (2 * (1 - DELTA)) - largest_w, DELTA)
    yield "w(-delta) below its bound", sympy.factor(grows), DELTA**2 / (2 * (1 - DELTA) ** 2)
    grows = sympy.diff(largest_w - least_w, DELTA)
    yield "w(-delta) above w(delta)", sympy.factor(grows), 2 * DELTA**2 / ((1 - DELTA) * (1 + DELTA))
    two = softmax((DELTA, -DELTA))[0] - (1 + DELTA) / 2
    yield "K = 2", -_taylor(two, 4), DELTA**3 / 6
    step = softmax((DELTA, -DELTA, sympy.S.Zero, sympy.S.Zero))
    r = normalised((1 + DELTA, 1 - DELTA, sympy.S.One, sympy.S.One))
    # The first two entries of the step are too large, the last two too small.
    leading = _taylor(step[0] + step[1] - r[0] - r[1], 2)
    c = sympy.Rational(calibration.constant.numerator, calibration.constant.denominator)
    yield "K = 4", leading, c * DELTA**2 if calibration.own_bound else sympy.S.Zero


def _taylor(expression: sympy.Expr, order: int) -> sympy.Expr:
    """The Taylor polynomial in delta at 0."""
    total = sympy.S.Zero
    for power in range(order + 1):
        total += expression.subs(DELTA, 0) * DELTA**power / sympy.factorial(power)
        expression = sympy.diff(expression, DELTA)
    return total


def _random(calibration: Calibration, count: int) -> Iterator[Trial]:
    random = np.random.default_rng(SEED)
    for case in range(count):
        tasks = int(random.integers(2, 30))
        r = tuple(map(float, random.dirichlet(np.full(tasks, 10.0 ** random.uniform(-1, 3)))))
        if min(r) < 1e-12:
            continue
        step = calibration.step(tuple(tasks * share for share in r))
        epsilon = evidence(r)
        distance = float(total_variation(step, r))
        # Entries are off by a few units in the last place of numbers up to K, logarithms by those of 1/min r.
        allowance = 64 * tasks * np.finfo(np.float64).eps * (1 + abs(np.log(min(r))))
        yield Trial(case, distance, float(min(calibration.bounds(epsilon))), allowance)
