"""All worked numbers of the theory, asked as on the command line; `worked_cases*.toml` hold them.

The result of a row agrees with its number where ball arithmetic puts all of its ball within one unit of the last
digit. A bound is a number too and is compared in the same way, but must be one of the side that the row names: what it
bounds is not this number. An optimum is compared as the float that it is; nothing more is known of it.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import tomllib
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import cache
from pathlib import Path
from re import fullmatch
from typing import Any

import pytest
from flint import arb

from theory.__main__ import run
from theory.arithmetic.ball import Real, cos
from theory.claims import discover
from theory.outcome import Outcome
from theory.quantities import Bound, Enclosure, Exact, Optimum, Result, quantities

ROOT = Path(__file__).parent.parent
FILES = [tomllib.loads(path.read_text()) for path in sorted((ROOT / "tests").glob("worked_cases*.toml"))]
CLAIMS: dict[str, dict[str, Any]] = {claim: entry for file in FILES for claim, entry in file.items()}
# Where an integer or a fraction is wanted of a number of which only balls are known.
NARROW = Fraction(1, 10**30)


@dataclass(frozen=True)
class Wanted:
    """What a row asks of a result: `mark` is <=, >= or ~ or empty, `value` None where it is text."""

    mark: str
    text: str
    value: Fraction | None
    unit: Fraction = Fraction(0)
    exact: bool = True

    @classmethod
    def of(cls, row: str) -> Wanted:
        mark, text = match.groups() if (match := fullmatch("(<=|>=|~) (.*)", row)) else ("", row)
        if fullmatch(r"-?\d+(/\d+)?", text):
            value = Fraction(text)
            return cls(mark, text, value, Fraction(1, value.denominator))
        if fullmatch(r"-?\d+\.?\d*(e-?\d+)?", text):
            exponent = Decimal(text).as_tuple().exponent
            assert isinstance(exponent, int)
            return cls(mark, text, Fraction(text), Fraction(10) ** exponent, exact=False)
        return cls(mark, text, None)


def mark(result: Result) -> str:
    """How a row of the file says what kind of result it is."""
    match result:
        case Bound(side, _):
            return {"upper": "<=", "lower": ">="}[side]
        case Optimum():
            return "~"
    return ""


def agreement(result: Result, wanted: Wanted) -> Outcome:
    """Whether the result is of the kind wanted, and all of its ball where it has to be."""
    value = result.value
    if mark(result) != wanted.mark:
        return Outcome.REFUTED
    if wanted.value is None or isinstance(value, bool | str | list):
        return Outcome.of((str(value).lower() if isinstance(value, bool) else str(value)) == wanted.text)
    number = Real.of(Fraction(value) if isinstance(value, float) else value)
    distance = abs(number - wanted.value)
    return distance <= (wanted.unit if not wanted.exact else NARROW if number.exact is None else 0)


@cache
def ask(request: str) -> dict[str, Result]:
    """All results of a request."""
    name, *arguments = shlex.split(request)
    pairs = (argument.partition("=") for argument in arguments)
    return quantities()[name].evaluate({key: text for key, _, text in pairs})


def rows() -> list[Any]:
    return [
        pytest.param(request, name, text, key == "thorough", id=f"{claim}: {request} -> {name}")
        for claim, entry in CLAIMS.items()
        for key in ("cases", "thorough")
        for request, name, text in entry.get(key, [])
    ]


@pytest.fixture
def thorough(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("thorough"))


@pytest.mark.parametrize(("request_", "name", "text", "long"), rows())
def test_worked_number(request_: str, name: str, text: str, long: bool, thorough: bool) -> None:
    """It is right, and two units of its last digit more or less are wrong."""
    if long and not thorough:
        pytest.skip("takes long: --thorough")
    result, wanted = ask(request_)[name], Wanted.of(text)
    assert agreement(result, wanted) is Outcome.HOLDS, result
    if wanted.value is not None:
        for units in (-2, 2):
            wrong = replace(wanted, value=wanted.value + units * wanted.unit)
            assert agreement(result, wrong) is Outcome.REFUTED, result


def test_every_claim_has_numbers_or_says_what_covers_it() -> None:
    assert len(CLAIMS) == sum(map(len, FILES)) >= 53 and set(CLAIMS) <= set(discover())
    for claim, entry in CLAIMS.items():
        if "no_number" in entry:
            assert set(entry) == {"no_number", "covered_by"}, claim
            for place in entry["covered_by"]:
                path, _, function = place.partition(": ")
                assert f"def {function}(" in (ROOT / path).read_text(), place
        else:
            assert entry["cases"] and set(entry) <= {"cases", "thorough"}, claim


def test_no_row_stands_twice_in_a_claim_and_all_are_typed_as_in_a_shell() -> None:
    for claim, entry in CLAIMS.items():
        asked = [(request, name) for request, name, _ in [*entry.get("cases", []), *entry.get("thorough", [])]]
        assert len(asked) == len(set(asked)), claim
        for request, _ in asked:
            shell = shlex.shlex(request, posix=True, punctuation_chars=True)
            shell.whitespace_split = True
            assert list(shell) == shlex.split(request), f"{request}: parentheses need quotes"


THIRD = Real.of(Fraction(1, 3))


@pytest.mark.parametrize(
    ("result", "right", "wrong"),
    [
        (Enclosure(THIRD), ["1/3", "0.333", "0.334", "3.3e-1"], ["0.335", "33/100", "<= 0.333", "0"]),
        (Enclosure(cos(1)), ["0.5403", "0.54030"], ["0.54033", "1/2", "~ 0.5403"]),
        (Enclosure(cos(1) - cos(1) + 1), ["1", "1.000"], ["2", "10000000000000000000/10000000000000000001"]),
        (Exact(7), ["7", "7.0"], ["8", "7.2", "true"]),
        (Exact(True), ["true"], ["false", "1"]),
        (Exact([3, 2]), ["[3, 2]"], ["[3,2]", "3"]),
        (Exact("none below 50"), ["none below 50"], ["50"]),
        (Bound("upper", THIRD), ["<= 1/3", "<= 0.333"], ["1/3", ">= 1/3", "<= 0.35"]),
        (Bound("lower", THIRD), [">= 1/3"], ["<= 1/3", "~ 0.333"]),
        (Optimum(0.25, "search"), ["~ 0.25", "~ 1/4"], ["0.25", "~ 0.27"]),
    ],
)  # fmt: skip
def test_what_agrees(result: Result, right: list[str], wrong: list[str]) -> None:
    assert [agreement(result, Wanted.of(text)) for text in right] == [Outcome.HOLDS] * len(right)
    assert [agreement(result, Wanted.of(text)) for text in wrong] == [Outcome.REFUTED] * len(wrong)


def test_a_wide_ball_at_the_edge_is_undecided() -> None:
    assert agreement(Enclosure(Real(lambda: arb(1, 0.2))), Wanted.of("1.1")) is Outcome.UNDECIDED


KINDS = {
    "": ["exact", "enclosure"],
    "<=": ["upper bound"],
    ">=": ["lower bound"],
    "~": ["numerical optimum"],
}
QUOTED = """symbolic-margin-limit n=1e6 frequencies='["10000^(-126/128)"]' target=[1] distractor=[1]"""
SHOWN = {
    QUOTED,
    "exclusion-bounds M=[[0,1],[2,3]]",
    "index-layers tokens='C B A 1 4 1 3 2 1' layers=4",
    "planes-needed n=5000 gap=1",
    "best-frequency-beta n=33 offset=16",
}


def assert_printed(printed: str, name: str, text: str) -> None:
    """JSON has decimal bounds that lie within the row's tolerance as well."""
    found, wanted = json.loads(printed)["results"][name], Wanted.of(text)
    if wanted.value is None:
        assert found["value"] == text
        return
    assert found["kind"] in KINDS[wanted.mark]
    ends = [Fraction(str(found[key])) for key in ("lower", "upper", "value") if key in found]
    assert ends and all(abs(end - wanted.value) <= wanted.unit for end in ends)


@pytest.mark.parametrize(
    ("request_", "name", "text"),
    [row for entry in CLAIMS.values() for row in entry.get("cases", []) if row[0] in SHOWN],
)
def test_the_command_line_prints_the_same(
    request_: str, name: str, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["value", *shlex.split(request_), "--json"]) == 0
    assert_printed(capsys.readouterr().out, name, text)


def test_a_shell_prints_the_same() -> None:
    (row,) = CLAIMS["symbolic-margin-needs-zero-frequency"]["cases"]
    command = f"{shlex.quote(sys.executable)} -m theory value {QUOTED} --json"
    shown = subprocess.run(command, shell=True, capture_output=True, text=True, check=True, cwd=ROOT)
    assert row[0] == QUOTED
    assert_printed(shown.stdout, *row[1:])
