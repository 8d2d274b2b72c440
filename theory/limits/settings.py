"""RoPE settings that no config.json holds: made up on the command line, or taken to another length."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from theory.arithmetic.grammar import parse_number
from theory.errors import InputError
from theory.rope.models.config import EVERY_LAYER, ModelRope
from theory.rope.models.fields import Fields, Numeral
from theory.rope.models.scaling_fields import read_scaling
from theory.rope.models.settings import RopeSettings

# Beside the factor, llama3 has these; the values are those of the models that introduced it.
_LLAMA3 = {"low_freq_factor": Numeral("1"), "high_freq_factor": Numeral("4")}


def stretched(model: ModelRope, length: int) -> ModelRope:
    """The model at `length` tokens, where the angles of dynamic and longrope scaling may be others."""
    layers = {kind: settings.at(length) for kind, settings in model.layers.items()}
    return replace(model, context_length=length, layers=layers)


def made_up(base: str | None, head_dim: int, scaling: tuple[str, str] | None, length: int) -> ModelRope:
    """A model of the given base and head width; a scaling has a factor, and was trained at length / factor tokens.

    InputError without a base, and for a scaling that the reader of config.json does not know or that needs more.
    """
    if base is None:
        raise InputError("neither a CONFIG.json nor a base was given; give one, for example --base 10000")
    exact = parse_number(base)
    if not exact.is_Rational:
        raise InputError(f"base {base} is not rational; give a number such as 10000")
    table: dict[str, object] = {}
    trained = length
    if scaling is not None:
        kind, factor = scaling
        ratio = Fields({"factor": Numeral(factor)}).number("factor")
        trained = max(1, round(length / (ratio or 1)))
        table = {"rope_type": kind, "factor": Numeral(factor)}
        if kind == "llama3":
            table |= _LLAMA3
        if kind in ("llama3", "yarn"):
            table["original_max_position_embeddings"] = Numeral(str(trained))
    settings = RopeSettings(
        base=Fraction(int(exact.p), int(exact.q)),
        rotary_dim=head_dim,
        head_dim=head_dim,
        scaling=read_scaling(Fields(table), Fields({}), trained),
        length=length,
    )
    return ModelRope(f"RoPE with base {base}", "command line", length, None, {EVERY_LAYER: settings})
