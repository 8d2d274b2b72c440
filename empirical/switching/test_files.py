"""Networks come back from their files, and files that do not fit are refused in one line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from empirical import checkpoints
from empirical.switching.files import load, save
from empirical.switching.networks import Networks
from empirical.switching.plan import Plan
from empirical.switching.works import works
from theory.errors import InputError

PLAN = Plan("label-free", (3, 4), blocks=2, hidden=5, latent=3)


@pytest.fixture
def card(tmp_path: Path) -> Path:
    path = tmp_path / "model.json"
    save(path, Networks(PLAN.seeds, 3, 5), PLAN, "command")
    return path


def test_there_and_back(card: Path) -> None:
    nets, plan, found = load(card)
    assert plan == PLAN and found["command"] == "command"
    assert not any(weights.requires_grad for weights in nets.parameters())
    for name, weights in Networks(PLAN.seeds, 3, 5).state_dict().items():
        assert torch.equal(nets.state_dict()[name], weights)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"hidden": 6}, "describes weights"),
        ({"hidden": 10**12}, "describes weights"),
        ({"latent": 2}, "describes weights"),
        ({"seeds": [1]}, "describes weights"),
        ({"seeds": 3}, "describes no LSTMs"),
        ({"hidden": "x"}, "describes"),
        ({"kind": "lstm"}, "describes weights"),
    ],
)
def test_cards_that_lie(card: Path, change: dict[str, Any], words: str) -> None:
    content = json.loads(card.read_text())
    card.write_text(json.dumps({**content, "networks": {**content["networks"], **change}}))
    with pytest.raises(InputError, match=words) as complaint:
        load(card)
    assert "\n" not in str(complaint.value)


def test_cards_of_something_else(card: Path) -> None:
    content = json.loads(card.read_text())
    others: list[Any] = [None, [], {}, {"kind": "gbi"}]
    for networks in others:
        card.write_text(json.dumps({**content, "networks": networks}))
        with pytest.raises(InputError, match="describes no LSTMs"):
            load(card)


def test_weights_that_are_no_numbers(tmp_path: Path) -> None:
    nets = Networks(PLAN.seeds, 3, 5)
    nets.level.data.fill_(torch.nan)
    save(tmp_path / "model.json", nets, PLAN, "command")
    with pytest.raises(InputError, match="NaN or infinite"):
        load(tmp_path / "model.json")


@pytest.mark.parametrize(("name", "work"), [("two-tasks", "gbi"), ("three-tasks", "hull")])
def test_what_comes_with_the_package(name: str, work: str) -> None:
    """The command of a card asks for what the card describes."""
    _, plan, card = load(Path(checkpoints.__file__).parent / "switching" / f"{name}.json")
    asked = works("full", plan.seeds, plan.hidden)[work]
    assert (asked.plan, asked.command) == (plan, card["command"])
