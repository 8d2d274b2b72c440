"""The commands `python -m theory ledger | show | value`, as a user meets them."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
import sympy

from theory.__main__ import run
from theory.claims import discover
from theory.commands.lines import print_lines
from theory.commands.sentences import clauses, differing, in_words
from theory.quantities import quantities

CLAIM = "rope-relative-logit"


def test_value_prints_a_certified_number(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["value", "index-gap", "n=11", "theta=pi/3", "offset=5"]) == 0
    first = capsys.readouterr().out.splitlines()[0]
    assert first.startswith("index-gap = 1/2")


def test_value_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["value", "index-gap", "n=17", "theta=1", "offset=16", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)["results"]["index-gap"]
    assert result["kind"] == "enclosure"
    assert Fraction(result["lower"]) < Fraction(result["upper"])
    assert result["midpoint"] == pytest.approx(0.039829713349634, rel=1e-14)


def test_every_quantity_is_listed_with_its_arguments_and_claim(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["value", "--list"]) == 0
    listing = capsys.readouterr().out
    for item in quantities().values():
        assert item.name in listing
        assert item.claim in discover(), f"{item.name} belongs to no claim"
        assert item.summary
    assert run(["value", "--list", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)) == len(quantities())


def test_the_grammar_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["value", "--grammar"]) == 0
    assert "rope(base=" in capsys.readouterr().out


@pytest.mark.parametrize("claim", discover())
def test_show_prints_every_claim(claim: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["show", claim]) == 0
    shown = capsys.readouterr().out
    for head in ("statement:", "quantifiers:", "control:", "does not show:"):
        assert head in shown
    item = discover()[claim]
    dropped = sum(hypothesis.dropped is not None for hypothesis in item.hypotheses)
    assert " ".join(shown.split()).count("[refuted at ") == dropped
    if isinstance(item.statement(item.variant), sympy.Basic):
        assert run(["show", claim, "--latex"]) == 0


def test_show_breaks_at_clauses_and_tells_what_differs(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["show", "continuity-explicit"]) == 0
    shown = capsys.readouterr().out
    assert "statement:\n    P_0 = Min(P_whole, P_own - Min(0, B - P_mean)) and\n    a_l = " in shown
    assert "    the statement with delta <= asymptotic_radius\n    in place of delta <= poisson_tail_radius [" in shown
    words = " ".join(shown.split())
    assert (
        'without last letter: the same, where it is not required that "the last letters agree" [refuted at n=4,'
        in words
    )


def test_clauses_stand_on_lines_of_their_own_where_one_is_too_short(capsys: pytest.CaptureFixture[str]) -> None:
    print_lines([("a", "one two three four"), ("b", ("one two;", "three four five")), ("c", ("one;", "two"))], 16)
    print_lines([("d", ("one two three four",))], 16)
    lines = ["a: one two three", "    four", "b:", "    one two;", "    three four", "        five", "c: one; two"]
    assert capsys.readouterr().out.splitlines() == [*lines, "d: one two three", "    four"]


def test_clauses() -> None:
    x, y = sympy.symbols("x y")
    several = sympy.And(sympy.Eq(x, 1), y <= 2, sympy.Implies(x < y, sympy.Eq(y, 2)))
    assert sorted(" ".join(clauses(several)).split(" and ")) == ["if x < y, then y = 2", "x = 1", "y <= 2"]
    assert clauses(several, latex=True) != clauses(several) and clauses(y <= 2) == ("y <= 2",)
    assert clauses(sympy.Piecewise((x, x > 2), (y, True)) <= 7) == ("(x if x > 2, else y) <= 7",)
    assert clauses("a (b; c); d [e; f]; g") == ("a (b; c);", "d [e; f];", "g")
    other = sympy.And(sympy.Eq(x, 3), *(part for part in several.args if part != sympy.Eq(x, 1)))
    assert differing(other, several) == ("the statement with x = 3", "in place of x = 1")
    assert differing(x < 7, several) == ("x < 7",) and differing("a; b", "a; c") == ("a;", "b")
    assert differing(sympy.And(*several.args[:2]), several) == clauses(sympy.And(*several.args[:2]))
    assert in_words({"x": (Fraction(1, 2), 3), "word": "a b"}) == "x=(1/2, 3), word=a b"


def test_ledger_of_one_claim(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ledger", CLAIM]) == 0
    assert "holds" in capsys.readouterr().out
    assert run(["ledger", CLAIM, "--json", "--jobs", "1000000"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["format"], data["version"], data["complaints"]) == ("headproof-ledger", 1, [])


BAD = [
    (["value", "index-gap", "n=11", "theta=0", "offset=5"], "2 pi"),
    (["value", "index-gap", "n=11", "theta=4*pi", "offset=5"], "2 pi"),
    (["value", "index-gap", "n=11", "theta=nan", "offset=5"], "nan"),
    (["value", "index-gap", "n=11", "theta=", "offset=5"], "theta"),
    (["value", "index-gap", "n=-3", "theta=1", "offset=5"], "-3"),
    (["value", "index-gap", "n=2.5", "theta=1", "offset=1"], "2.5"),
    (["value", "index-gap", "n=11", "theta=1", "offset=11"], "11"),
    (["value", "index-gap", "n=11", "theta=1", "offset=-1"], "-1"),
    (["value", "index-gap", "n=11", "theta=rope(base=10000,d=127,k=2)", "offset=5"], "127"),
    (["value", "index-gap", "n=11", "theta=__import__('os')", "offset=5"], "__import__"),
    (["value", "index-gap", "n=11", "theta=9**9**9**9", "offset=5"], "9"),
    (["value", "index-gap", "n=11", "theta=" + "(" * 5000, "offset=5"], "long"),
    (["value", "index-gap", "n=11", "offset=5"], "theta"),
    (["value", "admissible-base-change", "low=1e-1000", "high=1", "d=4", "length=4"], "low"),
    (["value", "index-weight-sum", "n=10^18", "theta=1", "beta=1", "--seconds", "1"], "1 s of computing time"),
    (["value", "index-weight-sum", "n=10^30", "theta=1", "beta=1", "--seconds", "1"], "n=10^30"),
    (["value", "index-gap", "n=11", "theta=1", "offset=5", "--seconds", "0"], "seconds"),
    ([], "--help"),
    (["value", "index-gap", "n=11", "theta=1", "offset=5", "colour=3"], "colour"),
    (["value", "index-gap", "n=11", "n=12", "theta=1"], "twice"),
    (["value", "index-gap", "n", "theta=1"], "key=value"),
    (["value", "no-such-quantity"], "no-such-quantity"),
    (["value", "decodng-cost"], "did you mean decoding-cost?"),
    (["value", "gbi-hull-failure"], "is a claim, not a quantity; `python -m theory show gbi-hull-failure`"),
    (["value", "decoding-cost", "latent=-4", "hidden=1", "tasks=1", "outputs=1"], "counted below 0"),
    (["value", "curvature-gaussian", "means=[[0],[1]]", "x=[1,2]", "variance=1"], "one for each entry of a mean"),
    (["value", "circumcentre-start", "means=[[0],[0.5],[2]]"], "means (0), (1/2), (2) lie"),
    (["value"], "--list"),
    (["show", "decoding-cost"], "is a quantity, not a claim; `python -m theory show gbi-cost-model` prints its claim"),
    (["show"], "`python -m theory show --help`"),
    (["show", "no-such-claim"], "no-such-claim"),
    (["ledger", "no-such-claim"], "no-such-claim"),
    (["frobnicate"], "frobnicate"),
    (["value", "--no-such-option"], "no-such-option"),
]


@pytest.mark.parametrize(
    ("arguments", "named"), BAD, ids=lambda value: " ".join(value)[:60] if isinstance(value, list) else ""
)
def test_bad_input_is_one_line_that_names_it(
    arguments: list[str], named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("error: ")
    assert captured.err.count("\n") == 1
    assert len(captured.err) < 700
    assert named in captured.err


def test_a_real_process_exits_with_2_and_no_traceback() -> None:
    command = [sys.executable, "-m", "theory", "value", "index-gap", "n=11", "theta=nan", "offset=5"]
    result = subprocess.run(command, capture_output=True, text=True, check=False, cwd=Path(__file__).parent.parent)
    assert result.returncode == 2
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    "arguments", [["value", "--list"], ["ledger", "--list"], ["show", CLAIM], ["value", "--grammar"]]
)
def test_a_reader_that_leaves_and_a_full_disk_are_no_traceback(arguments: list[str]) -> None:
    command = [sys.executable, "-m", "theory", *arguments]
    root = Path(__file__).parent.parent
    read, write = os.pipe()
    os.close(read)
    gone = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, text=True, check=False, cwd=root)
    os.close(write)
    assert (gone.returncode, gone.stderr) == (141, "")
    if not os.path.exists("/dev/full"):
        return
    with open("/dev/full", "w") as full:
        result = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False, cwd=root)
    assert result.returncode == 2
    assert result.stderr.startswith("error: the output cannot be written: No space left")
    assert result.stderr.count("\n") == 1


def children(process: int) -> list[str]:
    listing = subprocess.run(["ps", "-A", "-o", "ppid=,pid="], capture_output=True, text=True, check=True).stdout
    return [pid for parent, pid in map(str.split, listing.splitlines()) if parent == str(process)]


@pytest.mark.skipif(shutil.which("ps") is None, reason="ps tells when it is at work")
@pytest.mark.parametrize(
    "arguments",
    [["value", "index-weight-sum", "n=10^18", "theta=1", "beta=1", "--seconds", "60"], ["ledger", "--thorough"]],
    ids=["value", "ledger"],
)
@pytest.mark.parametrize("send", [os.killpg, os.kill], ids=["from a terminal", "from a parent"])
def test_an_interruption_is_one_line_and_leaves_no_process(
    arguments: list[str], send: Callable[[int, int], None]
) -> None:
    command = [sys.executable, "-m", "theory", *arguments]
    root = Path(__file__).parent.parent
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True, cwd=root) as process:
        while not children(process.pid):
            time.sleep(0.2)
        time.sleep(1)  # by now they are at work
        send(process.pid, signal.SIGINT)
        _, complaint = process.communicate(timeout=30)  # the work would take a minute or more
    assert (process.returncode, complaint) == (130, "interrupted\n")
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)


def test_a_module_that_cannot_be_imported_is_one_line(tmp_path: Path) -> None:
    root = Path(__file__).parent.parent
    shutil.copytree(root / "theory", tmp_path / "theory", ignore=shutil.ignore_patterns("__pycache__", "test_*"))
    (tmp_path / "theory" / "broken.py").write_text('"""Broken."""\n\nlength = lenght\n')
    named = "theory.broken cannot be imported: NameError: name 'lenght' is not defined (theory/broken.py, line 3)"
    for arguments in (["ledger"], ["show", CLAIM], ["value", "--list"]):
        command = [sys.executable, "-m", "theory", *arguments]
        result = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
        assert (result.returncode, result.stdout, result.stderr) == (2, "", f"error: {named}\n")
