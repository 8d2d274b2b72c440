"""Models and their training against their definitions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest
import torch
from torch import Tensor, nn

from empirical.sources import training
from empirical.sources.networks import SourceModel, build, matched
from empirical.sources.plan import KINDS, Plan, plans
from empirical.sources.texts import Text, encoded
from empirical.sources.training import labelled, train, windows
from empirical.sources.works import means
from theory.errors import InputError

torch.set_num_threads(1)
PLAN = Plan("head", "true", 2, 3, 4, 16)


def text(name: str, letters: str) -> Text:
    return Text(name, encoded(letters), name, len(letters) * 17 // 20)


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


def test_windows_of_texts() -> None:
    letters = [torch.arange(10), torch.arange(100, 170)]
    found = windows(letters, torch.tensor([0, 1] * 400), 8, torch.Generator().manual_seed(0))
    assert found.shape == (800, 9)
    assert torch.equal(found - found[:, :1], torch.arange(9).expand(800, 9))
    assert set(found[::2, 0].tolist()) == {0, 1}  # the last one ends with the text
    assert set(found[1::2, 0].tolist()) == set(range(100, 162))


def test_labels() -> None:
    sources = torch.arange(4).repeat(500)
    random = torch.Generator().manual_seed(0)
    assert torch.equal(labelled("true", sources, 4, random).argmax(-1), sources)
    shuffled = labelled("shuffled", sources, 4, random)
    assert torch.equal(shuffled.sort(-1).values, torch.tensor([0.0, 0, 0, 1]).expand(2000, 4))
    # Of 2000 labels a quarter is right: 500 with standard deviation 19.4.
    assert abs(int((shuffled.argmax(-1) == sources).sum()) - 500) < 100
    mixtures = labelled("random", sources, 4, random)
    assert torch.allclose(mixtures.sum(-1), torch.ones(2000)) and bool((mixtures > 0).all())
    assert float(mixtures.log().var(-1).mean()) == pytest.approx(1, abs=0.1)


def test_models_of_one_seed_see_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """And every window comes with its source, or with what says nothing of it."""
    both = [text("a", "a" * 400), text("b", "b" * 400)]
    seen = dict[str, list[tuple[Tensor, Tensor | None]]]()

    class Sees(nn.Module):
        def __init__(self, name: str) -> None:
            super().__init__()
            self.weight, self.name = nn.Parameter(torch.zeros(96)), name

        def forward(self, letters: Tensor, z: Tensor | None) -> Tensor:
            seen.setdefault(self.name, []).append((letters, z))
            return self.weight.expand(*letters.shape, 96)

    for kind, plan in plans("quick", 2, 5).items():
        monkeypatch.setattr(training, "build", lambda plan, kind=kind: Sees(kind))
        train(replace(plan, steps=3), both)
    assert seen.keys() == KINDS.keys()
    for steps in zip(*seen.values(), strict=True):
        assert len({tuple(letters[:, 0].tolist()) for letters, _ in steps}) == 1
    letters, told = (torch.cat([each[at] for each in seen["head"]]) for at in (0, 1))  # type: ignore[misc]
    assert torch.equal(told.argmax(-1), letters[:, 0] - int(encoded("a")))
    assert all(z is None for _, z in seen["none"])


@pytest.mark.parametrize("body", ["lstm", "transformer"])
def test_training_repeats_itself_and_learns(body: str) -> None:
    both = [text("a", "ab" * 300), text("b", "cd" * 300)]
    plan = replace(PLAN, body=body, steps=25)
    looked = list[None]()
    first, losses = train(plan, both, lambda: looked.append(None))
    second, again = train(plan, both)
    assert losses == again and len(losses) == len(looked) == 25
    assert all(torch.equal(a, b) for a, b in zip(first.parameters(), second.parameters(), strict=True))
    assert not any(weight.requires_grad for weight in first.parameters()) and not first.training
    # It begins near chance among 96 letters, and learns at least that there are few.
    assert losses[0] > math.log(48) and losses[-1] < math.log(36)
    assert train(replace(plan, seed=4, steps=1), both)[1][0] != losses[0]


def test_first_weights_leave_torch_s_random_state() -> None:
    before = torch.get_rng_state()
    first, second = build(PLAN), build(PLAN)
    assert torch.equal(torch.get_rng_state(), before)
    assert torch.equal(first.readout.weight, second.readout.weight)
    assert bool(((first.gates >= 0.5) & (first.gates <= 1.5)).all())


def test_training_that_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    both = [text("a", "ab" * 300), text("b", "cd" * 300)]
    with pytest.raises(InputError, match="3 tasks"):
        train(replace(PLAN, tasks=3), both)
    with pytest.raises(InputError, match="more than 64 letters"):
        train(PLAN, [both[0], text("b", "cd" * 30)])

    def broken(plan: Plan) -> SourceModel:
        model = build(plan)
        model.readout.weight.data.fill_(torch.nan)
        return model

    monkeypatch.setattr(training, "build", broken)
    with pytest.raises(InputError, match="the loss is nan at step 0"):
        train(PLAN, both)


def test_means_of_parts() -> None:
    values: Sequence[float] = [1.0, 3.0, 5.0, 7.0, 10.0]
    assert means(values, (0, 2, 4), 2) == [2.0, 6.0, 10.0]
