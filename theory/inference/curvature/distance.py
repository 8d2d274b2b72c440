"""How far softmax(g) is from the posterior where the log-likelihood bends: by the oscillation of the remainders.

KL both ways <= rho^2/8 and TV <= tanh(rho/4) <= rho/4, rho = osc(R). Source: derived here. The posterior is
proportional to q e^R, q = softmax(g). Lambda(s) = log sum_k q_k e^(s R_k) has a variance of R as its second
derivative, at most rho^2/4, and both divergences are integrals of it against s and 1 - s. Of sets of q-share s the
posterior is largest where R is largest on the set and least off it; tanh(rho/4) minus what that gives is a square.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import sympy
from flint import arb

from theory.arithmetic.real import Real
from theory.claims import Hypothesis, Source, claim
from theory.compact.elementary import exp, largest, log, quotient, to_ball
from theory.errors import InputError
from theory.evidence import BoxCover, Case, Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.inference.arguments import number, positive, results, rows, same_length, vector
from theory.inference.curvature.network import TanhNetwork
from theory.inference.linear_pool.calibration import tanh
from theory.inference.simplex import Vector as Entries
from theory.inference.simplex import kullback_leibler, multiplied, normalised, oscillation, softmax, total_variation
from theory.outcome import Outcome
from theory.quantities import Matrix, Number, Positive, Result, Vector, quantity

CLAIM = "gbi-curvature-kl-tv"
SEED = 2430
SMALL = Fraction(1, 10**30)


@quantity("curvature-network", unit="nats", claim=CLAIM)
def curvature_network(
    outer: Vector, inner: Matrix, weights: Vector, x: Number, target: Number, variance: Positive
) -> dict[str, Result]:
    """Gradient at u, log-likelihoods, remainders R, rho = osc(R), and how far softmax(g) is from the posterior.

    The network: f(z) = sum_j V_j tanh(w_j x + <U_j, z>), noise of that variance. Raises InputError on other lengths.
    """
    units = rows(inner)
    for name, values in (("outer", outer), ("weights", weights)):
        if len(values) != len(units):
            raise InputError(f"{name} has {len(values)} entries for {len(units)} hidden units; give one a unit")
    network = TanhNetwork(vector(outer), units, vector(weights), *map(number, (x, target, variance)))
    g, ell, found = network.gradient(), network.log_likelihoods(), network.remainders()
    rho = Real.of(oscillation(found))
    step, posterior = softmax(g), softmax(ell)
    return results(
        gradient=g,
        log_likelihood=ell,
        remainder=found,
        rho=rho,
        KL=kullback_leibler(posterior, step),
        KL_reversed=kullback_leibler(step, posterior),
        KL_bound=Distance().divergence(rho),
        TV=total_variation(posterior, step),
        TV_bound=Distance().distance(rho),
    )


@quantity("tilt-distances", unit="nats", claim=CLAIM)
def tilt_distances(q: Vector, R: Vector) -> dict[str, Result]:
    """Divergences and total variation between shares proportional to q and to q e^R, rho, and their bounds.

    Raises InputError where q is not positive or lengths differ.
    """
    weights, tilt = vector(q), vector(R)
    positive("q", weights)
    same_length("R", tilt, len(weights))
    shares = normalised(weights)
    other = tilted(shares, tilt)
    rho = Real.of(oscillation(tilt))
    return results(
        rho=rho,
        KL=kullback_leibler(other, shares),
        KL_reversed=kullback_leibler(shares, other),
        KL_bound=Distance().divergence(rho),
        TV=total_variation(other, shares),
        TV_bound=Distance().distance(rho),
    )


@quantity("worst-tilt", unit="nats", claim=CLAIM)
def worst_tilt(rho: Positive) -> dict[str, Result]:
    """The largest KL(q e^R||q) of two tasks with osc(R) = rho, the share of the first in q there, and the bound.

    With T = 1 - s + s e^rho the divergence rho s e^rho/T - log T rises in s while T < rho/(1 - e^-rho), then falls.
    """
    total = Real.of(rho) / (1 - exp(-Real.of(rho)))
    share = (total - 1) / (exp(Real.of(rho)) - 1)
    return results(KL=total - 1 - log(total), share=share, KL_bound=Distance().divergence(rho))


def tilted(q: Sequence[Any], R: Sequence[Any]) -> Entries:
    """Shares proportional to q e^R."""
    return normalised(multiplied(q, tuple(map(exp, R))))


@dataclass(frozen=True)
class Distance:
    """KL <= rho^2/eight and TV <= tanh(rho/four).

    Args:
        eight: the divisor of rho^2.
        four: the divisor of rho.
        spread: whether rho is the oscillation of R, or its largest size.
        common: whether both have one prior.
    """

    eight: int = 8
    four: int = 4
    spread: bool = True
    common: bool = True

    def __str__(self) -> str:
        rho = "max R - min R" if self.spread else "max |R|"
        prior = "" if self.common else ", the posterior of any prior and the step of none"
        return f"KL both ways <= rho^2/{self.eight}, TV <= tanh(rho/{self.four}) <= rho/{self.four}, rho = {rho}{prior}"

    def rho(self, R: Sequence[Any]) -> Any:
        return oscillation(R) if self.spread else largest(*map(abs, R))

    def divergence(self, rho: Any) -> Any:
        return quotient(rho * rho, self.eight)

    def distance(self, rho: Any) -> Any:
        return tanh(quotient(rho, self.four))


@claim(
    CLAIM,
    source=Source("2407.17356", "One-step inference", "derived"),
    quantifiers="for any two vectors of K >= 2 logits whose difference is R, under a common prior; TV is attained for "
    "two tasks at every rho, and KL to first order as rho -> 0",
    statement=str,
    variant=Distance(),
    controls={
        "rho^2/10": Distance(eight=10),
        "tanh(rho/5)": Distance(four=5),
        "rho = max |R|": Distance(spread=False),
    },
    hypotheses=(Hypothesis("common prior", "one prior enters both", Distance(common=False)),),
    does_not_show="that rho is small: it is the oscillation of the offsets where the model is log-linear",
)
def curvature_kl_tv(distance: Distance, thorough: bool) -> Iterator[Evidence]:
    """Rational shares and remainders in balls; where the bounds are met; a square; boxes of two tasks; networks."""
    yield Enumeration("rational shares", _shares(distance, 4 if thorough else 3))
    yield Enumeration("where the bounds are met", _met(distance))
    yield Identity("tanh(rho/4) less the worst set is a square", _square(distance), _reduced)
    low = Fraction(3) if thorough else Fraction(7, 2)
    yield BoxCover("share of two tasks, rho", ((Fraction(0), Fraction(1)), (low, Fraction(4))), _cover(distance))
    yield Search("random networks", _random(distance, 400 if thorough else 60), seed=SEED)


def _verdict(distance: Distance, q: Entries, R: Entries) -> Outcome:
    """All three bounds, and rho/4 above tanh(rho/4)."""
    start = q if distance.common else normalised(range(1, len(q) + 1))
    step, posterior, rho = q, tilted(start, R), Real.of(distance.rho(R))
    limit, total = distance.divergence(rho) + SMALL, Real.of(distance.distance(rho)) + SMALL
    return Outcome.every(
        [
            Real.of(kullback_leibler(posterior, step)) <= limit,
            Real.of(kullback_leibler(step, posterior)) <= limit,
            Real.of(total_variation(step, posterior)) <= total,
            total <= rho / distance.four + 2 * SMALL,
        ]
    )


def _shares(distance: Distance, most: int) -> Iterator[Case]:
    for tasks in (2, 3):
        for weights in product(range(1, most), repeat=tasks):
            for R in product((Fraction(-1), Fraction(0), Fraction(3, 2)), repeat=tasks - 1):
                yield {"q": weights, "R": R}, _verdict(distance, normalised(weights), (*R, Fraction(0)))


def _met(distance: Distance) -> Iterator[Case]:
    """Q_1 = 1/(1 + e^(rho/2)), R = (rho, 0) has TV = tanh(rho/4); q = u has KL = rho^2/8 up to rho^4."""
    for rho in (Fraction(1, 10), Fraction(13, 10), Fraction(4)):
        root = Real.of(exp(rho / 2))
        q, R = (1 / (1 + root), root / (1 + root)), (rho, Fraction(0))
        apart = Real.of(total_variation(q, tilted(q, R)))
        near = abs(apart - distance.distance(Real.of(rho))) <= SMALL
        yield {"rho": str(rho), "met by": "TV"}, Outcome.every([_verdict(distance, q, R), near])
    half, rho = (Fraction(1, 2),) * 2, Fraction(1, 10)
    found = Real.of(kullback_leibler(tilted(half, (rho, Fraction(0))), half))
    near = found >= (1 - rho**2) * distance.divergence(rho)
    yield {"rho": str(rho), "met by": "KL"}, Outcome.every([near, found <= distance.divergence(rho)])


def _square(distance: Distance) -> Iterator[Equation]:
    """With E = e^(rho/2), and s the share of the set: tanh - TV = (E - 1)/(E + 1) (1 - s (1 + E))^2/(1 - s + s E^2)."""
    s, E = sympy.symbols("s E", positive=True)
    worst = s * E**2 / (1 - s + s * E**2) - s
    rest = (E - 1) / (E + 1) * (1 - s * (1 + E)) ** 2 / (1 - s + s * E**2)
    yield "TV", distance.distance(2 * sympy.log(E)) - worst, rest
    # Integrals of s and of 1 - s against the largest variance rho^2/4.
    rho = sympy.Symbol("rho", positive=True)
    integral = s**2 * rho**2 / 8
    yield "integral", sympy.diff(integral, s), s * rho**2 / 4
    yield "KL", integral.subs(s, 1), distance.divergence(rho)


def _reduced(expression: sympy.Expr) -> sympy.Expr:
    return sympy.cancel(sympy.powsimp(sympy.expand_log(expression, force=True)))


def _cover(distance: Distance) -> Any:
    def decide(s: arb, rho: arb) -> Outcome:
        """KL(q e^R||q) for q = (s, 1 - s), R = (rho, 0); the reverse is that of 1 - s' under another name."""
        total = 1 - s + s * rho.exp()
        after = 1 - (1 - s) / total
        found, limit = after * rho - total.log(), distance.divergence(rho)
        return Outcome.settled(found <= to_ball(limit), found > to_ball(limit))

    return decide


def _random(distance: Distance, count: int) -> Iterator[Trial]:
    random = np.random.default_rng(SEED)
    for case in range(count):
        tasks, hidden = int(random.integers(2, 7)), int(random.integers(1, 6))
        inner = tuple(tuple(map(float, row)) for row in random.normal(size=(hidden, tasks)))
        outer, weights = (tuple(map(float, random.normal(size=hidden))) for _ in range(2))
        network = TanhNetwork(outer, inner, weights, float(random.normal()), float(random.normal()), 0.5)
        step, R = softmax(network.gradient()), network.remainders()
        prior = None if distance.common else tuple(map(float, random.dirichlet(np.ones(tasks))))
        posterior, rho = softmax(network.log_likelihoods(), prior), float(distance.rho(R))
        # A few roundings of logits below a hundred or so.
        allowance = 1e-12
        yield Trial((case, "KL"), float(kullback_leibler(posterior, step)), distance.divergence(rho), allowance)
        yield Trial(
            (case, "KL reversed"), float(kullback_leibler(step, posterior)), distance.divergence(rho), allowance
        )
        yield Trial((case, "TV"), float(total_variation(posterior, step)), float(distance.distance(rho)), allowance)
