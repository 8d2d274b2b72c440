"""Sweeps on this machine: the bits of single trainings, whatever interrupts or kills them, and nothing twice."""

from __future__ import annotations

import fcntl
import json
import os
import random
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from empirical.sweep import engine_local
from empirical.sweep.conftest import SPEC, free, kept, sweep
from empirical.sweep.grid import runs_of
from empirical.sweep.run import TURN, Ended, Run, carry_out
from empirical.sweep.spec import read_spec
from empirical.sweep.training import Training
from empirical.training.loop import train

Check = Callable[[Path], None]


def start(work: Callable[[], int]) -> Any:
    """A process that does the work: a fork, which need not import torch again."""
    process = get_context("fork").Process(target=lambda: os._exit(work()))
    process.start()
    return process


def begun(out: Path) -> list[Path]:
    """The folders of runs that have a checkpoint."""
    return [path.parent for path in out.glob("runs/*/state.json")]


def test_two_processes_give_what_single_trainings_give(spec: Path, tmp_path: Path, same: Check) -> None:
    process = start(lambda: sweep(spec, "--out", tmp_path / "out", "--jobs", 2))
    process.join()
    assert process.exitcode == 0
    same(tmp_path / "out")


def test_killed_and_resumed(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """Killed at random moments, most of them after a run has begun or gone on; never so late that all is done."""
    kills, steps = (10, 300) if request.config.getoption("thorough") else (2, 150)
    spec, out, whole, moments = tmp_path / "spec.yaml", tmp_path / "out", tmp_path / "whole", random.Random(0)
    spec.write_text(SPEC.replace("steps: 33", f"steps: {steps}"))
    for kill in range(kills):
        before = set(out.glob("runs/*/*"))
        process = start(partial(sweep, spec, "--out", out, "--jobs", 1 + kill % 2))
        while kill % 5 < 4 and process.is_alive() and before == set(out.glob("runs/*/*")):
            time.sleep(0.01)
        time.sleep(moments.uniform(0, 0.25))
        process.kill()
        process.join()
        assert process.exitcode == -signal.SIGKILL
    for folder in (out, whole):
        assert sweep(spec, "--out", folder, "--jobs", 1) == 0
    assert (out / "results.json").read_bytes() == (whole / "results.json").read_bytes()
    for run in runs_of(read_spec(spec)):
        assert kept(run.folder(out)) == kept(run.folder(whole))


def test_an_interruption_stops_all_processes_at_once(tmp_path: Path) -> None:
    spec, out = tmp_path / "spec.yaml", tmp_path / "out"
    spec.write_text(SPEC.replace("steps: 33", "steps: 1_000_000"))
    process = start(lambda: sweep(spec, "--out", out, "--jobs", 2))
    while process.is_alive() and len(begun(out)) < 2:
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGINT)
    process.join()
    assert process.exitcode == 130
    assert all(free(folder) for folder in begun(out))  # a lock goes with its process
    assert not (out / TURN).exists() and not (out / "results.json").exists()


def test_done_runs_are_not_done_again(
    spec: Path, tmp_path: Path, same: Check, capsys: pytest.CaptureFixture[str]
) -> None:
    """A smaller grid, then the whole: folders of runs do not depend on the grid."""
    small, out = tmp_path / "small.yaml", tmp_path / "out"
    small.write_text(SPEC.replace("  layers: [1, 2]\n", "").replace("  width: 8", "  width: 8\n  layers: 2"))
    assert sweep(small, "--out", out, "--jobs", 1) == 0
    before = {path: path.stat().st_mtime_ns for path in out.glob("runs/*/*") if path.is_file()}
    capsys.readouterr()
    assert sweep(spec, "--out", out, "--jobs", 1, "--json") == 0
    printed = capsys.readouterr()
    assert "2 of 4 runs are done" in printed.err
    assert printed.out == (out / "results.json").read_text()
    assert {path: path.stat().st_mtime_ns for path in before} == before
    same(out)


