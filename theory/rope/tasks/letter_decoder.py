"""The letter task by composition: repaired Retrieval layers with softmax, and a block of ReLUs after each.

Source: arXiv 2605.31558, Sec. 3.2, which composes Retrieval symbol by symbol; derived here. A layer is R1: the query
and key maps of the printed Retrieval head at frequency 0, and W_V = identity into a second slot; LI tokens are terminal
in the block of theory.rope.tasks.snap, which is what the gated residual of R1 becomes. The path condition is that of
theory.rope.tasks.letter_path: the walk is defined, and each letter that it wants is the left letter of one token type
in the whole input. Other positions may want letters that are missing or ambiguous.

Proof. Every position holds p e_tau, p in [0, 1], tau a type of the input, or nothing (claim decoder-snap). Let position
i hold exactly an LL token that wants y, and some position before i hold exactly the one type with left letter y. At
D = 1/4 that type is found with at least 3/4 (claim letter-decoder-excess), so position i holds it exactly after the
layer; an LI token stays. By induction on t, p_i holds exactly the token of p_min(i + t, HL): if that is an LL token,
p_{i+1} < p_i holds the token that it wants.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from random import Random

import numpy as np
import sympy
from flint import ctx
from sympy import Expr, Matrix, symbols

from theory.arithmetic.ball import cos
from theory.claims import Hypothesis, Source, claim
from theory.evidence import Enumeration, Evidence, Identity, Search, Trial
from theory.outcome import Outcome
from theory.rope.retrieval.decoding import letter, wanted
from theory.rope.retrieval.head import pairs, wanted_letter
from theory.rope.retrieval.repaired import r1_head
from theory.rope.rotation import PAPER
from theory.rope.sequences import ALPHABET, Pair, Symbol, show
from theory.rope.softmax.attention_loss import TOLERATED
from theory.rope.tasks.decoder_layers import BALLS, FLOATS, Arithmetic, Layer, holds_exactly, one_hot
from theory.rope.tasks.letter_margin import TURN, Margin, least_scale
from theory.rope.tasks.letter_path import Promise, Tokens, up_to_renaming
from theory.rope.tasks.snap import Snap
from theory.symbols import i, j

SEED = 2605
BITS = 128


@dataclass(frozen=True)
class LetterDecoder:
    """What position n holds after t layers.

    Args:
        text: the statement.
        condition: which inputs are meant, and how many hops t layers take.
        lost: the excess at `lost` is at most `lost`; the temperature that is tried only just meets it.
    """

    text: str = "position n holds exactly the token t hops along the walk, if the excess at D = 1/4 is at most 1/4"
    condition: Promise = field(default_factory=Promise)
    lost: Fraction = TOLERATED
    snap: Snap = field(default_factory=Snap)

    def __str__(self) -> str:
        return self.text


@claim(
    "letter-decoder-path-condition",
    source=Source(PAPER, "Sec. 3.2", "derived"),
    quantifiers="for all inputs with the path condition, t >= 0, and beta with an excess of at most 1/4 at D = 1/4",
    statement=str,
    variant=LetterDecoder(),
    hypotheses=(
        Hypothesis(
            "one token type in the whole input",
            "each letter wanted on the walk is the left letter of one token type, later positions included",
            dropped=LetterDecoder("a second token type after the wanting position does no harm", Promise(whole=False)),
        ),
        Hypothesis(
            "earlier positions",
            "each step of the walk goes to an earlier position",
            dropped=LetterDecoder("walks may step to later positions", Promise(forward=True)),
        ),
    ),
    controls={
        "HL - 1 layers": LetterDecoder("t layers take t + 1 hops", Promise(hops=lambda t: t + 1)),
        "a fixed threshold, no gate": LetterDecoder("ramps need not see the terminal mass", snap=Snap(gated=False)),
        "excess at most 2/5": LetterDecoder("an excess of at most 2/5 at D = 2/5 will do", lost=Fraction(2, 5)),
    },
    does_not_show="that this beta is the least: states that are partly right are bounded, not realised",
)
def letter_decoder_path_condition(decoder: LetterDecoder, thorough: bool) -> Iterator[Evidence]:
    """Mixed states through W_Q, W_K and W_V; all short inputs in balls; long ones, mostly not proper, in floats."""
    yield Identity("states with weights p and r through W_Q, W_K and W_V", _mixed_states(3 if thorough else 2))
    for length in (1, 2, 3, 4):
        # Of four tokens, three hops by default.
        name = f"all inputs of {length} tokens up to renaming, 2, 3 and 8 letters"
        yield Enumeration(name, _all_inputs(decoder, length, hops=0 if thorough or length < 4 else 3))
    trials = _random_inputs(decoder, 100 if thorough else 20)
    yield Search("random inputs of 17 tokens over 8 letters, as wrong states", trials, seed=SEED)


def _mixed_states(letters: int) -> Iterator[tuple[str, Expr | Matrix, Expr | Matrix]]:
    head, tokens = r1_head(letters, 1), pairs(letters, 1)
    p, r = (Matrix(symbols(f"{name}_0:{len(tokens)}", real=True)) for name in "pr")
    step = 2 * sympy.pi / letters
    terms = [
        weight * share * sympy.cos((key[0] - wanted_letter(*query, letters)) * step)
        for weight, query in zip(p, tokens, strict=True)
        for share, key in zip(r, tokens, strict=True)
    ]
    yield "logit", head.logit(p, i, r, j), sum(terms)
    yield "value", head.W_V * r, r


@cache
def _cosine(letters: int, steps: int, arithmetic: Arithmetic) -> object:
    value = cos(steps * TURN / letters)
    return float(value) if arithmetic is FLOATS else value.ball(BITS)


def retrieval_layer(types: Sequence[Pair], letters: int, scale: Fraction, snap: Snap, arithmetic: Arithmetic) -> Layer:
    """A layer on the given token types, over an alphabet of `letters`."""
    rows = [[_cosine(letters, (letter(k[0]) - wanted(q)) % letters, arithmetic) for k in types] for q in types]
    table = np.array(rows)
    terminal = [int(isinstance(right, int)) for _, right in types]
    return Layer(lambda state: state @ table @ state.T, scale, [1] * len(types), terminal, snap, arithmetic)


def _all_inputs(decoder: LetterDecoder, length: int, hops: int) -> Iterator[tuple[object, Outcome]]:
    for tokens in up_to_renaming(length):
        path = decoder.condition.walk(tokens)
        used = 1 + max(letter(half) for token in tokens for half in token if isinstance(half, str))
        if path is None or len(path) <= hops:
            continue
        for letters in (2, 3, 8):
            if letters >= used:
                scale = least_scale(Margin(), letters, length, decoder.lost)
                outcomes = _held(decoder, tokens, path, letters, scale, BALLS)
                yield f"{show(tokens)}, A = {letters}", Outcome.every(outcomes)


def _random_inputs(decoder: LetterDecoder, count: int) -> Iterator[Trial]:
    rng = Random(SEED)
    # A little above the least temperature, since floats cannot tell 3/4 from what rounding makes of it.
    scale = least_scale(Margin(), 8, 17, decoder.lost) * Fraction(1001, 1000)
    for _ in range(count):
        tokens = _planted(rng)
        if (path := decoder.condition.walk(tokens)) is not None:
            held = _held(decoder, tokens, path, 8, scale, FLOATS)
            yield Trial(show(tokens), float(sum(outcome is not Outcome.HOLDS for outcome in held)), 0.0)


def _planted(rng: Random) -> tuple[Pair, ...]:
    """17 tokens with a walk of 1 to 4 hops; no other token has a left letter that the walk wants."""
    letters, hops = rng.sample(ALPHABET[:8], 8), rng.randint(1, 4)
    free, others = letters[hops:], list[Symbol]([*letters, 1, 2, 3])
    tokens: list[Pair] = [(rng.choice(free), rng.choice(others)) for _ in range(17)]
    places, rights = [*sorted(rng.sample(range(16), hops)), 16], list[Symbol]([1, *letters[:hops]])
    for place, left, right in zip(places, [*letters[:hops], free[0]], rights, strict=True):
        tokens[place] = (left, right)
    return tuple(tokens)


def _held(
    decoder: LetterDecoder,
    tokens: Tokens,
    path: Sequence[int],
    letters: int,
    scale: Fraction,
    arithmetic: Arithmetic,
) -> Iterator[Outcome]:
    """Whether position n holds exactly what is promised after 0, 1, ..., HL + 1 layers."""
    types = sorted(set(tokens), key=str)
    layer = retrieval_layer(types, letters, scale, decoder.snap, arithmetic)
    state = one_hot([types.index(token) for token in tokens], len(types), arithmetic)
    for t in range(len(path) + 1):
        promised = tokens[path[min(decoder.condition.hops(t), len(path) - 1)] - 1]
        yield holds_exactly(state[-1], types.index(promised))
        with ctx.workprec(BITS):
            state = layer(state)
