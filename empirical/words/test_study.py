"""The command, its files, and that a run which is done is not done again."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from empirical.__main__ import run
from empirical.intervals import over_seeds
from empirical.words import study, tiers
from empirical.words.files import load
from empirical.words.learning import learn
from empirical.words.tiers import TIERS, works
from theory import drawing
from theory.errors import InputError

LITTLE = replace(
    TIERS["quick"],
    entries=("0, chi", "per1, per2"),
    encodings=("flags",),
    steps=3,
    copy_steps=3,
    prompts=(4,),
    rounded=16,
)


@pytest.fixture
def little(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(tiers.TIERS, "quick", LITTLE)
    monkeypatch.setattr(study, "witnesses", list)
    for module in ("figures", "pair_figures"):  # one kind of file is enough
        monkeypatch.setattr(f"empirical.words.{module}.write", lambda *names: drawing.write(*names[:3], "png"))


def command(out: Path, *options: str) -> int:
    return run(["words", "--tier", "quick", "--seeds", "2", "--out", str(out), *options])


@pytest.mark.usefixtures("little")
def test_a_study_killed_in_between(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Interrupted in its fourth run, it goes on with that one, and the results are those of a study that was not."""
    out, whole = tmp_path / "out", tmp_path / "whole"
    done = list[str]()

    def dies(plan: Any, watch: Any) -> Any:
        if len(done) == 3:
            raise KeyboardInterrupt
        done.append(plan.entry)
        return learn(plan, watch)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("empirical.words.works.learn", dies)
        assert command(out) == 130
    kept = {path: path.stat().st_mtime_ns for path in out.glob("runs/*/result.json")}
    assert len(kept) == 3
    capsys.readouterr()
    assert command(out, "--json") == 0
    printed = capsys.readouterr()
    assert "going on: 3 of 10 runs are done" in printed.err
    assert {path: path.stat().st_mtime_ns for path in kept} == kept
    data = json.loads(printed.out)
    assert data == json.loads((out / "words.json").read_text())
    assert (data["format"], data["version"], data["seeds"]) == ("headproof words", 1, [0, 1])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("empirical.words.figures.draw", lambda data, folder: [])  # once is enough
        assert command(whole) == 0
    assert json.loads((whole / "words.json").read_text()) == data
    text = capsys.readouterr().out
    assert max(map(len, text.splitlines())) <= 80
    assert (
        "0, chi, flags: excluded (isolation)" in text and "log 0.5, cap 0.5" in text and "bfloat16: same bits" in text
    )
    figures = {"margins", "flips", "learned-map", "scaling", "copy", "rounding"}
    assert {path.stem for path in out.glob("*.png")} == figures
    for card in whole.glob("runs/*/model.json"):
        assert load(card)[0](torch.zeros(1, 5, dtype=torch.int64)).isfinite().all()


@pytest.mark.usefixtures("little")
def test_parts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command(tmp_path, "--parts", "precision") == 2
    assert "give copy,precision" in capsys.readouterr().err
    assert command(tmp_path, "--parts", "words") == 2
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("empirical.words.figures.draw", lambda data, folder: [])
        assert command(tmp_path, "--parts", "copy", "--seed", "7") == 0
    data = json.loads((tmp_path / "words.json").read_text())
    assert data["seeds"] == [7, 8] and not data["summary"]["pairs"] and len(data["summary"]["copy"]) == 3


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--seeds", "9" * 20), "100"),
        (("--seed", str(2**32)), str(2**32 - 1)),
        (("--seed", str(2**32 - 1), "--seeds", "2"), str(2**32 - 1)),
    ],
)
def test_seeds_beyond_use(
    options: tuple[str, ...], told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert run(["words", "--out", str(out), *options]) == 2
    line = capsys.readouterr().err
    assert line.count("\n") == 1 and told in line
    assert not out.exists()


def test_the_full_tier_is_as_large_as_it_is_said_to_be() -> None:
    everything = works(TIERS["full"], ("pairs", "scaling", "copy", "precision"), range(3))
    assert len({json.dumps(work.as_json()) for work in everything}) == len(everything) == 210


def test_a_card_that_lies(tmp_path: Path) -> None:
    path = Path(tmp_path / "model.json")
    from empirical.words.files import save

    plan = works(LITTLE, ("pairs",), (0,))[0].plan  # type: ignore[attr-defined]
    save(path, plan.decoder(), {})
    card = json.loads(path.read_text())
    card["compact_decoder"]["width"] = 16
    path.write_text(json.dumps(card))
    with pytest.raises(InputError, match="do not fit together"):
        load(path)
    del card["compact_decoder"]
    path.write_text(json.dumps(card))
    with pytest.raises(InputError, match="no decoder on words"):
        load(path)


def test_intervals() -> None:
    """The 97.5 % point of Student's distribution with 2 degrees of freedom is 4.302653."""
    found = over_seeds([1.0, 2.0, 3.0])
    assert found.mean == 2 and found.high == pytest.approx(2 + 4.302653 / 3**0.5)
    assert over_seeds([1.5]).low is None
