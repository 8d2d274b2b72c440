"""How long a confident start takes to turn: exponentially long in its own confidence, through a softmax.

Two tasks, constant evidence g_1 - g_2 = Delta > 0, start z_1 = eps < 1/2, W = log((1 - eps)/eps). The flow da/dt =
d ell/da of logits, z = softmax(a/T), needs T^2 (sinh W + W)/Delta to reach z_1 = 1/2; the natural or exponentiated
flow needs W/Delta; a fresh start at u needs no time at all.

Source: derived here. w = (a_1 - a_2)/T has w' = 2 z_1 z_2 Delta/T^2 = Delta/(T^2 (1 + cosh w)); d log z_k/dt = g_k -
<z, g> has w' = Delta.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any, Literal

import numpy as np
import sympy
from flint import acb

from theory.arithmetic.real import Real
from theory.claims import Hypothesis, Source, claim
from theory.compact.elementary import exp, log
from theory.errors import InputError
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.inference.arguments import number, results
from theory.inference.normal import integral
from theory.inference.simplex import softmax
from theory.outcome import Outcome
from theory.quantities import Positive, Result, quantity

CLAIM = "gbi-saturation-time"
SEED = 2439
SMALL = Fraction(1, 10**20)
Growth = Literal["sinh + W", "sinh", "W e^W"]


def confidence(eps: Any) -> Any:
    """W = log((1 - eps)/eps)."""
    return log((1 - eps) / eps)


@quantity("saturation-time", unit="time", claim=CLAIM)
def saturation_time(eps: Positive, temperature: Positive, evidence: Positive) -> dict[str, Result]:
    """Times from z_1 = eps to 1/2 by logits of a softmax and by exponentiated gradients, and T^2/(2 eps Delta).

    Raises InputError unless 0 < eps < 1/2.
    """
    if (eps < Fraction(1, 2)) is not Outcome.HOLDS:
        raise InputError(f"eps = {eps!r} is not below 1/2: the first task leads from the start; give a smaller one")
    share, scale, gain = map(number, (eps, temperature, evidence))
    W = confidence(share)
    return results(
        softmax=Saturation().time(W, scale, gain),
        exponentiated=W / gain,
        asymptote=scale * scale / (2 * share * gain),
    )


@dataclass(frozen=True)
class Saturation:
    """The time through a softmax.

    Args:
        growth: in W.
        squared: whether T^2 is a factor.
        constant: whether the evidence is, or falls with z_1 as that of a Gaussian.
    """

    growth: Growth = "sinh + W"
    squared: bool = True
    constant: bool = True

    def __str__(self) -> str:
        W, T, evidence = sympy.symbols("W T Delta", positive=True)
        which = "constant evidence Delta" if self.constant else "evidence (1 - z_1) Delta"
        return f"{which}: z_1 = 1/2 after {self.time(W, T, evidence)} through a softmax, W/Delta by exponentiated steps"

    def time(self, W: Any, temperature: Any, evidence: Any) -> Any:
        """From W to 0."""
        sinh = (exp(W) - exp(-W)) / 2
        growth = {"sinh + W": sinh + W, "sinh": sinh, "W e^W": W * exp(W)}[self.growth]
        return (temperature * temperature if self.squared else 1) * growth / evidence

    def speed(self, z: Any) -> Any:
        """The evidence at z_1, over Delta."""
        return 1 if self.constant else 1 - z


@claim(
    CLAIM,
    source=Source("2407.17356", "Latents that persist", "derived"),
    quantifiers="for all 0 < eps < 1/2, T > 0 and Delta > 0; equality, and the ratio to T^2/(2 eps Delta) tends to 1",
    statement=str,
    variant=Saturation(),
    controls={
        "sinh W": Saturation("sinh"),
        "W e^W": Saturation("W e^W"),
        "no T^2": Saturation(squared=False),
    },
    hypotheses=(
        Hypothesis("constant evidence", "Delta does not change with z", Saturation(constant=False)),
        Hypothesis("eps < 1/2", "the other task leads at the start", remark="else there is nothing to wait for"),
    ),
    does_not_show="that one step of any size turns z: it is the time of a flow, of many small steps",
)
def saturation(saturation: Saturation, thorough: bool) -> Iterator[Evidence]:
    """The flow's integral in balls; ratios to the asymptote; derivatives in symbols; the flow in small steps."""
    yield Enumeration("integrals", _integrals(saturation, 5 if thorough else 3))
    yield Enumeration("asymptote", _asymptote(saturation))
    yield Identity("speed of the logits", _symbols(saturation), lambda x: sympy.simplify(x.rewrite(sympy.exp)))
    yield Search("small steps", _steps(saturation, 4000 if thorough else 1000), seed=SEED)


