"""The constants of the explicit continuity theorem, from those of each head, in whatever numbers they are given.

With e_i the distance of the states at position i of two runs, a layer turns e into at most (a + b A) e, A the causal
average. So L layers, a readout of Lipschitz constant Lambda and embeddings of diameter D_0 give

    |T(u) - T(w)| <= Lambda D_0 (c_1 g_1(d) + ... + c_L g_L(d)),   c_m the coefficient of z^m in prod (a_l + b_l z).

Source: derived here. Numbers are floats, fractions, `Real`s, balls or SymPy expressions; upper bounds of the constants
give upper bounds, so outward rounded balls give a proof.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from theory.compact.averaging.averages import averages, tail_sum
from theory.compact.elementary import alike, exp, largest, quotient, smallest
from theory.errors import InputError


@dataclass(frozen=True)
class HeadConstants:
    """What bounds one head on all states that some word reaches.

    Args:
        oscillation: Delta, the largest minus the smallest logit of a query.
        diameter: D_v, of the set of values (that of every virtual key included).
        query, key: lambda_q and lambda_k, Lipschitz constants of the logit in the query's and in the key's state.
        value: lambda_v, that of the value in the key's state.
        outer: phi_h, that of the rest of the layer in the output of this head.
    """

    oscillation: Any
    diameter: Any
    query: Any
    key: Any
    value: Any
    outer: Any = 1

    @property
    def own(self) -> Any:
        """What the query's own distance e_i is multiplied by: D_v lambda_q/2."""
        return quotient(self.diameter * self.query, 2)

    @property
    def mean(self) -> Any:
        """What the mean distance (A e)_i is multiplied by: e^Delta (lambda_v + D_v lambda_k)."""
        return exp(self.oscillation) * (self.value + self.diameter * self.key)

    @property
    def first(self) -> Any:
        """What the share d_i of changed letters is multiplied by where all other states are equal: e^Delta D_v."""
        return exp(self.oscillation) * self.diameter


@dataclass(frozen=True)
class LayerConstants:
    """One layer: `skip` is phi_0, the Lipschitz constant of the layer in the state at its own position."""

    skip: Any
    heads: tuple[HeadConstants, ...]

    @property
    def a(self) -> Any:
        """phi_0 + sum of phi_h D_v lambda_q/2."""
        return sum((head.outer * head.own for head in self.heads), self.skip)

    @property
    def b(self) -> Any:
        """Sum of phi_h e^Delta (lambda_v + D_v lambda_k)."""
        return sum((head.outer * head.mean for head in self.heads), 0)

    def first(self, start: Any) -> tuple[Any, Any]:
        """P_0 and B: as the first layer it turns 1_D into at most (P_0 + B A) 1_D, `start` being D_0.

        The heads see equal states wherever the letters agree, so that each moves by at most e^Delta D_v d_i there.
        """
        mean = sum((head.outer * smallest(head.first, head.mean * start) for head in self.heads), 0)
        whole = self.skip * start + sum((head.outer * head.diameter for head in self.heads), 0)
        return first_factor(whole, self.a * start, self.b * start, mean)


def first_factor(whole: Any, own: Any, mean: Any, share: Any) -> tuple[Any, Any]:
    """P_0 and B = `share`, from what bounds a first layer.

    Where letters agree it changes by at most B d_i; elsewhere by at most `whole`, and at most own + mean d_i. The least
    of each coefficient alone, min(whole, own) and min(mean, share), would be too small.
    """
    return smallest(whole, own + largest(0, mean - share)), share


def polynomial(factors: Sequence[tuple[Any, Any]]) -> list[Any]:
    """The coefficients of z^0, ..., z^L in the product of p + q z over the factors (p, q)."""
    coefficients: list[Any] = [1]
    for p, q in factors:
        low, high = [c * p for c in coefficients], [c * q for c in coefficients]
        coefficients = [low[0], *(x + y for x, y in zip(low[1:], high, strict=False)), high[-1]]
    return coefficients


def plain_coefficients(layers: Sequence[LayerConstants], start: Any) -> list[Any]:
    """D_0 c_0, ..., D_0 c_L."""
    return [start * c for c in polynomial([(layer.a, layer.b) for layer in layers])]


def refined_coefficients(layers: Sequence[LayerConstants], start: Any) -> list[Any]:
    """P_0, ..., P_L: the product with the first factor a_1 D_0 + b_1 D_0 z replaced by P_0 + B z."""
    if not layers:
        return [start]
    return polynomial([layers[0].first(start), *((layer.a, layer.b) for layer in layers[1:])])


def total_growth(layers: Sequence[LayerConstants]) -> Any:
    """Gamma_L = c_1 + ... + c_L = prod (a_l + b_l) - prod a_l."""
    return prod(layer.a + layer.b for layer in layers) - prod(layer.a for layer in layers)


def modulus(coefficients: Sequence[Any], share: Any) -> Any:
    """c_1 g_1(d) + ... + c_L g_L(d) for a share d of changed letters; the coefficient c_0 comes first and has no part.

    Times Lambda it bounds the distance of two outputs. `theory.compact.averaging.averages.tail_radius` inverts it.
    """
    return tail_sum(coefficients[1:], share)


def modulus_at(coefficients: Sequence[Any], disagreements: Collection[int], n: int) -> Any:
    """c_1 (A 1_D)(n) + ... + c_L (A^L 1_D)(n) for known positions D, exact multiples of the coefficients.

    Raises InputError where n lies in D: the last letters must agree.
    """
    if n in disagreements:
        raise InputError(f"position {n} is the last and changed; the theorem is of words that share the last letter")
    model = sum(coefficients)
    found = averages(disagreements, n, len(coefficients) - 1, alike(1, model))
    return sum((c * share for c, share in zip(coefficients[1:], found, strict=True)), 0)
