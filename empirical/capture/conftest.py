"""Random models of every family that is read, small enough for tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

_SHAPE = {
    "hidden_size": 32,
    "intermediate_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 50,
    "max_position_embeddings": 512,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
}
_GPTJ_SHAPE = {
    "n_embd": 32,
    "n_layer": 2,
    "n_head": 2,
    "n_positions": 512,
    "vocab_size": 50,
    "bos_token_id": 1,
    "eos_token_id": 2,
}
_TRAINED = {"original_max_position_embeddings": 64}
_SHORT, _LONG = [1.0, 1.5, 2.0, 3.0], [1.0, 2.0, 4.0, 8.0]


def _rope(kind: str = "default", **parameters: Any) -> dict[str, Any]:
    return {"rope_parameters": {"rope_type": kind, "rope_theta": 10000.0, **parameters}}


# Name -> (model_type, what differs from the shape).
TINY: dict[str, tuple[str, dict[str, Any]]] = {
    "llama": ("llama", {}),
    "llama, one key head": ("llama", {"num_key_value_heads": 1, "head_dim": 16}),
    "llama, linear": ("llama", _rope("linear", factor=4.0)),
    "llama, dynamic": ("llama", _rope("dynamic", factor=4.0)),
    "llama, yarn": ("llama", _rope("yarn", factor=8.0, **_TRAINED)),
    "llama, llama3": ("llama", _rope("llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, **_TRAINED)),
    "gpt_neox": ("gpt_neox", {"num_attention_heads": 2, **_rope(partial_rotary_factor=0.25)}),
    "gptj": ("gptj", {"rotary_dim": 8}),
    "qwen2": ("qwen2", {"use_sliding_window": True, "sliding_window": 8, "max_window_layers": 1}),
    "qwen3": ("qwen3", {"head_dim": 16}),
    "gemma2": (
        "gemma2",
        {"head_dim": 16, "query_pre_attn_scalar": 24, "attn_logit_softcapping": 0.5, "sliding_window": 8},
    ),
    "gemma3": (
        "gemma3_text",
        {
            "num_hidden_layers": 6,
            "head_dim": 16,
            "query_pre_attn_scalar": 24,
            "sliding_window": 8,
            "rope_parameters": {
                "full_attention": {"rope_type": "linear", "factor": 8.0, "rope_theta": 1e6},
                "sliding_attention": {"rope_type": "default", "rope_theta": 1e4},
            },
        },
    ),
    "mistral": ("mistral", {"sliding_window": 8, "head_dim": 16}),
    "phi": ("phi", _rope(partial_rotary_factor=0.5)),
    "phi, norms": ("phi", {"qk_layernorm": True, **_rope(partial_rotary_factor=0.5)}),
    "phi3": (
        "phi3",
        {
            "sliding_window": 8,
            **_TRAINED,
            **_rope("longrope", factor=8.0, short_factor=_SHORT, long_factor=_LONG, **_TRAINED),
        },
    ),
}


def config(model_type: str, **changes: Any) -> Any:
    """A tiny Hugging Face config."""
    from transformers import AutoConfig

    return AutoConfig.for_model(model_type, **{**(_GPTJ_SHAPE if model_type == "gptj" else _SHAPE), **changes})


@pytest.fixture(scope="session")
def tiny() -> Callable[[str], Any]:
    """A model by its name in TINY; weights are large enough for attention to be far from uniform."""
    transformers = pytest.importorskip("transformers")

    def build(name: str) -> Any:
        model_type, changes = TINY[name]
        model = transformers.AutoModelForCausalLM.from_config(config(model_type, **changes))
        generator = torch.Generator().manual_seed(0)
        for parameter in model.parameters():
            parameter.data.normal_(0, 0.3, generator=generator)
        return model.eval()

    return build
