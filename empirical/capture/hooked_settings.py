"""The RoPE settings in a HookedTransformerConfig of TransformerLens."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from theory.errors import InputError
from theory.rope.models.frequencies import Default, Linear, Llama3, Scaling
from theory.rope.models.settings import RopeSettings
from theory.rope.models.yarn import Yarn


def hooked_settings(config: Any) -> dict[str, RopeSettings]:
    """The settings of layers of type `global` and of type `local`.

    InputError for a rotation that changes with the length of the prompt.
    """
    for name in ("use_dynamic_ntk_rope", "use_logn_attn"):
        if getattr(config, name, False):
            raise InputError(f"{name} = True changes queries with the length of the prompt, and is not known here")

    def exact(name: str) -> Fraction:
        return Fraction(repr(getattr(config, name)))

    scaling: Scaling = Default()
    if config.use_NTK_by_parts_rope:
        low, high = exact("NTK_by_parts_low_freq_factor"), exact("NTK_by_parts_high_freq_factor")
        scaling = Llama3(exact("NTK_by_parts_factor"), low, high, config.NTK_original_ctx_len)
    elif getattr(config, "use_yarn_rope", False):
        scaling = Yarn(
            exact("yarn_factor"),
            config.yarn_original_max_position_embeddings,
            exact("yarn_beta_fast"),
            exact("yarn_beta_slow"),
            config.yarn_truncate,
            exact("yarn_attention_factor"),
        )
    elif getattr(config, "rotary_scaling_factor", 1.0) != 1:
        scaling = Linear(exact("rotary_scaling_factor"))
    local_base = "rotary_base_local" if getattr(config, "rotary_base_local", None) else "rotary_base"
    local = Default() if isinstance(scaling, Linear) or getattr(config, "yarn_global_attn_only", False) else scaling
    return {
        kind: RopeSettings(exact(base), config.rotary_dim, config.d_head, how, config.n_ctx)
        for kind, base, how in (("global", "rotary_base", scaling), ("local", local_base, local))
    }
