"""Exact decoders that see positions in their logits only, and two that do not keep to that.

A head weighs key j by a kernel of the lag (and of the query's position), times a factor that depends on its state; the
values are the states. A readout makes the probability of letter 1 of the last output and the last letter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from theory.compact.lag_kernels.kernels import Kernel
from theory.compact.words import Infinite, power_of_two


@dataclass(frozen=True)
class Layer:
    """x <- (x + a)/2, a the mean of states under the kernel times (1 + gain x_j)^2; states are in [0, 1].

    Args:
        kernel: weights by lag, any positive or masked.
        gain: of the content, a bounded logit 2 ln(1 + gain x).
        sink: whether a key of weight 1 and value 0 is always seen.
    """

    kernel: Kernel
    gain: Fraction = Fraction(0)
    sink: bool = False

    def attended(self, states: Sequence[Fraction], i: int) -> Fraction:
        """The attention output at position i."""
        weights = [self.kernel.weight(i, r) for r in range(i)]
        if self.gain:
            weights = [w * (1 + self.gain * states[i - 1 - r]) ** 2 for r, w in enumerate(weights)]
        total = sum(weights) + self.sink
        return sum((w * states[i - 1 - r] for r, w in enumerate(weights) if w), Fraction(0)) / total

    def __call__(self, states: Sequence[Fraction]) -> list[Fraction]:
        return [(state + self.attended(states, i)) / 2 for i, state in enumerate(states, start=1)]


def states_after(layers: Sequence[Layer], letters: Sequence[int], absolute: bool = False) -> list[Fraction]:
    """The state after each letter; letters 0, 1, 2 are embedded at 0, 1/2, 1, with parities if `absolute`."""
    states = [Fraction(letter, 2) / (1 + absolute * (i % 2)) for i, letter in enumerate(letters, start=1)]
    for layer in layers:
        states = layer(states)
    return states


def features(layer: Layer, word: Infinite, lengths: range) -> dict[int, Fraction]:
    """The attention output of one layer at the last letter, with letters 0 and 1 as states; by length."""
    states = [Fraction(letter) for letter in word.prefix(lengths[-1])]
    return {length: layer.attended(states, length) for length in lengths}


@dataclass(frozen=True)
class Readout:
    """T(1) = level + slope a + own u_n, held between 0 and 1."""

    level: Fraction
    slope: Fraction
    own: Fraction = Fraction(0)

    def one(self, feature: Fraction, letter: int) -> Fraction:
        return min(Fraction(1), max(Fraction(0), self.level + self.slope * feature + self.own * letter))


def lag_comb(period: int, boost: int) -> Kernel:
    """A bounded logit that looks back at every `period`-th key: what rotations of one frequency can do."""
    return Kernel(f"comb {period}, {boost}", lambda i, r: boost if r % period == period - 1 else 1)


# Windows of two tokens at flagged queries and of one elsewhere; with a sink it tells which.
FLAGGING = Kernel("window 2 where i + 1 is a power of two, else 1", lambda i, r: int(r < 1 + power_of_two(i + 1)))
