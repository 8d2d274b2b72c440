"""Which layers of a configuration attend to what: windows, chunks, everything; and which have no positions."""

from __future__ import annotations

from dataclasses import dataclass

from theory.errors import InputError
from theory.rope.models.config import class_defaults
from theory.rope.models.fields import Fields, show

# Classes whose layers alternate between a window and everything, and those that tune temperature unless told not to.
ALTERNATING = {"gemma2", "gemma3_text", "gemma3n_text", "cohere2", "gpt_oss", "vaultgemma"}
TUNED, LLAMA4_CHUNK = {"llama4_text"}, 8192
KINDS = {"full_attention", "sliding_attention", "chunked_attention"}


@dataclass(frozen=True)
class Layers:
    """The masks of a model.

    Args:
        depth: number of layers, where it is known.
        window, chunk: of the layers that have one, in tokens.
        whole: whether some layer attends to all tokens.
        without_positions: whether some layer has no positions.
        tuned: whether layers without positions have a temperature that grows with the position.
    """

    depth: int | None
    window: int | None
    chunk: int | None
    whole: bool
    without_positions: bool
    tuned: bool


def read_layers(fields: Fields, model_type: str) -> Layers:
    """The masks that a configuration describes. InputError for a kind of layer that is not known."""
    kinds = set(fields.texts("layer_types") or ())
    if unknown := sorted(kinds - KINDS):
        raise InputError(
            f"layer type {show(unknown[0])} is not in the table; known ones are {', '.join(sorted(KINDS))}"
        )
    defaults = class_defaults(model_type)
    slides = fields.flag("use_sliding_window") is not False
    window = (fields.integer("sliding_window") or defaults.integer("sliding_window")) if slides else None
    chunk = fields.integer("attention_chunk_size") or (LLAMA4_CHUNK if model_type in TUNED else None)
    if kinds:
        window = window if "sliding_attention" in kinds else None
        chunk = chunk if "chunked_attention" in kinds else None
        whole = "full_attention" in kinds
    else:
        mixed = "max_window_layers" in fields or "sliding_window_pattern" in fields or model_type in ALTERNATING
        whole = (window is None and chunk is None) or mixed or model_type in TUNED
    tuned = model_type in TUNED if (told := _tuning(fields)) is None else told
    without = any(name in fields for name in ("no_rope_layers", "no_rope_layer_interval")) or model_type in TUNED
    depth = fields.integer("num_hidden_layers", "n_layer", "n_layers")
    return Layers(depth, window, chunk, whole, without, tuned)


def _tuning(fields: Fields) -> bool | None:
    """Early files have a number of layers where later ones have a truth value."""
    try:
        return fields.flag("attn_temperature_tuning")
    except InputError:
        return fields.integer("attn_temperature_tuning") is not None
