"""Where the families of Hugging Face decoders keep their queries and keys: one row a family.

A row says where the blocks and their attention modules are, which modules give the queries and keys that are about to
be rotated, in which shape, and which coordinates form a plane. Scale, soft cap and window are not here: a model passes
them to its attention function, where they are read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from empirical.rotary import Floats, Rotary
from theory.errors import InputError

# A view of a module's output as (b, heads, n, d), given the attention module; writing to it writes to the output.
View = Callable[[Tensor, Any], Tensor]


def _flat(output: Tensor, attention: Any) -> Tensor:
    """(b, n, heads * d)."""
    return output.unflatten(-1, (-1, attention.head_dim)).transpose(1, 2)


def _by_position(output: Tensor, attention: Any) -> Tensor:
    """(b, n, heads, d)."""
    return output.transpose(1, 2)


def _by_head(output: Tensor, attention: Any) -> Tensor:
    """(b, heads, n, d)."""
    return output


def _within_head(part: int) -> View:
    """(b, n, heads * 3 * d): query, key and value side by side in each head."""

    def view(output: Tensor, attention: Any) -> Tensor:
        return output.unflatten(-1, (-1, 3, attention.head_size))[..., part, :].transpose(1, 2)

    return view


def _one_after_another(part: int) -> View:
    """(b, n, (heads + 2 key heads) * d): all queries, then all keys, then all values."""

    def view(output: Tensor, attention: Any) -> Tensor:
        queries = attention.config.num_attention_heads * attention.head_dim
        keys = attention.config.num_key_value_heads * attention.head_dim
        start, width = (0, queries) if part == 0 else (queries, keys)
        return _flat(output[..., start : start + width], attention)

    return view


@dataclass(frozen=True)
class Source:
    """The module inside an attention module whose output holds queries or keys, and how it is read."""

    module: str
    view: View = _flat


@dataclass(frozen=True)
class Family:
    """One kind of decoder: `blocks` is a module of the base model, `attention` one of each block.

    `norms`, of queries and of keys, come last before rotation in the models that have them.
    """

    blocks: str
    attention: str
    queries: Source
    keys: Source
    planes: Callable[[Floats, float], Rotary]
    norms: tuple[Source, Source] | None = None

    def sources(self, attention: Any) -> tuple[Source, Source]:
        """Where this attention module has queries and keys right before rotation."""
        if self.norms is not None and hasattr(attention, self.norms[0].module):
            return self.norms
        return self.queries, self.keys


_QUERIES, _KEYS = Source("q_proj"), Source("k_proj")
_PLAIN = Family("layers", "self_attn", _QUERIES, _KEYS, Rotary.half_split)

FAMILIES: Mapping[str, Family] = {
    "llama": _PLAIN,
    "mistral": _PLAIN,
    "qwen2": _PLAIN,
    "gemma2": _PLAIN,
    "qwen3": Family(
        "layers",
        "self_attn",
        _QUERIES,
        _KEYS,
        Rotary.half_split,
        norms=(Source("q_norm", _by_position), Source("k_norm", _by_position)),
    ),
    "gemma3_text": Family(
        "layers",
        "self_attn",
        _QUERIES,
        _KEYS,
        Rotary.half_split,
        norms=(Source("q_norm", _by_head), Source("k_norm", _by_head)),
    ),
    "phi": Family(
        "layers",
        "self_attn",
        _QUERIES,
        _KEYS,
        Rotary.half_split,
        norms=(Source("q_layernorm", _by_head), Source("k_layernorm", _by_head)),
    ),
    "phi3": Family(
        "layers",
        "self_attn",
        Source("qkv_proj", _one_after_another(0)),
        Source("qkv_proj", _one_after_another(1)),
        Rotary.half_split,
    ),
    "gpt_neox": Family(
        "layers",
        "attention",
        Source("query_key_value", _within_head(0)),
        Source("query_key_value", _within_head(1)),
        Rotary.half_split,
    ),
    "gptj": Family("h", "attn", _QUERIES, _KEYS, Rotary.adjacent),
}


def family(model_type: str) -> Family:
    """The row of a config's `model_type`. InputError, which lists the families, for one that is not there."""
    if model_type not in FAMILIES:
        hint = "; of a model with images, give the text part saved by itself" if model_type == "gemma3" else ""
        raise InputError(
            f"model_type {model_type!r} is not a family whose queries and keys can be read; "
            f"give one of {', '.join(sorted(FAMILIES))}{hint}"
        )
    return FAMILIES[model_type]
