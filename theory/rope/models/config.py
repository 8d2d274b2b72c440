"""The RoPE settings of a model, read from its Hugging Face config.json.

Both places of the settings are understood: `rope_theta` with `rope_scaling`, and `rope_parameters`, flat or with a
table for each kind of layer. Decimals are kept exact. What is unknown, contradictory or impossible is refused, never
guessed; what the file leaves to the model class is known for the common classes (model_types.json).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from theory.errors import InputError
from theory.rope.models.fields import Fields, parse_json, show
from theory.rope.models.scaling_fields import read_scaling
from theory.rope.models.settings import RopeSettings

LARGEST_FILE = 10_000_000  # bytes
EVERY_LAYER = "all"

_REMEDY = "give the config.json of a model with rotary position embeddings"
_LENGTHS = ("max_position_embeddings", "n_positions", "max_seq_len")
_TEXT_PARTS = ("text_config", "llm_config", "language_config")
_LOCAL_BASE = "rope_local_base_freq"


@dataclass(frozen=True)
class ModelRope:
    """The RoPE settings of one model.

    `layers` maps the kinds of layers (`full_attention`, `sliding_attention`, ...; `all` where there is no difference)
    to their settings at `context_length` tokens. `sliding_window` is that of the layers that have one, in tokens.
    """

    name: str
    source: str
    context_length: int
    sliding_window: int | None
    layers: Mapping[str, RopeSettings]


def read_config(path: str | os.PathLike[str]) -> ModelRope:
    """The RoPE settings in the config.json at `path`.

    InputError, in one line, for a file that is missing, a directory, too large, not JSON, or not the configuration of a
    model with RoPE whose settings are known, complete and possible.
    """
    config = read_json(path)
    where = repr(os.fspath(path))
    try:
        return _model(config, os.fspath(path), f"the file {where}")
    except RecursionError as error:
        raise InputError(f"{where} is nested too deep; give a config.json") from error


def read_json(path: str | os.PathLike[str]) -> Mapping[str, Any]:
    """The object in the config.json at `path`, with its numbers as Numerals. InputError as for `read_config`."""
    where = repr(os.fspath(path))
    config = parse_json(_read(Path(path), where), where)
    if not isinstance(config, Mapping):
        raise InputError(f"{where} holds {show(config)}, not an object; give a config.json")
    return config


def published_models() -> list[ModelRope]:
    """The settings of well-known models, each with the source of its values."""
    return [_model(entry["config"], entry["name"], entry["source"]) for entry in _data("models.json")]


@cache
def _data(name: str) -> Any:
    return parse_json(files("theory.rope.models").joinpath(name).read_text(encoding="utf-8"), name)


def _read(path: Path, where: str) -> str:
    try:
        if path.is_dir():
            raise InputError(f"{where} is a directory; name the config.json in it")
        if not path.is_file():  # a pipe or a device could block, or never end
            raise InputError(f"{where} is not a file; give the path of a config.json")
        with path.open("rb") as stream:
            content = stream.read(LARGEST_FILE + 1)
        if len(content) > LARGEST_FILE:
            raise InputError(f"{where} has more than {LARGEST_FILE} bytes; give a config.json, not weights")
        return content.decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"{where} cannot be read: {error.strerror}; give a readable config.json") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{where} is not UTF-8 text; give a config.json, not weights") from error


def _model(config: Mapping[str, object], name: str, source: str) -> ModelRope:
    fields = text_part(config)
    model_type = fields.text("model_type") or ""
    _refuse_without_rope(model_type, fields)
    defaults = class_defaults(model_type)
    context_length = fields.integer(*_LENGTHS) or defaults.integer(*_LENGTHS)
    if context_length is None:
        raise InputError(f"{_LENGTHS[0]} is missing, so the context length is unknown; add it to the config.json")
    layers = {
        kind: RopeSettings(
            base=_base(kind, table, fields, defaults),
            rotary_dim=_rotary_dim(table, fields, defaults),
            head_dim=_head_dim(fields, defaults),
            scaling=read_scaling(table, fields, context_length),
            length=context_length,
        )
        for kind, table in layer_tables(fields, defaults).items()
    }
    slides = fields.flag("use_sliding_window") is not False
    window = (fields.integer("sliding_window") or defaults.integer("sliding_window")) if slides else None
    return ModelRope(name, source, context_length, window, layers)


def text_part(config: Mapping[str, object]) -> Fields:
    """The fields of the model of text, which models of images and text keep in a table of their own."""
    fields = Fields(config)
    parts = (table for part in _TEXT_PARTS if (table := fields.table(part)) is not None)
    return next(parts, fields)


def class_defaults(model_type: str) -> Fields:
    """What the file leaves to a common model class with RoPE; no fields for others."""
    return Fields(_data("model_types.json")["class_defaults"].get(model_type, {}))


def without_rope(model_type: str) -> str | None:
    """What a common model class has in place of RoPE; None for a class that has it, or that is not known."""
    found: str | None = _data("model_types.json")["without_rope"].get(model_type)
    return found


def _refuse_without_rope(model_type: str, fields: Fields) -> None:
    reason = without_rope(model_type)
    if fields.flag("alibi", "use_alibi"):
        reason = "ALiBi (alibi = true)"
    if fields.flag("rotary", "use_rope") is False:
        reason = "its rotary embedding switched off"
    positions = fields.text("position_embedding_type")
    if positions not in (None, "rope", "rotary"):
        reason = f"position_embedding_type = {show(positions)}"
    if reason is not None:
        raise InputError(f"model_type {show(model_type)} has {reason}, so it has no RoPE; {_REMEDY}")


def layer_tables(fields: Fields, defaults: Fields) -> dict[str, Fields]:
    """The tables that describe the scaling of RoPE, by kind of layer; `all` where there is no difference."""
    newer, older = fields.table("rope_parameters"), fields.table("rope_scaling")
    if newer and older and not newer.same(older):
        raise InputError("rope_parameters and rope_scaling contradict each other; keep the one that the model uses")
    table = newer or older or Fields({})
    if kinds := table.tables():
        return kinds
    if _LOCAL_BASE in fields or _LOCAL_BASE in defaults:
        return {"full_attention": table, "sliding_attention": Fields({})}
    return {EVERY_LAYER: table}


def _base(kind: str, table: Fields, fields: Fields, defaults: Fields) -> Fraction:
    local = kind == "sliding_attention" and (_LOCAL_BASE in fields or _LOCAL_BASE in defaults)
    names = (_LOCAL_BASE,) if local else ("rope_theta", "rotary_emb_base")
    own, outer = table.number("rope_theta"), fields.number(*names)
    if kind == EVERY_LAYER and own and outer and own != outer:
        raise InputError(f"rope_theta = {outer} and {own} in two places contradict each other; keep the model's own")
    base = own or outer or defaults.number(*names)
    if base is None:
        raise InputError(
            f"rope_theta is missing, and the model_type {show(fields.text('model_type'))} is not known to use RoPE; "
            f"add its rope_theta, or {_REMEDY}"
        )
    return base


def _head_dim(fields: Fields, defaults: Fields) -> int:
    if rotated := fields.integer("qk_rope_head_dim"):  # multi-head latent attention: this part of the head turns, whole
        return rotated + (fields.integer("qk_nope_head_dim") or 0)
    if given := fields.integer("head_dim") or defaults.integer("head_dim"):
        return given
    hidden = fields.integer("hidden_size", "n_embd", "d_model")
    heads = fields.integer("num_attention_heads", "n_head", "n_heads")
    if hidden is None or heads is None:
        raise InputError("the head width is missing; add head_dim, or hidden_size and num_attention_heads")
    if hidden % heads:
        raise InputError(f"hidden_size = {hidden} is not a multiple of num_attention_heads = {heads}; add head_dim")
    return hidden // heads


def _rotary_dim(table: Fields, fields: Fields, defaults: Fields) -> int:
    if rotated := fields.integer("qk_rope_head_dim"):
        return rotated
    width = fields.integer("rotary_dim")
    part = table.number("partial_rotary_factor") or fields.number("partial_rotary_factor", "rotary_pct", "rope_pct")
    if width is None and part is None:
        if "rotary_dim" in fields.nulls and "rotary_dim" in defaults:
            raise InputError("rotary_dim = null lets this model turn pairs across heads; give the width within a head")
        width, part = defaults.integer("rotary_dim"), defaults.number("partial_rotary_factor")
    head_dim = _head_dim(fields, defaults)
    if part is None:
        return width or head_dim
    if part > 1:
        raise InputError(f"partial_rotary_factor = {part} is above 1; give the rotated part of the head, such as 0.25")
    product = int(head_dim * part)
    if product != int(head_dim * float(part)) or width not in (None, product):
        raise InputError(
            f"partial_rotary_factor = {part} of head width {head_dim} leaves open how many coordinates turn, {product} "
            f"or {width or int(head_dim * float(part))}; give rotary_dim alone"
        )
    return product
