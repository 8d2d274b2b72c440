"""The number task by composition: Index layers with softmax, and a block of ReLUs after each, without decoding.

Source: arXiv 2605.31558, Sec. 3.2, which composes Index symbol by symbol; margins derived here. A layer has the query
and key maps of the Index head and copies letters into a second slot (its W_V with alpha = 1); letters are terminal in
its block (theory.rope.tasks.snap). No input is excluded but those whose walk leaves the input: integers off the walk
may point anywhere.

Proof. Keys do not depend on what positions hold, so a position that holds an integer s exactly attends to the position
s places back with weight 1/(1 + F_{s,i-1-s}) >= 3/4, and all states have letter mass at most 1 (claim decoder-snap).
If that position holds a letter exactly, the letter is found with at least 3/4 and becomes the state; if it holds an
integer exactly, letters are found with at most 1/4 together, and the state stays. Letters stay. So, by induction on t,
the positions of the walk hold exactly what t applications of Index give them, whatever happens elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from itertools import product
from random import Random

import numpy as np
import sympy
from flint import ctx
from sympy import Expr, Matrix

from theory.arithmetic.angle import Angle
from theory.arithmetic.ball import cos
from theory.arithmetic.real import Real
from theory.claims import Hypothesis, Source, claim
from theory.evidence import Enumeration, Evidence, Identity, Search, Trial
from theory.outcome import Outcome
from theory.quantities import Exact, Length, NonzeroAngle, quantity
from theory.rope.index.head import index_head, index_logit
from theory.rope.index.temperature import beta_for
from theory.rope.rotation import PAPER
from theory.rope.sequences import Symbol, show
from theory.rope.softmax.attention_loss import TOLERATED
from theory.rope.softmax.guarantees import index_guarantee
from theory.rope.tasks.decoder_layers import BALLS, FLOATS, Arithmetic, Layer, holds_exactly, one_hot
from theory.rope.tasks.number_task import walk
from theory.rope.tasks.snap import Array, Snap
from theory.symbols import i, j, theta

SEED = 2605
BITS = 128


@quantity("number-decoder-beta", unit="inverse temperature", claim="number-decoder-margins")
def number_decoder_beta(n: Length, theta: NonzeroAngle) -> Exact:
    """What the layers of the number decoder use at length n: at most 1/8 of the attention is lost, on a 16-bit grid."""
    return Exact(index_guarantee(theta).inverse_temperature(n))


@dataclass(frozen=True)
class NumberDecoder:
    """What position n holds after t layers.

    Args:
        text: the statement.
        lost: F_{s,n-1-s} <= lost/(1 - lost) for all s; the temperature that is tried only just meets it.
        needed: after how many layers a walk of so many hops has its answer.
        everywhere: whether inputs whose walk leaves them are included, as keeping their integer.
    """

    text: str = "position n holds exactly its integer for t < HL and exactly the answer for t >= HL, if F <= 1/3"
    lost: Fraction = TOLERATED
    needed: Callable[[int], int] = lambda hops: hops
    everywhere: bool = False
    snap: Snap = field(default_factory=Snap)

    def __str__(self) -> str:
        return self.text

    def promised(self, tokens: Sequence[Symbol], path: Sequence[int], layers: int) -> Symbol:
        arrived = path[-1] >= 1 and layers >= self.needed(len(path) - 1)
        return tokens[path[-1] - 1] if arrived else tokens[-1]


@claim(
    "number-decoder-margins",
    source=Source(PAPER, "Sec. 3.2", "derived"),
    quantifiers="for all inputs of length n with a defined walk, t >= 0, theta and beta with F_(s,n-1-s) <= 1/3, s < n",
    statement=str,
    variant=NumberDecoder(),
    hypotheses=(
        Hypothesis(
            "defined walk",
            "the walk from position n stays within the input",
            dropped=NumberDecoder("position n keeps its integer where the walk leaves the input", everywhere=True),
        ),
    ),
    controls={
        "HL - 1 layers": NumberDecoder("HL - 1 layers suffice", needed=lambda hops: hops - 1),
        "F <= 1/2": NumberDecoder("F <= 1/2 suffices", lost=Fraction(1, 3)),
        "steeper ramps from 7/8": NumberDecoder("ramps from 7/8 to 1 will do", snap=Snap(8, 7)),
    },
    does_not_show="that trained models compose like this: one that adds pointers takes several hops in a layer",
)
def number_decoder_margins(decoder: NumberDecoder, thorough: bool) -> Iterator[Evidence]:
    """Mixed states through W_Q, W_K and W_V; all short inputs in balls; long ones with any integers in floats."""
    yield Identity("states with weights p and r", _mixed_states(3 if thorough else 2))
    for length in range(2, 6 if thorough else 5):
        for angle in (Angle.turn(1, length), Angle(sympy.Integer(1))):
            name = f"all inputs of {length} tokens over 2 letters and {length} integers, theta = {angle}"
            yield Enumeration(name, _all_inputs(decoder, length, angle))
    yield Search(
        "random inputs of 17 tokens, wrong states", _random_inputs(decoder, 200 if thorough else 40), seed=SEED
    )


def _mixed_states(integers: int) -> Iterator[tuple[str, Expr | Matrix, Expr | Matrix]]:
    head, types = index_head(2, integers, theta, alpha=1), 2 + integers
    p, r = (Matrix([*sympy.symbols(f"{name}_0:{types}", real=True), 1]) for name in "pr")
    offsets = [0, 0, *range(1, integers + 1)]
    terms = (weight * index_logit(i, j, offset, theta) for weight, offset in zip(p, offsets, strict=False))
    yield "logit", head.logit(p, i, r, j), sum(terms)
    yield "value", head.W_V * r, Matrix([*r[:2], *[0] * (integers + 1)])


@cache
def _cosines(length: int, integers: int, angle: Angle, arithmetic: Arithmetic) -> Array:
    """cos((i - j - s) theta) for offsets 0..integers and positions below `length`, offsets x n x n."""
    real = angle.real
    table = {t: cos(t * real) for t in range(-length - integers, length + 1)}
    number = float if arithmetic is FLOATS else Real.ball
    rows = [[[number(table[a - b - s]) for b in range(length)] for a in range(length)] for s in range(integers + 1)]
    return np.array(rows)


def number_layer(
    letters: int, integers: int, length: int, angle: Angle, beta: Fraction, snap: Snap, arithmetic: Arithmetic
) -> Layer:
    """A layer on token types: letters first, then the integers 1..I."""
    offsets = [0] * letters + list(range(1, integers + 1))
    table = _cosines(length, integers, angle, arithmetic)[offsets].swapaxes(0, 1)
    terminal = [1] * letters + [0] * integers
    return Layer(lambda state: (state[:, :, None] * table).sum(1), beta, terminal, terminal, snap, arithmetic)


def _held(decoder: NumberDecoder, layer: Layer, symbols: Sequence[Symbol], tokens: Sequence[Symbol]) -> list[Outcome]:
    """Whether position n holds exactly what is promised after 0, 1, ..., HL + 1 layers."""
    path = walk(tokens)
    state = one_hot([symbols.index(token) for token in tokens], len(symbols), layer.arithmetic)
    outcomes = []
    with ctx.workprec(BITS):
        for t in range(len(path) + 1):
            outcomes.append(holds_exactly(state[-1], symbols.index(decoder.promised(tokens, path, t))))
            state = layer(state)
    return outcomes


def _all_inputs(decoder: NumberDecoder, length: int, angle: Angle) -> Iterator[tuple[object, Outcome]]:
    symbols: tuple[Symbol, ...] = ("a", "b", *range(1, length + 1))
    beta = Fraction(beta_for(length, angle, decoder.lost).sufficient)
    layer = number_layer(2, length, length, angle, beta, decoder.snap, BALLS)
    for tokens in product(symbols, repeat=length):
        path = walk(tokens)
        if len(path) == 1 or not (decoder.everywhere or path[-1] >= 1):
            continue
        yield f"{show(tokens)}, theta = {angle}", Outcome.every(_held(decoder, layer, symbols, tokens))


def _random_inputs(decoder: NumberDecoder, count: int) -> Iterator[Trial]:
    rng, symbols = Random(SEED), [*"abcd", *range(1, 17)]
    angle = Angle.turn(1, 17)
    # A little above the least temperature, since floats cannot tell 3/4 from what rounding makes of it.
    beta = Fraction(beta_for(17, angle, decoder.lost * Fraction(999, 1000)).sufficient)
    layer = number_layer(4, 16, 17, angle, beta, decoder.snap, FLOATS)
    while count:
        tokens = [rng.choice(symbols[:4] if rng.random() < 0.4 else symbols[4:]) for _ in range(16)] + [
            rng.randint(1, 16)
        ]
        if (path := walk(tokens))[-1] < 1 or len(path) == 1:
            continue
        count -= 1
        wrong = sum(outcome is not Outcome.HOLDS for outcome in _held(decoder, layer, symbols, tokens))
        yield Trial(show(tokens), float(wrong), 0.0)
