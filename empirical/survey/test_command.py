"""`python -m empirical score`: what it prints and writes, how it goes on, and what it refuses."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from empirical.capture.conftest import config
from empirical.capture.hugging_face import HuggingFace
from empirical.lock import alone
from empirical.scores.score import score_layer
from empirical.survey import survey
from empirical.survey.command import command
from empirical.survey.parts import together
from theory.command_line import run

transformers = pytest.importorskip("transformers")


def score(*arguments: object) -> int:
    return run(command, "python -m empirical score", [str(argument) for argument in arguments])


def interrupted(*_: Any) -> Any:
    raise KeyboardInterrupt


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two models of one shape with a tokenizer, a third of another shape, and prompts as numbers and as text."""
    folder = tmp_path_factory.mktemp("models")
    for seed, (name, changes) in enumerate({"one": {}, "two": {}, "deep": {"num_hidden_layers": 3}}.items()):
        model = transformers.AutoModelForCausalLM.from_config(config("llama", **changes))
        for parameter in model.parameters():
            parameter.data.normal_(0, 0.3, generator=torch.Generator().manual_seed(seed))
        model.save_pretrained(folder / name)
    words = {f"w{number}": number for number in range(50)}
    tokenizers = pytest.importorskip("tokenizers")
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, unk_token="w0"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="w0").save_pretrained(folder / "one")
    generator = torch.Generator().manual_seed(3)
    prompts = [torch.randint(50, (12 + at % 3,), generator=generator).tolist() for at in range(7)]
    (folder / "numbers.txt").write_text("".join(" ".join(map(str, tokens)) + "\n" for tokens in prompts))
    (folder / "text.txt").write_text("".join(" ".join(f"w{token}" for token in tokens) + "\n" for tokens in prompts))
    return folder


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(survey, "TOKENS_AT_ONCE", 24)  # parts of two prompts


