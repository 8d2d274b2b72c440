"""The command, its files, and that a training which is done is not done again."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from empirical.__main__ import run
from empirical.switching import label_free, learning, works
from empirical.switching.works import TIERS
from theory import drawing

LITTLE = replace(TIERS["quick"], blocks=3, hull_blocks=2, forgetting=(0, 2), means=(0.0, 0.5), fit=3)


@pytest.fixture
def little(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(works.TIERS, "quick", LITTLE)
    monkeypatch.setattr(label_free, "STEPS", 2)
    monkeypatch.setattr("empirical.switching.figures.write", lambda *names: drawing.write(*names[:3], "png"))


def command(out: Path, *options: str) -> int:
    return run(["switching", "--tier", "quick", "--out", str(out), *options])


@pytest.mark.usefixtures("little")
def test_a_study_killed_in_between(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Interrupted in its third training, it goes on with that one and ends with the numbers of one that was not."""
    out, whole = tmp_path / "out", tmp_path / "whole"
    done = list[str]()
    learn = learning.learn

    def dies(plan: Any, look: Any) -> Any:
        if len(done) == 2:
            raise KeyboardInterrupt
        done.append(plan.kind)
        return learn(plan, look)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(learning, "learn", dies)
        assert command(out, "--seeds", "2") == 130
    kept = {path: path.stat().st_mtime_ns for path in out.glob("runs/*/result.json")}
    assert len(kept) == 2
    capsys.readouterr()
    assert command(out, "--seeds", "2", "--json") == 0
    printed = capsys.readouterr()
    assert "going on: 2 of 8 trainings are done" in printed.err
    assert {path: path.stat().st_mtime_ns for path in kept} == kept
    data = json.loads(printed.out)
    assert data == json.loads((out / "switching.json").read_text())
    assert (data["format"], data["version"], data["seeds"]) == ("headproof switching", 2, [100, 101])
    assert {path.stem for path in out.glob("*.png")} == {"switching", "switching-inference", "switching-unaided"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("empirical.switching.figures.draw", lambda data, folder: [])  # once is enough
        assert command(whole, "--seeds", "2") == 0
    assert json.loads((whole / "switching.json").read_text()) == data
    text = capsys.readouterr().out
    assert "told no task, no bands" in text
    assert f"{data['met']} of {len(data['bands'])} bands met" in text and "middle of 3 tasks" in text
    assert "this short nothing follows" in text


@pytest.mark.parametrize("other", [["--seeds", "3"], ["--seed", "7"], ["--units", "9"], ["--tier", "full"]])
def test_results_of_another_study_are_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, other: list[str]
) -> None:
    """They are refused before anything is trained."""
    asked = {"format": "headproof switching", "version": 2, "tier": "quick", "seeds": [100, 101], "units": 100}
    path = tmp_path / "switching.json"
    path.write_text(json.dumps(asked))
    monkeypatch.setattr("empirical.switching.study.carry_out_in_turn", lambda *names: pytest.fail("trains"))
    assert command(tmp_path, "--seeds", "2", *other) == 2
    complaint = capsys.readouterr().err
    assert "already holds switching.json of another request" in complaint and complaint.count("\n") == 1
    assert json.loads(path.read_text()) == asked


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--seeds", "0"], "--seeds"),
        (["--seeds", "65"], "--seeds"),
        (["--tier", "long"], "--tier"),
        (["--seed", "-1"], "--seed"),
        (["--units", "0"], "--units"),
    ],
)
def test_bad_input_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], words: str
) -> None:
    assert command(tmp_path, *options) == 2
    complaint = capsys.readouterr().err
    assert words in complaint and complaint.count("\n") == 1


def test_all_bands_of_the_full_tier_can_be_asked_for() -> None:
    full = TIERS["full"]
    assert 100 in full.forgetting and {0.2, 0.5, 0.8} <= set(full.means) and len(full.means) == 15
