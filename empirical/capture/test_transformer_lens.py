"""The adapter of TransformerLens models, on a model that has its documented hook points and config fields.

The library is too large for the test environment. `python -m pytest` with it installed runs the last test on its own
HookedTransformer.
"""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from empirical.capture.hooked_settings import hooked_settings
from empirical.capture.self_test import self_test
from empirical.capture.transformer_lens import TransformerLens
from empirical.rotary import Rotary
from theory.errors import InputError

CONFIG: dict[str, Any] = {
    "n_layers": 2,
    "d_model": 32,
    "n_ctx": 128,
    "d_head": 16,
    "n_heads": 4,
    "n_key_value_heads": None,
    "d_vocab": 50,
    "dtype": torch.float32,
    "device": "cpu",
    "positional_embedding_type": "rotary",
    "rotary_dim": 16,
    "rotary_base": 10000,
    "rotary_adjacent_pairs": False,
    "attn_scores_soft_cap": -1.0,
    "window_size": None,
    "use_qk_norm": False,
    "ungroup_grouped_query_attention": False,
    "use_NTK_by_parts_rope": False,
}
VARIANTS: dict[str, dict[str, Any]] = {
    "plain": {},
    "adjacent pairs of a part": {"rotary_adjacent_pairs": True, "rotary_dim": 8},
    "grouped": {"n_key_value_heads": 2},
    "norms": {"n_key_value_heads": 2, "use_qk_norm": True},
    "soft cap": {"attn_scores_soft_cap": 0.5},
    "window": {"window_size": 8},
}


