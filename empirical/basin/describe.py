"""Decoders as the arrays of their weights, for certificates: our own and those of the library transformers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from constructions.compact.decoder import Block as CompactBlock
from constructions.compact.decoder import CompactDecoder
from empirical.capture.hugging_face import HuggingFace
from empirical.decoder import Decoder
from empirical.rotary import Rotary
from theory.compact.certificate.weights import Array, Attention, Block, Mlp, Norm, Rotation, Weights

_ACTIVATIONS = {
    "silu": "silu",
    "swish": "silu",
    "gelu": "gelu",
    "gelu_new": "gelu-tanh",
    "gelu_fast": "gelu-tanh",
    "gelu_pytorch_tanh": "gelu-tanh",
    "relu": "relu",
}
_LONGEST = 1024  # positions that a table of waves is written out for; the bound is of all


def array(tensor: Tensor | None) -> Any:
    """A tensor as float64, or None."""
    return None if tensor is None else tensor.detach().cpu().to(torch.float64).numpy()


def _rows(matrix: Tensor, heads: int) -> Array:
    """(heads d_h, d) to (heads, d_h, d); a bias (heads d_h,) to (heads, d_h)."""
    found: Array = array(matrix).reshape(heads, -1, *matrix.shape[1:])
    return found


def _columns(matrix: Tensor, heads: int) -> Array:
    """(d, heads d_h) to (heads, d, d_h)."""
    return np.ascontiguousarray(array(matrix).reshape(len(matrix), heads, -1).transpose(1, 0, 2))


def _bias(linear: Any, heads: int) -> Array | None:
    return None if linear.bias is None else _rows(linear.bias, heads)


def _norm(module: Any, *, one_more: bool = False) -> Norm:
    """A norm of torch or transformers; `one_more` where the gain is 1 + weight."""
    if isinstance(module, nn.LayerNorm):
        weight = torch.ones(module.normalized_shape) if module.weight is None else module.weight
        return Norm("layer", array(weight), module.eps, array(module.bias))
    epsilon = getattr(module, "variance_epsilon", None)
    epsilon = module.eps if epsilon is None else epsilon
    if epsilon is None:
        epsilon = float(torch.finfo(module.weight.dtype).eps)  # what torch takes where none is given
    return Norm("rms", array(module.weight) + (1.0 if one_more else 0.0), float(epsilon))


def _rotation(rotary: Rotary) -> Rotation | None:
    if not len(rotary.frequencies) or not bool(rotary.frequencies.any()):
        return None
    return Rotation(array(rotary.frequencies), rotary.pairs.cpu().numpy())


def compact(model: CompactDecoder) -> Weights:
    """A decoder on words."""
    config = model.config
    width = config.width
    positions, norm = None, None
    if config.encoding == "learned":
        positions = array(model.positions.weight)
    if config.encoding == "sinusoidal":
        angles = np.arange(_LONGEST)[:, None] * config.base ** (-2 * np.arange(width // 2) / width)
        positions = np.stack((np.sin(angles), np.cos(angles)), axis=-1).reshape(_LONGEST, width)
        norm = (width / 2) ** 0.5 * (1 + 2.0**-40)
    scaling = "" if config.log_scaling is None else f"log_scaling={config.log_scaling} (logits times ln i)"
    return Weights(
        embedding=array(model.embedding.weight),
        blocks=tuple(_compact_block(block) for block in model.layers),
        norm=_norm(model.norm),
        unembedding=array(model.unembedding.weight),
        encoding=config.encoding,
        positions=positions,
        position_norm=norm,
        temperature=config.output_temperature,
        scaling=scaling,
    )


def _compact_block(block: CompactBlock) -> Block:
    config = block.config
    width = config.head_width
    rotation = None
    if config.encoding == "rope":
        planes = np.arange(width // 2)
        pairs = np.stack((planes, planes + width // 2), axis=1)
        rotation = Rotation(config.base ** (-2 * planes / width), pairs)
    attention = Attention(
        query=_rows(block.query.weight, config.heads),
        key=_rows(block.key.weight, config.groups),
        value=_rows(block.value.weight, config.groups),
        output=_columns(block.output.weight, config.heads),
        scale=width**-0.5,
        softcap=config.softcap,
        rotation=rotation,
        window=config.window,
        slopes=np.array(config.biases) if config.encoding == "alibi" else None,
    )
    mlp = Mlp("silu", up=array(block.up.weight), down=array(block.down.weight), gate=array(block.gate.weight))
    return Block(_norm(block.norm1), attention, _norm(block.norm2), mlp)


def decoder(model: Decoder) -> Weights:
    """A GPT-J decoder of `empirical.decoder`."""
    config, blocks = model.config, []
    for layer, block in enumerate(model.blocks):
        attention: Any = block.attention
        heads = Attention(
            query=_rows(attention.query.weight, config.heads),
            key=_rows(attention.key.weight, config.heads),
            value=_rows(attention.value.weight, config.heads),
            output=_columns(attention.output.weight, config.heads),
            scale=config.head_width**-0.5,
            rotation=_rotation(model.rotary(layer)),
        )
        mlp: Any = block.mlp
        hidden = Mlp(
            "gelu-tanh",
            up=array(mlp[0].weight),
            down=array(mlp[2].weight),
            up_bias=array(mlp[0].bias),
            down_bias=array(mlp[2].bias),
        )
        norm = _norm(block.norm)
        blocks.append(Block(norm, heads, norm, hidden, "parallel"))
    return Weights(
        embedding=array(model.embedding.weight),
        blocks=tuple(blocks),
        norm=_norm(model.norm),
        unembedding=array(model.unembedding.weight),
        encoding="rope",
        unembedding_bias=array(model.unembedding.bias),
    )


def hugging_face(adapter: HuggingFace) -> Weights:
    """A model of the library transformers, of any family that its queries and keys are read from."""
    model: Any = adapter.model
    config, base, kind = model.config, model.base_model, model.config.model_type
    embedding: Any = model.get_input_embeddings()
    scale = float(getattr(embedding, "embed_scale", 1.0))
    found = list(adapter.heads(torch.zeros(1, 2, dtype=torch.int64)))
    modules = list(base.get_submodule(adapter.family.blocks).children())
    blocks = []
    for layer, (block, heads) in enumerate(zip(modules, found, strict=True)):
        rotary = adapter.rotary(layer, adapter.context)
        read = _READERS.get(kind, _gated)
        attended = read(block, config)
        attention = replace(
            attended.attention,
            scale=heads.scale,
            softcap=heads.softcap,
            window=heads.window,
            rotation=_rotation(heads.rotary),
        )
        blocks.append(replace(attended, attention=_stretched(attention, rotary)))
    final = next(
        getattr(base, name) for name in ("norm", "final_layernorm", "final_layer_norm", "ln_f") if hasattr(base, name)
    )
    head: Any = model.get_output_embeddings()
    return Weights(
        embedding=array(embedding.weight) * scale,
        blocks=tuple(blocks),
        norm=_norm(final, one_more=_one_more(kind)),
        unembedding=array(head.weight),
        encoding="rope",
        unembedding_bias=array(head.bias),
        softcap=getattr(config, "final_logit_softcapping", None),
        scaling="attention in both directions" if getattr(config, "use_bidirectional_attention", False) else "",
    )


def _one_more(kind: str) -> bool:
    return kind.startswith("gemma")


def _stretched(attention: Attention, rotary: Rotary) -> Attention:
    """The factor on cosines and sines, multiplied into the coordinates that rotate."""
    if rotary.factor == 1.0:
        return attention
    factors = np.ones(attention.query.shape[1])
    factors[rotary.pairs.cpu().numpy().ravel()] = rotary.factor
    if attention.query_norm is not None and attention.key_norm is not None:
        norms = (attention.query_norm, attention.key_norm)
        query, key = (
            replace(n, gain=n.gain * factors, bias=None if n.bias is None else n.bias * factors) for n in norms
        )
        return replace(attention, query_norm=query, key_norm=key)
    return replace(
        attention,
        query=attention.query * factors[:, None],
        key=attention.key * factors[:, None],
        query_bias=None if attention.query_bias is None else attention.query_bias * factors,
        key_bias=None if attention.key_bias is None else attention.key_bias * factors,
    )


def _activation(config: Any) -> str:
    for name in ("hidden_activation", "hidden_act", "activation_function"):
        if (found := getattr(config, name, None)) is not None:
            return _ACTIVATIONS.get(found, str(found))
    return "unknown"


def _gated(block: Any, config: Any) -> Block:
    """Llama, Mistral, Qwen and Gemma: norms before attention and MLP, in Gemma after them too."""
    module, mlp = block.self_attn, block.mlp
    plus = _one_more(config.model_type)
    heads, groups = config.num_attention_heads, config.num_key_value_heads
    own: dict[str, Any] = {}
    if hasattr(module, "q_norm"):
        own = {"query_norm": _norm(module.q_norm, one_more=plus), "key_norm": _norm(module.k_norm, one_more=plus)}
    sandwich = hasattr(block, "pre_feedforward_layernorm")
    attention = Attention(
        query=_rows(module.q_proj.weight, heads),
        key=_rows(module.k_proj.weight, groups),
        value=_rows(module.v_proj.weight, groups),
        output=_columns(module.o_proj.weight, heads),
        scale=1.0,
        query_bias=_bias(module.q_proj, heads),
        key_bias=_bias(module.k_proj, groups),
        value_bias=_bias(module.v_proj, groups),
        output_bias=array(module.o_proj.bias),
        branch_norm=_norm(block.post_attention_layernorm, one_more=plus) if sandwich else None,
        **own,
    )
    hidden = Mlp(
        _activation(config),
        up=array(mlp.up_proj.weight),
        down=array(mlp.down_proj.weight),
        gate=array(mlp.gate_proj.weight),
        gate_bias=array(mlp.gate_proj.bias),
        up_bias=array(mlp.up_proj.bias),
        down_bias=array(mlp.down_proj.bias),
        branch_norm=_norm(block.post_feedforward_layernorm, one_more=plus) if sandwich else None,
    )
    second = block.pre_feedforward_layernorm if sandwich else block.post_attention_layernorm
    return Block(_norm(block.input_layernorm, one_more=plus), attention, _norm(second, one_more=plus), hidden)


def _phi3(block: Any, config: Any) -> Block:
    """Queries, keys and values of one matrix, gate and up of another."""
    heads, groups = config.num_attention_heads, config.num_key_value_heads
    together = block.self_attn.qkv_proj.weight
    width = together.shape[0] // (heads + 2 * groups)
    query, key, value = together.split([heads * width, groups * width, groups * width])
    gate, up = block.mlp.gate_up_proj.weight.chunk(2)
    attention = Attention(
        query=_rows(query, heads),
        key=_rows(key, groups),
        value=_rows(value, groups),
        output=_columns(block.self_attn.o_proj.weight, heads),
        scale=1.0,
    )
    mlp = Mlp(_activation(config), up=array(up), down=array(block.mlp.down_proj.weight), gate=array(gate))
    return Block(_norm(block.input_layernorm), attention, _norm(block.post_attention_layernorm), mlp)


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
        own = {"query_norm": _norm(module.q_layernorm), "key_norm": _norm(module.k_layernorm)}
    attention = Attention(
        query=_rows(module.q_proj.weight, heads),
        key=_rows(module.k_proj.weight, groups),
        value=_rows(module.v_proj.weight, groups),
        output=_columns(module.dense.weight, heads),
        scale=1.0,
        query_bias=_bias(module.q_proj, heads),
        key_bias=_bias(module.k_proj, groups),
        value_bias=_bias(module.v_proj, groups),
        output_bias=array(module.dense.bias),
        **own,
    )
    norm = _norm(block.input_layernorm)
    return Block(norm, attention, norm, _plain_mlp(block.mlp.fc1, block.mlp.fc2, config), "parallel")


def _neox(block: Any, config: Any) -> Block:
    """Query, key and value side by side in each head; a norm each for attention and MLP."""
    module, heads = block.attention, config.num_attention_heads
    matrix = array(module.query_key_value.weight).reshape(heads, 3, -1, config.hidden_size)
    bias = None
    if module.query_key_value.bias is not None:
        bias = array(module.query_key_value.bias).reshape(heads, 3, -1)
    parts = [np.ascontiguousarray(matrix[:, part]) for part in range(3)]
    biases = [None if bias is None else bias[:, part] for part in range(3)]
    attention = Attention(
        query=parts[0],
        key=parts[1],
        value=parts[2],
        output=_columns(module.dense.weight, heads),
        scale=1.0,
        query_bias=biases[0],
        key_bias=biases[1],
        value_bias=biases[2],
        output_bias=array(module.dense.bias),
    )
    mlp = _plain_mlp(block.mlp.dense_h_to_4h, block.mlp.dense_4h_to_h, config)
    arrangement = "parallel" if config.use_parallel_residual else "sequential"
    return Block(_norm(block.input_layernorm), attention, _norm(block.post_attention_layernorm), mlp, arrangement)


def _gptj(block: Any, config: Any) -> Block:
    """One norm for attention and MLP, which are added together; no biases in attention."""
    module, heads = block.attn, config.n_head
    attention = Attention(
        query=_rows(module.q_proj.weight, heads),
        key=_rows(module.k_proj.weight, heads),
        value=_rows(module.v_proj.weight, heads),
        output=_columns(module.out_proj.weight, heads),
        scale=1.0,
    )
    norm = _norm(block.ln_1)
    return Block(norm, attention, norm, _plain_mlp(block.mlp.fc_in, block.mlp.fc_out, config), "parallel")


_READERS = {"phi3": _phi3, "phi": _phi, "gpt_neox": _neox, "gptj": _gptj}
