"""The encoder: rotation and norm commute, the attention is its own, and what it refuses."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from empirical.capture.heads import LayerHeads
from empirical.language.encoder import Encoder
from empirical.scores.score import score_layer
from tests.score_rerun import definition, orders
from theory.errors import InputError

WIDTH, HEADS, LAYERS, N = 16, 2, 2, 7


def weights() -> dict[str, Tensor]:
    random = torch.Generator().manual_seed(0)

    def matrix(*shape: int) -> Tensor:
        return 0.5 * torch.randn(shape, generator=random)

    found = {"transformer.wte.weight": matrix(20, WIDTH)}
    for layer in range(LAYERS):
        for name in ("attn.c_q", "attn.c_k", "attn.c_v", "attn.c_proj"):
            found[f"transformer.h.{layer}.{name}.weight"] = matrix(WIDTH, WIDTH)
        found[f"transformer.h.{layer}.mlp.c_fc.weight"] = matrix(4 * WIDTH, WIDTH)
        found[f"transformer.h.{layer}.mlp.c_proj.weight"] = matrix(WIDTH, 4 * WIDTH)
    return found | {"resid_lambdas": torch.tensor([1.0, 0.9]), "x0_lambdas": torch.tensor([0.0, 2.0])}


def layers(bfloat16: bool = False) -> list[LayerHeads]:
    tokens = torch.randint(20, (3, N), generator=torch.Generator().manual_seed(1))
    return list(Encoder(weights(), HEADS, bfloat16).heads(tokens))


def both_sided(heads: LayerHeads) -> Tensor:
    """Attention from normed queries and keys, rotated afterwards."""
    queries, keys = (heads.rotary.rotate(x, torch.arange(N)) for x in (heads.queries, heads.keys))
    return torch.softmax(heads.scale * queries @ keys.mT, dim=-1)


def test_norm_and_rotation_commute() -> None:
    for exact, rough in zip(layers(), layers(bfloat16=True), strict=True):
        assert exact.attention is not None and rough.attention is not None
        assert torch.allclose(both_sided(exact), exact.attention, rtol=0, atol=1e-12)
        # Not with rounded cosines and sines: by 2^-8 at most in each of both vectors, of norm sqrt d, and in the input.
        error = (both_sided(rough) - rough.attention).abs().max()
        assert 1e-6 < float(error) < 4 * 2**-8 * rough.scale * rough.queries.shape[-1]


def test_scores_of_the_last_token_are_those_of_the_definition() -> None:
    swaps = [(i, j) for i in range(N - 1) for j in range(i + 1, N - 1)]
    for heads in layers():
        assert heads.attention is not None
        found = score_layer(heads)
        for prompt in range(3):
            # Contents are exchanged where the layer makes its keys; the query stays.
            keys = heads.keys[prompt][:, orders(N, swaps, 1)].transpose(0, 1)
            queries = heads.queries[prompt, None].expand_as(keys)
            turned_q, turned_k = (heads.rotary.rotate(x, torch.arange(N)) for x in (queries, keys))
            after = torch.softmax(heads.scale * turned_q @ turned_k.mT, dim=-1)[:, :, -1]
            direct = definition(heads.attention[prompt, :, -1], after, swaps, 1, 1e-4)
            for one, other in zip(direct, (found.positional[prompt], found.symbolic[prompt]), strict=True):
                assert (one - other).abs().max() <= 1e-9


def test_bad_weights_are_refused() -> None:
    with pytest.raises(InputError, match="3 heads do not share a width of 16"):
        Encoder(weights(), 3)
    lacking = weights()
    del lacking["transformer.h.1.attn.c_k.weight"]
    with pytest.raises(InputError, match=r"have no 'transformer\.h\.1\.attn\.c_k\.weight'"):
        Encoder(lacking, HEADS)