class Norm(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x * x.square().mean(-1, keepdim=True).rsqrt()


class FakeAttention(nn.Module):
    """Written from the definition of the hook points, apart from the adapter and from `Rotary`."""

    def __init__(self, config: SimpleNamespace, local: bool) -> None:
        super().__init__()
        self.cfg, self.attn_type, self.attn_scale = config, "local" if local else "global", 5.0
        key_heads = config.n_key_value_heads or config.n_heads
        self.W_Q = nn.Parameter(torch.randn(config.n_heads, config.d_model, config.d_head) / 3)
        self.W_K = nn.Parameter(torch.randn(key_heads, config.d_model, config.d_head) / 3)
        self.hook_q, self.hook_k, self.hook_rot_q, self.hook_rot_k, self.hook_pattern = (
            nn.Identity() for _ in range(5)
        )
        self.q_norm = Norm() if config.use_qk_norm else None
        self.k_norm = Norm() if config.use_qk_norm else None

    def rotate(self, x: Tensor) -> Tensor:
        width = self.cfg.rotary_dim
        theta = self.cfg.rotary_base ** (-torch.arange(0, width, 2) / width)
        angle = (torch.arange(x.shape[1])[:, None] * theta)[:, None]
        turned = x.clone()
        if self.cfg.rotary_adjacent_pairs:
            first, second = x[..., 0:width:2], x[..., 1:width:2]
            turned[..., 0:width:2] = first * angle.cos() - second * angle.sin()
            turned[..., 1:width:2] = second * angle.cos() + first * angle.sin()
        else:
            first, second = x[..., : width // 2], x[..., width // 2 : width]
            turned[..., : width // 2] = first * angle.cos() - second * angle.sin()
            turned[..., width // 2 : width] = second * angle.cos() + first * angle.sin()
        return turned

    def forward(self, x: Tensor) -> Tensor:
        q = self.hook_q(torch.einsum("bnm,hmd->bnhd", x, self.W_Q))
        k = self.hook_k(torch.einsum("bnm,hmd->bnhd", x, self.W_K))
        if self.q_norm is not None and self.k_norm is not None:
            q, k = (
                norm(y.reshape(-1, y.shape[-1])).reshape(y.shape) for norm, y in ((self.q_norm, q), (self.k_norm, k))
            )
        q, k = self.hook_rot_q(self.rotate(q)), self.hook_rot_k(self.rotate(k))
        k = k.repeat_interleave(q.shape[2] // k.shape[2], dim=2)
        scores = torch.einsum("bihd,bjhd->bhij", q, k) / self.attn_scale
        cap = self.cfg.attn_scores_soft_cap
        scores = cap * torch.tanh(scores / cap) if cap > 0 else scores
        visible = torch.ones(scores.shape[-2:]).tril()
        if self.attn_type == "local":
            visible = visible.triu(1 - self.cfg.window_size)
        pattern = self.hook_pattern(scores.masked_fill(visible == 0, -torch.inf).softmax(-1))
        return x + torch.einsum("bhij,bjm->bim", pattern, x) / 2


class FakeModel(nn.Module):
    def __init__(self, **changes: Any) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.cfg = SimpleNamespace(**{**CONFIG, **changes})
        self.embed = nn.Embedding(50, 32)
        attentions = [FakeAttention(self.cfg, self.cfg.window_size is not None and layer == 1) for layer in range(2)]
        self.blocks: Any = nn.ModuleList(nn.ModuleDict({"attn": attention}) for attention in attentions)

    def forward(self, tokens: Tensor, return_type: str | None = "logits") -> None:
        x = self.embed(tokens)
        for block in self.blocks:
            x = block.attn(x)


@pytest.mark.parametrize("name", VARIANTS)
def test_the_self_test_passes(name: str) -> None:
    adapter = TransformerLens(FakeModel(**VARIANTS[name]))
    found = adapter.passed
    assert all(0 <= share <= 1 for share in vars(found).values()) and found.attention > 1e-5
    heads = list(adapter.heads(torch.arange(7)[None]))
    assert [layer.queries.shape for layer in heads] == [(1, 4, 7, 16)] * 2
    assert heads[1].window == CONFIG["window_size"] or name == "window"
    assert not any(module._forward_hooks for module in adapter.model.modules())


def test_misreadings_are_refused() -> None:
    for wrong, reason in (
        ({"rotary_adjacent_pairs": True}, "coordinate"),
        ({"attn_scores_soft_cap": 1.0}, "attention"),
    ):
        adapter = TransformerLens(FakeModel(attn_scores_soft_cap=0.5))
        adapter._rotaries.clear()
        adapter.config = SimpleNamespace(**{**vars(adapter.config), **wrong})
        with pytest.raises(InputError, match=reason):
            self_test(adapter)
    adapter = TransformerLens(FakeModel())
    adapter._rotaries["global"] = Rotary.half_split(torch.from_numpy(adapter.settings["global"].float64() * 1.001))
    with pytest.raises(InputError, match="layer 0"):
        self_test(adapter)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"positional_embedding_type": "standard"}, "is not 'rotary'"),
        ({"dtype": torch.bfloat16}, "bfloat16"),
        ({"use_dynamic_ntk_rope": True}, "use_dynamic_ntk_rope"),
        ({"use_logn_attn": True}, "use_logn_attn"),
    ],
)
def test_what_cannot_be_read_is_refused(changes: dict[str, Any], reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        TransformerLens(FakeModel(**changes))


def test_missing_and_unused_hook_points_are_refused() -> None:
    model = FakeModel()
    del model.blocks[1].attn.hook_rot_q
    with pytest.raises(InputError, match="layer 1, FakeAttention, has no hook_rot_q"):
        TransformerLens(model)
    model = FakeModel()
    model.blocks[0].attn.forward = lambda x: x
    with pytest.raises(InputError, match="layer 0, FakeAttention, does not use its hook_rot_q"):
        TransformerLens(model)


@pytest.mark.parametrize(
    ("changes", "kind", "local"),
    [
        ({}, "default", "default"),
        ({"use_NTK_by_parts_rope": True}, "llama3", "llama3"),
        ({"use_yarn_rope": True, "yarn_global_attn_only": True}, "yarn", "default"),
        ({"rotary_scaling_factor": 8.0, "rotary_base_local": 1000}, "linear", "default"),
    ],
)
def test_scalings(changes: dict[str, Any], kind: str, local: str) -> None:
    fields = {
        "NTK_by_parts_factor": 8.0,
        "NTK_by_parts_low_freq_factor": 1.0,
        "NTK_by_parts_high_freq_factor": 4.0,
        "NTK_original_ctx_len": 64,
        "yarn_factor": 4.0,
        "yarn_attention_factor": 1.2,
        "yarn_beta_fast": 32.0,
        "yarn_beta_slow": 1.0,
        "yarn_truncate": True,
        "yarn_original_max_position_embeddings": 32,
    }
    settings = hooked_settings(SimpleNamespace(**{**CONFIG, **fields, **changes}))
    assert (settings["global"].kind, settings["local"].kind) == (kind, local)
    assert settings["local"].base == changes.get("rotary_base_local", 10000)


def test_the_library_itself() -> None:
    library = pytest.importorskip("transformer_lens")
    if not hasattr(library, "HookedTransformer"):
        pytest.skip("this release has no HookedTransformer")
    names = ("n_layers", "d_model", "n_ctx", "d_head", "n_heads", "d_vocab", "device", "positional_embedding_type")
    fields = {name: CONFIG[name] for name in names} | {"act_fn": "silu", "d_mlp": 32, "seed": 0}
    for changes in VARIANTS.values():
        extra = {"use_local_attn": True, "attn_types": ["global", "local"]} if changes.get("window_size") else {}
        config = library.HookedTransformerConfig(**fields, **changes, **extra)
        TransformerLens(library.HookedTransformer(config))


def test_replacing_one_layer_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    adapter = TransformerLens(FakeModel())
    usual = adapter._heads
    monkeypatch.setattr(
        adapter, "_heads", lambda layer, q, k: replace(usual(layer, q, k), scale=0.21 if layer else 0.2)
    )
    with pytest.raises(InputError, match="layer 1"):
        self_test(adapter)
