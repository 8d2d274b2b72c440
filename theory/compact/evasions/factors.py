"""Factors that multiply logits and grow with the length, and how fast against ln n.

A factor is indexed by the query (h_i, as in causal decoding) or by the total length (h_n). Where h_i = slope ln(i) +
O(1), logits of range Delta at factor 1 have the exponent c = slope Delta: the softmax weight of one key is n^(c - 1) at
most. Sources: arXiv 2202.12172 and 2501.19399 (ln n, s ln n), 2309.16609 (ln i/ln m), and the released code of Llama 4.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from theory.arithmetic import ball
from theory.arithmetic.ball import Real, RealLike
from theory.errors import InputError

TENTH = Fraction(1, 10)


@dataclass(frozen=True)
class LengthFactor:
    """A factor on logits that grows with the length.

    Args:
        formula: for people.
        at: the factor at the 1-based position i of the query, or at the length.
        slope: lim at(i)/ln(i); None where it is infinite.
        query_indexed: whether query i has its own factor, or all of a run have that of its length.
    """

    formula: str
    at: Callable[[int], Real]
    slope: Real | None
    query_indexed: bool = True

    def exponent(self, spread: RealLike) -> Real | None:
        """The exponent c of logits that range over `spread` at factor 1; None where it is infinite."""
        return None if self.slope is None else self.slope * spread


def logarithmic(rate: RealLike = 1, *, query_indexed: bool = True) -> LengthFactor:
    """Rate ln(i): scaling by the logarithm of the length, SSMax."""
    shown = "" if Real.of(rate).exact == 1 else f"{Real.of(rate).exact or float(Real.of(rate))} "
    return LengthFactor(f"{shown}ln n", lambda i: ball.log(i) * rate, Real.of(rate), query_indexed)


def trained_logarithm(trained: int) -> LengthFactor:
    """ln(i)/ln(m) beyond the trained length m, 1 up to it."""
    if trained < 2:
        raise InputError(f"trained length {trained} is below 2: ln 1 = 0 divides nothing; give a number of tokens")
    return LengthFactor(
        f"ln i/ln {trained} for i > {trained}",
        lambda i: ball.log(i) / ball.log(trained) if i > trained else Real.of(1),
        1 / ball.log(trained),
    )


def stepped(scale: Fraction = TENTH, floor: int = 8192) -> LengthFactor:
    """1 + scale ln(floor(i/floor_scale) + 1): temperature tuning of Llama 4, i 1-based."""
    if floor < 1:
        raise InputError(f"floor_scale = {floor} is below 1; give a number of tokens")
    return LengthFactor(
        f"1 + {scale} ln(floor(i/{floor}) + 1)", lambda i: 1 + scale * ball.log(i // floor + 1), Real.of(scale)
    )


def stretched(trained: int, scale: RealLike = TENTH, *, power: int = 1) -> LengthFactor:
    """(1 + scale ln(n/L))^power of the total length n beyond L: the attention factor of YaRN, recomputed at each n."""
    if trained < 1:
        raise InputError(f"trained length {trained} is below 1; give a number of tokens")
    shown = Real.of(scale).exact
    base = f"{shown if shown is not None else float(Real.of(scale))} ln(n/{trained}) + 1"
    return LengthFactor(
        base if power == 1 else f"({base})^{power}",
        lambda n: (1 + ball.log(Fraction(max(n, trained), trained)) * scale) ** power,
        Real.of(scale) if power == 1 else None,
        query_indexed=False,
    )
