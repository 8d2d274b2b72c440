"""Outputs at two words that share the last letter and differ in a share d of places: an explicit modulus of continuity.

Source: arXiv 2505.10606 states that a modulus exists; constants and proof are derived here. The distance of the states
obeys e <= (a_l + b_l A) e at every layer (claim attention-perturbation), A is positive and e = D_0 1_D at first; what
A^m leaves of 1_D is bounded by g_m(d) (claim poisson-tail-averaging), and A^0 leaves nothing at an agreeing position.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import sympy
from sympy import Rational, Symbol

from theory.arithmetic.ball import log
from theory.arithmetic.real import midpoint
from theory.claims import Hypothesis, Source, claim
from theory.compact.averaging.averages import averaged, causal_average, poisson_tail
from theory.compact.continuity.constants import (
    HeadConstants,
    LayerConstants,
    modulus,
    modulus_at,
    plain_coefficients,
    polynomial,
    total_growth,
)
from theory.compact.continuity.explicit_bound import AVERAGE, Explicit, coefficientwise
from theory.compact.continuity.network_pairs import certified_pairs, random_pairs
from theory.compact.continuity.radius import CLAIM, asymptotic_radius
from theory.compact.continuity.single_head import changed_mass
from theory.compact.symbols import y
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.outcome import Outcome

SEED = 2508
FACTOR = 10  # a Lipschitz constant that the square root is granted


@claim(
    CLAIM,
    source=Source("2505.10606", "Continuity", "derived"),
    quantifiers="for all L, constants, n, and words of length n that share the last letter and differ in a share d; "
    "with known places D (A^m 1_D)(n) stands for g_m(d)",
    statement=lambda explicit: explicit.statement,
    variant=Explicit(),
    controls={
        "g_(m-1)": Explicit(shift=-1),
        "no e^Delta": Explicit(growth=False),
        "the asymptotic radius as a certificate": Explicit(radius=asymptotic_radius),
        "least coefficients": Explicit(first=coefficientwise),
    },
    hypotheses=(
        Hypothesis("Lipschitz", "all maps are Lipschitz on the reachable states", Explicit(lipschitz=False)),
        Hypothesis("last letter", "the last letters agree", Explicit(same_last=False)),
        Hypothesis(
            "compact",
            "position data in compact sets and blind to the letters",
            remark="claim continuity-qualitative fails without it, and with it every modulus",
        ),
    ),
    does_not_show="that outputs do change so much: at lengths far below e^Delta the bound says nothing",
)
def continuity_explicit(explicit: Explicit, thorough: bool) -> Iterator[Evidence]:
    """Averaging networks and boosted heads; radii; the first layer; symbols; networks in balls and at random."""
    yield Enumeration("no layers, and square roots of one average", _readouts(explicit))
    yield Enumeration("networks that average, all changed places", _averaging(explicit, 7 if thorough else 5))
    yield Enumeration("one layer that boosts the changed letters", _boosted(explicit, 40 if thorough else 12))
    yield Enumeration("radii", _radii(explicit, 8 if thorough else 4))
    yield Enumeration("one constant for all tails", _one_constant(explicit))
    yield Enumeration("a first layer's two bounds", _first(explicit))
    yield Identity("products of a + b A", _products(), sympy.expand)
    yield Enumeration("networks in balls", _certified(explicit, 5 if thorough else 4))
    yield Search("random networks", _random(explicit, 600 if thorough else 60), seed=SEED)


def _readouts(explicit: Explicit) -> Iterator[Case]:
    """Words of length n that differ at one place, the first; or at the last, where it may differ."""
    for length in (4, 16, 64, 256):
        if explicit.same_last:
            mean = Fraction(1, length)
            observed = mean if explicit.lipschitz else Fraction(1, int(length**0.5))
            bound = FACTOR * modulus_at(plain_coefficients([AVERAGE], 1), (1,), length)
        else:
            # T reads the last letter alone.
            observed, bound = Fraction(1), modulus(plain_coefficients([], 1), Fraction(1, length))
        yield {"n": length, "observed": str(observed)}, observed <= bound


def _averaging(explicit: Explicit, longest: int) -> Iterator[Case]:
    """The output is the L-th average of letters 0 and 1."""
    for layers, length in product((1, 2, 3), range(2, longest + 1)):
        for changed in range(1, length):
            for positions in combinations(range(1, length), changed):
                found = averaged(positions, length, layers)
                bounds = explicit.bounds((AVERAGE,) * layers, Fraction(1))
                outcomes = [modulus(c, Fraction(changed, length)) >= found for c in bounds]
                outcomes += [Outcome.of(modulus_at(c, positions, length) >= found) for c in bounds]
                yield {"L": layers, "n": length, "D": positions}, Outcome.every(map(Outcome.of, outcomes))


def _boosted(explicit: Explicit, longest: int) -> Iterator[Case]:
    """Logit Delta x_j and value x_j for letters 0 and 1."""
    for length, levels in product(range(2, longest + 1), (1, 2, 4)):
        spread = levels * log(2)
        layer = LayerConstants(0, (HeadConstants(spread, 1, 0, spread, 1),))
        bounds = explicit.bounds((layer,), Fraction(1))
        for changed in {1, length // 2, length - 1}:
            share = Fraction(changed, length)
            found = changed_mass(spread, share)
            yield (
                {"n": length, "k": changed, "Delta/ln 2": levels},
                Outcome.every(found <= modulus(c, share) for c in bounds),
            )


def _radii(explicit: Explicit, layers: int) -> Iterator[Case]:
    """The lower end of the radius, and the share that is always allowed."""
    for depth, power in product(range(1, layers + 1), (1, 2, 3)):
        level = Fraction(1, 10**power)
        for name, share in (
            ("radius", midpoint(explicit.radius(depth, level).ball().lower())),
            ("(eps/2^(L-1))^2", (level / 2 ** (depth - 1)) ** 2),
        ):
            yield {"L": depth, "eps": str(level), "share": name}, Outcome.of(poisson_tail(depth, share) <= level)


def _one_constant(explicit: Explicit) -> Iterator[Case]:
    """Gamma_L g_L(d) lies above the sum of c_m g_m(d)."""
    for depth, a, b in product((1, 2, 4), (Fraction(1, 2), Fraction(2)), (Fraction(1, 3), Fraction(3))):
        layers = (LayerConstants(a, (HeadConstants(0, 1, 0, 0, b),)),) * depth
        coefficients, _ = explicit.bounds(layers, Fraction(1))
        for share in (Fraction(1, 1000), Fraction(1, 7)):
            most = total_growth(layers) * poisson_tail(depth, share)
            yield {"L": depth, "a": str(a), "b": str(b), "d": str(share)}, most >= modulus(coefficients, share)


def _first(explicit: Explicit) -> Iterator[Case]:
    """What is allowed where letters differ, and where they agree, against P_0 1_D + B d_i."""
    for whole, own, mean, share in product((1, 11, 50), (1, 5), (2, 100), (1, 2, 10)):
        p, b = explicit.first(Fraction(whole), Fraction(own), Fraction(mean), Fraction(share))
        for running in (Fraction(1, 10), Fraction(2, 5), Fraction(1)):
            differs, agrees = min(whole, own + mean * running), min(share, mean) * running
            holds = differs <= p + b * running and agrees <= b * running
            yield {"bounds": (whole, own, mean, share), "d_i": str(running)}, holds


def _products() -> Iterator[Equation]:
    for layers, length in ((1, 2), (2, 3), (3, 3)):
        factors = [(Symbol(f"a_{index}"), Symbol(f"b_{index}")) for index in range(layers)]
        values: list[Any] = [sympy.Integer(place == 1) for place in range(1, length + 1)]
        for a, b in factors:
            means = causal_average(values)
            values = [a * value + b * mean for value, mean in zip(values, means, strict=True)]
        coefficients = polynomial(factors)
        expected = sum(c * Rational(*averaged((1,), length, m).as_integer_ratio()) for m, c in enumerate(coefficients))
        yield f"{layers} layers at {length}", values[-1], expected
        growth = total_growth([LayerConstants(a, (HeadConstants(sympy.S.Zero, 0, 0, 0, b),)) for a, b in factors])
        yield f"Gamma of {layers} layers", growth, sum(coefficients[1:])
        # One change of n letters, n = e^y: n g_L(1/n) = 1 + y + ... + y^(L-1)/(L-1)!.
        order = y ** (layers - 1) / sympy.factorial(layers - 1)
        lower = sum(y**r / sympy.factorial(r) for r in range(layers - 1))
        tail = sympy.expand_log(sympy.expand(poisson_tail(layers, sympy.exp(-y))), force=True)
        yield f"one change, {layers} layers", sympy.expand(sympy.exp(y) * tail), order + lower


def _certified(explicit: Explicit, length: int) -> Iterator[Case]:
    for pair in certified_pairs(length):
        limits = explicit.limits(pair)
        yield pair.case, Outcome.every(Outcome.settled(pair.gap <= limit, pair.gap > limit) for limit in limits)


def _random(explicit: Explicit, count: int) -> Iterator[Trial]:
    for pair in random_pairs(count, SEED):
        least = min(explicit.limits(pair))
        yield Trial(pair.case, pair.gap, least, pair.error, vacuous=least > 2)
