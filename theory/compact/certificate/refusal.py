"""What no certificate is given for, by name and with what holds instead."""

from __future__ import annotations

import numpy as np

from theory.compact.certificate.activations import SLOPES
from theory.compact.certificate.weights import Attention, Block, Norm, Weights, numbers
from theory.errors import InputError

COMPACT = ("none", "rope", "sinusoidal", "learned", "bias", "alibi", "window")
NORMS = ("rms", "layer")
# Encodings whose position data leave every compact set, or depend on the tokens.
OUTSIDE = {
    "log-scaling": "logits grow with the length, and log-scaling-threshold says what holds",
    "ssmax": "logits are multiplied by ln n, and log-scaling-threshold says what holds",
    "logn": "logits are multiplied by ln i, and log-scaling-threshold says what holds",
    "cope": "positions depend on the tokens, and one token can move all of them",
    "sink-window": "the sink tokens stay in every window: isolation holds among words with equal sinks only",
}


def require(holds: bool, what: str, instead: str) -> None:
    """Raises InputError, one line that starts with "no certificate"."""
    if not holds:
        raise InputError(f"no certificate: {what}; {instead}")


def check(weights: Weights) -> None:
    """Raises InputError for a decoder that is outside of the theorem, or of which the algorithm has no bound."""
    require(
        weights.encoding not in OUTSIDE,
        f"encoding {weights.encoding!r} is not compact",
        OUTSIDE.get(weights.encoding, ""),
    )
    require(
        weights.encoding in COMPACT,
        f"encoding {weights.encoding!r} is unknown",
        f"known ones are {', '.join(COMPACT)}",
    )
    require(
        not weights.scaling,
        f"{weights.scaling} is not compact",
        "logits grow with the position, and log-scaling-threshold says what holds",
    )
    for path, value in numbers(weights):
        require(bool(np.isfinite(value).all()), f"{path} is NaN or infinite", "train the model or read it anew")
    require(weights.temperature > 0, f"output temperature {weights.temperature} is not positive", "give one > 0")
    require(weights.letters >= 2 and len(weights.embedding) >= 2, "the alphabet has one letter", "give two or more")
    _check_cap(weights.softcap, "the final softcap")
    _check_norm(weights.norm, "norm")
    for index, block in enumerate(weights.blocks):
        _check_block(block, f"blocks.{index}")
    _check_shapes(weights)


def _check_block(block: Block, path: str) -> None:
    require(
        block.arrangement in ("sequential", "parallel"),
        f"{path} is {block.arrangement}, so that its attention reads states of any size",
        "only that a modulus exists is known, continuity-qualitative",
    )
    _check_norm(block.attention_norm, f"{path}.attention_norm")
    _check_attention(block.attention, f"{path}.attention")
    if (mlp := block.mlp) is None:
        return
    require(
        mlp.experts == 1,
        f"{path}.mlp routes to {mlp.experts} experts, which is not continuous at ties",
        "continuity can fail there, non-compact-evasions",
    )
    require(
        mlp.activation in SLOPES,
        f"{path}.mlp has the activation {mlp.activation!r}, whose slope is not known",
        f"known ones are {', '.join(SLOPES)}",
    )
    require(block.mlp_norm is not None, f"{path}.mlp has no norm before it", "only continuity-qualitative is known")
    assert block.mlp_norm is not None
    _check_norm(block.mlp_norm, f"{path}.mlp_norm")
    if mlp.branch_norm is not None:
        _check_norm(mlp.branch_norm, f"{path}.mlp.branch_norm")


def _check_attention(attention: Attention, path: str) -> None:
    require(attention.scale > 0, f"{path}.scale {attention.scale} is not positive", "give the scale of the logits")
    require(
        attention.factor > 0 and min(attention.inner_bias, attention.outer_bias) >= 0,
        f"{path} has a factor or a range of biases below 0",
        "give a factor > 0, and each bias by its range",
    )
    require(
        attention.slopes is None or bool((attention.slopes >= 0).all()),
        f"{path}.slopes favour the far past",
        "lag-kernel-continuity asks for biases that do not increase with the lag",
    )
    require(attention.window is None or attention.window >= 1, f"{path}.window is empty", "give a window >= 1")
    _check_cap(attention.softcap, f"{path}.softcap")
    for name, norm in (
        ("query_norm", attention.query_norm),
        ("key_norm", attention.key_norm),
        ("branch_norm", attention.branch_norm),
    ):
        if norm is not None:
            _check_norm(norm, f"{path}.{name}")
    require(
        (attention.query_norm is None) == (attention.key_norm is None),
        f"{path} has a norm of queries or of keys but not of both",
        "give both or neither",
    )


def _check_norm(norm: Norm, path: str) -> None:
    require(norm.kind in NORMS, f"{path} is a norm {norm.kind!r}", f"known ones are {', '.join(NORMS)}")
    require(
        norm.epsilon > 0,
        f"{path} has epsilon = {norm.epsilon}, so that it is not continuous at 0",
        "give epsilon > 0; without it continuity can fail, non-compact-evasions",
    )


def _check_cap(cap: float | None, path: str) -> None:
    require(cap is None or cap > 0, f"{path} is {cap}", "give a cap > 0, or none")


def _check_shapes(weights: Weights) -> None:
    width = weights.width
    shapes: list[tuple[str, tuple[int, ...], tuple[int, ...]]] = [
        ("norm.gain", weights.norm.gain.shape, (width,)),
        ("unembedding", weights.unembedding.shape[1:], (width,)),
    ]
    for index, block in enumerate(weights.blocks):
        path, attention, mlp = f"blocks.{index}", block.attention, block.mlp
        heads, inner = attention.query.shape[:2]
        require(
            heads >= 1 and heads % max(1, len(attention.key)) == 0,
            f"{path} has {heads} query heads on {len(attention.key)} key heads",
            "give a multiple",
        )
        shapes += [
            (f"{path}.attention_norm.gain", block.attention_norm.gain.shape, (width,)),
            (f"{path}.attention.query", attention.query.shape[1:], (inner, width)),
            (f"{path}.attention.key", attention.key.shape[1:], (inner, width)),
            (f"{path}.attention.value", attention.value.shape[::2], (len(attention.key), width)),
            (f"{path}.attention.output", attention.output.shape, (heads, width, attention.value.shape[1])),
        ]
        if mlp is not None:
            shapes += [
                (f"{path}.mlp.up", mlp.up.shape[1:], (width,)),
                (f"{path}.mlp.down", mlp.down.shape, (width, len(mlp.up))),
            ]
            if mlp.gate is not None:
                shapes.append((f"{path}.mlp.gate", mlp.gate.shape, mlp.up.shape))
    for name, found, wanted in shapes:
        require(
            tuple(found) == tuple(wanted), f"{name} has shape {found} in place of {wanted}", "give weights that fit"
        )
