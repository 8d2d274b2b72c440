"""One layer of a composed decoder on what its positions hold, in floats or in balls.

A position holds weights on token types, an array row. A layer attends with given logits, reads the copied types of what
it attends to into a second slot, and snaps both slots back into one (theory.rope.tasks.snap).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb, fmpq

from theory.outcome import Outcome
from theory.rope.tasks.snap import Array, Snap, clip_balls, clip_exact


@dataclass(frozen=True)
class Arithmetic:
    """What a layer needs beyond + - * /: exponentials and cuts of arrays, and numbers from fractions."""

    exp: Callable[[Array], Array]
    clip: Callable[[Array], Array]
    number: Callable[[Fraction], Any]


FLOATS = Arithmetic(np.exp, clip_exact, float)
BALLS = Arithmetic(np.frompyfunc(arb.exp, 1, 1), clip_balls, lambda x: arb(fmpq(x.numerator, x.denominator)))


@dataclass(frozen=True)
class Layer:
    """A layer on states of shape n x types.

    Args:
        logits: the logits of all queries (rows) and keys, n x n, from a state.
        beta: the inverse temperature.
        copied: 1 for the types that attention copies, 0 for the others.
        terminal: 1 for the types that stay.
    """

    logits: Callable[[Array], Array]
    beta: Fraction
    copied: Sequence[int]
    terminal: Sequence[int]
    snap: Snap
    arithmetic: Arithmetic

    def found(self, state: Array) -> Array:
        """What the positions find, n x types: causal softmax averages of the copied types."""
        # Logits are at most 1; the shift keeps floats in range.
        scores = self.arithmetic.number(self.beta) * (self.logits(state) - 1)
        weights = self.arithmetic.exp(scores) * np.tri(len(state), dtype=int)
        return (weights / weights.sum(-1, keepdims=True)) @ (state * np.array(self.copied))

    def __call__(self, state: Array) -> Array:
        return self.snap(state, self.found(state), np.array(self.terminal), self.arithmetic.clip)


def holds_exactly(row: Array, number: int) -> Outcome:
    """Whether a position holds the token type with this number and nothing else."""
    outcomes = []
    for at, weight in enumerate(row):
        difference = weight - int(at == number)
        outcomes.append(Outcome.settled(difference == 0, difference != 0))
    return Outcome.every(outcomes)


def one_hot(numbers: Sequence[int], types: int, arithmetic: Arithmetic) -> Array:
    """The state that holds these token types, n x types."""
    zero, one = (arithmetic.number(Fraction(value)) for value in (0, 1))
    return np.array([[one if at == number else zero for at in range(types)] for number in numbers])
