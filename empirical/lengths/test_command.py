"""`python -m empirical lengths`: predicts first, resumes, and refuses in one line."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from empirical.__main__ import run
from empirical.lengths import figure, measure
from empirical.lengths.curves import curves
from empirical.lengths.foretold import _digest
from empirical.lengths.run import over_seeds

SMALL = ["--lengths", "17,20,30", "--prefixes", "2", "--sequences", "3"]


def lengths(*arguments: object) -> int:
    return run(["lengths", *map(str, arguments)])


def test_prediction_measurement_and_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    assert lengths("number-4", "letter-4", *SMALL, "--out", out) == 0
    printed = capsys.readouterr().out
    assert "number-4" in printed and max(map(len, printed.splitlines())) <= 80
    names = [f"lengths{ending}.{kind}" for ending in ("", "-by-hops") for kind in ("png", "svg")]
    assert {path.name for path in out.iterdir()} == {"prediction.json", "lengths.json", *names}
    data = json.loads((out / "lengths.json").read_text())
    prediction = (out / "prediction.json").read_bytes()
    assert (data["format"], data["version"]) == ("headproof lengths", 1)
    assert data["prediction_sha256"] == hashlib.sha256(prediction).hexdigest()
    for model in data["models"]:
        (only,) = model["runs"]
        first = only["by_length"][0]
        assert first["length"] == 17 and first["accuracy"] == 1 and 0.8 < first["low"] < 1
        assert only["predicted"] == json.loads(prediction)["predictions"][model["name"]]["usual"]
        assert only["predicted"]["by_length"][0]["share"] == 1
        assert ("shortcut" in first) == (model["name"] == "letter-4")
    letter = data["models"][1]["runs"][0]["by_length"]
    assert letter[0]["severed"]["accuracy"] < 0.6 < letter[0]["shortcut"] < letter[2]["shortcut"] <= 1
    assert letter[0]["kept"] == [1, 1, 1, 1]

    # Another request, and other models, are not what was predicted.
    assert lengths("number-4", "letter-4", *SMALL, "--seed", 1, "--out", out) == 2
    assert lengths("number-4", *SMALL, "--out", out) == 2
    assert capsys.readouterr().err.count("was made for another") == 2
    assert (out / "prediction.json").read_bytes() == prediction

    # Predictions that are not those that were written are named as changed, also where all their hashes fit.
    results = (out / "lengths.json").read_bytes()
    changed = json.loads(prediction)
    changed["predictions"]["number-4"]["usual"]["fall"] = 19
    fitting = changed | {"predictions_sha256": _digest(changed["predictions"])}
    for content in (
        json.dumps(changed).encode(),
        json.dumps(fitting).encode(),
        prediction[:-9],
        b"[]",
        b"{}",
        b"",
        b"\xff",
    ):
        (out / "prediction.json").write_bytes(content)
        assert lengths("number-4", "letter-4", *SMALL, "--out", out) == 2
        error = capsys.readouterr().err
        assert "prediction.json has been changed since it was written" in error and error.count("\n") == 1
    (out / "prediction.json").write_text(json.dumps({"format": "headproof length predictions", "version": 1}))
    assert lengths("number-4", "letter-4", *SMALL, "--out", out) == 2
    assert "has version 1, not 2" in capsys.readouterr().err
    (out / "prediction.json").unlink()
    assert lengths("number-4", "letter-4", *SMALL, "--out", out) == 2
    assert "lengths.json is there without the prediction.json" in capsys.readouterr().err
    assert (out / "lengths.json").read_bytes() == results


def test_predicts_before_it_measures_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A measurement that is interrupted leaves the prediction, and what it has found is not measured again."""
    usual, calls = measure._group, 0
    monkeypatch.setattr(figure, "draw", lambda data, folder: [])

    def interrupted(*arguments: object) -> object:
        nonlocal calls
        assert (tmp_path / "prediction.json").exists()
        calls += 1
        if calls == 4:
            raise KeyboardInterrupt
        return usual(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(measure, "_group", interrupted)
    assert lengths("letter-4", *SMALL, "--out", tmp_path) == 130
    assert lengths("letter-4", *SMALL, "--out", tmp_path, "--json") == 0
    assert calls == 4 + 8 - 3
    resumed = json.loads(capsys.readouterr().out)
    monkeypatch.setattr(measure, "_group", usual)
    assert lengths("letter-4", *SMALL, "--out", tmp_path / "again", "--json") == 0
    assert json.loads(capsys.readouterr().out) == resumed


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["none"], "there is no model 'none'"),
        (["letter-4", "letter-4"], "two models are called letter-4"),
        (["letter-4", "--lengths", "17,a"], "'a', which is no number"),
        (["letter-4", "--lengths", "30,17"], "do not rise"),
        (["letter-4", "--lengths", "20,30"], "begin with that length"),
        (["letter-4", "--lengths", "17,20"], "give at least 25"),
        (["letter-4", "--lengths", "17,90000"], "takes hours"),
        (["letter-4", "--lengths", "17,99999999999999999999"], "99999999999999999999, which is too large"),
        (["letter-4", "--lengths", "17," + "9" * 5000], "which is too large"),
        (["letter-4", "--prefixes", "0"], "prefixes=0"),
        (["letter-4", "--prefixes", "99999999999999999"], "prefixes=99999999999999999, sequences=16 take days"),
        (["letter-4", "--sequences", str(10**17)], "take days"),
        (["letter-4", "--seed", "-1"], "-1 is not in the range"),
    ],
)
def test_bad_requests_are_one_line(
    arguments: list[str], reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert lengths(*arguments, "--out", tmp_path / "out") == 2
    error = capsys.readouterr().err
    assert reason in error and error.count("\n") == 1 and not list(tmp_path.rglob("*"))


def test_half_length_is_between_lengths_by_their_logarithms() -> None:
    rows = [{"length": n, "accuracy": share} for n, share in ((10, 1.0), (100, 0.75), (10_000, 0.25), (20_000, 0.5))]
    assert measure.half_length(rows) == pytest.approx(1000)
    assert measure.half_length(rows[:2]) is None


def test_curves_of_the_theory() -> None:
    """The numbers of Fig. 5A at its ends, and Retrieval up to the length that its theorem guarantees."""
    found = {name: dict(curve) for name, curve in curves([17, 100, 144, 145]).items()}
    assert found["Index, plane 2, printed"][17] == pytest.approx(0.0683018, abs=1e-7)
    assert found["Index, plane 2, printed"][100] == pytest.approx(0.00197392, abs=1e-8)
    assert found["Index, plane 2"][100] == pytest.approx(1.96e-4, abs=1e-6)
    assert list(found["Retrieval, plane 42"]) == [17, 100, 144]


def test_over_seeds() -> None:
    """Means over models of one kind; no mean of lengths of which one is not known."""

    def model(kind: str, share: float, fall: float | None) -> dict[str, Any]:
        rows = [{"length": n, "accuracy": share} for n in (17, 30)]
        return {
            "kind": kind,
            "runs": [{"prefixes": "usual", "by_length": rows, "fall": fall, "predicted": {"fall": 20}}],
        }

    (found,) = over_seeds([model("a", 0.5, None), model("b", 0.1, 20.0), model("a", 0.7, 25.0)])
    assert (found["kind"], found["models"], found["found"]) == ("a", 2, None)
    assert found["foreseen"]["mean"] == 20
    assert [row["mean"] for row in found["accuracy"]] == pytest.approx([0.6, 0.6])
    (found,) = over_seeds([model("a", 0.5, 21.0), model("a", 0.7, 25.0)])
    assert (found["found"]["mean"], found["found"]["least"]) == (23, 21)
