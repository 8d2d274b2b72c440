"""Four trainings of a second together, and what each of them gives without a sweep."""

from __future__ import annotations

import fcntl
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from empirical.decoder_config import DecoderConfig
from empirical.sweep.command import command
from empirical.sweep.run import LOCK
from empirical.tasks.number import NumberTask
from empirical.training.loop import train
from empirical.training.plan import Plan
from empirical.training.recipe import Recipe
from theory.command_line import run

SPEC = """
train:
  task: number
  recipe: paper
  width: 8
  letters: 5
  integers: 4
  targets: 3
  links: 2
  hops: 2
  train: 100
  validation: 20
  test: 20
  batch: 16
  report: 5
  warmup: 3
  steps: 33
  dropout: 0.2
grid:
  layers: [1, 2]
  seed: [3, 4]
"""
TASK = NumberTask(letters=5, integers=4, targets=3, links=2, hops=2)
RECIPE = Recipe(train=100, validation=20, test=20, batch=16, report=5, warmup=3, steps=33, dropout=0.2)


def sweep(*arguments: object) -> int:
    return run(command, "python -m empirical sweep", [str(argument) for argument in arguments])


def kept(folder: Path) -> dict[str, bytes]:
    """Weights and metrics of a training, byte for byte; cards hold times."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix in (".jsonl", ".safetensors")}


def free(folder: Path) -> bool:
    """Whether no process holds a run."""
    with (folder / LOCK).open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    path = tmp_path / "spec.yaml"
    path.write_text(SPEC)
    return path


@pytest.fixture(scope="session")
def single(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, bytes]]:
    """What the four trainings leave, each done alone."""
    found = []
    for layers in (1, 2):
        for seed in (3, 4):
            out = tmp_path_factory.mktemp("single")
            model = DecoderConfig(TASK.vocabulary_size, layers=layers, width=8, dropout=0.2)
            train(Plan(TASK, model, RECIPE, seed), out)
            found.append(kept(out))
    return found


@pytest.fixture
def same(single: list[dict[str, bytes]]) -> Callable[[Path], None]:
    """Asserts that a folder holds the four trainings, each once and in order, bit for bit."""

    def check(out: Path) -> None:
        data: dict[str, Any] = json.loads((out / "results.json").read_text())
        assert [run["grid"] for run in data["runs"]] == [
            {"layers": layers, "seed": seed} for layers in (1, 2) for seed in (3, 4)
        ]
        assert data["failed"] == []
        assert [kept(out / "runs" / run["run"]) for run in data["runs"]] == single
        table = (out / "results.csv").read_text().splitlines()
        assert [line.split(",")[0] for line in table] == ["run", *(run["run"] for run in data["runs"])]

    return check
