"""The least discrepancy at any length, from the continued fraction of theta/2 pi.

Source: classical (best approximations, Lagrange; three-distance theorem); the algorithm is theory.arithmetic's. With
alpha = theta/2 pi and T = n - 1, Delta_inf(n) = 2 sin^2(pi D), where D is the least distance of t alpha to an integer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from random import Random

import sympy
from sympy import Expr, Integer, Matrix, Symbol, symbols

from theory.arithmetic.angle import Angle
from theory.arithmetic.ball import versine
from theory.arithmetic.continued_fraction import Neighbour, closest_return
from theory.claims import Source, claim
from theory.evidence import Enumeration, Evidence, Identity, Search, Trial
from theory.outcome import Outcome
from theory.quantities import Count, Enclosure, Exact, NonzeroAngle, quantity
from theory.rope.head import Head
from theory.rope.index.discrepancy import SEED, TURN
from theory.rope.index.head import key_column, query_column
from theory.rope.index.window import angle_of, fold, rational_turns
from theory.symbols import n, s

GOLDEN = Angle(sympy.pi * (sympy.sqrt(5) - 1))
ANGLES = (Angle(Integer(1)), Angle.rope(10**4, 128, 2), GOLDEN, Angle(sympy.sqrt(2)))


@dataclass(frozen=True, eq=False)
class Returns:
    """The point closest to 0 among t alpha mod 1, 1 <= t <= T, and the neighbours of 0 above and below."""

    closest: Neighbour
    above: Neighbour
    below: Neighbour


@dataclass(frozen=True)
class Rule:
    """How the three points are found."""

    text: str
    find: Callable[[Angle, int], Returns]

    def __str__(self) -> str:
        return self.text


def by_convergents(theta: Angle, up_to: int) -> Returns:
    """The last convergent, and on the other side the intermediate one."""
    found = closest_return(theta, up_to)
    return Returns(found, found.above, found.below)


def _sides(closest: Neighbour, other: Neighbour, above: bool) -> Returns:
    return Returns(closest, *((closest, other) if above else (other, closest)))


def _earlier_convergent(theta: Angle, up_to: int) -> Returns:
    found = closest_return(theta, up_to)
    return by_convergents(theta, max(1, found.t - 1))


def _intermediate_is_closest(theta: Angle, up_to: int) -> Returns:
    found = closest_return(theta, up_to)
    return Returns(found.below if found.above.t == found.t else found.above, found.above, found.below)


def _one_step_short(theta: Angle, up_to: int) -> Returns:
    found = closest_return(theta, up_to)
    above = found.above.t == found.t
    other = found.below if above else found.above
    return _sides(found, Neighbour(other.t - found.t, other.distance + found.distance), above)


def _rounded_angle(theta: Angle, up_to: int) -> Returns:
    return by_convergents(theta if theta.turns is not None else angle_of(Fraction(float(theta.alpha))), up_to)


@claim(
    "delta-min-continued-fraction",
    source=Source("classical", "Lagrange; three-distance theorem"),
    quantifiers="for all theta and all T >= 1, over 1 <= t <= T; exact",
    statement=str,
    variant=Rule(
        "min ||t alpha|| over t <= T is D_k = |q_k alpha - p_k| for the largest k with q_k <= T; on the other side of "
        "0 lies D_(k-1) - j D_k, j = floor((T - q_(k-1))/q_k)",
        by_convergents,
    ),
    controls={
        "T = n": Rule("the same up to T + 1", lambda theta, up_to: by_convergents(theta, up_to + 1)),
        "the convergent before": Rule("the same for k - 1", _earlier_convergent),
        "intermediate convergents for the minimum": Rule("D_(k-1) - j D_k is least", _intermediate_is_closest),
        "j - 1 steps": Rule("the same with j - 1", _one_step_short),
        "theta rounded to double precision": Rule("the same for the rounded alpha", _rounded_angle),
    },
    does_not_show="anything about several planes: those take a scan, claim rope-gap-certified-scan",
)
def delta_min_continued_fraction(rule: Rule, thorough: bool) -> Iterator[Evidence]:
    """Rational turns by definition; certificates at large T; random steps come no closer; the gap is 2 sin^2(pi D)."""
    yield Enumeration("rational turns, all T", _by_definition(rule, 40 if thorough else 13))
    yield Enumeration("certificates up to T = 10^18", _certified(rule))
    yield Search("random steps up to T = 10^15", _random_steps(rule, 2000 if thorough else 200), seed=SEED)
    yield Identity("gap 2 sin^2(pi D)", [_gap()])


def _by_definition(rule: Rule, largest: int) -> Iterator[tuple[object, bool]]:
    for turns in rational_turns(2, largest):
        for up_to in range(1, turns.denominator + 3):
            steps = range(1, up_to + 1)
            found = rule.find(angle_of(turns), up_to)
            distances = (
                min((fold(t * turns), t) for t in steps),
                min((t * turns % 1, t) for t in steps),
                min((-t * turns % 1, t) for t in steps),
            )
            points = (found.closest, found.above, found.below)
            yield {"turns": turns, "T": up_to}, [(point.turns, point.t) for point in points] == list(distances)


def _certified(rule: Rule) -> Iterator[tuple[object, Outcome]]:
    """Neighbours (t, m) above and (u, k) below with k t - m u = 1 and t + u > T are the nearest for all steps up to T.

    They are a basis of Z^2. A step x (t, m) + y (u, k) misses 0 by x a - y b, a and b being their distances; it is
    beyond T if x, y >= 1, and else it comes no closer on its side.
    """
    for theta in ANGLES:
        for up_to in (10**k for k in range(19)):
            found = rule.find(theta, up_to)
            t, u = found.above.t, found.below.t
            m, k = _floor(theta, t), _floor(theta, u) + 1
            above, below = theta.alpha * t - m, k - theta.alpha * u
            basis = k * t - m * u == 1 and max(t, u) <= up_to < t + u
            nearest = t if (above < below) is Outcome.HOLDS else u
            outcomes = (above > 0, below > 0, Outcome.of(basis and found.closest.t == nearest))
            yield f"theta={theta}, T={up_to}: t={t} above, t={u} below", Outcome.every(outcomes)


def _floor(theta: Angle, t: int) -> int:
    """The integer part of t alpha, for an irrational alpha."""
    bounds = (theta.alpha * t).fixed_point(512)
    assert bounds is not None and bounds[0] >> 512 == bounds[1] >> 512, "512 bits tell t alpha from all integers"
    return bounds[0] >> 512


def _random_steps(rule: Rule, trials: int) -> Iterator[Trial]:
    """Small combinations of the neighbours, and any step."""
    random = Random(SEED)
    for _ in range(trials):
        theta, up_to = random.choice(ANGLES), random.randrange(10**5, 10**15)
        found = rule.find(theta, up_to)
        step = random.randint(-2, 2) * found.above.t + random.randint(-2, 2) * found.below.t
        t = step if 1 <= step <= up_to else random.randint(1, up_to)
        part = theta.alpha * t - _floor(theta, t)
        other = min(float(part), float(1 - part))
        # Both sides are rounded once.
        yield Trial(f"theta={theta}, T={up_to}, t={t}", float(found.closest.distance), other, 2.0**-51 * other)


def _gap() -> tuple[str, Expr, Expr]:
    """A key t positions from the target, where t theta is D turns from p whole ones, has logit 1 - 2 sin^2(pi D)."""
    p, t = symbols("p t", integer=True, positive=True)
    distance = Symbol("D", real=True)
    angle, one = 2 * sympy.pi * (p + distance) / t, Matrix([1])
    head = Head((angle,), query_column(s, angle), key_column(), Matrix())
    return "t theta = 2 pi (p + D)", 1 - head.logit(one, n, one, n - s - t), versine(2 * sympy.pi * distance)


@quantity("closest-return", unit="steps; turns; logit", claim="delta-min-continued-fraction")
def index_closest_return(theta: NonzeroAngle, up_to: Count) -> dict[str, Exact | Enclosure]:
    """The step t <= up_to with the least distance of t theta/2 pi to an integer, and the least on either side of it."""
    found = closest_return(theta, up_to)
    return {
        "t": Exact(found.t),
        "distance": Enclosure(found.distance),
        "gap": Enclosure(versine(TURN * found.distance)),
        "t above": Exact(found.above.t),
        "distance above": Enclosure(found.above.distance),
        "t below": Exact(found.below.t),
        "distance below": Enclosure(found.below.distance),
    }
