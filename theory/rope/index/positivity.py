"""Which angles keep an Index target apart from all other keys: what counts is theta/2 pi, not theta.

Source: arXiv 2605.31558, App. F.2.1, where theta being irrational is said to be enough; repaired here. Delta_inf(n) = 0
iff some cos(t theta) is 1, that is, iff t theta is a multiple of 2 pi for some 1 <= t <= n - 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random

import sympy
from sympy import Expr, Integer, Matrix, symbols

from theory.arithmetic.angle import Angle
from theory.claims import Source, claim
from theory.evidence import Enumeration, Evidence, Identity, Search, Trial
from theory.outcome import Outcome
from theory.quantities import Exact, Length2, NonzeroAngle, quantity
from theory.rope.head import Head
from theory.rope.index.discrepancy import SEED, query_gap
from theory.rope.index.head import key_column, query_column
from theory.rope.index.temperature import aliases
from theory.rope.index.window import angle_of, query_distance, rational_turns
from theory.rope.rotation import PAPER
from theory.symbols import n, s

# Angles that are irrational in turns: since pi is transcendental, and since sqrt(5) is irrational.
IRRATIONAL = tuple(map(Angle, (Integer(1), sympy.sqrt(2), sympy.pi * (sympy.sqrt(5) - 1))))


@dataclass(frozen=True)
class Condition:
    """A condition on an angle and a length, in words and as a function."""

    text: str
    met: Callable[[Angle, int], bool]

    def __str__(self) -> str:
        return self.text


REDUCED = Condition(
    "Delta_inf(n) > 0 iff theta/(2 pi) is irrational or has a reduced denominator >= n",
    lambda angle, length: angle.turns is None or angle.turns.denominator >= length,
)


@claim(
    "index-positivity-condition",
    source=Source(PAPER, "App. F.2.1", "derived"),
    quantifiers="for all n >= 2 and all theta; the minimum over all inputs of length n; iff",
    statement=str,
    variant=REDUCED,
    controls={
        "theta/pi must be irrational": Condition(
            "Delta_inf(n) > 0 iff theta/pi is irrational", lambda angle, length: angle.turns is None
        ),
        "denominators above n": Condition(
            "Delta_inf(n) > 0 iff theta/(2 pi) is irrational or has a reduced denominator > n",
            lambda angle, length: angle.turns is None or angle.turns.denominator > length,
        ),
        "theta irrational": Condition(
            "Delta_inf(n) > 0 iff theta is irrational", lambda angle, length: not angle.expr.is_Rational
        ),
    },
    does_not_show="how large the discrepancy is: it may be positive and of no use",
)
def index_positivity_condition(condition: Condition, thorough: bool) -> Iterator[Evidence]:
    """Every rational turn by definition, irrational ones by balls; the returning key, on the maps of the head."""
    lengths = range(2, 31 if thorough else 13)
    yield Enumeration("rational turns", _rational(condition, lengths))
    yield Enumeration("irrational turns", _irrational(condition, lengths))
    yield Identity("the key q positions from the target", [_returning_key()])


def _rational(condition: Condition, lengths: range) -> Iterator[tuple[object, bool]]:
    for length in lengths:
        for turns in rational_turns(1, length + 2):
            angle, distance = angle_of(turns), min(query_distance(length, offset, turns) for offset in range(length))
            yield f"n={length}, theta={angle}", (distance > 0) == condition.met(angle, length)


def _irrational(condition: Condition, lengths: range) -> Iterator[tuple[object, Outcome]]:
    for length in (*lengths, 10**6):
        for angle in IRRATIONAL:
            positive = query_gap(length, angle, 0) > 0
            yield f"n={length}, theta={angle}", positive if condition.met(angle, length) else ~positive


def _returning_key() -> tuple[str, Expr, Expr]:
    """At theta = 2 pi p/q a key q positions before the target has the logit 1 of the target itself."""
    p, q = symbols("p q", integer=True, positive=True)
    angle, one = 2 * sympy.pi * p / q, Matrix([1])
    head = Head((angle,), query_column(s, angle), key_column(), Matrix())
    return "theta = 2 pi p/q, t = q", head.logit(one, n, one, n - s - q), head.logit(one, n, one, n - s)


@claim(
    "index-positivity-printed",
    source=Source(PAPER, "App. F.2.1"),
    quantifiers="for all n >= 2 and all 0 < theta < 2 pi that meet the condition; the minimum over all inputs",
    statement=lambda condition: f"if {condition}, then Delta_inf(n) > 0 for all n",
    variant=Condition("theta is irrational", lambda angle, length: not angle.expr.is_Rational),
    controls={
        "theta not 0": Condition("theta is not 0", lambda angle, length: angle.expr != 0),
        "theta a rational multiple of pi": Condition(
            "theta/pi is rational and not 0", lambda angle, length: angle.turns is not None and angle.expr != 0
        ),
    },
    expected=Outcome.REFUTED,
    near_miss=(
        "theta/(2 pi) irrational",
        Condition("theta/(2 pi) is irrational", lambda angle, n: angle.turns is None),
    ),
    counterexample="n=3, theta=pi",
    repaired_by="index-positivity-condition",
    printed="theta not in Q implies Delta > 0 for all n",
    does_not_show="that rational angles are bad: theta = 1 is apart at every length",
)
def index_positivity_printed(condition: Condition, thorough: bool) -> Iterator[Evidence]:
    """Every angle that meets the condition, by length and denominator; then random lengths and angles."""
    yield Enumeration("rational and irrational turns", _positive(condition, range(2, 31 if thorough else 9)))
    yield Search("random angles", _returning_keys(condition, trials=1000 if thorough else 100), seed=SEED)


def _positive(condition: Condition, lengths: range) -> Iterator[tuple[object, Outcome]]:
    for length in lengths:
        for angle in (*map(angle_of, rational_turns(1, length)), *IRRATIONAL):
            if condition.met(angle, length):
                yield f"n={length}, theta={angle}", query_gap(length, angle, 0) > 0


def _returning_keys(condition: Condition, trials: int) -> Iterator[Trial]:
    """The number of keys with the logit of the target, which should be 0."""
    random = Random(SEED)
    for _ in range(trials):
        length, p, q = random.randint(2, 60), random.randint(1, 20), random.randint(41, 60)
        angle = random.choice((Angle.turn(p, q), Angle(sympy.Rational(p, q)), Angle(sympy.sqrt(2) * p / q)))
        if condition.met(angle, length):
            yield Trial(f"n={length}, theta={angle}", float(aliases(length, 0, angle)), bound=0.0)


@quantity("index-positivity", unit="truth value", claim="index-positivity-condition")
def index_positivity(n: Length2, theta: NonzeroAngle) -> Exact:
    """Whether Delta_inf(n) > 0: whether every Index target of length n has the largest logit alone."""
    return Exact(aliases(n, 0, theta) == 0)
