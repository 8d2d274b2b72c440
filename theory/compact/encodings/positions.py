"""The positional encoding of a configuration, as components."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from theory.arithmetic.ball import Real
from theory.compact.encodings.components import Component, component
from theory.compact.encodings.encoding import decimal
from theory.compact.encodings.layers import Layers
from theory.errors import InputError
from theory.rope.models.config import class_defaults, layer_tables, without_rope
from theory.rope.models.fields import Fields, show
from theory.rope.models.scaling_fields import read_scaling

LENGTHS = ("max_position_embeddings", "n_positions", "max_seq_len")
INSTEAD = {
    "learned or fixed absolute positions": "learned-table",
    "sinusoidal absolute positions": "sinusoidal",
    "a relative position bias": "t5-buckets",
    "ALiBi, a bias linear in the offset": "alibi",
}


def positions(fields: Fields, model_type: str, layers: Layers) -> Iterator[Component]:
    """One component, or one for each kind of layer. InputError for positions that are not recognised."""
    attention = fields.table("attn_config") or Fields({})
    instead = without_rope(model_type)
    if instead == "no attention over positions":
        raise InputError(f"model_type {show(model_type)} has no attention over positions; give a Transformer")
    named = fields.text("position_embedding_type", "pos_emb")
    told = fields.flag("alibi", "use_alibi")
    alibi = attention.flag("alibi") if told is None else told
    if alibi or (alibi is None and instead == "ALiBi, a bias linear in the offset") or named == "alibi":
        yield component("alibi", "R grows like (Delta + ln(1/eps))/m, m = 2^-8 the least slope")
        return
    if "relative_attention_num_buckets" in fields or named in ("relative_key", "relative_key_query"):
        yield component("t5-buckets")
        return
    if named in ("absolute", "learned"):
        yield component("learned-table", _beyond(fields))
        return
    if named == "sinusoidal":
        yield component("sinusoidal")
        return
    if named not in (None, "rope", "rotary", "alibi"):
        raise InputError(f"position_embedding_type = {show(named)} is not in the table; give one that is")
    if fields.flag("rotary", "use_rope") is False:
        yield component("nope")
        return
    if instead in INSTEAD and "rope_theta" not in fields:
        yield component(INSTEAD[instead], _beyond(fields) if INSTEAD[instead] == "learned-table" else "")
        return
    if layers.without_positions:
        yield component("nope", "layers without RoPE")
    defaults = class_defaults(model_type)
    tables = layer_tables(fields, defaults)
    known = ("rope_theta", "rotary_emb_base", "rope_parameters", "rope_scaling", "rotary_dim", "rotary_pct", "rotary")
    if len(defaults) or any(name in fields for name in known):
        kinds = dict.fromkeys(_rotation(table, fields, defaults) for table in tables.values())
        yield from (component(name, detail) for name, detail in kinds)
        if fields.flag("use_dynamic_ntk"):
            yield component("dynamic-ntk")
        if fields.flag("use_xpos"):
            yield component("xpos")


def _beyond(fields: Fields) -> str:
    length = fields.integer(*LENGTHS)
    return f"nothing asymptotic: the table ends at {length}" if length else "nothing asymptotic: the table ends"


def _rotation(table: Fields, fields: Fields, defaults: Fields) -> tuple[str, str]:
    """Row and constant of one kind of layer."""
    trained = table.integer("original_max_position_embeddings")
    length = fields.integer(*LENGTHS) or defaults.integer(*LENGTHS) or trained
    if length is None:
        if table.names() - {"rope_theta", "rope_type", "type"}:
            raise InputError(f"{LENGTHS[0]} is missing, so the scaling of RoPE is not known; add it to the config.json")
        length = 1
    scaling = read_scaling(table, fields, length)
    match scaling.kind:
        case "linear" | "llama3":
            return "rope-interpolated", scaling.kind
        case "dynamic":
            return "dynamic-ntk", ""
        case "yarn":
            return "yarn", f"logits times {_square(scaling)}"
        case "longrope":
            return "longrope", f"logits times {_square(scaling)}"
    return "rope", ""


def _square(scaling: Any) -> str:
    return decimal(Real.of(scaling.attention_factor) ** 2)
