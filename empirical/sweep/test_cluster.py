"""Sweeps on a real Dask scheduler with two worker processes, one of which is killed."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from empirical.sweep.conftest import SPEC, free, sweep
from empirical.sweep.grid import runs_of
from empirical.sweep.run import TURN
from empirical.sweep.spec import read_spec

distributed = pytest.importorskip("distributed", reason="needs headproof[cluster]")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """On ports that are free, also for its dashboard."""
    with distributed.LocalCluster(n_workers=2, processes=True, threads_per_worker=1, dashboard_address=":0") as local:
        yield local


def working(cluster: Any, out: Path) -> dict[str, int]:
    """The runs that workers are in the midst of, by the name of their folder, each with the worker's process."""
    found = {}
    for nanny in list(cluster.workers.values()):
        state = cluster.scheduler.workers.get(nanny.worker_address)
        for task in list(state.processing) if state else []:
            name = task.key.rpartition("-")[0]
            if (out / "runs" / name / "state.json").exists():
                found[name] = nanny.pid
    return found


def until(happened: Callable[[], object]) -> None:
    while not happened():
        time.sleep(0.005)


def test_a_worker_is_killed(cluster: Any, spec: Path, tmp_path: Path, same: Callable[[Path], None]) -> None:
    out = tmp_path / "out"
    killed: list[str] = []

    def kill() -> None:
        while not killed:
            until(lambda: working(cluster, out))
            for name, pid in working(cluster, out).items():
                os.kill(pid, signal.SIGSTOP)  # what is looked at now stays as it is
                midway = (out / "runs" / name / "state.json").exists()
                os.kill(pid, signal.SIGKILL if midway else signal.SIGCONT)
                if midway:
                    killed.append(name)
                    return

    thread = threading.Thread(target=kill, daemon=True)
    thread.start()
    assert sweep(spec, "--out", out, "--engine", "dask", "--scheduler", cluster.scheduler_address) == 0
    assert killed
    same(out)


def test_an_interruption_stops_the_runs(
    cluster: Any, spec: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also those that a worker is in the midst of, and the workers live."""
    out = tmp_path / "out"
    spec.write_text(SPEC.replace("steps: 33", "steps: 1_000_000"))
    pids = {nanny.pid for nanny in cluster.workers.values()}

    def interrupted(*_: Any, **__: Any) -> Any:
        until(lambda: working(cluster, out))
        raise KeyboardInterrupt

    monkeypatch.setattr(distributed, "as_completed", interrupted)
    assert sweep(spec, "--out", out, "--engine", "dask", "--scheduler", cluster.scheduler_address) == 130
    until(lambda: not any(state.processing for state in cluster.scheduler.workers.values()))
    assert not (out / TURN).exists() and not (out / "results.json").exists()
    assert {nanny.pid for nanny in cluster.workers.values()} == pids
    until(lambda: all(map(free, out.glob("runs/*"))))


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nowhere", "tcp://", "tcp://h:x", "http://127.0.0.1:1", ""])
def test_no_scheduler(address: str, spec: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert sweep(spec, "--out", tmp_path / "out", "--engine", "dask", "--scheduler", address) == 2
    error = capsys.readouterr().err
    assert f"no scheduler answers at '{address}'" in error and error.count("\n") == 1


def test_workers_that_do_not_share_the_folder(
    spec: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Their runs come to an end, but here there is nothing."""
    from empirical.sweep.run import Ended

    def elsewhere(runs: list[Any], *_: Any) -> Iterator[Ended]:
        yield from (Ended(run.name) for run in runs)

    monkeypatch.setattr("empirical.sweep.engine_dask.run_on_cluster", elsewhere)
    assert sweep(spec, "--out", tmp_path, "--engine", "dask", "--scheduler", "tcp://h:1") == 1
    assert capsys.readouterr().err.count("all workers have to share it") == len(runs_of(read_spec(spec)))
