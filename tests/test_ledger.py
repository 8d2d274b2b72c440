"""`pytest theory` ends with the ledger, however the tests were selected and spread over processes."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
FILE = "theory/rope/rotation.py"
STATEMENT = f"{FILE}::rope-relative-logit[statement]"


def pytest_in(tmp_path: Path, *arguments: str) -> tuple[subprocess.CompletedProcess[str], dict[str, dict[str, Any]]]:
    report = tmp_path / "ledger.json"
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-o",
        f"cache_dir={tmp_path}/cache",
        "--ledger",
        str(report),
        *arguments,
    ]
    result = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    claims = {row["id"]: row for row in json.loads(report.read_text())["claims"]} if report.exists() else {}
    return result, claims


@pytest.mark.parametrize("processes", ["0", "2"])
def test_a_whole_file(tmp_path: Path, processes: str) -> None:
    result, claims = pytest_in(tmp_path, FILE, "-n", processes)
    assert result.returncode == 0, result.stdout
    assert claims["rope-relative-logit"]["complete"]
    assert claims["rope-layouts"]["complete"]
    assert claims["index-logit"]["observed"] == "not run"
    assert "not run" in result.stdout


def test_a_single_test_and_a_keyword(tmp_path: Path) -> None:
    for selection in ([STATEMENT], [FILE, "-n", "0", "-k", "rope-relative-logit and statement"]):
        result, claims = pytest_in(tmp_path, *selection)
        assert result.returncode == 0, result.stdout
        row = claims["rope-relative-logit"]
        assert (row["observed"], row["complete"]) == ("holds", False)
        assert list(row["variants"]) == ["statement"]


def test_last_failed_after_a_pass_runs_everything(tmp_path: Path) -> None:
    pytest_in(tmp_path, FILE, "-n", "0")
    result, claims = pytest_in(tmp_path, FILE, "-n", "0", "--lf")
    assert result.returncode == 0
    assert claims["rope-layouts"]["complete"]


BROKEN = '''
"""A claim whose control is not refuted, and one that is undecided."""
from theory.claims import Source, claim
from theory.evidence import Enumeration, Search, Trial

fields = dict(source=Source("0000.00000", "Thm 1"), quantifiers="all n", statement=str, variant=1, does_not_show="much")

@claim("toy-hollow", controls={"two": 2, "three": 3}, **fields)
def hollow(variant, thorough):
    """Says yes to all."""
    yield Enumeration("all", [(1, True)])
    yield Search("some", [Trial(1, 0.0, 1.0)], seed=0)

@claim("toy-undecided", controls={"two": 2, "three": 3}, **fields)
def undecided(variant, thorough):
    """Decides only the controls."""
    yield Enumeration("all", [(1, None if variant == 1 else False)])
'''


def test_a_hollow_or_undecided_claim_fails_the_run(tmp_path: Path) -> None:
    # A copy of the package with one more module: claims are found by walking it.
    package = tmp_path / "theory"
    for path in (ROOT / "theory").rglob("*"):
        if path.suffix in {".py", ".json"} and not path.name.startswith("test_"):
            target = package / path.relative_to(ROOT / "theory")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())
    (package / "toy.py").write_text(BROKEN)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "theory.ledger", "-p", "no:cacheprovider", "theory/toy.py"]
    result = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert result.returncode == 1
    assert "toy-hollow, control: two: expected REFUTED, observed HOLDS" in result.stdout
    assert "toy-undecided, statement: expected HOLDS, observed UNDECIDED" in result.stdout
    assert "FAULT toy-undecided: statement is undecided" in result.stdout


def test_an_unwritable_ledger_is_refused_before_the_run(tmp_path: Path) -> None:
    for target in (tmp_path, tmp_path / "missing" / "ledger.json"):
        command = [sys.executable, "-m", "pytest", "-n", "0", "theory/rope/rotation.py", "--ledger", str(target)]
        root = Path(__file__).parent.parent
        result = subprocess.run(command, capture_output=True, text=True, check=False, cwd=root)
        assert result.returncode == 4
        assert "cannot be written" in result.stderr
        assert "rope-relative-logit" not in result.stdout
