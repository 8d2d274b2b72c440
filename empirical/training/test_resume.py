"""A training that is killed, at whatever moment, and resumed ends as one that was not: bit for bit."""

from __future__ import annotations

import json
import os
import random
import signal
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from empirical.checkpoint import load, save_model
from empirical.decoder import Decoder
from empirical.decoder_config import DecoderConfig
from empirical.lock import alone
from empirical.tasks.letter import LetterTask
from empirical.tasks.number import NumberTask
from empirical.training.loop import train
from empirical.training.plan import Plan
from empirical.training.recipe import Recipe
from theory.errors import InputError

NUMBER = NumberTask(letters=5, integers=4, targets=3, links=2, hops=2)
LETTER = LetterTask(alphabet=4, integers=3, targets=3, links=2, hops=2)
PARTS: dict[str, Any] = {"train": 100, "validation": 20, "test": 20, "batch": 16, "report": 5, "warmup": 3}
FAST = Recipe(**PARTS, steps=17, dropout=0.0, muon=0.02, silent_blocks=True, bfloat16=True)
SLOW = Recipe(**PARTS, steps=17, dropout=0.2)
PLANS = [
    Plan(NUMBER, DecoderConfig(NUMBER.vocabulary_size, layers=2, width=8, dropout=0.0), FAST, seed=3),
    Plan(LETTER, DecoderConfig(LETTER.vocabulary_size, layers=2, width=8, heads=2, dropout=0.2), SLOW),
]
ALL = pytest.mark.parametrize("plan", PLANS, ids=["fast", "paper"])


def result(out: Path) -> dict[str, bytes]:
    """Weights and metrics, byte for byte; cards hold times."""
    return {path.name: path.read_bytes() for path in out.iterdir() if path.suffix in (".jsonl", ".safetensors")}


@pytest.fixture
def expected(plan: Plan, tmp_path: Path) -> dict[str, bytes]:
    train(plan, tmp_path / "whole", snapshots=True)
    return result(tmp_path / "whole")


def start(work: Callable[[], object]) -> Any:
    """A process that does the work: a fork, which need not import torch again."""
    process = get_context("fork").Process(target=work)
    process.start()
    return process


def die_at(operation: int) -> None:
    """Have this process killed at its operation number `operation`, from 1, on a file system."""
    numbers = count(1)

    def counted(real: Callable[..., Any]) -> Callable[..., Any]:
        def operate(*arguments: Any, **options: Any) -> Any:
            if next(numbers) == operation:
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*arguments, **options)

        return operate

    os.fsync = counted(os.fsync)
    for name in ("open", "replace", "unlink"):
        setattr(Path, name, counted(getattr(Path, name)))


def kill_at(operation: int, plan: Plan, out: Path) -> int | None:
    """The exit code of a process that trains, and dies at its operation number `operation` on files."""

    def work() -> None:
        die_at(operation)
        train(plan, out, resume=True)

    process = start(work)
    process.join()
    code: int | None = process.exitcode
    return code


@ALL
def test_killed_at_every_operation_on_files(plan: Plan, expected: dict[str, bytes], tmp_path: Path) -> None:
    """The first process dies at its first operation, the second one at its second, until one comes to the end."""
    out = tmp_path / "killed"
    for operation in count(1):
        code = kill_at(operation, plan, out)
        if code != -signal.SIGKILL:
            break
    assert code == 0 and operation > 10
    assert result(out) == expected


