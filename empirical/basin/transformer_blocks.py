"""Blocks of each family of the library transformers, as the arrays of their weights."""

from __future__ import annotations

from typing import Any

from empirical.basin.describe import array, columns, norm_of, rows
from theory.compact.certificate.weights import Attention, Block, Mlp

_ACTIVATIONS = {
    "silu": "silu",
    "swish": "silu",
    "gelu": "gelu",
    "gelu_new": "gelu-tanh",
    "gelu_fast": "gelu-tanh",
    "gelu_pytorch_tanh": "gelu-tanh",
    "relu": "relu",
}


def one_more(kind: str) -> bool:
    """Whether the norms of this model_type multiply by 1 + their weights."""
    return kind.startswith("gemma")


def _activation(config: Any) -> str:
    for name in ("hidden_activation", "hidden_act", "activation_function"):
        if (found := getattr(config, name, None)) is not None:
            return _ACTIVATIONS.get(found, str(found))
    return "unknown"


def _separate(query: Any, key: Any, value: Any, output: Any, heads: int, groups: int, **norms: Any) -> Attention:
    """Of four linear modules; scale, cap, window and rotation are those of the whole model."""
    biases = [(query.bias, heads), (key.bias, groups), (value.bias, groups)]
    query_bias, key_bias, value_bias = (None if bias is None else rows(bias, count) for bias, count in biases)
    return Attention(
        query=rows(query.weight, heads),
        key=rows(key.weight, groups),
        value=rows(value.weight, groups),
        output=columns(output.weight, heads),
        scale=1.0,
        query_bias=query_bias,
        key_bias=key_bias,
        value_bias=value_bias,
        output_bias=array(output.bias),
        **norms,
    )


def _gated(block: Any, config: Any) -> Block:
    """Llama, Mistral, Qwen and Gemma: norms before attention and MLP, in Gemma after them too."""
    module, mlp = block.self_attn, block.mlp
    plus = one_more(config.model_type)
    heads, groups = config.num_attention_heads, config.num_key_value_heads
    own: dict[str, Any] = {}
    if hasattr(module, "q_norm"):
        own = {"query_norm": norm_of(module.q_norm, one_more=plus), "key_norm": norm_of(module.k_norm, one_more=plus)}
    sandwich = hasattr(block, "pre_feedforward_layernorm")
    own["branch_norm"] = norm_of(block.post_attention_layernorm, one_more=plus) if sandwich else None
    attention = _separate(module.q_proj, module.k_proj, module.v_proj, module.o_proj, heads, groups, **own)
    hidden = Mlp(
        _activation(config),
        up=array(mlp.up_proj.weight),
        down=array(mlp.down_proj.weight),
        gate=array(mlp.gate_proj.weight),
        gate_bias=array(mlp.gate_proj.bias),
        up_bias=array(mlp.up_proj.bias),
        down_bias=array(mlp.down_proj.bias),
        branch_norm=norm_of(block.post_feedforward_layernorm, one_more=plus) if sandwich else None,
    )
    second = block.pre_feedforward_layernorm if sandwich else block.post_attention_layernorm
    return Block(norm_of(block.input_layernorm, one_more=plus), attention, norm_of(second, one_more=plus), hidden)


def _phi3(block: Any, config: Any) -> Block:
    """Queries, keys and values of one matrix, gate and up of another."""
    heads, groups = config.num_attention_heads, config.num_key_value_heads
    together = block.self_attn.qkv_proj.weight
    width = together.shape[0] // (heads + 2 * groups)
    query, key, value = together.split([heads * width, groups * width, groups * width])
    gate, up = block.mlp.gate_up_proj.weight.chunk(2)
    attention = Attention(
        query=rows(query, heads),
        key=rows(key, groups),
        value=rows(value, groups),
        output=columns(block.self_attn.o_proj.weight, heads),
        scale=1.0,
    )
    mlp = Mlp(_activation(config), up=array(up), down=array(block.mlp.down_proj.weight), gate=array(gate))
    return Block(norm_of(block.input_layernorm), attention, norm_of(block.post_attention_layernorm), mlp)


def _plain_mlp(up: Any, down: Any, config: Any) -> Mlp:
    return Mlp(
        _activation(config),
        up=array(up.weight),
        down=array(down.weight),
        up_bias=array(up.bias),
        down_bias=array(down.bias),
    )


def _phi(block: Any, config: Any) -> Block:
    """One norm for attention and MLP, which are added together."""
    module = block.self_attn
    heads, groups = config.num_attention_heads, config.num_key_value_heads
    own: dict[str, Any] = {}
    if config.qk_layernorm:
        own = {"query_norm": norm_of(module.q_layernorm), "key_norm": norm_of(module.k_layernorm)}
    attention = _separate(module.q_proj, module.k_proj, module.v_proj, module.dense, heads, groups, **own)
    norm = norm_of(block.input_layernorm)
    return Block(norm, attention, norm, _plain_mlp(block.mlp.fc1, block.mlp.fc2, config), "parallel")


def _neox(block: Any, config: Any) -> Block:
    """Query, key and value side by side in each head; a norm each for attention and MLP."""
    module, heads = block.attention, config.num_attention_heads
    together = module.query_key_value
    query, key, value = array(together.weight).reshape(heads, 3, -1, config.hidden_size).swapaxes(0, 1)
    biases: tuple[Any, ...] = (None, None, None)
    if together.bias is not None:
        biases = tuple(array(together.bias).reshape(heads, 3, -1).swapaxes(0, 1))
    attention = Attention(
        query=query,
        key=key,
        value=value,
        output=columns(module.dense.weight, heads),
        scale=1.0,
        query_bias=biases[0],
        key_bias=biases[1],
        value_bias=biases[2],
        output_bias=array(module.dense.bias),
    )
    mlp = _plain_mlp(block.mlp.dense_h_to_4h, block.mlp.dense_4h_to_h, config)
    arrangement = "parallel" if config.use_parallel_residual else "sequential"
    return Block(norm_of(block.input_layernorm), attention, norm_of(block.post_attention_layernorm), mlp, arrangement)


def _gptj(block: Any, config: Any) -> Block:
    """One norm for attention and MLP, which are added together; no biases in attention."""
    module, heads = block.attn, config.n_head
    attention = _separate(module.q_proj, module.k_proj, module.v_proj, module.out_proj, heads, heads)
    norm = norm_of(block.ln_1)
    return Block(norm, attention, norm, _plain_mlp(block.mlp.fc_in, block.mlp.fc_out, config), "parallel")


_READERS = {"phi3": _phi3, "phi": _phi, "gpt_neox": _neox, "gptj": _gptj}


def read_block(block: Any, config: Any) -> Block:
    """A block; its scale, cap, window and rotation are those of the whole model, and not set."""
    return _READERS.get(config.model_type, _gated)(block, config)
