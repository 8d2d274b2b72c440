"""Measures against models whose likelihoods, offsets and best mixtures are known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import pytest
import torch
from torch import Tensor, nn

from constructions.inference import frozen
from empirical.sources import adaptation, inference
from empirical.sources.evidence import drawn, likelihoods, several_steps
from empirical.sources.networks import SourceModel
from empirical.sources.plan import Plan, Sizes
from empirical.sources.texts import VOCABULARY, Text

torch.set_num_threads(1)
PLAN = Plan("head", "true", 3, 7, 1, 4)
SIZES = Sizes((8, 16), 30, 10, 20, 60, 50)


class Letters(nn.Module):
    """Letters that come independently of those before: logits z_1 a_1 + ... + z_K a_K + V(embedding + shift)."""

    def __init__(self, natural: Tensor, mode: str = "head") -> None:
        super().__init__()
        self.K, self.mode, self.natural = len(natural), mode, natural
        self.embedding = nn.Embedding(VOCABULARY, 2)
        self.embedding.weight.data.zero_()
        self.readout = torch.zeros(2, VOCABULARY)
        self.readout[0, 1] = self.readout[1, 2] = 1.0

    def states(self, letters: Tensor, shift: Tensor | None = None) -> Tensor:
        found: Tensor = self.embedding(letters)
        return found if shift is None else found + shift

    def logits(self, states: Tensor, z: Tensor | None) -> Tensor:
        told = 0.0 if z is None else (z @ self.natural)[:, None]
        return states @ self.readout + told

    def forward(self, letters: Tensor, z: Tensor | None, shift: Tensor | None = None) -> Tensor:
        return self.logits(self.states(letters, shift), z)


def natural() -> Tensor:
    """Three sources: two like each other, and one far away, of few letters each."""
    rows = torch.full((3, VOCABULARY), -6.0)
    rows[0, 1:5] = torch.tensor([2.0, 1.0, 0.0, 0.0])
    rows[1, 1:5] = torch.tensor([0.0, 0.0, 1.0, 2.0])
    rows[2, 1:5] = torch.tensor([0.0, 1.0, 0.0, 0.0])
    rows[2, 9] = 5.0
    return rows


def model(mode: str = "head") -> SourceModel:
    return cast(SourceModel, frozen(Letters(natural(), mode)))


def text(name: str, logits: Tensor, seed: int) -> Text:
    letters = torch.multinomial(logits.softmax(-1), 4000, True, generator=torch.Generator().manual_seed(seed))
    return Text(name, letters, "", 2000)


def sources() -> list[Text]:
    return [text(str(number), row, number) for number, row in enumerate(natural())]


def test_sources_are_found() -> None:
    found = inference.inferred(model(), PLAN, sources(), SIZES)
    short, long = found["lengths"]["8"], found["lengths"]["16"]
    assert short["residual"] < 1e-4
    # Letters depend on nothing before them, so the offsets of a letter are the same numbers everywhere.
    log = natural().log_softmax(-1)
    centre = natural().mean(0).log_softmax(-1)
    exact = (centre.exp() * (centre - log)).sum(-1)
    for here in (short, long):
        assert torch.allclose(torch.tensor(here["offsets"]), exact, atol=1e-4)
    for rule in ("constant offsets", "offsets of the context"):
        assert short["right"][rule] == short["right"]["likelihoods"]
    assert long["right"]["likelihoods"] > max(0.95, short["right"]["likelihoods"] - 0.05)
    given = torch.tensor(short["given"]["likelihoods"])
    assert torch.allclose(given.sum(-1), torch.ones(3)) and float(given.diagonal().mean()) == pytest.approx(
        short["right"]["likelihoods"]
    )
    true = -float((log.exp() * log).sum(-1).mean())
    assert found["test_loss"]["true"] == pytest.approx(true, abs=0.1)
    assert found["test_loss"]["true"] < found["test_loss"]["u"]
    assert set(short["right"]) - set(long["right"]) == {"entropy", "norm"}


def test_windows_of_every_source_are_iterated(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first of each, so that shares of the two rules are of the same windows."""
    monkeypatch.setattr(inference, "ITERATED", 2)
    sizes = replace(SIZES, lengths=(2,))  # so short that some are not found
    first = [drawn(each.test, 30, 2, (7, inference.TEST, 2, number))[:2] for number, each in enumerate(sources())]
    own = likelihoods(model(), torch.cat(first)).argmax(-1) == torch.tensor([0, 0, 1, 1, 2, 2])
    found = inference.inferred(model(), PLAN, sources(), sizes)["lengths"]["2"]["iterative"]
    assert found["likelihoods"] == pytest.approx(float(own.double().mean()))
    assert found["iterative"] > 1 / 3


