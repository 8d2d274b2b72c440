"""What a Hugging Face configuration makes of continuity and isolation: its components, and the verdict on all of them.

Nothing is guessed: what is not recognised is refused. A configuration says nothing of how long prompts are run, so that
factors of the total length and sinks count only where it names them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from theory.arithmetic.ball import Real
from theory.compact.encodings.constants import capped_range
from theory.compact.encodings.encoding import Encoding, Verdict, decimal, exponent_text
from theory.compact.encodings.layers import Layers, read_layers
from theory.compact.encodings.sizes import check_sizes
from theory.compact.encodings.table import ENCODINGS
from theory.compact.evasions.factors import LengthFactor, stepped, stretched, trained_logarithm
from theory.compact.lag_kernels.sliding_window import window_reach
from theory.errors import InputError
from theory.rope.models.config import class_defaults, layer_tables, text_part, without_rope
from theory.rope.models.fields import Fields, Numeral, show
from theory.rope.models.scaling_fields import read_scaling

LENGTHS = ("max_position_embeddings", "n_positions", "max_seq_len")
SCALED = "llama_4_scaling_beta"
ENCODERS = {"bert", "roberta", "distilbert", "electra", "albert", "camembert", "xlm-roberta", "mpnet"}
SINKS = {"gpt_oss"}
NORMED = {"gemma3_text", "gemma3n_text", "qwen3", "qwen3_moe", "olmo2", "olmoe", "hunyuan_v1_dense"}
MIXTURES = {"mixtral", "llama4_text", "deepseek_v2", "deepseek_v3", "gpt_oss", "olmoe", "phimoe", "jetmoe"}
EXPERTS = ("num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts")
CHOSEN = ("num_experts_per_tok", "moe_top_k", "moe_k", "num_experts_per_token")
INSTEAD = {
    "learned or fixed absolute positions": "learned-table",
    "sinusoidal absolute positions": "sinusoidal",
    "a relative position bias": "t5-buckets",
    "ALiBi, a bias linear in the offset": "alibi",
}


@dataclass(frozen=True)
class Component:
    """One thing that a configuration has: its row of the table, and what its numbers come to."""

    encoding: Encoding
    detail: str = ""
    factor: LengthFactor | None = None


@dataclass(frozen=True)
class Classification:
    """All components of a configuration, and the verdict: that of the worst one."""

    components: tuple[Component, ...]

    @property
    def verdict(self) -> Verdict:
        return max((component.encoding.verdict for component in self.components), key=lambda verdict: verdict.rank)

    @property
    def deciding(self) -> tuple[Component, ...]:
        """The components that the verdict comes from."""
        return tuple(c for c in self.components if c.encoding.verdict is self.verdict)

    def exponent(self, spread: Fraction) -> Real | None:
        """The largest exponent c of a component, where logits range over `spread` at factor 1; None for infinity."""
        found = [component.factor.exponent(spread) for component in self.components if component.factor is not None]
        if None in [value if value is None else 0 for value in found]:
            return None
        return max((value for value in found if value is not None), key=float, default=Real.of(0))


def classify(config: Mapping[str, Any]) -> Classification:
    """The components and the verdict of a configuration as in config.json, numbers as in Python or as `Numeral`s.

    InputError, in one line, for positions or layers that are not recognised, and for numbers that are impossible.
    """
    if not isinstance(config, Mapping):
        raise InputError(f"{show(config)} is not an object; give the fields of a config.json")
    try:
        fields = text_part(_exact(config))
    except RecursionError as error:
        raise InputError("the configuration is nested too deep; give the fields of a config.json") from error
    model_type = fields.text("model_type") or ""
    check_sizes(fields, layer_tables(fields, class_defaults(model_type)).values())
    layers = read_layers(fields, model_type)
    components = [
        *_positions(fields, model_type, layers),
        *_scaled(fields, model_type, layers),
        *_masks(fields, layers),
        *_others(fields, model_type),
    ]
    if all(component.encoding.verdict is Verdict.BOUNDS for component in components):
        raise InputError(
            f"no positions are recognised in model_type {show(model_type)}; give its rope_theta, alibi, or "
            "position_embedding_type"
        )
    return Classification(tuple(components))


def _exact(value: Any) -> Any:
    """Numbers as they are written in JSON."""
    if isinstance(value, Mapping):
        return {name: _exact(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_exact(entry) for entry in value]
    return Numeral(repr(value)) if isinstance(value, int | float) and not isinstance(value, bool) else value


def _row(name: str, detail: str = "", factor: LengthFactor | None = None) -> Component:
    return Component(ENCODINGS[name], detail, factor)


def _positions(fields: Fields, model_type: str, layers: Layers) -> Iterator[Component]:
    attention = fields.table("attn_config") or Fields({})
    instead = without_rope(model_type)
    if instead == "no attention over positions":
        raise InputError(f"model_type {show(model_type)} has no attention over positions; give a Transformer")
    named = fields.text("position_embedding_type", "pos_emb")
    told = fields.flag("alibi", "use_alibi")
    alibi = attention.flag("alibi") if told is None else told
    if alibi or (alibi is None and instead == "ALiBi, a bias linear in the offset") or named == "alibi":
        yield _row("alibi", "R grows like (Delta + ln(1/eps))/m, m = 2^-8 the least slope")
        return
    if "relative_attention_num_buckets" in fields or named in ("relative_key", "relative_key_query"):
        yield _row("t5-buckets")
        return
    if named in ("absolute", "learned"):
        yield _row("learned-table", _beyond(fields))
        return
    if named == "sinusoidal":
        yield _row("sinusoidal")
        return
    if named not in (None, "rope", "rotary", "alibi"):
        raise InputError(f"position_embedding_type = {show(named)} is not in the table; give one that is")
    if fields.flag("rotary", "use_rope") is False:
        yield _row("nope")
        return
    if instead in INSTEAD and "rope_theta" not in fields:
        yield _row(INSTEAD[instead], _beyond(fields) if INSTEAD[instead] == "learned-table" else "")
        return
    if layers.without_positions:
        yield _row("nope", "layers without RoPE")
    defaults = class_defaults(model_type)
    tables = layer_tables(fields, defaults)
    known = ("rope_theta", "rotary_emb_base", "rope_parameters", "rope_scaling", "rotary_dim", "rotary_pct", "rotary")
    if len(defaults) or any(name in fields for name in known):
        kinds = dict.fromkeys(_rotation(table, fields, defaults) for table in tables.values())
        yield from (_row(name, detail) for name, detail in kinds)
        if fields.flag("use_dynamic_ntk"):
            yield _row("dynamic-ntk")
        if fields.flag("use_xpos"):
            yield _row("xpos")


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


def _scaled(fields: Fields, model_type: str, layers: Layers) -> Iterator[Component]:
    """Factors that grow with the length."""
    if layers.tuned:
        scale, floor = fields.number("attn_scale"), fields.integer("floor_scale")
        yield _grown("llama4-tuning", stepped(scale or Fraction(1, 10), floor or 8192))
    table = fields.table("rope_parameters") or fields.table("rope_scaling") or Fields({})
    if (beta := table.number(SCALED)) is not None:
        trained = table.integer("original_max_position_embeddings") or fields.integer(*LENGTHS)
        if trained is None:
            raise InputError(f"{SCALED} needs original_max_position_embeddings; add it beside it")
        yield _grown("llama4-tuning", stepped(beta, trained))
    if fields.flag("use_logn_attn", "logn_attn"):
        trained = fields.integer("seq_length") or fields.integer(*LENGTHS)
        if trained is None:
            raise InputError("logn_attn needs the trained length; add seq_length")
        yield _grown("qwen-logn", trained_logarithm(trained))
    if (chunks := fields.table("dual_chunk_attention_config")) is not None:
        trained = chunks.integer("original_max_position_embeddings") or fields.integer(*LENGTHS)
        if trained is None:
            raise InputError("dual_chunk_attention_config needs original_max_position_embeddings; add it")
        yield _grown("total-length-factor", stretched(trained))


def _grown(name: str, factor: LengthFactor) -> Component:
    return _row(name, f"factor {factor.formula}, c = {exponent_text(factor)}", factor)


def _masks(fields: Fields, layers: Layers) -> Iterator[Component]:
    if layers.window and fields.integer("attention_sink_size", "num_sink_tokens"):
        yield _row("sink-and-window", f"window of {layers.window}")
    elif layers.window and not layers.whole:
        depth = f", R = {window_reach(layers.depth, layers.window)}" if layers.depth else ""
        yield _row("sliding-window", f"window of {layers.window} in all layers{depth}")
    elif layers.window:
        yield _row("hybrid-windows", f"window of {layers.window} in some layers")
    if layers.chunk:
        yield _row("hybrid-windows" if layers.whole else "chunked", f"chunks of {layers.chunk}")


def _others(fields: Fields, model_type: str) -> Iterator[Component]:
    if model_type in SINKS:
        yield _row("learned-sink")
    if model_type in ENCODERS and not fields.flag("is_decoder"):
        yield _row("bidirectional")
    if (cap := fields.number("attn_logit_softcapping")) is not None:
        yield _row("logit-softcap", f"Delta <= {decimal(capped_range(cap))}")
    if fields.flag("use_qk_norm", "qk_norm") or (model_type in NORMED and "use_qk_norm" not in fields):
        yield _row("qk-norm")
    experts, chosen = fields.integer(*EXPERTS), fields.integer(*CHOSEN)
    if experts is None and (model_type in MIXTURES or model_type.endswith("_moe")):
        yield _row("top-k-experts", f"model_type {model_type} routes")
    if experts is not None and experts > 1 and (chosen is None or chosen < experts):
        yield _row("top-k-experts", f"{chosen or 'some'} of {experts} experts")
    if (kept := fields.integer("index_topk")) is not None:
        yield _row("top-k-keys", f"{kept} keys")
