"""Decoders of the library transformers as the arrays of their weights, for certificates."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import torch

from empirical.basin.describe import array, norm_of, rotation_of
from empirical.basin.transformer_blocks import one_more, read_block
from empirical.capture.hugging_face import HuggingFace
from empirical.rotary import Rotary
from theory.compact.certificate.weights import Attention, Weights


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
        described = read_block(block, config)
        attention = replace(
            described.attention,
            scale=heads.scale,
            softcap=heads.softcap,
            window=heads.window,
            rotation=rotation_of(heads.rotary),
        )
        rotary = adapter.rotary(layer, adapter.context)
        blocks.append(replace(described, attention=_stretched(attention, rotary)))
    final = next(
        getattr(base, name) for name in ("norm", "final_layernorm", "final_layer_norm", "ln_f") if hasattr(base, name)
    )
    head: Any = model.get_output_embeddings()
    return Weights(
        embedding=array(embedding.weight) * scale,
        blocks=tuple(blocks),
        norm=norm_of(final, one_more=one_more(kind)),
        unembedding=array(head.weight),
        encoding="rope",
        unembedding_bias=array(head.bias),
        softcap=getattr(config, "final_logit_softcapping", None),
        scaling="attention in both directions" if getattr(config, "use_bidirectional_attention", False) else "",
    )


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
