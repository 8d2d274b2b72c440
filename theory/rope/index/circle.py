"""How little attention an Index head loses, in closed form: its competitors are spread out on the circle.

Source: derived here for arXiv 2605.31558, App. F.2.1, where the bound is by the number of keys.

The n keys of a query stand at phases t theta, t = -s..n-1-s, on the circle, the target at 0. Two of them are at least
phi = 2 pi d apart, d = min_{1<=t<n} ||t theta/2 pi||, so the k-th competitor on either side is at least k phi away.
The versine f(x) = 1 - cos x has f(k phi) >= k f(phi) for k phi <= pi, phi <= pi/2: f(x)/x rises up to pi/2, where it
is 2/pi, and is at least 2/pi from there to pi. For phi > pi/2 there is at most one competitor on a side. So with
Delta = f(phi) = Delta_inf(n), F <= 2 sum_k e^{-k beta Delta} = 2/(e^{beta Delta} - 1), whatever the offset and n.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np
import sympy
from sympy import Expr, exp, symbols

from theory.arithmetic.ball import evaluate
from theory.arithmetic.continued_fraction import gap
from theory.arithmetic.real import Real
from theory.claims import Source, claim
from theory.errors import InputError
from theory.evidence import Enumeration, Evidence, Search, Trial
from theory.quantities import Bound, Length2, NonzeroAngle, Positive, quantity
from theory.rope.index.weights import weight_sum
from theory.rope.index.window import angle_of, rational_turns
from theory.rope.rotation import PAPER
from theory.symbols import beta

Delta = symbols("Delta", positive=True)
CIRCLE = 2 / (exp(beta * Delta) - 1)
SEED = 2605


def circle_bound(beta_value: Real, smallest_gap: Real) -> Real:
    """2/(e^{beta Delta} - 1), which F_{s,n-1-s} does not exceed if Delta > 0 is the gap Delta_inf(n)."""
    return evaluate(CIRCLE, {beta: beta_value, Delta: smallest_gap})


@quantity("index-odds-bound", unit="weight of the target", claim="index-circle-bound")
def index_odds_bound(n: Length2, theta: NonzeroAngle, beta: Positive) -> Bound:
    """2/(e^(beta Delta_inf(n)) - 1), which F_{s,n-1-s} does not exceed at any offset s."""
    if (smallest := gap(theta, n)).exact == 0:
        raise InputError(f"theta={theta} returns before n={n}, where the gap is 0; give a shorter n or another angle")
    return Bound("upper", circle_bound(beta, smallest))


@dataclass(frozen=True)
class Spread:
    """That F_{s,n-1-s} is at most `bound` at Delta = Delta_inf(n - `fewer`)."""

    bound: Expr = CIRCLE
    fewer: int = 0

    def __str__(self) -> str:
        return f"F_(s,n-1-s) <= {self.bound} with Delta = Delta_inf({'n' if not self.fewer else f'n - {self.fewer}'})"


@claim(
    "index-circle-bound",
    source=Source(PAPER, "App. F.2.1", "derived"),
    quantifiers="for all lengths n >= 2, offsets 0 <= s < n, beta > 0 and theta with Delta_inf(n) > 0",
    statement=str,
    variant=Spread(),
    controls={
        "competitors on one side only": Spread(1 / (exp(beta * Delta) - 1)),
        "only the nearest on either side": Spread(2 * exp(-beta * Delta)),
        "the gap of length n - 1": Spread(fewer=1),
    },
    does_not_show="that the bound is attained: at theta = 2 pi/n it is about 2 % above F where it matters",
)
def index_circle_bound(spread: Spread, thorough: bool) -> Iterator[Evidence]:
    """Every offset at rational turns, in balls; random angles in float64, with an allowance for rounding."""
    longest = 24 if thorough else 9
    yield Enumeration(f"all turns with denominator up to {longest + 1}, n = 3..{longest}", _turns(spread, longest))
    count = 2000 if thorough else 200
    yield Search("random angles, n up to 64", _random_angles(spread, count), seed=SEED)


def _turns(spread: Spread, longest: int) -> Iterator[tuple[object, object]]:
    for n in range(3, longest + 1):
        # At a denominator of at least n no offset below n returns to 0.
        for turns, scale in product(rational_turns(n, longest + 1), (Fraction(1, 2), Fraction(3), Fraction(20))):
            angle, scale_ball = angle_of(turns), Real.of(scale)
            bound = evaluate(spread.bound, {beta: scale_ball, Delta: gap(angle, n - spread.fewer)})
            for offset in range((n + 1) // 2):
                weight = weight_sum(offset, n - 1 - offset, scale_ball, angle)
                yield {"n": n, "theta": angle, "s": offset, "beta": scale}, weight <= bound


def _random_angles(spread: Spread, count: int) -> Iterator[Trial]:
    rng = np.random.default_rng(SEED)
    bound = sympy.lambdify((beta, Delta), spread.bound, "numpy")
    for _ in range(count):
        n, theta, scale = int(rng.integers(3, 65)), rng.uniform(0, np.pi), 10 ** rng.uniform(-1, 2.5)
        offset = int(rng.integers(n))
        gaps = 2 * np.sin(np.arange(1, n) * theta / 2) ** 2
        weight = sum(np.exp(-scale * gaps[:side]).sum() for side in (offset, n - 1 - offset))
        limit = float(bound(scale, gaps[: n - 1 - spread.fewer].min()))
        # Phases are off by n theta eps, gaps by as much, exponents by scale times that; sums of n terms by n eps.
        allowance = weight * np.finfo(float).eps * n * (1 + 8 * scale)
        yield Trial({"n": n, "theta": theta, "s": offset, "beta": scale}, weight, limit, allowance)
