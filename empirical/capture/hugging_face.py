"""Queries and keys of Hugging Face decoders, read right before rotation while the model runs.

Hooks read the modules that give queries and keys (families.py). The model runs with an attention function that does
what its eager one does and notes what it was given: rotated queries and keys, scale, soft cap, window. Frequencies are
computed in float64 from the formula of the config; the self-test compares them with the rotation that the model does.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from empirical.capture.families import View, family
from empirical.capture.heads import LayerHeads
from empirical.capture.noting import Call, noting
from empirical.capture.observed import Observed
from empirical.capture.self_test import self_test
from empirical.rotary import Rotary
from theory.errors import InputError
from theory.rope.models.config import EVERY_LAYER, read_config
from theory.rope.models.frequencies import Stretch
from theory.rope.models.settings import RopeSettings

if TYPE_CHECKING:
    from transformers import PreTrainedConfig, PreTrainedModel


_FARTHEST = 4096  # positions of a probe: beyond, the angles of a float32 model are too rough to tell much


def rope_settings(config: PreTrainedConfig) -> dict[str, RopeSettings]:
    """The RoPE settings of each kind of layer, by the formulas of theory.rope.models.

    InputError for a model without RoPE, or with settings that are unknown, contradictory or impossible.
    """
    with TemporaryDirectory() as folder:
        path = Path(folder) / "config.json"
        path.write_text(config.to_json_string(use_diff=False), encoding="utf-8")
        return dict(read_config(path).layers)


class HuggingFace:
    """An adapter of a model of the library transformers, loaded in float32; `passed` is its self-test.

    InputError for a model of a family that is not known, or whose RoPE settings are not, or that fails the self-test.
    """

    def __init__(self, model: PreTrainedModel) -> None:
        self.settings = rope_settings(model.config)
        self.family = family(model.config.model_type)
        if model.dtype != torch.float32:
            raise InputError(f"the model computes in {model.dtype}; load it with dtype=torch.float32")
        self.model = model.eval()
        blocks = model.base_model.get_submodule(self.family.blocks)
        self.attentions = [block.get_submodule(self.family.attention) for block in blocks.children()]
        self._rotaries: dict[tuple[str, int], Rotary] = {}
        self.passed = self_test(self)

    @property
    def context(self) -> int:
        """The longest sequence, in tokens."""
        return int(self.model.config.max_position_embeddings)

    @property
    def reach(self) -> int:
        return min(self.context, _FARTHEST)

    @property
    def vocabulary(self) -> int:
        return int(self.model.config.vocab_size)

    @property
    def layers(self) -> int:
        return len(self.attentions)

    def kind(self, layer: int) -> str:
        """Which of `settings` a layer has."""
        return EVERY_LAYER if EVERY_LAYER in self.settings else str(self.model.config.layer_types[layer])

    def rotary(self, layer: int, length: int) -> Rotary:
        """The rotation of a layer in sequences of `length` tokens."""
        kind = self.kind(layer)
        if (kind, length) not in self._rotaries:
            at = self.settings[kind].at(length)
            planes = torch.from_numpy(at.float64())
            self._rotaries[kind, length] = self.family.planes(planes, float(at.attention_factor))
        return self._rotaries[kind, length]

    def heads(self, tokens: Tensor) -> Iterator[LayerHeads]:
        """The layers, first to last, on tokens (prompts, n)."""
        positions = torch.arange(tokens.shape[1]).expand_as(tokens)
        yield from self._run(tokens, positions, torch.ones_like(tokens))

    def padded_heads(self, tokens: Tensor, mask: Tensor) -> Iterator[tuple[Tensor, LayerHeads]]:
        """The layers on a left-padded batch: tokens (prompts, n), mask (prompts, n) 0 at pads and 1 elsewhere.

        For each layer and each length the rows of the prompts of that length, and their heads without the pads.
        InputError where a pad follows a token, or a prompt has no token.
        """
        mask = mask.to(torch.int64)
        if mask.shape != tokens.shape or bool((mask.diff(dim=1) < 0).any()) or not bool(mask[:, -1].all()):
            raise InputError("a pad stands after a token, or a prompt is empty; give a batch padded on the left")
        lengths = mask.sum(1)
        for heads in self._run(tokens, (mask.cumsum(1) - 1).clamp(min=0), mask):
            for length in lengths.unique().tolist():
                rows = (lengths == length).nonzero()[:, 0]
                queries, keys = (x[rows.to(x.device), :, -length:] for x in (heads.queries, heads.keys))
                yield rows, replace(heads, queries=queries, keys=keys)

    def observe(self, tokens: Tensor, positions: Tensor, vectors: Tensor | None = None) -> Iterator[Observed]:
        """The layers on tokens (prompts, n) at positions (n,), with what the model made of queries and keys.

        With `vectors` (prompts, d), every query and key of a prompt is its vector.
        """
        calls: list[Call] = []
        mask = torch.ones_like(tokens)
        for heads in self._run(tokens, positions.expand_as(tokens), mask, vectors, calls):
            call = calls[heads.layer]
            scaling = self.settings[self.kind(heads.layer)].scaling
            stretch = float(scaling.factor) if isinstance(scaling, Stretch) else 1.0
            yield Observed(replace(heads, attention=call.weights), call.queries, call.keys, positions, stretch)

    def _run(
        self,
        tokens: Tensor,
        positions: Tensor,
        mask: Tensor,
        vectors: Tensor | None = None,
        calls: list[Call] | None = None,
    ) -> Iterator[LayerHeads]:
        """Run the model once; `calls`, if given, gets the call of each layer's attention function."""
        before: dict[tuple[int, int], Tensor] = {}
        settings: list[dict[str, Any]] = []

        def note(call: Call) -> None:
            settings.append(call.settings)
            if calls is not None:
                calls.append(call)

        with ExitStack() as stack:
            for layer, attention in enumerate(self.attentions):
                for part, source in enumerate(self.family.sources(attention)):
                    hook = partial(_read, before, (layer, part), source.view, attention, vectors)
                    stack.callback(attention.get_submodule(source.module).register_forward_hook(hook).remove)
            stack.enter_context(noting(self.model.config, note))
            stack.enter_context(torch.inference_mode())
            on_device = {"input_ids": tokens, "position_ids": positions, "attention_mask": mask}
            self.model.base_model(
                **{name: value.to(self.model.device) for name, value in on_device.items()}, use_cache=False
            )
        if len(settings) != self.layers:
            raise InputError(
                f"{len(settings)} of {self.layers} layers of {type(self.model).__name__} use the attention interface "
                "of transformers; install a newer release of it"
            )
        length = int(positions.max()) + 1
        for layer, given in enumerate(settings):
            yield LayerHeads(
                layer,
                queries=before.pop((layer, 0)),
                keys=before.pop((layer, 1)),
                rotary=self.rotary(layer, length),
                scale=float(given["scaling"]),
                softcap=given.get("softcap"),
                window=given.get("sliding_window"),
            )


def _read(
    before: dict[tuple[int, int], Tensor],
    place: tuple[int, int],
    view: View,
    attention: Any,
    vectors: Tensor | None,
    module: Any,
    inputs: Any,
    output: Tensor,
) -> Tensor:
    """A hook: keep queries or keys under their place, after writing `vectors` over them if there are any."""
    if vectors is not None:
        output = output.clone()
        view(output, attention)[...] = vectors.to(output)[:, None, None, :]
    before[place] = view(output, attention)
    return output