def _integrals(saturation: Saturation, most: int) -> Iterator[Case]:
    """The time is the integral of T^2 (1 + cosh w)/Delta over w from -W to 0, and over z_1 from eps with z_1 z_2."""
    for power, T, evidence in product(range(1, most + 1), (Fraction(1), Fraction(1, 2)), (Fraction(1), Fraction(3))):
        eps = Fraction(1, 10**power)
        W = Real.of(confidence(eps))
        claimed = Real.of(saturation.time(W, T, evidence))

        def slope(w: acb, analytic: bool) -> acb:
            share = 1 / (1 + (-w).exp())
            return (1 + w.cosh()) / saturation.speed(share)

        found = Real(lambda W=W, slope=slope: integral(slope, -W.enclose(), 0 * W.enclose()))  # type: ignore[misc]
        gap = abs(found * T * T / evidence / claimed - 1)
        yield {"eps": str(eps), "T": str(T), "Delta": str(evidence)}, gap <= SMALL


def _asymptote(saturation: Saturation) -> Iterator[Case]:
    """2 eps times the time at T = Delta = 1 is between 1 and 1 + 2 eps W."""
    for power in (2, 4, 8):
        eps = Fraction(1, 10**power)
        W = Real.of(confidence(eps))
        ratio = 2 * eps * Real.of(saturation.time(W, Fraction(1), Fraction(1)))
        yield {"eps": str(eps)}, Outcome.every([ratio >= 1, ratio <= 1 + 2 * eps * W])


def _symbols(saturation: Saturation) -> Iterator[Equation]:
    """The slope of the time in W is 1 over the speed of w at -W; speeds from the chain rules of both flows."""
    w, W = sympy.symbols("w W", positive=True)
    T, evidence = sympy.symbols("T Delta", positive=True)
    z = softmax((w, sympy.S.Zero))
    # da_k/dt = (z_k/T)(g_k - <z, g>) with g = (Delta, 0), and w is (a_1 - a_2)/T.
    g = (evidence * saturation.speed(z[0]), sympy.S.Zero)
    mean = z[0] * g[0]
    rate = (z[0] * (g[0] - mean) - z[1] * (g[1] - mean)) / T**2
    slope = sympy.diff(saturation.time(W, T, evidence), W).subs(W, w)
    yield "softmax", slope * rate.subs(w, -w), sympy.S.One
    yield "exponentiated", (g[0] - mean) - (g[1] - mean), evidence * saturation.speed(z[0])
    yield "no time from u", saturation.time(sympy.S.Zero, T, evidence), sympy.S.Zero


def _steps(saturation: Saturation, steps: int) -> Iterator[Trial]:
    """Runge-Kutta steps of the time that is claimed, from -W: they end at w = 0, where z_1 = 1/2."""
    random = np.random.default_rng(SEED)
    for case in range(5):
        eps, T, evidence = random.uniform(0.05, 0.4), random.uniform(0.5, 2), random.uniform(0.5, 2)
        w = -float(confidence(float(eps)))
        size = float(saturation.time(-w, float(T), float(evidence))) / steps

        def speed(w: float, T: float = T, evidence: float = evidence) -> float:
            share = 1 / (1 + math.exp(-w))
            return 2 * share * (1 - share) * evidence * float(saturation.speed(share)) / T**2

        for _ in range(steps):
            first = speed(w)
            second = speed(w + size / 2 * first)
            third = speed(w + size / 2 * second)
            w += size / 6 * (first + 2 * second + 2 * third + speed(w + size * third))
        yield Trial(case, abs(w), 0.0, 1e-8)
