"""What counts as a mutant, and which tests are tried on it."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.mutation.rules import is_thorough, left_out, spans, statement_at
from tests.source import ROOT

SOURCE = """
@cache
def table(n: "int | None" = 3, *, m=0) -> list[int]:
    return [1 for _ in zip(a, b, strict=True)]

@claim("name", statement=lambda v: f"at most {v + 1}", variant=2)
def check(variant, thorough):
    for n in range(4, 6 if thorough else 5):
        yield n * 7
    for n in (8, *[9] * thorough):
        yield f"{n + 10}"
    if thorough:
        yield 11
    else:
        yield 12
"""


def place(text: str) -> tuple[int, int]:
    before = SOURCE[: SOURCE.index(text)]
    return before.count("\n") + 1, len(before) - before.rfind("\n") - 1


@pytest.mark.parametrize("text", ["@cache", '"int', "*, m", "list[int]", "True", 'f"at most', "1}"])
def test_no_mutant_here(text: str) -> None:
    assert any(first <= place(text) < last for first, last in spans(SOURCE))


@pytest.mark.parametrize("text", ["3, *", "1 for", "@claim", "2)", "range", "4,", "* 7", "10}", "11"])
def test_a_mutant_here(text: str) -> None:
    assert not any(first <= place(text) < last for first, last in spans(SOURCE))


@pytest.mark.parametrize(
    ("text", "thorough"),
    [("4,", False), ("6 if", True), ("5)", False), ("8,", False), ("9]", True), ("11", True), ("12", False)],
)
def test_what_only_a_thorough_run_reaches(text: str, thorough: bool) -> None:
    assert is_thorough(SOURCE, place(text)) == thorough


def test_the_statement_at_a_line() -> None:
    assert statement_at(SOURCE, place("@claim")[0]) == statement_at(SOURCE, place("12")[0]) == range(6, 16)
    assert statement_at(SOURCE, 4) == range(2, 5)
    assert statement_at("x = 1\ny = 2\n", 2) == range(2, 3)


@pytest.mark.parametrize(
    ("operator", "out"),
    [
        ("core/ReplaceBinaryOperator_Add_BitOr", True),
        ("core/ReplaceBinaryOperator_RShift_Add", True),
        ("core/ReplaceBinaryOperator_Add_Sub", False),
        ("core/ReplaceComparisonOperator_Eq_Is", True),
        ("core/ReplaceComparisonOperator_Eq_IsNot", True),
        ("core/ReplaceComparisonOperator_Is_Lt", True),
        ("core/ReplaceComparisonOperator_Is_IsNot", False),
        ("core/ReplaceComparisonOperator_IsNot_Is", False),
        ("core/ReplaceComparisonOperator_Lt_LtE", False),
        ("core/ReplaceUnaryOperator_USub_Not", True),
        ("core/ReplaceUnaryOperator_Delete_USub", False),
        ("core/NumberReplacer", False),
    ],
)
def test_operators_that_are_left_out(operator: str, out: bool) -> None:
    assert left_out(operator, SOURCE) == out


def test_numbers_of_pictures_are_left_out() -> None:
    drawing = f"def draw():\n    import matplotlib.pyplot as plt\n{SOURCE}"
    assert left_out("core/NumberReplacer", drawing)
    assert not left_out("core/ReplaceBinaryOperator_Add_Sub", drawing)


def test_equivalent_mutants_are_of_lines_that_exist() -> None:
    for row in json.loads((ROOT / "tests" / "mutation" / "equivalent.json").read_text(encoding="utf-8")):
        lines = [line.strip() for line in (ROOT / row["module"]).read_text(encoding="utf-8").splitlines()]
        assert row["before"] in lines, row
        assert row["after"] not in ("", row["before"])
        assert row["reason"]


def tried(seconds: float, **lines: list[int]) -> dict[str, Any]:
    return {"seconds": seconds, "lines": {f"theory/{name}.py": numbers for name, numbers in lines.items()}}


def test_the_nearest_tests_come_first_and_cheap_ones_before_dear_ones() -> None:
    pytest.importorskip("cosmic_ray")
    from cosmic_ray.work_item import MutationSpec

    from tests.mutation.trial import plan

    record = {
        "far.py::elsewhere": {"seconds": 0.1, "lines": {"proofs/x.py": [4]}},
        "a.py::folder": tried(0.1, other=[4]),
        "a.py::module": tried(0.1, a=[99]),
        "a.py::function": tried(0.1, a=[9]),
        "b.py::line, dear": tried(5, a=[8]),
        "b.py::line[statement]": tried(1, a=[8]),
        "b.py::dearest": tried(20, a=[8]),
        "b.py::folder": tried(0.1, other=[1]),
        "b.py::too much by now": tried(10, other=[1]),
    }
    found = plan(MutationSpec(Path("theory/a.py"), "core/NumberReplacer", 0, (8, 24), (8, 25)), SOURCE, record)
    on_the_line = ["b.py::line[statement]", "b.py::line, dear", "b.py::dearest"]
    assert list(found["tests"]) == [*on_the_line, "a.py::function", "a.py::module", "a.py::folder", "b.py::folder"]
    assert found["files"] == ["a.py", "b.py"]
    assert not found["thorough"]
    start = place("6 if")
    thorough = plan(MutationSpec(Path("theory/a.py"), "core/NumberReplacer", 0, start, (9, 25)), SOURCE, record)
    assert list(thorough["tests"]) == ["b.py::line[statement]"]
    assert thorough["thorough"]
