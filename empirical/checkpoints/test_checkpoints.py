"""The models that come with the package are what their cards say."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import binom

import empirical.training.loop
from empirical.__main__ import run
from empirical.checkpoints import NAMES, trained
from empirical.training.accuracy import measure
from empirical.training.data import Data
from empirical.training.plan import TASKS, Plan
from theory.errors import InputError

FRESH, UNUSED_SEED = 400, 987_654
EACH = pytest.mark.parametrize("name", NAMES)


def test_names() -> None:
    assert {"letter-4", "letter-12", "number-4", "number-12"} <= set(NAMES)
    with pytest.raises(InputError, match="choose among letter-12"):
        trained("number-3")


@EACH
def test_accuracy_on_fresh_sequences(name: str) -> None:
    model, card = trained(name)
    sizes = dict(card["plan"]["task"])
    task = TASKS[sizes.pop("name")](**sizes)
    claimed = card["metrics"]["test"]["accuracy"]
    wrong = round(FRESH * (1 - measure(model, task.generate(FRESH, UNUSED_SEED))["accuracy"]))
    assert wrong <= binom.isf(1e-6, FRESH, 1 - claimed)


@pytest.fixture
def plan(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Plan:
    """What the command of a card asks for."""
    card, plans = trained(name)[1], list[Plan]()

    def instead(plan: Plan, out: Path, **_: Any) -> dict[str, Any]:
        plans.append(plan)
        return card

    monkeypatch.setattr(empirical.training.loop, "train", instead)
    program, command = "python -m empirical ", card["command"]
    assert command.startswith(program)
    assert run([*shlex.split(command.removeprefix(program)), "--out", str(tmp_path)]) == 0
    return plans[0]


@EACH
def test_card_belongs_to_its_command(name: str, plan: Plan) -> None:
    plan.require(trained(name)[1], name)


@EACH
def test_accuracy_on_the_test_part(name: str, plan: Plan, request: pytest.FixtureRequest) -> None:
    """The figure of the card, up to sequences whose two largest logits are equal up to rounding."""
    if not request.config.getoption("thorough"):
        pytest.skip("takes minutes: --thorough")
    model, card = trained(name)
    measured = measure(model, Data(plan.task, plan.recipe, plan.seed).test)
    assert abs(measured["accuracy"] - card["metrics"]["test"]["accuracy"]) <= 2 / plan.recipe.test


@EACH
def test_folder(name: str) -> None:
    card = trained(name)[1]
    folder = Path(empirical.checkpoints.__file__).parent / name
    assert (folder / card["weights"]).stat().st_size < 12e6
    last = json.loads((folder / "metrics.jsonl").read_text().splitlines()[-1])
    assert last["test"] == card["metrics"]["test"]
