"""Queries and keys of TransformerLens models with RoPE: HookedTransformer, and TransformerBridge if it has the hooks.

The documented hook points are read as modules: `hook_q` and `hook_k` (or the norms that follow them) before rotation,
`hook_rot_q` and `hook_rot_k` after it, `hook_pattern` for the weights. The library itself is not imported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from typing import Any

import torch
from torch import Tensor

from empirical.capture.heads import LayerHeads
from empirical.capture.hooked_settings import hooked_settings
from empirical.capture.hugging_face import rope_settings
from empirical.capture.observed import Observed
from empirical.capture.self_test import self_test
from empirical.rotary import Rotary
from theory.errors import InputError
from theory.rope.models.config import EVERY_LAYER
from theory.rope.models.frequencies import Stretch

_BEFORE = ("queries before", "keys before")
_POINTS = {"queries": "hook_rot_q", "keys": "hook_rot_k", "weights": "hook_pattern"}
_REMEDY = "give the Hugging Face model itself, or a HookedTransformer"
_FARTHEST = 64  # positions of a probe: these models take no positions, so all earlier ones have to be run


class TransformerLens:
    """An adapter of a TransformerLens model in float32; `passed` is its self-test.

    InputError for a model without RoPE or the hook points, with a scaling that is not known, or that fails the test.
    """

    def __init__(self, model: Any) -> None:
        self.model, self.config = model.eval(), model.cfg
        self.attentions = [block.attn for block in model.blocks]
        self.bridge = hasattr(model, "original_model")
        if self.config.dtype != torch.float32:
            raise InputError(f"the model computes in {self.config.dtype}; load it with dtype=torch.float32")
        if not self.bridge and self.config.positional_embedding_type != "rotary":
            raise InputError(f"positional_embedding_type = {self.config.positional_embedding_type!r} is not 'rotary'")
        for layer, attention in enumerate(self.attentions):
            if missing := [name for name in _POINTS.values() if not hasattr(attention, name)]:
                raise InputError(f"layer {layer}, {type(attention).__name__}, has no {missing[0]}; {_REMEDY}")
        self.settings = rope_settings(model.original_model.config) if self.bridge else hooked_settings(self.config)
        self._rotaries: dict[str, Rotary] = {}
        self.passed = self_test(self)

    @property
    def context(self) -> int:
        return int(self.config.n_ctx)

    @property
    def reach(self) -> int:
        return min(self.context, _FARTHEST)

    @property
    def vocabulary(self) -> int:
        return int(self.config.d_vocab)

    @property
    def layers(self) -> int:
        return len(self.attentions)

    def heads(self, tokens: Tensor) -> Iterator[LayerHeads]:
        """The layers, first to last, on tokens (prompts, n)."""
        seen = self._run(tokens, None, self._sources)
        for layer in range(self.layers):
            yield self._heads(layer, *(seen.pop((layer, name)) for name in _BEFORE))

    def observe(self, tokens: Tensor, positions: Tensor, vectors: Tensor | None = None) -> Iterator[Observed]:
        """The layers on tokens (prompts, n) at positions (n,), after other tokens unless these start at 0."""
        filled = torch.zeros(len(tokens), int(positions.max()) + 1, dtype=torch.int64)
        filled[:, positions] = tokens
        seen = self._run(filled, vectors, lambda attention: (*self._sources(attention), *_points(attention)))
        for layer, attention in enumerate(self.attentions):
            if silent := [point for name, point in _POINTS.items() if (layer, name) not in seen]:
                raise InputError(f"layer {layer}, {type(attention).__name__}, does not use its {silent[0]}; {_REMEDY}")
            before, rotated = (
                [seen.pop((layer, name))[:, :, positions] for name in names] for names in (_BEFORE, _POINTS)
            )
            heads = replace(self._heads(layer, *before), attention=rotated[2][..., positions])
            scaling = self.settings[self._kind(layer)].scaling
            stretch = float(scaling.factor) if isinstance(scaling, Stretch) else 1.0
            yield Observed(heads, rotated[0], rotated[1], positions, stretch)

    def _run(
        self, tokens: Tensor, vectors: Tensor | None, modules: Callable[[Any], Iterable[tuple[str, Any]]]
    ) -> dict[tuple[int, str], Tensor]:
        """What the modules of each layer put out, as (prompts, heads, n, d)."""
        seen: dict[tuple[int, str], Tensor] = {}
        with ExitStack() as stack:
            for layer, attention in enumerate(self.attentions):
                for name, module in modules(attention):
                    read = partial(self._read, seen, (layer, name), vectors if name in _BEFORE else None, len(tokens))
                    stack.callback(module.register_forward_hook(read).remove)
            stack.enter_context(torch.inference_mode())
            self.model(tokens.to(self.config.device), return_type=None)
        return seen

    def _sources(self, attention: Any) -> Iterator[tuple[str, Any]]:
        """The modules that have queries and keys right before rotation."""
        for name, part in zip(_BEFORE, "qk", strict=True):
            normed = getattr(attention, f"{part}_norm", None) is not None
            if self.bridge:
                yield name, getattr(attention, f"hook_{part}_normed") if normed else getattr(attention, part).hook_out
            else:
                yield name, getattr(attention, f"{part}_norm" if normed else f"hook_{part}")

    def _read(
        self,
        seen: dict[tuple[int, str], Tensor],
        place: tuple[int, str],
        vectors: Tensor | None,
        prompts: int,
        module: Any,
        inputs: Any,
        output: Tensor,
    ) -> Tensor:
        """A hook: keep the output as (prompts, heads, n, d), after writing `vectors` over it if there are any."""
        if vectors is not None:
            output = output.clone()
            self._view(output, prompts, place[1])[...] = vectors.to(output)[:, None, None, :]
        seen[place] = output if place[1] == "weights" else self._view(output, prompts, place[1])
        return output

    def _view(self, output: Tensor, prompts: int, name: str) -> Tensor:
        """As (prompts, heads, n, d): norms of a HookedTransformer see all vectors in a row, linear maps all heads."""
        if self.bridge:
            return output if output.ndim == 4 else output.unflatten(-1, (-1, self.config.d_head)).transpose(1, 2)
        if output.ndim == 2:
            heads = self.config.n_heads
            if name == _BEFORE[1] and not self.config.ungroup_grouped_query_attention:
                heads = self.config.n_key_value_heads or heads
            output = output.view(prompts, -1, heads, self.config.d_head)
        return output.transpose(1, 2)

    def _heads(self, layer: int, queries: Tensor, keys: Tensor) -> LayerHeads:
        attention, rotary = self.attentions[layer], self._rotary(self._kind(layer))
        if self.bridge:
            own = attention.original_component
            scale, cap = float(own.scaling), getattr(own, "attn_logit_softcapping", None)
            return LayerHeads(layer, queries, keys, rotary, scale, cap, getattr(own, "sliding_window", None))
        window = self.config.window_size if attention.attn_type == "local" else None
        cap = self.config.attn_scores_soft_cap
        return LayerHeads(
            layer, queries, keys, rotary, 1 / float(attention.attn_scale), cap if cap > 0 else None, window
        )

    def _kind(self, layer: int) -> str:
        if not self.bridge:
            return str(self.attentions[layer].attn_type)
        return EVERY_LAYER if EVERY_LAYER in self.settings else self.model.original_model.config.layer_types[layer]

    def _rotary(self, kind: str) -> Rotary:
        if kind not in self._rotaries:
            layout = Rotary.adjacent if self.config.rotary_adjacent_pairs else Rotary.half_split
            settings = self.settings[kind]
            planes = torch.from_numpy(settings.float64())
            self._rotaries[kind] = layout(planes, float(settings.attention_factor))
        return self._rotaries[kind]


def _points(attention: Any) -> Iterator[tuple[str, Any]]:
    for name, point in _POINTS.items():
        yield name, getattr(attention, point)
