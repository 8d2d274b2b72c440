"""The command, its files, and that what is done is not done again."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from empirical import checkpoint
from empirical.__main__ import run
from empirical.sources import origins, training, works
from empirical.sources.networks import build
from empirical.sources.plan import KINDS, TIERS, Sizes, Tier, plans
from empirical.sweep.run import Run
from theory import drawing
from theory.errors import InputError

LITTLE = Tier(55, 16, Sizes((16, 24), 6, 2, 4, 3, 5))
Command = Callable[..., int]


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """The command on little texts that are made up here, as the tier "quick" of little models."""
    monkeypatch.setitem(TIERS, "quick", LITTLE)
    monkeypatch.setattr("empirical.sources.figures.write", lambda *names: drawing.write(*names[:3], "png"))
    chosen, made = random.Random(5), dict[str, Callable[[], str]]()
    for name, letters in (("vowels", "aeiou ou"), ("sums", "0123 +="), ("shouts", "AB CD!\n"), ("both", "aeiou 0123")):
        path = tmp_path / f"{name}.txt"
        path.write_text("".join(chosen.choices(letters, k=3000)))
        made[name] = lambda path=path: origins.own(path)  # type: ignore[misc]
    monkeypatch.setitem(origins.HELD_OUT, "quick", {"both": made.pop("both")})
    monkeypatch.setitem(origins.SOURCES, "quick", made)

    def asked(out: Path, *more: str) -> int:
        return run(["sources", "--tier", "quick", "--seeds", "2", "--out", str(out), *more])

    return asked


def stamps(out: Path) -> dict[str, int]:
    return {path.parent.name: path.stat().st_mtime_ns for path in out.glob("runs/*/result.json")}


def test_a_study_killed_in_between(command: Command, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Interrupted in its fourth training it goes on with that one, and ends with the numbers of one that was not."""
    out, whole = tmp_path / "out", tmp_path / "whole"
    done = list[str]()
    train = training.train

    def dies(plan: Any, texts: Any, look: Any) -> Any:
        if len(done) == 3:
            raise KeyboardInterrupt
        done.append(plan.mode)
        return train(plan, texts, look)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(training, "train", dies)
        assert command(out) == 130
    kept = stamps(out)
    assert len(kept) == 3
    capsys.readouterr()
    assert command(out, "--json") == 0
    printed = capsys.readouterr()
    assert "going on: 3 of 10 trainings are done" in printed.err
    assert {name: stamps(out)[name] for name in kept} == kept
    data = json.loads(printed.out)
    assert data == json.loads((out / "sources.json").read_text())
    assert (data["format"], data["version"], data["seeds"]) == ("headproof sources", 1, [0, 1])
    assert [text["name"] for text in data["sources"]] == ["vowels", "sums", "shouts"]
    assert list(data["models"]) == list(KINDS)
    assert all(len(model["results"]) == 2 for model in data["models"].values())
    assert list(out.glob("*.png"))
    (folder,) = out.glob("runs/lstm-none-1-*")
    losses = json.loads((folder / "result.json").read_text())["result"]["losses"]
    found = data["models"]["none"]["results"][1]
    assert len(found["curve"]) == 6 and found["curve"][1] == pytest.approx(sum(losses[10:20]) / 10)
    assert found["last"] == pytest.approx(sum(losses[5:]) / 50) and found["parts"] == [
        pytest.approx(sum(losses[:50]) / 50)
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("empirical.sources.figures.draw", lambda data, folder: [])  # once is enough
        assert command(whole) == 0
        assert json.loads((whole / "sources.json").read_text()) == data
        text = capsys.readouterr().out
        assert f"{data['met']} of {len(data['bands'])} bands met" in text and "this short nothing follows" in text

        assert command(whole, "--seeds", "1") == 0  # the first of them again, alone
        alone = json.loads((whole / "sources.json").read_text())
        assert alone["models"]["head"]["results"] == data["models"]["head"]["results"][:1]
        assert any(band["low"] is None and band["clear"] is None for band in alone["bands"])

        before = stamps(out)
        patch.setattr(works, "MEASURES", works.MEASURES + 1)  # what is measured has changed
        assert command(out) == 0
        again = stamps(out)
        assert {name: again[name] for name in before} == before and len(again) == 30

        assert command(out, "--body", "transformer") == 2
        assert "another request" in capsys.readouterr().err
        assert len(stamps(out)) == 30


def test_texts_of_the_user_have_no_bands(command: Command, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts = [word for name in ("sums", "both") for word in ("--source", f"my-{name}={tmp_path / name}.txt")]
    held_out = ["--held-out", f"other={tmp_path / 'vowels.txt'}"]
    assert command(tmp_path / "out", "--seeds", "1", *texts, *held_out) == 0
    data = json.loads((tmp_path / "out" / "sources.json").read_text())
    assert [text["name"] for text in data["sources"]] == ["my-sums", "my-both"] and data["bands"] == []
    assert len(data["models"]["head"]["results"][0]["lengths"]["16"]["given"]["one-step"]) == 2
    assert "my-sums" in capsys.readouterr().out


def test_bad_texts_in_one_line(command: Command, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    vowels = f"={tmp_path / 'vowels.txt'}"
    for options, words in (
        (["--source", "vowels"], "NAME=FILE"),
        (["--source", f"a{vowels}"], "only source"),
        (["--source", f"a{vowels}", "--source", f"a{vowels}"], "twice"),
        (["--source", f"a{vowels}", "--source", f"b{vowels}"], "same text"),
        (["--source", f"more={tmp_path}"], "directory"),
        (["--held-out", f"more{vowels}"], "also the source"),
        (["--tier", "long"], "--tier"),
        (["--body", "gru"], "--body"),
        (["--seeds", "0"], "--seeds"),
        (["--seed", "-1"], "--seed"),
    ):
        assert command(out, *options) == 2
        complaint = capsys.readouterr().err
        assert words in complaint and complaint.count("\n") == 1
    assert not out.exists()


def test_models_are_checked(tmp_path: Path) -> None:
    plan = plans("quick", 2, 0)["head"]
    work = works.Training("head", replace(plan, hidden=4), [])
    folder = Run(work, {}).folder(tmp_path)
    folder.mkdir(parents=True)
    model = build(work.plan)
    checkpoint.save(folder / works.MODEL, model.state_dict(), work.as_json())
    loaded = work.model(tmp_path / "runs")
    assert torch.equal(loaded.gates, model.gates) and not loaded.gates.requires_grad
    card = json.loads((folder / works.MODEL).read_text())
    (folder / works.MODEL).write_text(json.dumps({**card, "training": {**card["training"], "seed": 9}}))
    with pytest.raises(InputError, match="is not the network of this training"):
        work.model(tmp_path / "runs")
    model.gates.data[0, 0] = torch.nan
    checkpoint.save(folder / works.MODEL, model.state_dict(), work.as_json())
    with pytest.raises(InputError, match="NaN or infinite"):
        work.model(tmp_path / "runs")
    checkpoint.save(folder / works.MODEL, {"gates": model.gates[:1]}, work.as_json())
    with pytest.raises(InputError, match="is not the network of this training"):
        work.model(tmp_path / "runs")
    (folder / works.MODEL).unlink()
    with pytest.raises(InputError, match=f"cannot be read.*; remove the folder {folder} to train it again"):
        work.model(tmp_path / "runs")


def test_tiers() -> None:
    assert (TIERS["full"].steps, TIERS["full"].hidden, TIERS["full"].sizes) == (1200, 192, Sizes())
    assert TIERS["small"].sizes == TIERS["full"].sizes
