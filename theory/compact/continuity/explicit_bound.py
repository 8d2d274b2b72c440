"""What the explicit theorem says of a pair of words, and what false variants of it say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import sympy
from sympy import Expr, Symbol

from theory.arithmetic.ball import Real
from theory.compact.averaging.averages import poisson_tail, poisson_tail_radius
from theory.compact.continuity.constants import (
    HeadConstants,
    LayerConstants,
    first_factor,
    modulus,
    modulus_at,
    plain_coefficients,
    refined_coefficients,
)
from theory.compact.continuity.network_pairs import Pair
from theory.compact.elementary import smallest
from theory.compact.symbols import Delta, d

AVERAGE = LayerConstants(0, (HeadConstants(0, 1, 0, 0, 1),))


def coefficientwise(whole: Any, own: Any, mean: Any, share: Any) -> tuple[Any, Any]:
    """Not a bound: the least of each coefficient."""
    return smallest(whole, own), smallest(mean, share)


@dataclass(frozen=True)
class Explicit:
    """The bound, and the share of changed letters that it is said to allow.

    Args:
        shift: the tail that belongs to c_m is g_(m + shift).
        growth: whether e^Delta stands in the constants.
        radius: from L and a level, a share at which g_L is said to be at most that.
        first: how the two bounds of a first layer are joined.
        lipschitz: whether the readout is Lipschitz, or a square root.
        same_last: whether the last letters agree.
    """

    shift: int = 0
    growth: bool = True
    radius: Callable[[int, Fraction], Real] = poisson_tail_radius
    first: Callable[[Any, Any, Any, Any], tuple[Any, Any]] = first_factor
    lipschitz: bool = True
    same_last: bool = True

    def constants(self, layers: tuple[LayerConstants, ...]) -> tuple[LayerConstants, ...]:
        if self.growth:
            return layers
        still = (tuple(replace(head, oscillation=0 * head.oscillation) for head in layer.heads) for layer in layers)
        return tuple(replace(layer, heads=heads) for layer, heads in zip(layers, still, strict=True))

    def limits(self, pair: Pair) -> list[Any]:
        """All bounds on the gap of a pair, with the known places and with their number alone."""
        bounds = self.bounds(tuple(layer.constants for layer in pair.layers), pair.start)
        return [
            *(modulus_at(c, pair.places, pair.length) for c in bounds),
            *(modulus(c, Fraction(len(pair.places), pair.length)) for c in bounds),
        ]

    def bounds(self, layers: tuple[LayerConstants, ...], start: Any) -> list[list[Any]]:
        """Two lists c_0, ..., c_L: without the refinement of the first layer and with it."""
        constants = self.constants(layers)
        lists = [plain_coefficients(constants, start), refined_coefficients(constants, start)]
        # The coefficient c_m stands before g_(m + shift).
        return [c[-self.shift :] if self.shift else c for c in lists]

    @property
    def statement(self) -> Expr:
        head = HeadConstants(Delta if self.growth else sympy.S.Zero, *sympy.symbols("D_v lambda_q lambda_k lambda_v"))
        layer = LayerConstants(Symbol("phi_0"), (head,))
        c_1, c_2, *bounds = sympy.symbols("c_1 c_2 P_whole P_own P_mean B", positive=True)
        tails = c_1 * poisson_tail(1 + self.shift, d) + c_2 * poisson_tail(2 + self.shift, d)
        return sympy.And(
            Symbol("|T(u)-T(w)|_at_L=2") <= Symbol("Lambda") * Symbol("D_0") * tails,
            sympy.Eq(Symbol("a_l"), layer.a),
            sympy.Eq(Symbol("b_l"), layer.b),
            sympy.Eq(Symbol("P_0"), self.first(*bounds)[0]),
            Symbol("delta") <= Symbol(self.radius.__name__),
        )
