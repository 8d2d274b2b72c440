"""Governing constants of encodings: factors on logits, and the ranges that caps and norms leave.

Sources: arXiv 2309.00071 (YaRN), 2402.13753 (LongRoPE); those of the length factors are in
`theory.compact.evasions.factors`.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Annotated

from theory.arithmetic import ball
from theory.arithmetic.ball import Real, RealLike, evaluate
from theory.arithmetic.grammar import parse_number
from theory.compact.evasions.factors import LengthFactor, logarithmic, stepped, stretched, trained_logarithm
from theory.compact.evasions.log_scaling import CLAIM
from theory.errors import InputError
from theory.quantities import Count, Enclosure, Exact, Length, Length2, Parameter, Positive, Rational, Result, quantity
from theory.rope.models.frequencies import Longrope
from theory.rope.models.yarn import Yarn


def yarn_logit_factor(factor: Fraction) -> Real:
    """(0.1 ln s + 1)^2: cosines and sines are scaled on queries and on keys."""
    return evaluate(Yarn(factor, 1).attention_factor) ** 2


def longrope_logit_factor(factor: Fraction, trained: int) -> Real:
    """1 + ln s/ln L, the square of the attention factor."""
    return evaluate(Longrope(factor, trained, (), ()).attention_factor ** 2)


def capped_range(cap: RealLike) -> Real:
    """2 C: logits C tanh(z/C) lie within C of 0."""
    return 2 * Real.of(cap)


def normed_range(width: int, query_gain: RealLike, key_gain: RealLike) -> Real:
    """2 sqrt(d_h) max|g_q| max|g_k|: norms of queries and keys are sqrt(d_h) times a gain, logits over sqrt(d_h)."""
    return 2 * ball.sqrt(width) * Real.of(query_gain) * Real.of(key_gain)


_RULES: dict[str, tuple[int, Callable[..., LengthFactor]]] = {
    "ln": (0, logarithmic),
    "ssmax": (1, logarithmic),
    "logn": (1, lambda trained: trained_logarithm(_whole(trained))),
    "llama4": (0, stepped),
    "stepped": (2, lambda scale, floor: stepped(scale, _whole(floor))),
    "total": (1, lambda trained: stretched(_whole(trained))),
    "yarn": (1, lambda trained: stretched(_whole(trained), power=2)),
}


def _whole(value: Fraction) -> int:
    if value.denominator > 1 or value < 1:
        raise InputError(f"{value} is no number of tokens; give a whole number >= 1")
    return value.numerator


def _rule(text: str) -> LengthFactor:
    name, *numbers = text.split(":")
    if name not in _RULES or len(numbers) != _RULES[name][0]:
        raise InputError(
            f"{text} is no rule; give ln, ssmax:s, logn:m, llama4, stepped:scale:floor, total:L or yarn:L, as logn:2048"
        )
    values = [Real.of(parse_number(number)).exact for number in numbers]
    if any(value is None or value <= 0 for value in values):
        raise InputError(f"{text} has a number that is not a positive rational; give such ones, as in logn:2048")
    return _RULES[name][1](*values)


Rule = Annotated[
    LengthFactor,
    Parameter("ln, ssmax:s, logn:m, llama4, stepped:scale:floor, total:L or yarn:L (recomputed)", _rule),
]


@quantity("yarn-logit-factor", unit="1", claim=CLAIM)
def yarn_factor(factor: Positive) -> Enclosure:
    """(0.1 ln s + 1)^2: what YaRN multiplies logits by, at a fixed stretch s >= 1."""
    exact = _stretch(factor)
    return Enclosure(yarn_logit_factor(exact))


@quantity("longrope-logit-factor", unit="1", claim=CLAIM)
def longrope_factor(factor: Positive, trained: Length2) -> Enclosure:
    """1 + ln s/ln L: what LongRoPE multiplies logits by, at a stretch s >= 1 of L trained tokens."""
    return Enclosure(longrope_logit_factor(_stretch(factor), trained))


@quantity("length-factor", unit="1", claim=CLAIM)
def length_factor(rule: Rule, n: Length) -> dict[str, Result]:
    """What the rule multiplies the logits of the query at position n by (1-based), and its slope against ln n."""
    slope = Exact("infinite") if rule.slope is None else Enclosure(rule.slope)
    return {"factor": Enclosure(rule.at(n)), "slope": slope}


@quantity("length-exponent", unit="1", claim=CLAIM)
def length_exponent(rule: Rule, spread: Rational) -> Exact | Enclosure:
    """The exponent c of logits that range over `spread` at factor 1: it decides at c + kappa = 1."""
    if spread < 0:
        raise InputError(f"spread = {spread} is negative; give the range of the logits, at least 0")
    c = rule.exponent(spread)
    return Exact("infinite") if c is None else Enclosure(c)


@quantity("scaled-range-for-share", unit="logit", claim=CLAIM)
def scaled_range_for_share(rule: Rule, n: Length2, share: Rational) -> Enclosure:
    """Which range at factor 1 gives one key among n this share, at the factor of position n."""
    if not 0 < share < 1:
        raise InputError(f"share = {share} is not between 0 and 1; give a share of the attention, such as 1/2")
    return Enclosure(ball.log((n - 1) * share / (1 - share)) / rule.at(n))


@quantity("normed-range", unit="logit", claim="finite-n-obstruction")
def normed_logit_range(width: Count, query: Positive, key: Positive) -> Enclosure:
    """How far apart two logits of one query are at most, with normed queries and keys of these largest gains."""
    return Enclosure(normed_range(width, query, key))


def _stretch(factor: Real) -> Fraction:
    if factor.exact is None or factor.exact < 1:
        raise InputError(f"factor = {factor!r} is not a rational >= 1; give by how much positions are stretched")
    return factor.exact
