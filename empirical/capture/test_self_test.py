"""The self-test: every family passes it, and every way of reading a model wrong fails it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest
import torch
from torch import Tensor

from empirical.capture.conftest import TINY
from empirical.capture.heads import LayerHeads
from empirical.capture.hugging_face import HuggingFace
from empirical.capture.observed import Observed
from empirical.capture.self_test import rebuilt_attention, self_test
from empirical.rotary import Rotary
from theory.errors import InputError


@pytest.mark.parametrize("name", TINY)
def test_every_family_passes(tiny: Callable[[str], Any], name: str) -> None:
    found = HuggingFace(tiny(name)).passed
    assert all(0 <= share <= 1 for share in vars(found).values())
    # The allowance is an allowance, not a licence: the model uses a part of it that can be seen.
    assert found.layout > 1e-3 and found.attention > 1e-5 and found.shift > 1e-5


@pytest.mark.parametrize("name", TINY)
def test_attention_is_that_of_the_model_as_users_run_it(tiny: Callable[[str], Any], name: str) -> None:
    model = tiny(name)
    tokens = torch.randint(50, (2, 20), generator=torch.Generator().manual_seed(1))
    adapter = HuggingFace(model)
    model.set_attn_implementation("eager")
    with torch.inference_mode():
        weights = model(tokens, output_attentions=True).attentions
    for heads, own in zip(adapter.heads(tokens), weights, strict=True):
        positions = torch.arange(20)
        queries, keys = (heads.rotary.rotate(x.double(), positions) for x in (heads.queries, heads.keys))
        groups = queries.shape[1] // keys.shape[1]
        exact = rebuilt_attention(heads, queries, keys.repeat_interleave(groups, dim=1))
        assert (exact - own).abs().max() < 1e-5
    assert model.config._attn_implementation == "eager"


@dataclass
class Misread:
    """An adapter that gets something wrong on its way out."""

    right: HuggingFace
    change: Callable[[LayerHeads], LayerHeads]

    @property
    def context(self) -> int:
        return self.right.context

    @property
    def reach(self) -> int:
        return self.right.reach

    @property
    def vocabulary(self) -> int:
        return self.right.vocabulary

    @property
    def layers(self) -> int:
        return self.right.layers

    def heads(self, tokens: Tensor) -> Iterator[LayerHeads]:
        return map(self.change, self.right.heads(tokens))

    def observe(self, tokens: Tensor, positions: Tensor, vectors: Tensor | None = None) -> Iterator[Observed]:
        for seen in self.right.observe(tokens, positions, vectors):
            yield replace(seen, heads=self.change(seen.heads))


def turned(heads: LayerHeads, frequencies: Callable[[Tensor], Tensor]) -> LayerHeads:
    rotary = heads.rotary
    return replace(heads, rotary=Rotary(frequencies(rotary.frequencies), rotary.pairs, rotary.factor))


def of_head_width(heads: LayerHeads) -> LayerHeads:
    """Frequencies b^(-2k/d) with the width d of the head, where the model has that of its rotated part."""
    planes = torch.arange(heads.rotary.planes)
    return turned(heads, lambda _: 10000.0 ** (-2.0 * planes.double() / heads.queries.shape[-1]))


def other_layout(heads: LayerHeads) -> LayerHeads:
    rotary = heads.rotary
    adjacent = bool((rotary.pairs[0] == torch.tensor([0, 1])).all())
    return replace(
        heads, rotary=(Rotary.half_split if adjacent else Rotary.adjacent)(rotary.frequencies, rotary.factor)
    )


MISREADINGS: dict[str, tuple[str, Callable[[LayerHeads], LayerHeads], str]] = {
    "half-split for adjacent": ("gptj", other_layout, "turns into coordinate 0 in the model, into coordinate 5 by"),
    "adjacent for half-split": ("llama", other_layout, "turns into coordinate 5 in the model, into coordinate 0 by"),
    "frequencies of the head width": ("gpt_neox", of_head_width, "a position in the model"),
    "frequencies of the head width, Phi": ("phi", of_head_width, "a position in the model"),
    "frequencies of the head width, GPT-J": ("gptj", of_head_width, "a position in the model"),
    "whole width for part": (
        "gptj",
        lambda heads: replace(heads, rotary=Rotary.adjacent(10000.0 ** (-torch.arange(8).double() / 8))),
        "by the adapter",
    ),
    "rotation the other way": ("llama", lambda heads: turned(heads, torch.neg), "layer 0"),
    "frequencies off by 1e-4": ("llama", lambda heads: turned(heads, lambda f: f * (1 + 1e-4)), "layer 0"),
    "linear scaling left out": ("llama, linear", lambda heads: turned(heads, lambda f: 4 * f), "a position"),
    "attention factor left out": (
        "llama, yarn",
        lambda heads: replace(heads, rotary=Rotary(heads.rotary.frequencies, heads.rotary.pairs)),
        "multiplies",
    ),
    "one base for two": (
        "gemma3",
        lambda heads: turned(heads, lambda f: 1e4 ** (-torch.arange(8).double() / 8)),
        "layer 5",
    ),
    "no rotation": ("llama", lambda heads: replace(heads, rotary=Rotary.identity()), "into nothing else by"),
    "scale": ("llama", lambda heads: replace(heads, scale=1.01 * heads.scale), "layer 0: the model's attention"),
    "scale of the head width": ("gemma2", lambda heads: replace(heads, scale=16**-0.5), "the model's attention"),
    "soft cap left out": ("gemma2", lambda heads: replace(heads, softcap=None), "the model's attention"),
    "window left out": ("mistral", lambda heads: replace(heads, window=None), "the model's attention"),
    "window off by one": ("mistral", lambda heads: replace(heads, window=9), "the model's attention"),
    "key heads the other way": ("llama", lambda heads: replace(heads, keys=heads.keys.flip(1)), "position 0"),
    "keys of the next position": ("llama", lambda heads: replace(heads, keys=heads.keys.roll(1, -2)), "position 0"),
    "queries for keys": ("gptj", lambda heads: replace(heads, keys=heads.queries), "position 0"),
}


@pytest.mark.parametrize("name", MISREADINGS)
def test_a_misreading_is_refused(tiny: Callable[[str], Any], name: str) -> None:
    model, change, reason = MISREADINGS[name]
    with pytest.raises(InputError, match=reason):
        self_test(Misread(HuggingFace(tiny(model)), change))


@pytest.mark.parametrize("name", ["qwen3", "gemma3", "phi, norms"])
def test_reading_before_the_norm_is_refused(tiny: Callable[[str], Any], name: str) -> None:
    adapter = HuggingFace(tiny(name))
    adapter.family = replace(adapter.family, norms=None)
    with pytest.raises(InputError, match="layer 0"):
        self_test(adapter)


def test_key_heads_in_turn_are_refused(tiny: Callable[[str], Any]) -> None:
    """Query head h with key head h mod 2, where the model has h div 2; the same keys at position 0 hide nothing."""

    def in_turn(heads: LayerHeads) -> LayerHeads:
        return replace(heads, queries=heads.queries[:, [0, 2, 1, 3]])

    with pytest.raises(InputError, match="layer 0"):
        self_test(Misread(HuggingFace(tiny("llama")), in_turn))


def test_rounded_frequencies_are_refused(tiny: Callable[[str], Any]) -> None:
    """What some libraries have done: frequencies kept in bfloat16."""
    model = tiny("llama")
    model.model.rotary_emb.inv_freq.copy_(model.model.rotary_emb.inv_freq.bfloat16().float())
    with pytest.raises(InputError, match="layer 0"):
        HuggingFace(model)


def test_positions_that_are_ignored_are_refused(tiny: Callable[[str], Any]) -> None:
    model = tiny("llama")
    rotary = model.model.rotary_emb
    usual = rotary.forward
    rotary.forward = lambda x, position_ids: usual(x, 0 * position_ids + torch.arange(position_ids.shape[1]))
    with pytest.raises(InputError, match="layer 0"):
        HuggingFace(model)


@pytest.mark.parametrize("factor", [1e5, 1e8, 1e30])
def test_logits_that_rounding_hides_are_refused(tiny: Callable[[str], Any], factor: float) -> None:
    model = tiny("llama")
    for block in model.model.layers:
        block.self_attn.q_proj.weight.data.mul_(factor)
    with pytest.raises(InputError, match="layer 0: logits are so large"):
        HuggingFace(model)


@pytest.mark.parametrize(("part", "name"), [("q_proj", "queries"), ("k_proj", "keys")])
def test_overflow_is_named(tiny: Callable[[str], Any], part: str, name: str) -> None:
    model = tiny("llama")
    model.model.layers[1].self_attn.get_submodule(part).weight.data.fill_(3e38)
    with pytest.raises(InputError, match=f"layer 1: the model's {name} are not finite"):
        HuggingFace(model)


def test_no_room_for_a_test(tiny: Callable[[str], Any]) -> None:
    model = tiny("llama")
    model.config.max_position_embeddings = 3
    with pytest.raises(InputError, match="takes 3 tokens"):
        HuggingFace(model)
