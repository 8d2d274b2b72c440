"""What a Hugging Face configuration makes of continuity and isolation: its components, and the verdict on all of them.

Nothing is guessed: what is not recognised is refused. A configuration says nothing of how long prompts are run, so that
factors of the total length and sinks count only where it names them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from theory.compact.encodings.components import Classification, Component, component
from theory.compact.encodings.constants import capped_range
from theory.compact.encodings.encoding import Verdict, decimal, exponent_text
from theory.compact.encodings.layers import Layers, read_layers
from theory.compact.encodings.positions import LENGTHS, positions
from theory.compact.encodings.sizes import check_sizes
from theory.compact.evasions.factors import LengthFactor, stepped, stretched, trained_logarithm
from theory.compact.lag_kernels.sliding_window import window_reach
from theory.errors import InputError
from theory.rope.models.config import class_defaults, layer_tables, text_part
from theory.rope.models.fields import Fields, Numeral, show

SCALED = "llama_4_scaling_beta"
ENCODERS = {"bert", "roberta", "distilbert", "electra", "albert", "camembert", "xlm-roberta", "mpnet"}
SINKS = {"gpt_oss"}
NORMED = {"gemma3_text", "gemma3n_text", "qwen3", "qwen3_moe", "olmo2", "olmoe", "hunyuan_v1_dense"}
MIXTURES = {"mixtral", "llama4_text", "deepseek_v2", "deepseek_v3", "gpt_oss", "olmoe", "phimoe", "jetmoe"}
EXPERTS = ("num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts")
CHOSEN = ("num_experts_per_tok", "moe_top_k", "moe_k", "num_experts_per_token")


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
        *positions(fields, model_type, layers),
        *_scaled(fields, model_type, layers),
        *_masks(fields, layers),
        *_others(fields, model_type),
    ]
    if all(each.encoding.verdict is Verdict.BOUNDS for each in components):
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
    return component(name, f"factor {factor.formula}, c = {exponent_text(factor)}", factor)


def _masks(fields: Fields, layers: Layers) -> Iterator[Component]:
    if layers.window and fields.integer("attention_sink_size", "num_sink_tokens"):
        yield component("sink-and-window", f"window of {layers.window}")
    elif layers.window and not layers.whole:
        depth = f", R = {window_reach(layers.depth, layers.window)}" if layers.depth else ""
        yield component("sliding-window", f"window of {layers.window} in all layers{depth}")
    elif layers.window:
        yield component("hybrid-windows", f"window of {layers.window} in some layers")
    if layers.chunk:
        yield component("hybrid-windows" if layers.whole else "chunked", f"chunks of {layers.chunk}")


def _others(fields: Fields, model_type: str) -> Iterator[Component]:
    if model_type in SINKS:
        yield component("learned-sink")
    if model_type in ENCODERS and not fields.flag("is_decoder"):
        yield component("bidirectional")
    if (cap := fields.number("attn_logit_softcapping")) is not None:
        yield component("logit-softcap", f"Delta <= {decimal(capped_range(cap))}")
    if fields.flag("use_qk_norm", "qk_norm") or (model_type in NORMED and "use_qk_norm" not in fields):
        yield component("qk-norm")
    experts, chosen = fields.integer(*EXPERTS), fields.integer(*CHOSEN)
    if experts is None and (model_type in MIXTURES or model_type.endswith("_moe")):
        yield component("top-k-experts", f"model_type {model_type} routes")
    if experts is not None and experts > 1 and (chosen is None or chosen < experts):
        yield component("top-k-experts", f"{chosen or 'some'} of {experts} experts")
    if (kept := fields.integer("index_topk")) is not None:
        yield component("top-k-keys", f"{kept} keys")
