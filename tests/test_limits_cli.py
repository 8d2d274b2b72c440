"""The command `python -m theory limits`, as a user meets it."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from flint import arb

from tests.source import ROOT
from theory.__main__ import run
from theory.arithmetic.ball import Real, pi
from theory.limits.model import Question
from theory.limits.overview import markdown
from theory.limits.text import number, tokens
from theory.rope.models.config import published_models

SMALL: dict[str, Any] = {
    "model_type": "llama",
    "hidden_size": 32,
    "num_attention_heads": 2,
    "max_position_embeddings": 100,
    "rope_theta": 500.0,
}
TWO_BASES: dict[str, Any] = {
    "model_type": "gemma3_text",
    "hidden_size": 32,
    "head_dim": 8,
    "num_attention_heads": 4,
    "max_position_embeddings": 200,
    "rope_theta": 4000,
    "rope_local_base_freq": 50,
    "sliding_window": 30,
}
KINDS = {"exact", "enclosure", "lower bound", "upper bound"}


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    """Phrases are looked for in lines that are not wrapped, whatever the terminal."""
    monkeypatch.setenv("COLUMNS", "200")


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return written(tmp_path, SMALL)


def written(folder: Path, settings: dict[str, Any]) -> Path:
    path = folder / "config.json"
    path.write_text(json.dumps(settings), encoding="utf-8")
    return path


def kinds(value: object) -> set[str]:
    if isinstance(value, dict):
        own = {str(value["kind"])} if "kind" in value else set()
        return own.union(*(kinds(each) for each in value.values()))
    return set().union(*(kinds(each) for each in value)) if isinstance(value, list) else set()


def test_the_report_states_what_it_assumes(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["limits", str(config)]) == 0
    shown = capsys.readouterr().out
    for text in ("100 tokens", "beta = 10, 100", "26 letters", "base 500, 8 planes (head width 16), scaling default"):
        assert text in shown
    for text in ("positional", "symbolic", "worst gap", "beta that decodes", "float32 angles", "bfloat16 angles"):
        assert text in shown


@pytest.mark.parametrize("columns", [80, 120])
@pytest.mark.parametrize("arguments", [[], ["--target-length", "64"]])
def test_lines_fit_the_terminal(
    columns: int,
    arguments: list[str],
    config: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(config.parent)
    monkeypatch.setenv("COLUMNS", str(columns))
    assert run(["limits", "config.json", *arguments]) == 0
    assert max(map(len, capsys.readouterr().out.splitlines())) <= columns


def test_every_plane_is_in_the_data_with_its_kind_of_number(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--beta", "7/2", "--letters", "5", "--dtype", "float16", "--length", "50", "--json"]
    assert run(["limits", str(config), *arguments]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["version"], data["context_length"], data["letters"]) == (1, 50, 5)
    layer = data["layers"]["all"]
    assert [plane["plane"] for plane in layer["planes"]] == list(range(1, 9))
    first = layer["planes"][0]
    assert first["wavelength"]["midpoint"] == pytest.approx(2 * math.pi, rel=1e-15)
    assert first["symbolic_reach_by_angle"] == {"kind": "exact", "value": 2}
    assert [len(plane["positional_reach"]) for plane in layer["planes"]] == [1] * 8
    assert list(layer["equal_amplitudes"]["formats"]) == ["float16"]
    assert layer["equal_amplitudes"]["worst_gap"]["kind"] == "enclosure"
    assert layer["best_amplitudes"]["worst_gap"]["kind"] == "lower bound"
    assert layer["best_amplitudes"]["worst_gap_of_any_amplitudes"]["kind"] == "upper bound"
    assert kinds(data) == KINDS


def test_two_bases_are_shown_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["limits", str(written(tmp_path, TWO_BASES))]) == 0
    shown = capsys.readouterr().out
    assert shown.index("full_attention: base 4,000") < shown.index("sliding_attention: base 50")
    assert "a window of 30 tokens" in shown


@pytest.mark.parametrize("kind", ["dynamic", "longrope"])
def test_scalings_are_taken_at_the_length(kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table: dict[str, object] = {"rope_type": kind, "factor": 4.0}
    if kind == "longrope":
        table |= {"short_factor": [1.0] * 8, "long_factor": [2.0] * 8, "original_max_position_embeddings": 50}
    path = written(tmp_path, {**SMALL, "rope_scaling": table})
    slow = []
    for length in (50, 101):
        assert run(["limits", str(path), "--length", str(length), "--json"]) == 0
        slow.append(json.loads(capsys.readouterr().out)["layers"]["all"]["planes"][-1]["wavelength"]["midpoint"])
    assert slow[0] < slow[1]


@pytest.mark.parametrize("scaling", ["linear", "dynamic", "yarn", "llama3"])
def test_rope_without_a_model(scaling: str, capsys: pytest.CaptureFixture[str]) -> None:
    made = ["limits", "--base", "1000", "--head-dim", "16", "--length", "60"]
    assert run([*made, "--scaling", scaling, "2", "--zero-planes", "1", "--json"]) == 0
    layer = json.loads(capsys.readouterr().out)["layers"]["all"]
    assert layer["settings"]["scaling"] == scaling
    assert layer["planes"][-1]["wavelength"] is None
    assert run([*made, "--zero-planes", "1"]) == 0
    assert "the slowest 1 set to zero" in capsys.readouterr().out


def test_which_bases_suffice(capsys: pytest.CaptureFixture[str]) -> None:
    made = ["limits", "--base", "10000", "--head-dim", "16", "--target-length", "40", "--letters", "8"]
    assert run([*made, "--beta", "30"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "exactly the bases above" in shown
    assert "need not be an interval" in shown
    assert run([*made, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["target_length"] == 40
    assert data["bases"][0]["base"] == 1000
    words = {word for row in data["bases"] for word in (row["symbolic_by_angle"], *row["symbolic"])}
    assert words == {"holds", "refuted"}
    assert kinds(data) <= KINDS


def test_the_figure_is_written(config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "new" / "figures"
    assert run(["limits", str(config), "--zero-planes", "1", "--out", str(folder)]) == 0
    assert {path.name for path in folder.iterdir()} == {"limits.png", "limits.pdf"}
    assert (folder / "limits.png").read_bytes().startswith(b"\x89PNG")
    assert (folder / "limits.pdf").read_bytes().startswith(b"%PDF")
    assert capsys.readouterr().err.count("wrote") == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "neither a CONFIG.json nor a base"),
        (["missing.json"], "missing.json"),
        (["config.json", "--base", "100"], "not both"),
        (["config.json", "--beta", "0"], "beta=0 is outside"),
        (["config.json", "--beta", "1e7"], "beta"),
        (["config.json", "--beta", "many"], "many"),
        (["config.json", "--letters", "1"], "letters"),
        (["config.json", "--dtype", "float8"], "float8"),
        (["config.json", "--length", "1"], "length"),
        (["config.json", "--length", "1000000000"], "1,000,000,000"),
        (["config.json", "--zero-planes", "9"], "9 planes set to zero, but there are 8"),
        (["config.json", "--target-length", "3"], "target-length"),
        (["config.json", "--target-length", "30", "--out", "figures"], "--out"),
        (["config.json", "--out", "config.json"], "config.json"),
        (["--base", "1/2"], "base"),
        (["--base", "pi"], "not rational"),
        (["--base", "100", "--head-dim", "7"], "odd"),
        (["--base", "100", "--scaling", "ntk", "2"], '"ntk" is unknown'),
        (["--base", "100", "--scaling", "longrope", "2"], "short_factor"),
        (["--base", "100", "--scaling", "linear", "two"], "two"),
        (["--models", "config.json"], "--models"),
        (["--models", "--base", "100"], "--models"),
        (["--models", "--length", "30"], "--models"),
        (["--models", "--target-length", "30"], "--models"),
        (["--models", "--json"], "--models"),
        (["--models", "--out", "figures"], "--models"),
    ],
)
def test_bad_input_is_one_line_and_code_two(
    arguments: list[str],
    message: str,
    config: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(config.parent)
    assert run(["limits", *arguments]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("error: ") and message in lines[0]


def test_a_command_of_its_own_draws_nothing_unasked(config: Path) -> None:
    program = (
        "import sys; from theory.__main__ import run; code = run(sys.argv[1:]); "
        "sys.exit(code or 10 * bool({'matplotlib', 'torch'} & set(sys.modules)))"
    )
    command = [sys.executable, "-c", program, "limits", str(config)]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, env={**os.environ})
    assert found.returncode == 0, found.stderr
    assert found.stderr == "", "no bar where standard error is no terminal"


def test_the_documented_table_is_that_of_the_command() -> None:
    """Rows of the smaller models; `python -m theory limits --models` writes them all."""
    page = (ROOT / "docs" / "limits.md").read_text(encoding="utf-8")
    question = Question((Real.of(10), Real.of(100)), 26, ("float32", "bfloat16"))
    models = published_models()
    small = [model for model in models if model.name in ("GPT-NeoX 20B", "Phi-2")]
    for line in markdown(small, question).splitlines():
        assert line in page.splitlines()
    assert all(f"| {model.name}" in page for model in models)


def test_numbers_are_as_long_as_they_are_certain() -> None:
    assert [tokens(n) for n in (2, 1234, 10**9, 10**18)] == ["2", "1,234", "1e+09", "> 10^18"]
    assert number(Real.of(Fraction(1, 3))) == "0.333333"
    assert number(Real.of(10**6)) == number(Fraction(10**6)) == "1,000,000"
    assert number(pi * 10**7, 8) == "31,415,927"
    assert number(pi * 10**7) == "3.14159e+07"
    assert number(pi, 3) == "3.14"
    assert number(Real.of(Fraction(1, 4))) == "0.25"
    wide = Real(lambda: arb(1114.2, 0.1))
    assert number(wide) == "1,114"
    assert number(Real(lambda: arb(0.9, 0.2))) == "0.7 .. 1"