def test_a_run_that_fails_stops_no_other(
    spec: Path, tmp_path: Path, same: Check, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    bad = runs_of(read_spec(spec))[1]
    bad.folder(out).mkdir(parents=True)
    (bad.folder(out) / "state.json").write_text("{}")
    assert sweep(spec, "--out", out, "--jobs", 1) == 1
    assert f"failed: {bad.name}: " in capsys.readouterr().err
    data = json.loads((out / "results.json").read_text())
    assert [run["run"] for run in data["failed"]] == [bad.name] and len(data["runs"]) == 3
    (bad.folder(out) / "state.json").unlink()
    assert sweep(spec, "--out", out, "--jobs", 1) == 0
    same(out)


def test_unforeseen_errors_are_failures(spec: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        raise RuntimeError("out of\nsomething " + "x" * 1000)

    monkeypatch.setattr("empirical.sweep.training.train", broken)
    assert sweep(spec, "--out", tmp_path, "--jobs", 1) == 1
    (reason,) = {run["failure"] for run in json.loads((tmp_path / "results.json").read_text())["failed"]}
    assert reason.startswith("RuntimeError: out of something") and len(reason) <= 300


@pytest.mark.parametrize("text", ["{", "[]", '{"format": "headproof sweep run", "version": 1}'])
def test_results_of_others_are_refused(
    text: str, spec: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = runs_of(read_spec(spec))[0].folder(tmp_path)
    folder.mkdir(parents=True)
    (folder / "result.json").write_text(text)
    assert sweep(spec, "--out", tmp_path, "--jobs", 1) == 2
    assert "is not the result of this run" in capsys.readouterr().err


def test_killed_processes_are_replaced(
    spec: Path, tmp_path: Path, same: Check, monkeypatch: pytest.MonkeyPatch
) -> None:
    rounds = []

    def one_each(runs: list[Run], out: Path, turn: str, jobs: int) -> Iterator[Ended]:
        rounds.append(len(runs))
        yield carry_out(runs[0], out, turn)
        if len(runs) > 1:
            raise BrokenProcessPool

    monkeypatch.setattr(engine_local, "_round", one_each)
    assert sweep(spec, "--out", tmp_path / "out") == 0
    assert rounds == [4, 3, 2, 1]
    same(tmp_path / "out")


def test_processes_that_are_always_killed_are_given_up(
    spec: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def killed(*_: Any) -> Iterator[Ended]:
        raise BrokenProcessPool
        yield

    monkeypatch.setattr(engine_local, "_round", killed)
    assert sweep(spec, "--out", tmp_path) == 1
    assert capsys.readouterr().err.count("processes were killed, perhaps for want of memory") == 4


class Pausing(Training):
    """A training that stops its process, as SIGSTOP does, once at step 12."""

    def carry_out(self, folder: Path, look: Callable[[], object]) -> dict[str, Any]:
        def watch(step: int) -> None:
            if step == 12:
                os.kill(os.getpid(), signal.SIGSTOP)

        train(self.plan, folder, resume=True, watch=watch)
        return super().carry_out(folder, look)


@contextmanager
def turn(out: Path) -> Iterator[str]:
    out.mkdir()
    (out / TURN).write_text("ours")
    yield "ours"


@pytest.mark.parametrize("signum", [signal.SIGCONT, signal.SIGKILL])
def test_a_lost_process_and_the_next_one_do_not_meet(
    signum: signal.Signals, spec: Path, tmp_path: Path, single: list[dict[str, bytes]]
) -> None:
    """A process stands still in the midst of a run, which is given to another; then it goes on, or dies."""
    run, out = runs_of(read_spec(spec))[0], tmp_path / "out"
    assert isinstance(run.work, Training)
    pausing = replace(run, work=Pausing(run.work.plan, run.work.snapshots))
    with turn(out) as ours:
        first = start(lambda: carry_out(pausing, out, ours).failure is not None)
        while not (status := os.waitpid(first.pid, os.WUNTRACED | os.WNOHANG))[0]:
            time.sleep(0.01)
        assert os.WIFSTOPPED(status[1])
        before = kept(run.folder(out))
        second = start(lambda: carry_out(run, out, ours).failure is not None)
        second.join(0.5)
        assert second.is_alive() and kept(run.folder(out)) == before
        os.kill(first.pid, signum)
        first.join()
        second.join()
    assert (first.exitcode, second.exitcode) == (0 if signum == signal.SIGCONT else -signum, 0)
    assert kept(run.folder(out)) == single[0]


def test_threads_of_one_process_take_turns(spec: Path, tmp_path: Path, single: list[dict[str, bytes]]) -> None:
    """torch has one random state a process, and dropout draws from it."""
    runs, out = runs_of(read_spec(spec)), tmp_path / "out"
    with turn(out) as ours, ThreadPoolExecutor(2) as pool:
        assert list(pool.map(lambda run: carry_out(run, out, ours), runs)) == [Ended(run.name) for run in runs]
    assert [kept(run.folder(out)) for run in runs] == single


def test_runs_of_a_sweep_that_is_over_stop(spec: Path, tmp_path: Path) -> None:
    run, out = runs_of(read_spec(spec))[0], tmp_path / "out"
    with turn(out):
        assert carry_out(run, out, "theirs") == Ended(run.name, "the sweep was stopped")
        (out / TURN).unlink()
        assert carry_out(run, out, "ours") == Ended(run.name, "the sweep was stopped")
    assert not run.folder(out).exists()


def test_one_sweep_at_a_time(spec: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with (tmp_path / ".lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert sweep(spec, "--out", tmp_path) == 2
    assert "in use by another sweep" in capsys.readouterr().err
