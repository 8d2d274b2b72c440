"""The formulas of the algorithm, one method a formula that a control can get wrong.

All numbers are balls. Notation: sd = sqrt(d); nu, the Lipschitz constant of a norm at states of length >= rho; spectral
norms |W| of matrices after the norm's gain (and centring) has been multiplied into them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from flint import arb

from theory.compact.certificate.weights import Attention
from theory.compact.continuity.constants import LayerConstants, refined_coefficients
from theory.compact.elementary import largest, smallest, to_ball


@dataclass(frozen=True)
class Rules:
    """The sound formulas; a control is a subclass that overrides one.

    `said` is how it differs, `last_letter` whether the theorem asks that words share the last letter.
    """

    said: ClassVar[str] = ""
    last_letter: ClassVar[bool] = True

    def __str__(self) -> str:
        if self.said:
            return f"|T(u) - T(w)| <= bound(n, D), with {self.said}"
        shared = "that share the last letter" if self.last_letter else "of one length"
        return (
            f"|T(u) - T(w)| <= bound(n, D) <= bound(n, |D|) for words {shared}, with Delta, D_v, lambda, kappa, nu and "
            "Lambda upper bounds of the true constants"
        )

    def norm_slope(self, rho: arb, width: int, epsilon: float) -> arb:
        """The constant nu = 1/sqrt(rho^2/d + epsilon): how much a norm stretches states of centred length >= rho."""
        rho = largest(rho, arb(0))
        return 1 / (rho**2 / width + to_ball(epsilon)).sqrt()

    def least_start(self, certified: arb, seen: arb) -> arb:
        """The bound rho of the embeddings; `seen` is the least over the tokens of some sample of words."""
        return certified

    def key_head(self, attention: Attention, head: int) -> int:
        """The key head that a query head uses."""
        return attention.key_head(head)

    def oscillation(self, attention: Attention, query: arb, key: arb) -> arb:
        """Delta, from bounds of the length of a query and of a key."""
        raw = 2 * to_ball(attention.scale) * query * key + to_ball(attention.inner_bias)
        if attention.softcap is not None:
            raw = smallest(raw, 2 * to_ball(attention.softcap))
        return raw * to_ball(attention.factor) + to_ball(attention.outer_bias)

    def logit_slope(self, attention: Attention, nu: arb, own: arb, other: arb) -> arb:
        """lambda_q or lambda_k: `own` the slope of this side, `other` the length of the other."""
        return to_ball(attention.scale) * to_ball(attention.factor) * nu * own * other

    def value_diameter(self, values: arb, amax: arb, sink: bool, inner: arb) -> arb:
        """D_v from sd |W_o W_v|; a sink of value 0 is one value more. `inner` is sd |W_v|."""
        return largest(2 * values, amax) if sink else 2 * values

    def after_attention(self, rho: arb, amax: Sequence[arb], bias: arb) -> arb:
        """The bound rho after the heads and the bias of the output projection have been added."""
        return rho - sum(amax, arb(0)) - bias

    def after_mlp(self, rho: arb, hidden: arb, bias: arb) -> arb:
        """The bound rho after the MLP and its last bias have been added."""
        return rho - hidden - bias

    def polynomial(self, layers: Sequence[LayerConstants], start: arb) -> list[Any]:
        """P_0, ..., P_L."""
        return refined_coefficients(layers, start)

    def readout(self, nu: arb, apart: arb, capped: arb, softcap: float | None, temperature: float) -> arb:
        """Lambda: `apart` is max |U_s - U_t|, `capped` max (|U_s| + |U_t|)."""
        return nu * (apart if softcap is None else capped) / (4 * to_ball(temperature))
