"""The scaling of RoPE, read from the table `rope_scaling` or `rope_parameters` of a config.json."""

from __future__ import annotations

from fractions import Fraction
from typing import TypeVar

from theory.errors import InputError
from theory.rope.models.fields import Fields, show
from theory.rope.models.frequencies import Default, Dynamic, Linear, Llama3, Longrope, Scaling
from theory.rope.models.yarn import Yarn

T = TypeVar("T")

_TRAINED = "original_max_position_embeddings"
_PARAMETERS = {
    "default": (),
    "linear": ("factor",),
    "dynamic": ("factor",),
    "yarn": ("factor", "attention_factor", "beta_fast", "beta_slow", "truncate", "mscale", "mscale_all_dim", _TRAINED),
    "longrope": ("factor", "attention_factor", "short_factor", "long_factor", _TRAINED),
    "llama3": ("factor", "low_freq_factor", "high_freq_factor", _TRAINED),
}
# An early name, and the axes of images and video: their positions are equal in text, where mrope is plain RoPE.
_ALIASES = {"su": "longrope", "mrope": "default"}
# Beside the parameters of a kind: what is read elsewhere, and what leaves the angles of text alone.
_READ_ELSEWHERE = {"type", "rope_type", "rope_theta", "partial_rotary_factor"}
_NO_MATTER = {"finetuned", "llama_4_scaling_beta", "max_position_embeddings", "mrope_interleaved", "mrope_section"}


def read_scaling(table: Fields, fields: Fields, context_length: int) -> Scaling:
    """The scaling that `table` describes; `fields` is the config around it.

    InputError for an unknown kind, a parameter that the kind does not have, or one that it lacks.
    """
    kind = _kind(table)
    known = _READ_ELSEWHERE | _NO_MATTER | set(_PARAMETERS[kind])
    if unknown := sorted(table.names() - known):
        raise InputError(
            f"{show(unknown[0])} is not a parameter of the RoPE kind {kind}; remove it, or name the kind it belongs to"
        )

    def needed(name: str, value: T | None) -> T:
        if value is None:
            raise InputError(f"the RoPE kind {kind} needs {name}; add it beside rope_type")
        return value

    factor = table.number("factor")
    trained = _agreed(table.integer(_TRAINED), fields.integer(_TRAINED)) or context_length
    match kind:
        case "linear":
            return Linear(needed("factor", factor))
        case "dynamic":
            return Dynamic(needed("factor", factor), context_length)
        case "llama3":
            return Llama3(
                needed("factor", factor),
                needed("low_freq_factor", table.number("low_freq_factor")),
                needed("high_freq_factor", table.number("high_freq_factor")),
                trained,
            )
        case "longrope":
            return Longrope(
                factor or max(Fraction(1), Fraction(context_length, trained)),
                trained,
                needed("short_factor", table.numbers("short_factor")),
                needed("long_factor", table.numbers("long_factor")),
                table.number("attention_factor"),
            )
        case "yarn":
            return Yarn(
                factor or Fraction(context_length, trained),
                trained,
                table.number("beta_fast") or Yarn.beta_fast,
                table.number("beta_slow") or Yarn.beta_slow,
                table.flag("truncate") is not False,
                table.number("attention_factor"),
                table.number("mscale"),
                table.number("mscale_all_dim"),
            )
    return Default()


def _kind(table: Fields) -> str:
    kinds = {_ALIASES.get(kind, kind) for name in ("rope_type", "type") if (kind := table.text(name)) is not None}
    if len(kinds) > 1:
        raise InputError(f"rope_type and type name two kinds, {' and '.join(map(show, sorted(kinds)))}; keep one")
    kind = kinds.pop() if kinds else "default"
    if kind not in _PARAMETERS:
        raise InputError(f"the RoPE kind {show(kind)} is unknown; use one of {', '.join(_PARAMETERS)}")
    return kind


def _agreed(inner: int | None, outer: int | None) -> int | None:
    if inner and outer and inner != outer:
        raise InputError(f"{_TRAINED} = {outer} and {inner} in two places contradict each other; keep the model's own")
    return inner or outer
