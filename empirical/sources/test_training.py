"""Training against its definition."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import one_hot

from empirical.sources import training
from empirical.sources.networks import SourceModel, build
from empirical.sources.plan import KINDS, Plan, plans
from empirical.sources.texts import Text, encoded
from empirical.sources.training import labelled, train, windows
from empirical.sources.works import means
from theory.errors import InputError

torch.set_num_threads(1)
PLAN = Plan("head", "true", 2, 3, 4, 16)


def text(name: str, letters: str) -> Text:
    return Text(name, encoded(letters), name, len(letters) * 17 // 20)


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


def test_the_letter_after_is_what_is_learned(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that knows the letter after each of "abab..." has a loss of 95 exp(-50)."""

    class Knows(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = nn.Parameter(torch.zeros(96))

        def forward(self, letters: Tensor, z: Tensor | None) -> Tensor:
            return self.weight + 50 * one_hot(encoded("ab").sum() - letters, 96)

    monkeypatch.setattr(training, "build", lambda plan: Knows())
    assert train(replace(PLAN, steps=1), [text("a", "ab" * 300), text("b", "ba" * 300)])[1][0] < 1e-6


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


def test_rates_and_clipping(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rate peaks at the end of the first tenth of the steps, and gradients are never longer than they may be."""
    seen = list[tuple[float, float]]()

    class Noting(torch.optim.Adam):
        def step(self, closure: Any = None) -> Any:
            (group,) = self.param_groups
            slopes = torch.cat([weight.grad.flatten() for weight in group["params"]])
            seen.append((group["lr"], float(slopes.norm())))
            return super().step(closure)

    monkeypatch.setattr("torch.optim.Adam", Noting)
    monkeypatch.setattr(training, "CLIP", 1e-3)
    train(replace(PLAN, steps=40), [text("a", "ab" * 300), text("b", "cd" * 300)])
    rates, norms = zip(*seen, strict=True)
    assert max(rates) == rates[3] == pytest.approx(3e-3) and rates[0] < 2e-4 > rates[-1]
    assert norms == pytest.approx([1e-3] * 40, rel=1e-3)


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
