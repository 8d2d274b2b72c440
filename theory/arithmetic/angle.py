"""Exact rotation angles in radians, which know whether they are rational multiples of a turn."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import sympy

from theory.arithmetic.real import PRECISION_LIMIT, Real
from theory.errors import InputError, Undecided
from theory.outcome import Outcome


@dataclass(frozen=True)
class Angle:
    """A real SymPy constant, in radians; two angles are equal when their expressions are."""

    expr: sympy.Expr

    def __post_init__(self) -> None:
        try:
            object.__setattr__(self, "expr", sympy.sympify(self.expr, strict=True))
        except sympy.SympifyError:
            raise InputError(f"{self.expr!r} is not an exact angle; give a SymPy constant") from None
        if self.expr.has(sympy.nan, sympy.oo, sympy.zoo, sympy.I) or not self.real.at(256).is_finite():
            raise InputError(f"{self.expr} is not a real angle; give a finite real constant in radians")

    @classmethod
    def parse(cls, text: str) -> Angle:
        """The angle that `text` names, in radians (theory.arithmetic.grammar)."""
        from theory.arithmetic.grammar import parse_number

        return cls(parse_number(text))

    @classmethod
    def turn(cls, p: int, q: int = 1) -> Angle:
        """p/q of a full turn: 2 pi p/q."""
        if q == 0:
            raise InputError(f"{p}/{q} of a turn has denominator 0; give a positive denominator")
        return cls(2 * sympy.pi * sympy.Rational(p, q))

    @classmethod
    def rope(cls, base: int | Fraction | sympy.Expr, d: int, k: int) -> Angle:
        """The angle base^(-2(k-1)/d) of plane k = 1..d/2 of RoPE at head dimension `d`; plane 1 is fastest."""
        if d < 2 or d % 2:
            raise InputError(f"d={d} has no rotary planes; give an even head dimension of at least 2")
        if not 1 <= k <= d // 2:
            raise InputError(f"k={k} is no plane of d={d}; give one from 1 to d/2 = {d // 2}")
        if (Real.of(base) > 0) is not Outcome.HOLDS:
            raise InputError(f"base={base} is not known to be positive; give a positive exact base such as 10000")
        return cls(sympy.sympify(base, strict=True) ** sympy.Rational(-2 * (k - 1), d))

    @cached_property
    def real(self) -> Real:
        """The angle in radians."""
        return Real.of(self.expr)

    @cached_property
    def alpha(self) -> Real:
        """The angle in turns."""
        return self.real / Real.of_linear(0, 2)

    @property
    def wavelength(self) -> Real:
        """The positions that a turn takes, 2 pi/theta, for an angle that is not 0."""
        return 1 / self.alpha

    @cached_property
    def turns(self) -> Fraction | None:
        """The angle in turns, in lowest terms, where it is known to be rational."""
        return self.alpha.exact

    def rotates(self) -> Outcome:
        """Whether the angle is no multiple of 2 pi, so that one step of it moves a vector."""
        if self.turns is not None:
            return Outcome.of(self.turns.denominator > 1)
        bounds = self.alpha.fixed_point(PRECISION_LIMIT)
        excluded = bounds is not None and (bounds[0] - 1) >> PRECISION_LIMIT == bounds[1] >> PRECISION_LIMIT
        return Outcome.HOLDS if excluded else Outcome.UNDECIDED

    def rotating(self) -> Angle:
        """The angle itself; InputError for a multiple of 2 pi, Undecided where that stays open."""
        match self.rotates():
            case Outcome.HOLDS:
                return self
            case Outcome.REFUTED:
                raise InputError(f"the angle {self} is a multiple of 2 pi, which rotates nothing; give e.g. pi/3")
        raise Undecided(f"whether the angle {self} is a multiple of 2 pi is undecided at {PRECISION_LIMIT} bits")

    def __str__(self) -> str:
        return str(self.expr)

    def _sympy_(self) -> sympy.Expr:
        return self.expr
