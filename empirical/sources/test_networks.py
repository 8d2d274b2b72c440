"""Models against their definitions."""

from __future__ import annotations

import pytest
import torch

from empirical.decoder import Decoder
from empirical.sources.networks import SourceModel, build, matched
from empirical.sources.plan import Plan
from theory.errors import InputError

torch.set_num_threads(1)
PLAN = Plan("head", "true", 2, 3, 4, 16)


@pytest.mark.parametrize("body", ["lstm", "transformer"])
@pytest.mark.parametrize("mode", ["input", "head", "none"])
def test_models_do_not_look_ahead(mode: str, body: str) -> None:
    torch.manual_seed(0)
    model, letters, z = SourceModel(3, mode, body, 32), torch.randint(96, (2, 9)), torch.rand(2, 3)
    later = letters.clone()
    later[:, 5:] = torch.randint(96, (2, 4))
    first, second = model(letters, z), model(later, z)
    assert first.shape == (2, 9, 96)
    assert torch.allclose(first[:, :5], second[:, :5], atol=1e-6)
    assert not torch.allclose(first[:, 5:], second[:, 5:], atol=1e-3)
    assert torch.allclose(model(letters[1:], z[1:]), first[1:], atol=1e-6)  # windows are apart


@pytest.mark.parametrize("body", ["lstm", "transformer"])
def test_how_z_enters(body: str) -> None:
    torch.manual_seed(0)
    letters, z = torch.randint(96, (4, 7)), torch.rand(4, 3, dtype=torch.float64)
    z = z / z.sum(-1, keepdim=True)
    models = {mode: SourceModel(3, mode, body, 16).double() for mode in ("input", "head", "none")}
    head, vertices = models["head"], torch.eye(3, dtype=torch.float64)
    every = torch.stack([head(letters, vertex.repeat(4, 1)) for vertex in vertices])
    # Rounding of some dozens of products of numbers of size 1 in float64.
    assert torch.allclose(torch.einsum("bk,kbnv->bnv", z, every), head(letters, z), atol=1e-12)
    given_all = models["input"](letters, z)
    mixed = sum(z[:, k, None, None] * models["input"](letters, v.repeat(4, 1)) for k, v in enumerate(vertices))
    assert not torch.allclose(given_all, mixed, atol=1e-6)
    assert torch.equal(models["none"](letters), models["none"](letters, z))
    assert torch.equal(head.states(letters), head.states(letters, z))
    for mode in ("input", "head"):
        for wrong in (None, z[:, :2], z[:2], z.float()):
            with pytest.raises(InputError):
                models[mode](letters, wrong)


def test_a_transformer_without_z_is_a_decoder() -> None:
    """Letter by letter that of the module for controlled experiments, which answers at the last token: RoPE and all."""
    torch.manual_seed(0)
    model, letters = SourceModel(2, "none", "transformer", 16).double(), torch.randint(96, (3, 12))
    decoder = Decoder(matched(16)).double()
    renamed = {f"embedding.{name}": weight for name, weight in model.embedding.state_dict().items()}
    renamed |= {f"unembedding.{name}": weight for name, weight in model.readout.state_dict().items()}
    decoder.load_state_dict({**model.body.state_dict(), **renamed})
    logits = model(letters)
    for n in (1, 5, 12):
        assert torch.allclose(decoder(letters[:, :n]), logits[:, n - 1], atol=1e-12)


def test_a_shift_is_added_to_all_embeddings() -> None:
    torch.manual_seed(0)
    model, letters, shift = SourceModel(2, "none", hidden=8), torch.randint(96, (3, 5)), torch.randn(3, 48)
    moved = model(letters, shift=shift)
    assert torch.allclose(model(letters[:1], shift=shift[0]), moved[:1], atol=1e-6)
    with torch.no_grad():
        model.embedding.weight += shift[2]
    assert torch.allclose(model(letters)[2], moved[2], atol=1e-6)


@pytest.mark.parametrize("hidden", [16, 32, 64, 128, 192, 256])
def test_bodies_of_equal_size(hidden: int) -> None:
    sizes = [
        sum(w.numel() for w in SourceModel(5, "none", body, hidden).parameters()) for body in ("lstm", "transformer")
    ]
    assert sizes[1] == pytest.approx(sizes[0], rel=0.01)
    assert matched(hidden).head_width % 2 == 0


def test_settings_of_a_model_that_there_are_not() -> None:
    for mode, body in (("output", "lstm"), ("head", "gru")):
        with pytest.raises(InputError, match="give input, head or none"):
            SourceModel(2, mode, body)


def test_first_weights_leave_torch_s_random_state() -> None:
    before = torch.get_rng_state()
    first, second = build(PLAN), build(PLAN)
    assert torch.equal(torch.get_rng_state(), before)
    assert torch.equal(first.readout.weight, second.readout.weight)
    assert bool(((first.gates >= 0.5) & (first.gates <= 1.5)).all())
