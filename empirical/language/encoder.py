"""An encoder with RoPE and a norm of rotated queries and keys, in float64: its heads as LayerHeads.

The norm is that of the root mean square without a gain. A rotation keeps it, so norming before or after rotation is the
same, and the logit is scale * <R^(i - j) q, k> of normed vectors like any other; with a gain for each coordinate it
would not be. The rotation runs backwards, (a, b) becomes (a cos + b sin, -a sin + b cos): frequencies are negative.

The model has its cosines and sines in bfloat16, so that the squares of a pair add up to 1 only within some 2^-8, and a
logit depends a little on where both tokens stand; here they are exact, or as the model has them with `bfloat16`.

Attention is to both sides. A LayerHeads sees the keys up to the query's own, which for the last token are all: its
scores are those of the definitions. What other queries attend to, later keys too, cannot be scored as they stand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import torch
from torch import Tensor
from torch.nn.functional import rms_norm

from empirical.capture.heads import LayerHeads
from empirical.rotary import Rotary
from theory.errors import InputError

BASE = 10_000
EPSILON = torch.finfo(torch.float32).eps  # of the norms, as the model computes in float32


class Encoder:
    """The encoder of the given weights, names as in the model's own state; `heads_count` is not among them.

    InputError for weights that lack a tensor, or whose shapes do not belong together.
    """

    def __init__(self, weights: Mapping[str, Tensor], heads_count: int, bfloat16: bool = False) -> None:
        self.weights = {name: tensor.to(torch.float64) for name, tensor in weights.items()}
        try:
            self.layers = len(self.weights["resid_lambdas"])
            self.vocabulary, self.width = self.weights["transformer.wte.weight"].shape
            shapes = {self._weight(layer, f"attn.{c}").shape for layer in range(self.layers) for c in ("c_q", "c_k")}
        except KeyError as error:
            raise InputError(f"the weights have no {error}; give those of an encoder") from error
        if self.width % (2 * heads_count) or shapes != {(self.width, self.width)}:
            raise InputError(f"{heads_count} heads do not share a width of {self.width}; give the number of heads")
        self.heads_count, self.bfloat16 = heads_count, bfloat16
        half = self.width // heads_count // 2
        self.rotary = Rotary.half_split(-(float(BASE) ** (-torch.arange(half, dtype=torch.float64) / half)))

    def heads(self, tokens: Tensor) -> Iterator[LayerHeads]:
        """The layers, first to last, on tokens (prompts, n), with the attention to both sides."""
        first = x = _norm(self.weights["transformer.wte.weight"][tokens])
        kept, mixed = self.weights["resid_lambdas"], self.weights["x0_lambdas"]
        for layer in range(self.layers):
            x = kept[layer] * x + mixed[layer] * first
            normed = _norm(x)
            q, k, v = (self._by_head(self._apply(layer, f"attn.{name}", normed)) for name in ("c_q", "c_k", "c_v"))
            scale = q.shape[-1] ** -0.5
            attention = torch.softmax(scale * self._rotated(q) @ self._rotated(k).mT, dim=-1)
            yield LayerHeads(layer, _norm(q), _norm(k), self.rotary, scale, attention=attention)
            x = x + self._apply(layer, "attn.c_proj", (attention @ v).transpose(1, 2).flatten(-2))
            x = x + self._apply(layer, "mlp.c_proj", self._apply(layer, "mlp.c_fc", _norm(x)).relu().square())

    def _rotated(self, x: Tensor) -> Tensor:
        """Rotated, then normed, as the model does it."""
        cos, sin = self.rotary.waves(torch.arange(x.shape[-2]), x.shape[-1])
        if self.bfloat16:
            cos, sin = cos.to(torch.bfloat16), sin.to(torch.bfloat16)
        return _norm(self.rotary.turn(x, cos, sin))

    def _weight(self, layer: int, name: str) -> Tensor:
        return self.weights[f"transformer.h.{layer}.{name}.weight"]

    def _apply(self, layer: int, name: str, x: Tensor) -> Tensor:
        return x @ self._weight(layer, name).mT

    def _by_head(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (self.heads_count, -1)).transpose(1, 2)


def _norm(x: Tensor) -> Tensor:
    return rms_norm(x, x.shape[-1:], eps=EPSILON)
