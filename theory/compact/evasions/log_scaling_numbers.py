"""Weights, margins and gaps where logits grow like c ln n, for words of few ones and over two layers."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import isqrt
from typing import Annotated

from theory.arithmetic import ball
from theory.arithmetic.ball import Real
from theory.compact.evasions.log_scaling import CLAIM, SPARSE
from theory.compact.evasions.models import growing_content
from theory.compact.evasions.two_layers import query_gap, total_length_gap
from theory.compact.isolation.detector import logit as detector_logit
from theory.compact.isolation.detector import margin
from theory.compact.words import SQUARES
from theory.errors import InputError
from theory.quantities import Enclosure, Length, Length2, Parameter, Rational, Result, quantity


def _word(text: str) -> str:
    if text not in SPARSE:
        raise InputError(f"{text} is no word here; give one of {', '.join(SPARSE)}")
    return text


def _indexed(text: str) -> bool:
    if text not in ("query", "total"):
        raise InputError(f"{text} is neither query nor total; give what the factor depends on")
    return text == "query"


Sparse = Annotated[str, Parameter("powers or squares", _word)]
Indexed = Annotated[bool, Parameter("query or total: what the factor depends on", _indexed)]


@quantity("log-scaling-feature", unit="share of the attention", claim=CLAIM)
def log_scaling_feature(c: Rational, n: Length, word: Sparse = "powers") -> Enclosure:
    """The weight of the ones of the word among n letters, at logits c ln(n) 1[w_j = 1]."""
    _check(c)
    return Enclosure(Real.of(growing_content(c).feature(SPARSE[word][0], n)))


@quantity("log-scaling-least", unit="share of the attention", claim=CLAIM)
def log_scaling_least(c: Rational, n: Length2, word: Sparse = "powers") -> dict[str, Result]:
    """The least of these weights over flagged lengths up to n, and of the margins of the detector head there."""
    _check(c)
    sparse = SPARSE[word][0]
    lengths = (m**2 - 1 for m in range(2, isqrt(n + 1) + 1)) if sparse is SQUARES else _flagged_powers(n)
    least = ball.minimum(growing_content(c).feature(sparse, length) for length in lengths)
    return {"feature": Enclosure(least), "margin": Enclosure(margin(detector_logit(least, 1), 1))}


def _flagged_powers(most: int) -> Iterator[int]:
    return (2**j - 1 for j in range(1, (most + 1).bit_length()))


@quantity("two-layer-gap", unit="1", claim=CLAIM)
def two_layer_gap(n: Length2, c: Rational, factor: Indexed) -> Enclosure:
    """How far 0^n and 1 0^(n - 1) end apart over two layers with logits c ln(query) or c ln(total)."""
    if not 0 < c < 1:
        raise InputError(f"c = {c} is not between 0 and 1; give an exponent")
    if factor and n > 10**9:
        raise InputError(f"n = {n} is beyond 10^9, where summing takes long; give a smaller length")
    return Enclosure((query_gap if factor else total_length_gap)(n, c))


def _check(c: Fraction) -> None:
    if c < 0:
        raise InputError(f"c = {c} is negative; give an exponent, at least 0")
