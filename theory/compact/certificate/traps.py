"""Decoders of a few numbers, each of which exceeds the bound by one wrong formula, and none that by the right ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from flint import ctx

from theory.compact.certificate import reference
from theory.compact.certificate.certify import BITS, certify
from theory.compact.certificate.controls import (
    AnyLastLetter,
    BiasInsideCap,
    FirstKeyHead,
    HalfOscillation,
    NoDownBias,
    NoOutputBias,
    NoOutputTemperature,
    ReadoutWithoutCap,
    SeenLength,
    SinkIgnored,
    TemperatureAfterCap,
    TemperatureOnDeltaOnly,
    ValuesWithoutOutput,
)
from theory.compact.certificate.rules import Rules
from theory.compact.certificate.trials import (
    Pair,
    oscillations,
    query_slopes,
    readout_slope,
    value_diameters,
    word_pairs,
)
from theory.compact.certificate.weights import Weights

YARN_32 = 1.813260  # (0.1 ln 32 + 1)^2, rounded


@dataclass(frozen=True)
class Trap:
    """A decoder, what is looked at, and the control that it catches."""

    weights: Callable[[], Weights]
    look: Callable[[Weights, Rules], Iterator[Pair]]
    caught: Rules

    def pairs(self, rules: Rules) -> list[Pair]:
        """What is observed, in balls, and the bound by these formulas."""
        with ctx.workprec(BITS):
            return list(self.look(self.weights(), rules))


def _outputs(*pairs: tuple[str, str]) -> Callable[[Weights, Rules], Iterator[Pair]]:
    words = [(tuple(map(int, u)), tuple(map(int, w))) for u, w in pairs]
    return lambda weights, rules: word_pairs(weights, rules, words)


def _rows(word: str) -> Callable[[Weights, Rules], Iterator[Pair]]:
    return lambda weights, rules: oscillations(weights, certify(weights, rules), tuple(map(int, word)))


def _query_slope(weights: Weights, rules: Rules) -> Iterator[Pair]:
    return query_slopes(weights, certify(weights, rules), weights.embedding[1], weights.embedding[0])


def _readout_slope(weights: Weights, rules: Rules) -> Iterator[Pair]:
    return readout_slope(weights, certify(weights, rules), (-0.155, 2.996))


def _values(weights: Weights, rules: Rules) -> Iterator[Pair]:
    return value_diameters(weights, certify(weights, rules), (1, 0))


def _sink(weights: Weights, rules: Rules) -> Iterator[Pair]:
    yield from _outputs(("1" * 3, "011"), ("1" * 10, "0" + "1" * 9))(weights, rules)
    yield from _values(weights, rules)


_FIRST = ("0" * 10, "1" + "0" * 9)

TRAPS: Mapping[str, Trap] = {
    "output-bias": Trap(reference.cancelled_by_attention, _outputs(_FIRST), NoOutputBias()),
    "down-bias": Trap(reference.cancelled_by_mlp, _outputs(_FIRST), NoDownBias()),
    "sink": Trap(reference.sink_and_value_bias, _sink, SinkIgnored()),
    "temperature": Trap(lambda: reference.with_temperature(YARN_32), _query_slope, TemperatureOnDeltaOnly()),
    "cap": Trap(reference.capped_after_temperature, _rows("10"), TemperatureAfterCap()),
    "bias-after-cap": Trap(reference.bias_after_cap, _rows("10"), BiasInsideCap()),
    "readout-cap": Trap(reference.capped_readout, _readout_slope, ReadoutWithoutCap()),
    "seen-length": Trap(reference.small_letter, _outputs(("1" * 10, "0" + "1" * 9)), SeenLength()),
    "opposite-keys": Trap(reference.opposite_keys, _rows("10"), HalfOscillation()),
    "output-matrix": Trap(reference.large_output, _values, ValuesWithoutOutput()),
    "output-temperature": Trap(reference.cold_readout, _outputs(_FIRST), NoOutputTemperature()),
    "key-heads": Trap(reference.two_key_heads, _rows("10"), FirstKeyHead()),
    "last-letter": Trap(reference.large_output, _outputs(("0" * 10, "0" * 9 + "1")), AnyLastLetter()),
}
