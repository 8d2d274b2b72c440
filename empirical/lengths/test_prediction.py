"""Foreseen lengths against heads whose lengths are proved, and against attention on whole inputs."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
import torch
from torch import Tensor

from constructions.heads import IndexHead, RetrievalHead
from constructions.reference import Integer, Letter, Pair
from constructions.rope_head import RopeHead
from empirical.capture.heads import LayerHeads
from empirical.lengths.prediction import HALF, fall, foresee, lookups, outlook
from empirical.lengths.sequences import groups
from empirical.rotary import Rotary
from empirical.subjects import subject
from theory.arithmetic.angle import Angle
from theory.arithmetic.real import Real
from theory.rope.index.length import length_limit
from theory.rope.retrieval.letter_scale import letter_length_limit

torch.set_num_threads(1)


def layer(head: RopeHead, x: Tensor, frequencies: list[float]) -> LayerHeads:
    """A hand-built head on states (prompts, n, d), as a layer of a model."""
    assert head.beta is not None
    queries, keys = ((x @ weights.T)[:, None] for weights in (head.W_Q, head.W_K))
    return LayerHeads(0, queries, keys, Rotary.adjacent(frequencies), head.beta)


def longest(tokens: list[Any], front: Any, head: Any, frequencies: list[float], prepended: int) -> int:
    """The longest length at which the last token's look-up stands, with tokens like `front` before the others."""
    heads = layer(head, head.embed(head.ids(tokens))[None], frequencies)
    like = layer(head, head.embed(head.ids([front]))[None], frequencies)
    found = lookups(heads, torch.tensor([[len(tokens) - 1]]))
    seen = outlook(found, heads, like.keys[0], prepended)
    first = fall((seen.weight[0] > HALF).double(), len(tokens))
    assert first is not None, "give more tokens in front"
    return first - 1


@pytest.mark.parametrize("angle", [Angle.parse("1"), Angle.parse("2*pi/41"), Angle.parse("1/3")], ids=str)
@pytest.mark.parametrize("beta", [3.0, 40.0, 700.0])
@pytest.mark.parametrize("offset", [1, 4])
def test_index_heads_fail_where_it_is_proved(angle: Angle, beta: float, offset: int) -> None:
    """The hand-built Index head, whose look-ups stand up to the length of claim index-softmax-threshold."""
    proved = length_limit(Real.of(Fraction(beta)), angle, offset)
    head = IndexHead(2, 4, 8, angle, beta=beta)
    tokens = [Letter(0), *[Letter(1)] * (offset - 1), Integer(offset)]
    if proved <= len(tokens):
        return
    assert longest(tokens, Letter(1), head, [float(angle.real)], 2000) == proved


def test_retrieval_heads_fail_where_it_is_proved() -> None:
    """At frequency 0, behind tokens of the letter below: claim retrieval-repaired-threshold, ceil(e^(beta gap))."""
    for letters, beta in ((3, 3.0), (8, 12.0)):
        head = RetrievalHead(letters, 2, 4, "R1", beta=beta)
        below, wanted = Letter(1), Letter(2)
        tokens = [Pair(wanted, Integer(1)), Pair(below, Integer(1)), Pair(below, wanted)]
        proved = letter_length_limit(letters, Real.of(Fraction(beta)), Angle.parse("0"))
        assert longest(tokens, Pair(below, Integer(2)), head, [0.0], 3000) == proved


def test_outlooks_are_attention_on_the_whole_input() -> None:
    """Random heads, also two of them that share a key head; contents in front all alike."""
    random = torch.Generator().manual_seed(0)
    rotary = Rotary.half_split([1.0, 0.2, 0.01])

    def draw(*shape: int) -> Tensor:
        return torch.randn(*shape, dtype=torch.float64, generator=random)

    queries, keys, content = draw(2, 2, 5, 7), draw(2, 1, 5, 7), draw(1, 1, 7)
    heads = LayerHeads(0, queries, keys, rotary, 0.7)
    places = torch.tensor([[4, 2], [4, 1]])
    found = lookups(heads, places)
    seen = outlook(found, heads, content, 6)
    for m in range(7):
        front = content.expand(2, 1, m, 7)
        whole = torch.cat((front, keys), dim=2).expand(-1, 2, -1, -1)
        at = torch.arange(m + 5)
        turned = rotary.rotate(queries, at[m:]), rotary.rotate(whole, at)
        logits = 0.7 * turned[0] @ turned[1].mT
        logits = logits.masked_fill(torch.ones(5, m + 5, dtype=torch.bool).triu(m + 1), -torch.inf)
        weights = logits.softmax(-1)
        for u, (sequence, head, place) in enumerate(
            zip(found.sequence.tolist(), found.head.tolist(), found.place.tolist(), strict=True)
        ):
            row = weights[sequence, head, place - 1]
            assert float(seen.kept[u, m]) == pytest.approx(float(row[m:].sum()), rel=1e-12)
            target = int(logits[sequence, head, place - 1, m:].argmax())
            assert float(seen.weight[u, m]) == pytest.approx(float(row[m + target]), rel=1e-12)
            if m:
                margin = logits[sequence, head, place - 1, m:].max() - logits[sequence, head, place - 1, :m].max()
                assert float(seen.margin[u, m - 1] * found.amplitudes[u].sum()) == pytest.approx(float(margin))


def test_contents_are_averaged() -> None:
    """Two contents of logits 0 and log 3 weigh as two of weight 2; nothing rotates."""
    heads = LayerHeads(0, torch.ones(1, 1, 1, 1), torch.zeros(1, 1, 1, 1), Rotary.identity(), 1.0)
    found = lookups(heads, torch.tensor([[0]]))
    contents = torch.tensor([[[0.0], [3.0]]], dtype=torch.float64)
    contents[0, 1] = torch.tensor(3.0).log()
    seen = outlook(found, heads, contents, 3)
    assert seen.weight[0].tolist() == pytest.approx([1, 1 / 3, 1 / 5, 1 / 7])


def test_the_fall() -> None:
    assert fall(torch.tensor([0.8, 0.5, 0.4, 0.1, 0.9]), 17) == 19
    assert fall(torch.tensor([1.0, 0.51]), 17) is None


@pytest.mark.parametrize(("name", "most"), [("number-4", 40), ("letter-4", None)])
def test_trained_models(name: str, most: int | None) -> None:
    """The number model is foreseen to fail soon, the letter model is not."""
    model = subject(name)
    some = list(groups(model.task, prefixes=1, sequences=3, prepended=60, seed=0))
    found = foresee(model, some, sequences=2, contents=2)
    assert found.alive.shape == (8, 61) and found.alive[:, 0].all()
    share = found.share()
    assert (share.diff() <= 0).all()
    first = fall(share, 17)
    assert (first is None) if most is None else (first is not None and first < most)
    assert torch.equal(found.share(1), found.alive[:2].double().mean(0))
