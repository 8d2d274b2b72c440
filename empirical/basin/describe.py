"""Our own decoders as the arrays of their weights, for certificates."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from constructions.compact.decoder import Block as CompactBlock
from constructions.compact.decoder import CompactDecoder
from empirical.decoder import Decoder
from empirical.rotary import Rotary
from theory.compact.certificate.weights import Array, Attention, Block, Mlp, Norm, Rotation, Weights

_LONGEST = 1024  # positions that a table of waves is written out for; the bound is of all


def array(tensor: Tensor | None) -> Any:
    """A tensor as float64, or None."""
    return None if tensor is None else tensor.detach().cpu().to(torch.float64).numpy()


def rows(matrix: Tensor, heads: int) -> Array:
    """(heads d_h, d) to (heads, d_h, d); a bias (heads d_h,) to (heads, d_h)."""
    found: Array = array(matrix).reshape(heads, -1, *matrix.shape[1:])
    return found


def columns(matrix: Tensor, heads: int) -> Array:
    """(d, heads d_h) to (heads, d, d_h)."""
    return np.ascontiguousarray(array(matrix).reshape(len(matrix), heads, -1).transpose(1, 0, 2))


def norm_of(module: Any, *, one_more: bool = False) -> Norm:
    """A norm of torch or transformers; `one_more` where the gain is 1 + weight."""
    if isinstance(module, nn.LayerNorm):
        weight = torch.ones(module.normalized_shape) if module.weight is None else module.weight
        return Norm("layer", array(weight), module.eps, array(module.bias))
    epsilon = getattr(module, "variance_epsilon", None)
    epsilon = module.eps if epsilon is None else epsilon
    if epsilon is None:
        epsilon = float(torch.finfo(module.weight.dtype).eps)  # what torch takes where none is given
    return Norm("rms", array(module.weight) + (1.0 if one_more else 0.0), float(epsilon))


def rotation_of(rotary: Rotary) -> Rotation | None:
    """None where nothing turns."""
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
        norm=norm_of(model.norm),
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
        query=rows(block.query.weight, config.heads),
        key=rows(block.key.weight, config.groups),
        value=rows(block.value.weight, config.groups),
        output=columns(block.output.weight, config.heads),
        scale=width**-0.5,
        softcap=config.softcap,
        rotation=rotation,
        window=config.window,
        slopes=np.array(config.biases) if config.encoding == "alibi" else None,
    )
    mlp = Mlp("silu", up=array(block.up.weight), down=array(block.down.weight), gate=array(block.gate.weight))
    return Block(norm_of(block.norm1), attention, norm_of(block.norm2), mlp)


def decoder(model: Decoder) -> Weights:
    """A GPT-J decoder of `empirical.decoder`."""
    config, blocks = model.config, []
    for layer, block in enumerate(model.blocks):
        attention: Any = block.attention
        heads = Attention(
            query=rows(attention.query.weight, config.heads),
            key=rows(attention.key.weight, config.heads),
            value=rows(attention.value.weight, config.heads),
            output=columns(attention.output.weight, config.heads),
            scale=config.head_width**-0.5,
            rotation=rotation_of(model.rotary(layer)),
        )
        mlp: Any = block.mlp
        hidden = Mlp(
            "gelu-tanh",
            up=array(mlp[0].weight),
            down=array(mlp[2].weight),
            up_bias=array(mlp[0].bias),
            down_bias=array(mlp[2].bias),
        )
        norm = norm_of(block.norm)
        blocks.append(Block(norm, heads, norm, hidden, "parallel"))
    return Weights(
        embedding=array(model.embedding.weight),
        blocks=tuple(blocks),
        norm=norm_of(model.norm),
        unembedding=array(model.unembedding.weight),
        encoding="rope",
        unembedding_bias=array(model.unembedding.bias),
    )
