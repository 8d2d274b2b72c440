"""Specs: what they describe, and one line for what is wrong with them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from empirical.sweep.conftest import sweep
from empirical.sweep.grid import runs_of
from empirical.sweep.spec import read_spec
from empirical.sweep.training import Training
from empirical.training.recipe import RECIPES
from tests.source import ROOT


def runs(text: str, folder: Path) -> list[Training]:
    path = folder / "spec.yaml"
    path.write_text(text)
    work = [run.work for run in runs_of(read_spec(path))]
    assert all(isinstance(item, Training) for item in work)
    return [item for item in work if isinstance(item, Training)]


def test_the_example() -> None:
    found = runs_of(read_spec(ROOT / "docs" / "sweep.yaml"))
    assert [run.point for run in found] == [
        {"task": task, "seed": seed} for task in ("number", "letter") for seed in (0, 1, 2)
    ]
    assert [run.name.rpartition("-")[0] for run in found][::3] == ["number-4x1x128-seed0", "letter-4x1x128-seed0"]
    for run in found:
        assert isinstance(run.work, Training) and run.work.plan.recipe == RECIPES["fast"]


def test_values_reach_the_plan(tmp_path: Path) -> None:
    (work,) = runs(
        "train: {task: letter, alphabet: 5, layers: 3, width: 8, heads: 2, without_rope: [1], rate: 1e-2, steps: 9,"
        " dropout: 0.5, muon: null, seed: 7, snapshots: true}",
        tmp_path,
    )
    plan = work.plan
    assert (plan.task.vocabulary_size, plan.seed, plan.threads, work.snapshots) == (5 * 13, 7, 1, True)
    assert (plan.model.layers, plan.model.heads, plan.model.without_rope, plan.model.dropout) == (3, 2, (1,), 0.5)
    assert (plan.recipe.rate, plan.recipe.steps, plan.recipe.muon, plan.recipe.batch) == (0.01, 9, None, 128)


def test_bases(tmp_path: Path) -> None:
    head = "train: {task: number, width: 8, heads: 2}\n"
    small, usual = runs(head + "grid: {base: [16, 10000]}", tmp_path)
    assert small.plan.model.frequencies == (1.0, 0.25)
    assert usual == runs(head, tmp_path)[0]


def test_lists_are_values_of_some_keys(tmp_path: Path) -> None:
    found = runs("train: {task: number, layers: 2}\ngrid: {without_rope: [[], [0], [0, 1]]}", tmp_path)
    assert [work.plan.model.without_rope for work in found] == [(), (0,), (0, 1)]


def test_names_say_what_is_done(tmp_path: Path) -> None:
    """Not how the spec says it."""
    path = tmp_path / "spec.yaml"
    names = []
    for text in (
        "train: {task: number}\ngrid: {seed: [0, 1]}",
        "train: {seed: 1}\ngrid: {task: [number]}",
        "train: {task: number, recipe: fast, layers: 12, seed: 1, base: 10000}",
        "train: {task: number, seed: 1, rate: 0.1}",
        "train: {task: number, seed: 1, snapshots: true}",
    ):
        path.write_text(text)
        names.append(runs_of(read_spec(path))[-1].name)
    assert names[0] == names[1] == names[2]
    assert len(set(names)) == 3


T = "train: {task: number}\n"
BAD = [
    ("", "is empty; write a section train or score"),
    ("- train", "line 1: not one section stands here"),
    ("!!python/object:os.system {}", "line 1: not one section stands here"),
    ("grid: {seed: [0]}", "0 of the sections train and score"),
    ("train:\nscore:\n", "2 of the sections"),
    ("train:\ntrian:\n", "line 2: 'trian' is no section"),
    ("train:\n1: 2\n", "line 2: '1' is no name of a section"),
    ("train: 5", "line 1: not one key of train stands here"),
    ("train: [5]", "line 1: not one key of train stands here"),
    ("train: {[1]: 2}", "line 1: [ScalarNode"),
    ("train:\n  seed: 1\n  seed: 2\n", "line 3: 'seed' stands here a second time"),
    ("train: {seed: 1}\ngrid: {seed: [1]}", "line 2: 'seed' stands in train and in grid"),
    (T + "grid: {seed: 1}", "line 2: seed=1 in grid is no list of values"),
    (T + "grid: {seed: []}", "line 2: seed=[] in grid is no list of values"),
    (T + "grid: {seed: [1, 1]}", "run seed=1: does what an earlier run does"),
    (T + "grid: {base: [10_000, null]}", "run base=None: does what an earlier run does"),
    (T + f"grid: {{seed: {list(range(101))}, layers: {list(range(1, 101))}}}", "describes 10100 runs"),
    ("train: {task: number, lairs: 4}", "'lairs' is no key of train; the keys are alphabet, base, batch"),
    ("train: {task: number, threads: 2}", "'threads' is no key"),
    ("train: {task: letter, letters: 9}", "'letters' is no key of a training on task=letter"),
    ("train:\n  seed: 0\n", "task is missing; give task: number or letter"),
    ("train: {task: words}", "task='words' is not known; give number or letter"),
    ("train: {task: no}", "line 1: task=False is not a text"),
    ("train: {task: number, recipe: slow}", "recipe='slow' is not known; give paper or fast"),
    ("train: {task: number, layers: 4.0}", "layers=4.0 is not a whole number"),
    ("train: {task: number, layers: true}", "layers=True is not a whole number"),
    ("train: {task: number, layers: [4, 6]}", "layers=[4, 6] is not a whole number"),
    ("train: {task: number, layers: {a: 1}}", "layers={'a': 1} is not a whole number"),
    ("train: {task: number, layers: 0}", "layers=0 is not a size"),
    ("train: {task: number, heads: 3}", "heads=3 do not divide width=128"),
    ("train: {task: number, seed: -1}", "seed=-1"),
    ("train: {task: number, seed: 9223372036854775808}", "seed=9223372036854775808 is above"),
    ("train: {task: number, rate: fast}", "rate='fast' is not a finite number"),
    ("train: {task: number, rate: .nan}", "rate=nan is not a finite number"),
    ("train: {task: number, rate: 2026-11-30}", "is not a finite number"),
    ("train: {task: number, rate: true}", "rate=True is not a finite number"),
    ("train: {task: number, rate: 0}", "rate=0.0 is not above 0"),
    ("train: {task: number, muon: big}", "muon='big' is not a finite number or null"),
    ("train: {task: number, without_rope: 1}", "without_rope=1 is not a list, each entry a whole number"),
    ("train: {task: number, base: 2, frequencies: [1.0]}", "say the same thing twice"),
    ("train: {task: number, base: -2}", "base"),
    (T + "grid: {snapshots: [maybe]}", "line 2: snapshots='maybe' is not true or false"),
    ("train: &a {task: number}\ngrid: *a", "line 2: aliases are not read"),
    ("train: {<<: {task: number}}", "'<<' is no name of a key of train"),
    ("train: !!python/object:os.system {}\n", "line 1: not one key of train stands here"),
    ("train: {task: !!python/name:os.system ''}\n", "could not determine a constructor"),
    ("train: {task: 2026-99-99}", "write plain YAML"),
    ("train: {seed: " + "9" * 5000 + "}", "write plain YAML"),
    ("train: {seed: " + "[" * 5000, "write plain YAML"),
    ("train: {seed: 'a\n", "write plain YAML"),
    ("train:\n\tseed: 1", "line 2: found character"),
    ("train: \x07", "write plain YAML"),
    ("train: 1\n---\ntrain: 2\n", "write plain YAML"),
    ("#" * 70_000, "more than 65536 bytes"),
    ("score: {model: nowhere}", "prompts is missing"),
    ("score: {prompts: nowhere}", "model is missing"),
    ("score: {model: 5}", "model=5 is not a path"),
    ("score: {model: nowhere, prompts: nowhere}", "nowhere does not exist"),
    ("score: {model: m, prompts: p, lengths: [1, 2]}", "'lengths' is no key of score"),
    ("score: {model: m, prompts: p, tau: -1}", "tau=-1.0 is not"),
]


@pytest.mark.parametrize(("text", "words"), BAD, ids=range(len(BAD)))
def test_bad_specs(text: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec = tmp_path / "spec.yaml"
    spec.write_text(text)
    assert sweep(spec, "--out", tmp_path / "out") == 2
    printed = capsys.readouterr()
    assert words in printed.err and printed.err.count("\n") == 1 and printed.out == ""
    assert not (tmp_path / "out").exists()


def test_bad_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for path, words in [(tmp_path, "cannot be read"), (tmp_path / "none.yaml", "cannot be read")]:
        assert sweep(path, "--out", tmp_path / "out") == 2
        assert words in capsys.readouterr().err
    (tmp_path / "latin.yaml").write_bytes(b"train: {task: \xe9}")
    assert sweep(tmp_path / "latin.yaml", "--out", tmp_path / "out") == 2
    assert "is not UTF-8 at byte 14" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--scheduler", "tcp://h:1"], "add --engine dask"),
        (["--engine", "dask"], "give --scheduler tcp://HOST:PORT"),
        (["--engine", "dask", "--scheduler", "tcp://h:1", "--jobs", 2], "--jobs 2 is for the local engine"),
        (["--jobs", 0], "--jobs"),
        (["--engine", "slurm"], "slurm"),
    ],
)
def test_options_that_do_not_fit(
    options: list[object], words: str, spec: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert sweep(spec, "--out", tmp_path / "out", *options) == 2
    error = capsys.readouterr().err
    assert words in error and error.count("\n") == 1


def test_without_the_extra(
    spec: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert sweep(spec, "--out", tmp_path / "out", "--engine", "dask", "--scheduler", "tcp://127.0.0.1:1") == 2
    assert "install headproof[cluster]" in capsys.readouterr().err
