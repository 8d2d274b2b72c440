"""The block of ReLUs between attention layers that turns what was found back into one token.

Source: derived here for arXiv 2605.31558, Section 3.2, where layers are composed by decoding between them.

Token types are terminal (walks end there) or moving. A position holds x = p e_tau, a share p in [0, 1] of one type, and
its attention finds a >= 0 with sum at most 1. With g the terminal mass of x, the block writes, for each type c,

    ramp(a_c - g) + ramp(x_c)                 if c is terminal,
    ramp(a_c - g) + ramp(x_c - sum a)         if c is moving,       ramp(z) = relu(8z - 5) - relu(8z - 6).

At most one of all these ramps is positive: two values a_c > 5/8 exceed the sum 1; x_c > 5/8 of a terminal type leaves
a - g < 3/8; x_c > 5/8 + sum a of a moving type leaves a < 3/8. So a position again holds a share of one type, which was
there or was found. A moving token becomes c if a_c >= 3/4 and stays if sum a <= 1/4; a terminal one stays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
from flint import arb

from theory.claims import Source, claim
from theory.evidence import BoxCover, Enumeration, Evidence
from theory.outcome import Outcome
from theory.rope.rotation import PAPER

# Arrays of floats, fractions or balls, or torch tensors; the last axis runs over the token types.
Array = Any


@dataclass(frozen=True)
class Snap:
    """The block. `terminal` is 1 on terminal types and 0 on moving ones.

    Args:
        gain: the slope of a ramp.
        bias: a ramp starts at bias/gain; the default ends it at 3/4.
        gated: whether terminal mass keeps tokens from being replaced.
    """

    gain: int = 8
    bias: int | Fraction = 5
    gated: bool = True

    def __str__(self) -> str:
        ramp = f"clip({self.gain} {'(a_c - g)' if self.gated else 'a_c'} - {self.bias})"
        return f"one type stays one type, and 3/4 or 1/4 found is made exact, by ramps such as {ramp}"

    def inputs(self, token: Array, found: Array, terminal: Array) -> tuple[Array, Array]:
        """What the ramps of the found and of the held types are applied to, after gain and bias."""
        gate = (token * terminal).sum(-1, keepdims=True) if self.gated else 0
        mass = found.sum(-1, keepdims=True)
        return self.gain * (found - gate) - self.bias, self.gain * (token - mass * (1 - terminal)) - self.bias

    def __call__(self, token: Array, found: Array, terminal: Array, clip: Callable[[Array], Array]) -> Array:
        """The new token slot, given both slots; `clip` cuts to [0, 1], as relu(z) - relu(z - 1) does."""
        new, held = self.inputs(token, found, terminal)
        return clip(new) + clip(held)


def clip_exact(values: Array) -> Array:
    """Cut an array of floats or fractions to [0, 1]."""
    return np.minimum(np.maximum(values, 0), 1)


clip_balls = np.frompyfunc(lambda ball: ball.max(arb(0)).min(arb(1)), 1, 1)


@claim(
    "decoder-snap",
    source=Source(PAPER, "Sec. 3.2", "derived"),
    quantifiers="for all shares p in [0, 1] of one type, and all found masses a >= 0 of sum at most 1",
    statement=str,
    variant=Snap(),
    controls={
        "a fixed threshold, no gate": Snap(gated=False),
        "ramps from 1/4": Snap(bias=2),
        "ramps of half the slope": Snap(gain=4, bias=Fraction(5, 2)),
        "ramps from 3/4": Snap(bias=6),
    },
    does_not_show="that attention finds 3/4: that is for the margins of the head",
)
def decoder_snap(snap: Snap, thorough: bool) -> Iterator[Evidence]:
    """A grid of shares for two terminal and two moving types; boxes that cover all shares for three types."""
    yield Enumeration("two terminal and two moving types, shares on a grid", _grid(snap, 12 if thorough else 4))
    unit = (Fraction(0), Fraction(1))
    for kind in (1, 0):

        def at_most_one(p: arb, first: arb, second: arb, kind: int = kind) -> Outcome:
            return _one_ramp(snap, p, first, second, kind)

        yield BoxCover(f"one ramp at most, {('moving', 'terminal')[kind]} token", (unit,) * 3, at_most_one)


def _grid(snap: Snap, steps: int) -> Iterator[tuple[object, bool]]:
    terminal = np.array([1, 0, 1, 0])
    founds = [np.array(f) for f in product(range(steps + 1), repeat=4) if sum(f) <= steps]
    for own, share in product((0, 1), range(steps + 1)):
        token = np.zeros((len(founds), 4), dtype=int)
        token[:, own] = share
        exact = np.array([[Fraction(int(v), steps) for v in f] for f in founds], dtype=object)
        out = snap(token * Fraction(1, steps), exact, terminal, clip_exact)
        for found, result in zip(founds, out, strict=True):
            case = {"x": f"{share}/{steps} of type {own}", "a": f"{found.tolist()}/{steps}"}
            yield case, _as_stated(own, share, found, result, steps)


def _as_stated(own: int, share: int, found: np.ndarray, result: np.ndarray, steps: int) -> bool:
    held = np.flatnonzero(result)
    if len(held) > 1 or not all(0 <= result[c] <= 1 and (found[c] or c == own) for c in held):
        return False
    if share < steps:
        return True
    if own == 0 or 4 * found.sum() <= steps:
        return bool(result[own] == 1)
    return all(result[c] == 1 for c in range(4) if 4 * found[c] >= 3 * steps)


def _one_ramp(snap: Snap, p: arb, first: arb, second: arb, terminal: int) -> Outcome:
    """Whether at most one ramp is positive for p of one type and found masses of two others (more only lower them)."""
    if first + second > 1:
        return Outcome.HOLDS
    token, found = np.array([p, arb(0), arb(0)]), np.array([arb(0), first, second])
    ramps = [z for zs in snap.inputs(token, found, np.array([terminal, 0, 0])) for z in zs]
    if sum(not z <= 0 for z in ramps) <= 1:
        return Outcome.HOLDS
    inside = first + second <= 1
    return Outcome.REFUTED if inside and sum(z > 0 for z in ramps) > 1 else Outcome.UNDECIDED