@pytest.mark.parametrize("mode", ["input", "head"])
def test_nothing_is_learned_from_what_is_tested(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Constant offsets come from training parts, z from first halves; all that is judged is in the other part."""
    texts, seen = sources(), set[tuple[int, str]]()
    kept = {each.name: (each.train, each.test) for each in texts}
    monkeypatch.setattr(Text, "train", property(lambda text: kept[text.name][0]))
    monkeypatch.setattr(Text, "test", property(lambda text: kept[text.name][1]))
    parts = {id(part): name for pair in kept.values() for part, name in zip(pair, ("train", "test"), strict=True)}

    def noting(part: Tensor, count: int, length: int, key: Sequence[int]) -> Tensor:
        assert key[0] == PLAN.seed
        seen.add((key[1], parts[id(part)]))
        return drawn(part, count, length, key)

    for module in (inference, adaptation):
        monkeypatch.setattr(module, "drawn", noting)
    inference.inferred(model(mode), PLAN, texts, SIZES)
    inference.without_z(model("none"), PLAN, texts, SIZES)
    assert seen == {(inference.TRAIN, "train"), (inference.TEST, "test")}
    seen.clear()
    adaptation.adapted(model(mode), PLAN, texts[:1], texts[2], SIZES)
    adaptation.moved(model(), PLAN, texts[:1], SIZES)
    assert seen == {(adaptation.FIT, "train"), (adaptation.CHECK, "test")}


def test_a_model_that_ignores_z_finds_nothing() -> None:
    """Ties are no hits, and the posterior is flat."""
    blind = cast(SourceModel, Letters(natural()[:1].expand(3, -1), "input"))
    found = inference.inferred(blind, replace(PLAN, labels="shuffled"), sources(), SIZES)
    here = found["lengths"]["8"]
    assert here["right"]["likelihoods"] == 0 and here["tied"]["likelihoods"] == 1
    assert here["agreement"] == 0
    assert here["confidence"]["likelihoods"] == pytest.approx(1 / 3)
    assert "constant offsets" not in here["right"] and found["test_loss"]["true"] == found["test_loss"]["u"]


def test_models_without_z() -> None:
    nets = cast(SourceModel, Letters(torch.zeros(3, VOCABULARY), "none"))
    found = inference.without_z(nets, PLAN, sources(), SIZES)
    assert found["test_loss"]["none"] == pytest.approx(torch.tensor(96.0).log().item(), abs=1e-5)


def test_a_mixture_is_recovered() -> None:
    """A text between two sources, for which neither alone is right, and a foreign one."""
    between = text("between", torch.tensor([0.5, 0.5, 0.0]) @ natural(), 9)
    sizes = replace(SIZES, adapting=60, adaptation=150, judged=60)
    found = adaptation.adapted(model(), PLAN, [between], sources()[2], sizes)
    here = found["adapted"]["between"]
    assert here["z"] == pytest.approx([0.5, 0.5, 0.0], abs=0.05)
    assert here["loss"][-1] < min(here["single"]) - 0.02 and here["change"] < -3 * here["error"] < 0
    assert here["change"] == pytest.approx(here["loss"][-1] - here["loss"][0], abs=1e-5)
    assert found["foreign"]["name"] == "2" and found["foreign"]["z"][2] > 0.9
    assert here["foreign"] > here["loss"][0]
    control = adaptation.adapted(model(), replace(PLAN, labels="random"), [between], sources()[2], sizes)
    assert control["foreign"] is None and "single" not in control["adapted"]["between"]
    assert control["adapted"]["between"]["loss"] == here["loss"]


def test_an_input_that_is_moved() -> None:
    """It moves the logits of two letters, which the text has often: all directions help, and so do fixed ones."""
    rich = torch.zeros(VOCABULARY)
    rich[1], rich[2] = 3.0, 1.5
    nets = cast(SourceModel, frozen(Letters(torch.zeros(3, VOCABULARY), "none")))
    sizes = replace(SIZES, adapting=30, adaptation=100, judged=60)
    other = text("rich", rich, 4)
    found = adaptation.moved(nets, PLAN, [other], sizes)["moved"]["rich"]
    log = rich.log_softmax(-1)
    best = -float((log.exp() * log).sum())
    assert found["free"]["loss"][0] == pytest.approx(torch.tensor(96.0).log().item(), abs=1e-4)
    for way in ("free", "projected"):
        assert found[way]["loss"][-1] == pytest.approx(best, abs=0.1) and found[way]["change"] < -0.2
    assert found["projected"]["noted"] == [0, 50, 100]


def test_iterating_goes_to_the_best_z() -> None:
    windows = drawn(sources()[2].test, 8, 40, (3,))
    assert bool((several_steps(model(), windows, 40, 0.5)[:, 2] > 0.8).all())


def test_baselines(monkeypatch: pytest.MonkeyPatch) -> None:
    """Slopes of entropy, downwards, and of the square of the logits, which here are the same at all letters."""
    monkeypatch.setattr(inference, "_given", lambda scores, labels, K: {"scores": scores})
    found = inference.inferred(model(), PLAN, sources(), replace(SIZES, lengths=(8,)))["lengths"]["8"]["scores"]
    logits = natural().mean(0)
    log = logits.log_softmax(-1)
    entropy = -(log.exp() * log).sum()
    down = 8 * natural() @ (log.exp() * (log + entropy))  # -dH/dL_v = p_v (log p_v + H)
    assert torch.allclose(found["entropy"], down.expand(90, 3), atol=1e-4)
    assert torch.allclose(found["norm"], (16 * natural() @ logits).expand(90, 3), rtol=1e-4)


def test_parts_of_measures() -> None:
    assert inference.confusion(torch.tensor([0, 1, -1, 1]), 2) == [[0.5, 0.5], [0.0, 0.5]]
    assert adaptation.noted(SIZES) == [0, 30, 60] and adaptation.noted(replace(SIZES, adaptation=1)) == [0, 1]