def test_scores_are_those_of_the_layers(models: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert score(models / "one", "--prompts", models / "numbers.txt", "--tokens", "--out", tmp_path) == 0
    printed = capsys.readouterr().out
    assert "2 layers, 8 heads, 7 prompts of 12 tokens" in printed and "tau 0.0001" in printed
    assert "self-test passed" in printed and "most symbolic" in printed and "95% percentile bootstrap" in printed
    model = transformers.AutoModelForCausalLM.from_pretrained(models / "one")
    prompts = [list(map(int, line.split()))[:12] for line in (models / "numbers.txt").read_text().splitlines()]
    data = json.loads((tmp_path / "scores.json").read_text())
    rows = data["runs"][0]["heads"]
    assert (data["format"], data["version"], data["differences"]) == ("headproof head scores", 1, [])
    for heads in HuggingFace(model).heads(torch.tensor(prompts)):
        found = score_layer(heads)
        for head in range(4):
            row = rows[4 * heads.layer + head]
            assert (row["layer"], row["head"], row["prompts"]) == (heads.layer, head, 7)
            assert row["s_pos"] == pytest.approx(float(found.positional[:, head].mean()), abs=1e-6)
            assert row["s_sym"] == pytest.approx(float(found.symbolic[:, head].mean()), abs=1e-6)
            assert row["s_pos_low"] <= row["s_pos"] <= row["s_pos_high"]
    with (tmp_path / "scores.csv").open(newline="") as stream:
        table = list(csv.DictReader(stream))
    assert [float(row["s_sym"]) for row in table] == [row["s_sym"] for row in rows]
    written = {path.name for path in tmp_path.iterdir()}
    assert {"scores.png", "scores.svg", "scores.json", "scores.csv"} <= written
    assert not any(name.startswith(".") for name in written)


def test_text_and_numbers_agree(models: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert score(models / "one", "--prompts", models / "text.txt", "--json") == 0
    by_text = json.loads(capsys.readouterr().out)
    assert score(models / "one", "--prompts", models / "numbers.txt", "--tokens", "--json") == 0
    assert json.loads(capsys.readouterr().out) == by_text


@pytest.mark.parametrize("parts_done", [0, 3])
def test_an_interrupted_survey_goes_on(
    models: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    parts_done: int,
) -> None:
    arguments = (models / "one", "--prompts", models / "numbers.txt", "--tokens", "--json", "--out")
    assert score(*arguments, tmp_path / "whole") == 0
    whole = capsys.readouterr().out
    usual: Callable[..., Any] = score_layer
    calls = 0

    def stops(*given: Any, **settings: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls > 2 * parts_done + 1:  # in the middle of a part of two layers
            raise KeyboardInterrupt
        return usual(*given, **settings)

    monkeypatch.setattr(survey, "score_layer", stops)
    assert score(*arguments, tmp_path / "resumed") == 130
    assert not list((tmp_path / "resumed").glob("scores*"))
    calls = -100
    monkeypatch.setattr(survey, "score_layer", stops)
    capsys.readouterr()
    assert score(*arguments, tmp_path / "resumed") == 0
    output = capsys.readouterr()
    assert output.out == whole
    assert calls == -100 + 2 * (4 - parts_done)
    assert ("going on from" in output.err) == bool(parts_done)
    for name in ("scores.json", "scores.csv", "scores.png", "scores.svg"):
        assert (tmp_path / "resumed" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_parts_of_other_settings_are_not_taken(
    models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = (models / "one", "--prompts", models / "numbers.txt", "--tokens", "--out", tmp_path)
    monkeypatch.setattr(survey, "together", interrupted)
    assert score(*arguments) == 130
    monkeypatch.undo()
    for changed in (("--tau", "0.1"), ("--length", "11"), ("--planes",)):
        (tmp_path / "scores.json").unlink(missing_ok=True)
        assert score(*arguments, *changed) == 0
        assert "going on from" not in capsys.readouterr().err


def test_a_part_that_was_changed_is_refused(
    models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = (models / "one", "--prompts", models / "numbers.txt", "--tokens", "--out", tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(survey, "together", interrupted)
        assert score(*arguments) == 130
    weights = next(tmp_path.glob(".parts-*/*.safetensors"))
    weights.write_bytes(weights.read_bytes()[:-1] + b"\0")
    capsys.readouterr()
    assert score(*arguments) == 2
    assert "SHA-256" in capsys.readouterr().err


def test_two_models_side_by_side(models: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = (models / "one", "--prompts", models / "numbers.txt", "--tokens", "--against", models / "two")
    assert score(*arguments, "--out", tmp_path) == 0
    assert "largest differences, second minus first" in capsys.readouterr().out
    data = json.loads((tmp_path / "scores.json").read_text())
    first, second = ({(r["layer"], r["head"]): r for r in one["heads"]} for one in data["runs"])
    for row in data["differences"]:
        place = row["layer"], row["head"]
        for name in ("s_pos", "s_sym"):
            assert row[name] == pytest.approx(second[place][name] - first[place][name], abs=1e-12)
            assert row[f"{name}_low"] <= row[name] <= row[f"{name}_high"]
    assert (tmp_path / "difference.png").is_file() and (tmp_path / "difference.svg").is_file()


def test_two_lengths_and_random_weights(models: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = (models / "one", "--prompts", models / "numbers.txt", "--tokens", "--lengths", "8,12")
    assert score(*arguments, "--random-init", "--seed", "4", "--json") == 0
    data = json.loads(capsys.readouterr().out)
    assert [(one["label"], one["tokens"], one["seed"]) for one in data["runs"]] == [
        ("8 tokens", 8, None),
        ("12 tokens", 12, None),
        ("random weights (seed 4)", 8, 4),
    ]
    untrained = [row["s_sym"] for row in data["runs"][2]["heads"] if row["layer"] == 1]
    assert data["runs"][0]["heads"][4]["null_untrained_s_sym_mean"] == pytest.approx(sum(untrained) / 4)
    assert score(*arguments, "--random-init") == 0
    assert "random weights (seed 0): s_POS" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("prompts", "how"),
    [
        ("1 2 3\n", ["--out", "new"]),
        ("1 2 3\n4 5 6\n", []),
        ("1 2 3 4 5\n", ["--query", "3"]),
        ("1 2 3\n", ["--random-init"]),
        ("1 2 3\n", ["--against", "two"]),
        ("1 2 3 4\n", ["--lengths", "3,4"]),
    ],
)
def test_what_has_no_number_is_marked(
    models: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    prompts: str,
    how: list[str],
) -> None:
    """One prompt has no interval; two earlier tokens have no swap without the first."""
    monkeypatch.chdir(models)
    (tmp_path / "few.txt").write_text(prompts)
    assert score("one", "--prompts", tmp_path / "few.txt", "--tokens", *how) == 0
    printed = capsys.readouterr().out
    assert ("no intervals: there is one prompt" in printed) == (prompts.count("\n") == 1)
    assert "nan" not in printed and "None" not in printed
    assert max(map(len, printed.splitlines())) <= 80


def test_finished_scores_are_not_replaced(models: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = (models / "one", "--prompts", models / "numbers.txt", "--tokens", "--out", tmp_path)
    assert score(*arguments) == 0
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    assert score(*arguments, "--tau", "0.1") == 2
    assert "already holds scores" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_planes(models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = (models / "one", "--prompts", models / "numbers.txt", "--tokens", "--planes", "--out")
    assert score(*arguments, tmp_path / "whole") == 0
    with monkeypatch.context() as patch:
        patch.setattr(survey, "together", interrupted)
        assert score(*arguments, tmp_path / "resumed") == 130
        patch.setattr(survey, "score_layer", interrupted)  # all of it has to come from the parts
        patch.setattr(survey, "together", together)
        assert score(*arguments, tmp_path / "resumed") == 0
    name = "planes.csv"
    assert (tmp_path / "resumed" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    with (tmp_path / "whole" / name).open() as file:
        rows = list(csv.DictReader(file))
    (run,) = json.loads((tmp_path / "whole" / "scores.json").read_text())["runs"]
    assert len(rows) == len(run["planes"]) and {row["plane"] for row in rows} >= {"1", "2", "none"}
    for layer, head in {(row["layer"], row["head"]) for row in rows}:
        shares = [float(row["share_of_size"]) for row in rows if (row["layer"], row["head"]) == (layer, head)]
        assert sum(shares) == pytest.approx(1)


def test_two_surveys_in_one_folder_at_once_are_refused(
    models: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with alone(tmp_path):
        assert score(models / "one", "--prompts", models / "numbers.txt", "--tokens", "--out", tmp_path) == 2
    assert "is in use by another run" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["one", "--prompts", "text.txt", "--tokens"], "line 1: 'w"),
        (["two", "--prompts", "text.txt"], "has no tokenizer"),
        (["one", "--prompts", "none.txt"], "none.txt cannot be read"),
        (["one", "--prompts", "numbers.txt", "--tokens", "--length", "14"], "line 1: 12 tokens where 14 are needed"),
        (["one", "--prompts", "numbers.txt", "--tokens", "--length", "1000"], "not between 3 and the model's 512"),
        (["one", "--prompts", "numbers.txt", "--tokens", "--lengths", "8"], "not two different numbers"),
        (["one", "--prompts", "numbers.txt", "--tokens", "--lengths", "8,8"], "not two different numbers"),
        (["one", "--prompts", "numbers.txt", "--tokens", "--lengths", "8,9", "--length", "8"], "leave out --length"),
        (["one", "--prompts", "numbers.txt", "--tokens", "--against", "one"], "is the model itself"),
        (["one", "--prompts", "numbers.txt", "--tokens", "--against", "none"], "none does not exist"),
        (["one", "--prompts", "numbers.txt", "--tokens", "--against", "deep"], "compare models of one shape"),
        (["one", "--prompts", "numbers.txt", "--tokens", "--tau", "0"], "tau"),
        (["one", "--prompts", "numbers.txt", "--tokens", "--tau", "1e-320"], "tau=1e-320"),
        (["one", "--prompts", "numbers.txt", "--tokens", "--temperature", "1e-320"], "temperature=1e-320"),
        (["one", "--prompts", "numbers.txt", "--tokens", "--seed", "-1"], "-1 is not in the range"),
        (["one", "--prompts", "numbers.txt", "--tokens", "--seed", str(10**30)], "is not in the range"),
        (["one", "--prompts", "numbers.txt", "--tokens", "--threads", str(10**30)], "--threads"),
        (["one", "--prompts", "numbers.txt", "--tokens", "--lengths", "8," + "9" * 5000], "which is too large"),
        (["one", "--prompts", "numbers.txt", "--tokens", "--query", "40"], "query=40"),
        (["none", "--prompts", "numbers.txt", "--tokens"], "does not exist"),
    ],
)
def test_bad_requests_are_one_line_and_write_nothing(
    models: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    reason: str,
) -> None:
    monkeypatch.chdir(models)
    assert score(*arguments, "--out", tmp_path / "out") == 2
    output = capsys.readouterr()
    last = output.err.splitlines()[-1]
    assert last.startswith("error: ") and reason in last and output.out == ""
    assert not list((tmp_path / "out").glob("scores*"))


def test_a_model_that_fails_its_self_test_is_not_scored(
    models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    usual = HuggingFace.rotary
    monkeypatch.setattr(
        HuggingFace, "rotary", lambda self, layer, length: usual(self, layer, length).adjacent([0.5] * 4)
    )
    assert score(models / "one", "--prompts", models / "numbers.txt", "--tokens", "--out", tmp_path / "out") == 2
    assert "layer 0: a query along coordinate" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
