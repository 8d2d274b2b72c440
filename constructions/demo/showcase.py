"""What a construction does on one input: the attention of every layer, its logit gap, the output, and the verdict.

Outputs are compared with the plain-Python reference, logit gaps in torch with their enclosures in balls; the allowance
for rounding is derived (claim rope-logit-rounding).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

import torch

from constructions import reference
from constructions.decoder import Decoder, Layer
from constructions.rope_head import RopeHead, format_of
from constructions.token_head import TokenHead
from theory.arithmetic.angle import Angle
from theory.arithmetic.ball import Real
from theory.outcome import Outcome
from theory.rope.precision.logit_rounding import logit_error
from theory.rope.softmax.attention_loss import STATE_ROUNDINGS, TOLERATED

T = TypeVar("T", bound=Hashable)


@dataclass(frozen=True, eq=False)
class Gap:
    """The logit of the target of the last query less that of its strongest competitor, in torch and in theory.

    `exact` is the gap on this input, where it has a closed form; `least` bounds it on all inputs of this length.
    """

    observed: Fraction
    allowance: Fraction
    least: Real
    exact: Real | None

    @property
    def outcome(self) -> Outcome:
        """Whether the observed gap is where it must be, up to rounding."""
        found = [self.least <= self.observed + self.allowance]
        if self.exact is not None:
            found.append(abs(self.exact - self.observed) <= self.allowance)
        return Outcome.every(found)


@dataclass(frozen=True, eq=False)
class Wanted:
    """What the last query looks for: positions of targets and of competitors, from 0, and what is proved of the gap."""

    targets: Collection[int]
    rivals: Collection[int]
    least: Real
    exact: Real | None = None


@dataclass(frozen=True, eq=False)
class View:
    """One attention layer on one input: the tokens before it (None: none exactly) and the weights, float64, n x n.

    `on_target` and `gap` belong to the last query; they are None where it has arrived, or has no competitor.
    `promised` is the share of the attention that certainly falls on the target, rounding included.
    """

    tokens: tuple[str | None, ...]
    weights: torch.Tensor
    on_target: float | None
    gap: Gap | None
    promised: Fraction

    @classmethod
    def of(
        cls,
        head: RopeHead,
        states: torch.Tensor,
        tokens: Sequence[object | None],
        wanted: Wanted | None,
        promised: Fraction = Fraction(0),
    ) -> View:
        """The layer of `head` on states n x d that stand for `tokens`."""
        weights = head.weights(states)
        gap = on_target = None
        if wanted is not None:
            on_target = float(weights[-1, list(wanted.targets)].sum())
            if wanted.rivals:
                logits = [Fraction(logit) for logit in head.logits(states)[-1].tolist()]
                observed = max(logits[at] for at in wanted.targets) - max(logits[at] for at in wanted.rivals)
                # The difference of two logits; all heads of the demo have |q||k| = 1 and one plane.
                allowance = 2 * logit_error(format_of(head.dtype).u, state=STATE_ROUNDINGS)
                gap = Gap(observed, allowance, wanted.least, wanted.exact)
        shown = tuple(None if token is None else str(token) for token in tokens)
        return cls(shown, weights.double(), on_target, gap, promised)

    @property
    def last(self) -> list[float]:
        """The weights of the last query."""
        return [float(weight) for weight in self.weights[-1]]

    @property
    def right(self) -> bool:
        """Whether the gap is within its bounds and the target has the attention that is promised."""
        enough = self.on_target is None or self.on_target >= self.promised
        return enough and (self.gap is None or self.gap.outcome is Outcome.HOLDS)


@dataclass(frozen=True, eq=False)
class Showcase:
    """A construction on one input, and the random inputs on which it was compared with the reference as well.

    `held` are the tokens after the last layer; `wrong` lists the random inputs with a wrong output.
    """

    views: tuple[View, ...]
    held: tuple[str | None, ...]
    output: str
    expected: str
    wrong: tuple[str, ...]
    trials: int
    beta: float
    angle: Angle
    guaranteed_length: int
    dtype: str

    @property
    def single(self) -> bool:
        """Whether it is one layer, not a decoder."""
        return len(self.views) == 1

    @property
    def right(self) -> bool:
        """Whether all outputs are those of the reference and all gaps within their bounds."""
        return self.output == self.expected and not self.wrong and all(view.right for view in self.views)


def show_head(
    head: TokenHead[T],
    angle: Angle,
    function: Callable[[Sequence[T], int], T],
    tokens: Sequence[T],
    wanted: Wanted | None,
    trials: Sequence[Sequence[T]],
) -> Showcase:
    """One layer on `tokens`; on them and on `trials` every position is compared with `function(tokens, position)`."""
    ids = head.ids(tokens)
    states = head.embed(ids)
    outputs = head.decode(tokens)
    wrong = [each for each in (tokens, *trials) if not _agrees(head.decode(each), function, each)]
    return Showcase(
        views=(View.of(head, states, tokens, wanted, 1 - head.guarantee.tolerated),),
        held=tuple(map(str, outputs)),
        output=str(outputs[-1]),
        expected=str(function(tokens, len(tokens))),
        wrong=tuple(map(_show, wrong)),
        trials=len(trials),
        beta=float(head.beta or 0),
        angle=angle,
        guaranteed_length=head.guaranteed_length,
        dtype=format_of(head.dtype).name,
    )


def _agrees(outputs: Sequence[T], function: Callable[[Sequence[T], int], T], tokens: Sequence[T]) -> bool:
    for position, output in enumerate(outputs, 1):
        try:
            if output != function(tokens, position):
                return False
        except reference.UndefinedError:
            continue
    return True


def show_decoder(
    decoder: Decoder[T],
    angle: Angle,
    walk: Callable[[Sequence[T]], reference.Walk],
    tokens: Sequence[T],
    wanted: Callable[[Sequence[T | None], torch.Tensor], Wanted | None],
    trials: Sequence[Sequence[T]],
) -> Showcase:
    """All layers on `tokens`; `wanted` reads what the last query looks for off the tokens held and the stream."""
    trace = decoder.trace(tokens)
    held = [decoder.held(stream) for stream in trace.streams]
    views = []
    for layer, stream, before in zip(decoder.layers, trace.streams, held, strict=False):
        assert isinstance(layer, Layer)
        looked_for = wanted(before, stream @ decoder.W_U.T)
        views.append(View.of(layer.head, stream.chunk(2, dim=-1)[0], before, looked_for, 1 - TOLERATED))
    answers = decoder.answers(torch.stack([decoder.ids(each) for each in trials])).tolist()
    wrong = [
        each
        for each, answer in zip(trials, answers, strict=True)
        if decoder.vocabulary.tokens[answer] != walk(each).answer
    ]
    return Showcase(
        views=tuple(views),
        held=tuple(None if token is None else str(token) for token in held[-1]),
        output=str(decoder.answer(tokens)),
        expected=str(walk(tokens).answer),
        wrong=tuple(map(_show, wrong)),
        trials=len(trials),
        beta=decoder.beta,
        angle=angle,
        guaranteed_length=decoder.guaranteed_length,
        dtype=format_of(decoder.dtype).name,
    )


def _show(tokens: Sequence[object]) -> str:
    return " ".join(map(str, tokens))