@ALL
def test_killed_at_random_moments(
    plan: Plan, expected: dict[str, bytes], tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    began = time.perf_counter()
    train(plan, tmp_path / "timed")
    duration, out = time.perf_counter() - began, tmp_path / "killed"
    kills, moments = 10 if request.config.getoption("thorough") else 3, random.Random(0)
    for _ in range(kills):
        process = start(lambda: train(plan, out, resume=True))
        time.sleep(moments.uniform(0, duration))
        process.kill()
        process.join()
    train(plan, out, resume=True)
    assert result(out) == expected


@ALL
def test_steps_are_listed_once_and_in_order(plan: Plan, expected: dict[str, bytes]) -> None:
    lines = [json.loads(line) for line in expected["metrics.jsonl"].splitlines()]
    assert [(line["step"], line["sequences"]) for line in lines[:-1]] == [
        (0, 0),
        (5, 80),
        (10, 160),
        (15, 240),
        (17, 272),
    ]
    assert lines[-1].keys() == {"step", "test"}


@pytest.mark.parametrize("plan", PLANS[:1])
def test_a_torn_line_is_repaired(plan: Plan, expected: dict[str, bytes], tmp_path: Path) -> None:
    out = tmp_path / "torn"
    kill_at(40, plan, out)
    reached = load(out / "state.json")[1]["step"]
    assert reached in (5, 10)
    with (out / "metrics.jsonl").open("a") as file:
        file.write('{"step": 15, "sequences": 240}\n{"step": 1')
    steps: list[int] = []
    train(plan, out, resume=True, watch=steps.append)
    assert steps == list(range(reached + 1, 18))  # no step is taken again that a checkpoint holds
    assert result(out) == expected


@pytest.mark.parametrize("plan", PLANS[:1])
def test_lost_lines_are_not_made_up(plan: Plan, tmp_path: Path) -> None:
    kill_at(40, plan, tmp_path)
    (tmp_path / "metrics.jsonl").write_text("")
    with pytest.raises(InputError, match="lost lines"):
        train(plan, tmp_path, resume=True)


def test_other_plans_are_refused(tmp_path: Path) -> None:
    plan = PLANS[0]
    train(plan, tmp_path)
    with pytest.raises(InputError, match="already holds a training"):
        train(plan, tmp_path)
    before = result(tmp_path)
    for other, words in [
        (replace(plan, seed=4), "seed=3, and seed=4"),
        (replace(plan, threads=2), "threads=1, and threads=2"),
        (replace(plan, recipe=replace(FAST, steps=18)), "recipe.steps=17, and recipe.steps=18"),
        (PLANS[1], "task.name='number', and task.name='letter'"),
    ]:
        with pytest.raises(InputError, match=words) as error:
            train(other, tmp_path, resume=True)
        assert "\n" not in str(error.value)
    assert result(tmp_path) == before


def test_a_folder_of_another_model_is_left_alone(tmp_path: Path) -> None:
    save_model(tmp_path / "model.json", Decoder(PLANS[0].model), {"note": "from elsewhere"})
    before = result(tmp_path)
    with pytest.raises(InputError, match="not trained here"):
        train(PLANS[0], tmp_path, resume=True)
    assert result(tmp_path) == before


def test_one_training_at_a_time(tmp_path: Path) -> None:
    with alone(tmp_path), pytest.raises(InputError, match="in use by another run"):
        train(PLANS[0], tmp_path)


class Stopped(Exception):
    pass


def stop_at_six(step: int) -> None:
    if step == 6:
        raise Stopped


def test_a_training_goes_on_only_as_it_was_begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "run"
    with pytest.raises(Stopped):
        train(PLANS[0], out, snapshots=True, watch=stop_at_six)
    with pytest.raises(InputError, match=r"snapshots=True, and this is with snapshots=False"):
        train(PLANS[0], out, resume=True)
    with monkeypatch.context() as patch:
        patch.setattr("torch.__version__", "2.0.0")
        with pytest.raises(InputError, match=r"torch='2.*', and this is with torch='2\.0\.0'"):
            train(PLANS[0], out, resume=True, snapshots=True)
    train(PLANS[0], out, resume=True, snapshots=True)
    kept = sorted(path.stem for path in (out / "snapshots").glob("*.json"))
    assert kept == ["000000", "000005", "000010", "000015", "000017"]


def test_a_fresh_training_empties_no_metrics(tmp_path: Path) -> None:
    (tmp_path / "metrics.jsonl").write_text("of something else\n")
    with pytest.raises(InputError, match="already holds a training"):
        train(PLANS[0], tmp_path)
    assert (tmp_path / "metrics.jsonl").read_text() == "of something else\n"
