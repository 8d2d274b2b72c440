"""Formulas that look like those of the algorithm and are wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from flint import arb

from theory.compact.certificate.rules import Rules
from theory.compact.certificate.weights import Attention
from theory.compact.elementary import smallest, to_ball


class SeenLength(Rules):
    """A lower bound that was measured."""

    said: ClassVar[str] = "rho is the least length of the states that some sample of words reaches"

    def least_start(self, certified: arb, seen: arb) -> arb:
        return seen


class HalfOscillation(Rules):
    """The largest logit in place of the oscillation."""

    said: ClassVar[str] = "Delta = tau Q K"

    def oscillation(self, attention: Attention, query: arb, key: arb) -> arb:
        return super().oscillation(attention, query, key) / 2


class ValuesWithoutOutput(Rules):
    """Values before the output projection."""

    said: ClassVar[str] = "D_v = 2 sd |W_v|"

    def value_diameter(self, values: arb, amax: arb, sink: bool, inner: arb) -> arb:
        return super().value_diameter(inner, amax, sink, inner)


class NoOutputTemperature(Rules):
    """The readout at temperature 1."""

    said: ClassVar[str] = "Lambda without the output temperature"

    def readout(self, nu: arb, apart: arb, capped: arb, softcap: float | None, temperature: float) -> arb:
        return super().readout(nu, apart, capped, softcap, 1.0)


class FirstKeyHead(Rules):
    """Key heads that are not shared as the query heads say."""

    said: ClassVar[str] = "every query head has the first key head"

    def key_head(self, attention: Attention, head: int) -> int:
        return 0


class NoOutputBias(Rules):
    """A bias forgotten."""

    said: ClassVar[str] = "rho without the bias of the output projection"

    def after_attention(self, rho: arb, amax: Sequence[arb], bias: arb) -> arb:
        return super().after_attention(rho, amax, arb(0))


class NoDownBias(Rules):
    """A bias forgotten."""

    said: ClassVar[str] = "rho without the last bias of the MLP"

    def after_mlp(self, rho: arb, hidden: arb, bias: arb) -> arb:
        return super().after_mlp(rho, hidden, arb(0))


class SinkIgnored(Rules):
    """A value forgotten."""

    said: ClassVar[str] = "D_v = 2 sd |W_o W_v| with a sink too"

    def value_diameter(self, values: arb, amax: arb, sink: bool, inner: arb) -> arb:
        return super().value_diameter(values, amax, False, inner)


class TemperatureOnDeltaOnly(Rules):
    """A factor on the oscillation and not on its slopes."""

    said: ClassVar[str] = "lambda_q and lambda_k with tau = 1/sqrt(d_h), whatever factor the logits have"

    def logit_slope(self, attention: Attention, nu: arb, own: arb, other: arb) -> arb:
        return _usual_scale(attention) * nu * own * other


class TemperatureAfterCap(Rules):
    """A factor and a cap in the wrong order."""

    said: ClassVar[str] = "Delta = min(2 Q K/sqrt(d_h), 2 C) times the factor that acts before the cap"

    def oscillation(self, attention: Attention, query: arb, key: arb) -> arb:
        raw = 2 * _usual_scale(attention) * query * key
        if attention.softcap is not None:
            raw = smallest(raw, 2 * to_ball(attention.softcap))
        return raw * to_ball(attention.scale) / _usual_scale(attention) + to_ball(attention.outer_bias)


class BiasInsideCap(Rules):
    """A bias and a cap in the wrong order."""

    said: ClassVar[str] = "Delta = min(2 tau Q K + the range of a bias that is added after the cap, 2 C)"

    def oscillation(self, attention: Attention, query: arb, key: arb) -> arb:
        found = super().oscillation(attention, query, key)
        return found if attention.softcap is None else smallest(found, 2 * to_ball(attention.softcap))


class ReadoutWithoutCap(Rules):
    """A cap taken for a contraction of differences."""

    said: ClassVar[str] = "Lambda from |U_s - U_t| under a final soft cap too"

    def readout(self, nu: arb, apart: arb, capped: arb, softcap: float | None, temperature: float) -> arb:
        return super().readout(nu, apart, capped, None, temperature)


class AnyLastLetter(Rules):
    """The statement without its hypothesis on the last letter."""

    last_letter: ClassVar[bool] = False


def _usual_scale(attention: Attention) -> arb:
    return 1 / arb(attention.query.shape[1]).sqrt()
