"""Sweeps of scorings: what `python -m empirical score` writes, for each run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from empirical.capture.conftest import config
from empirical.survey.command import command
from empirical.sweep.conftest import sweep
from theory.command_line import run

transformers = pytest.importorskip("transformers", reason="needs headproof[hf]")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A model, prompts of twelve token numbers, and a spec."""
    torch.manual_seed(0)
    transformers.AutoModelForCausalLM.from_config(config("llama")).save_pretrained(tmp_path / "model")
    prompts = torch.randint(50, (3, 12), generator=torch.Generator().manual_seed(3)).tolist()
    (tmp_path / "prompts.txt").write_text("".join(" ".join(map(str, tokens)) + "\n" for tokens in prompts))
    (tmp_path / "spec.yaml").write_text(
        "score: {model: model, prompts: prompts.txt, as_tokens: true}\ngrid: {tau: [1e-4, 0.1]}\n"
    )
    return tmp_path


def test_scores_are_those_of_the_command(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert sweep(folder / "spec.yaml", "--out", folder / "out", "--jobs", 1) == 0
    assert "going on" not in capsys.readouterr().err
    data = json.loads((folder / "out" / "results.json").read_text())
    assert [found["grid"] for found in data["runs"]] == [{"tau": 1e-4}, {"tau": 0.1}]
    arguments = [folder / "model", "--prompts", folder / "prompts.txt", "--tokens", "--tau", 0.1]
    assert run(command, "score", [str(word) for word in (*arguments, "--out", folder / "alone")]) == 0
    (alone,) = json.loads((folder / "alone" / "scores.json").read_text())["runs"]
    found = data["runs"][1]
    (within,) = json.loads((folder / "out" / "runs" / found["run"] / "scores.json").read_text())["runs"]
    assert within["heads"] == alone["heads"]
    scores = [row["s_pos"] for row in alone["heads"]]
    assert found["result"]["heads"] == len(scores)
    assert found["result"]["mean_s_pos"] == pytest.approx(sum(scores) / len(scores), abs=1e-12)


def test_other_prompts_are_other_runs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec = folder / "spec.yaml"
    spec.write_text(spec.read_text().partition("grid")[0])
    assert sweep(spec, "--out", folder / "out", "--jobs", 1) == 0
    prompts = folder / "prompts.txt"
    prompts.write_text("\n".join(prompts.read_text().splitlines()[:2]) + "\n")
    capsys.readouterr()
    assert sweep(spec, "--out", folder / "out", "--jobs", 1) == 0
    assert "are done" not in capsys.readouterr().err
    assert len(list((folder / "out" / "runs").iterdir())) == 2


def test_bad_prompts_fail_their_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "prompts.txt").write_text("1 2 3\n\n4 5 6\n")
    assert sweep(folder / "spec.yaml", "--out", folder / "out", "--jobs", 1) == 1
    assert capsys.readouterr().err.count("failed: model-seed0-") == 2
