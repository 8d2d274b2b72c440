"""Numbers as torch finds them, beside enclosures of what they are proved to be."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from theory.arithmetic.ball import Real
from theory.outcome import Outcome

EPSILON = Fraction(1, 2**52)


@dataclass(frozen=True, eq=False)
class Certified:
    """A number in torch, as certified, and how much of the difference is rounding."""

    observed: float
    exact: Real
    allowance: Fraction

    @property
    def right(self) -> bool:
        """Whether the two are certainly one number, up to rounding."""
        return (abs(self.exact - Fraction(self.observed)) <= self.allowance) is Outcome.HOLDS
