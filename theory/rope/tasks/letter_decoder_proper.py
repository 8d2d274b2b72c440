"""On sequences that Retrieval can be applied to again and again, the letter decoder computes it at every position.

Source: arXiv 2605.31558, Sec. 3.2; derived here. The hypotheses are those of claim letter-composition: strongly proper,
or proper and in task format. They allow a wanted letter to be ambiguous further on in the input, where the path
condition (claim letter-decoder-path-condition) does not, but ask something of every position.

Proof. Retrieval^t is proper for all t, so if all positions hold exactly its tokens, each LL position wants a letter of
one type that some key up to it holds exactly, and all other keys are whole tokens with a gap of at least 1 - cos omega.
So at most D is lost if (n - 1)(1 - D) e^{-beta (1 - cos omega)} <= D = 1/4, and the block restores tokens exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import groupby
from typing import Any

from flint import ctx
from sympy import Symbol

from theory.claims import Source, claim
from theory.evidence import Enumeration, Evidence, Search, Trial
from theory.outcome import Outcome
from theory.rope.rotation import PAPER
from theory.rope.sequences import Pair, is_proper, retrieval, show
from theory.rope.softmax.attention_loss import TOLERATED
from theory.rope.softmax.guarantees import repaired_guarantee
from theory.rope.tasks.decoder_layers import BALLS, FLOATS, Arithmetic, holds_exactly, one_hot
from theory.rope.tasks.letter_decoder import BITS, retrieval_layer
from theory.rope.tasks.letter_task import COMPOSABLE, PROPER, Class
from theory.rope.tasks.snap import Snap

SEED = 2605


@cache
def least_scale(letters: int, length: int, lost: Fraction) -> Fraction:
    """The least inverse temperature, on a grid, at which at most the share `lost` is lost."""
    return repaired_guarantee("R1", letters, 1).inverse_temperature(length, lost)


@dataclass(frozen=True)
class Everywhere:
    """That on a class of sequences all positions hold exactly Retrieval^hops(t) after t layers."""

    members: Class = COMPOSABLE
    hops: Callable[[Any], Any] = lambda layers: layers
    lost: Fraction = TOLERATED

    def __str__(self) -> str:
        return (
            f"if a sequence is {self.members}, and where at most {self.lost} of the attention is lost, every position "
            f"holds exactly its Retrieval^({self.hops(Symbol('t'))}) after t layers"
        )


@claim(
    "letter-decoder-proper",
    source=Source(PAPER, "Sec. 3.2", "derived"),
    quantifiers="for all members of the class, positions, t >= 0, beta with (n - 1) e^(-beta (1 - cos omega)) <= 1/3",
    statement=str,
    variant=Everywhere(),
    controls={
        "proper only": Everywhere(PROPER),
        "one hop more": Everywhere(hops=lambda layers: layers + 1),
        "half of the attention on others": Everywhere(lost=Fraction(1, 3)),
    },
    does_not_show="anything about sequences that are not proper, which is what the task's own generator mostly makes",
)
def letter_decoder_proper(promise: Everywhere, thorough: bool) -> Iterator[Evidence]:
    """All members over small alphabets in balls, the least temperature of each length; long members in floats."""
    bounds = [(2, 1, 5), (3, 1, 4)] if thorough else [(2, 1, 4), (5, 1, 2)]
    for letters, integers, longest in bounds:
        name = f"all members of up to {longest} tokens over {letters} letters and {integers} integers"
        yield Enumeration(name, _small(promise, letters, integers, longest))
    yield Search("random members of up to 24 tokens, as wrong positions", _long(promise), seed=SEED)


def _small(promise: Everywhere, letters: int, integers: int, longest: int) -> Iterator[tuple[object, Outcome]]:
    for length, members in groupby(promise.members.up_to(letters, integers, longest), len):
        scale = least_scale(letters, length, promise.lost)
        for tokens in members:
            yield f"{show(tokens)}, A = {letters}", Outcome.every(_held(promise, tokens, letters, scale, BALLS))


def _long(promise: Everywhere) -> Iterator[Trial]:
    for tokens in promise.members.random(count=20, longest=24):
        # A little above the least temperature, since floats cannot tell 3/4 from what rounding makes of it.
        scale = least_scale(8, len(tokens), promise.lost) * Fraction(1001, 1000)
        held = _held(promise, tokens, 8, scale, FLOATS)
        yield Trial(show(tokens), float(sum(outcome is not Outcome.HOLDS for outcome in held)), 0.0)


def _held(
    promise: Everywhere, tokens: Sequence[Pair], letters: int, scale: Fraction, arithmetic: Arithmetic
) -> Iterator[Outcome]:
    """Whether the positions hold exactly what is promised, until Retrieval changes nothing more."""
    types = sorted(set(tokens), key=str)
    layer = retrieval_layer(types, letters, scale, Snap(), arithmetic)
    state = one_hot([types.index(token) for token in tokens], len(types), arithmetic)
    iterates = [tuple(tokens)]
    while is_proper(iterates[-1]) and (after := retrieval(iterates[-1])) != iterates[-1]:
        iterates.append(after)
    for t in range(len(iterates) + 1):
        promised = iterates[min(promise.hops(t), len(iterates) - 1)]
        yield Outcome.every(holds_exactly(row, types.index(token)) for row, token in zip(state, promised, strict=True))
        with ctx.workprec(BITS):
            state = layer(state)
