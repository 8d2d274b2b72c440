"""The command `python -m empirical tasks`, as a user meets it."""

from __future__ import annotations

import json
import re

import pytest

from constructions import reference as ref
from constructions.tasks import parse_pairs, parse_symbols
from empirical.__main__ import run


def lines(capsys: pytest.CaptureFixture[str], *words: str) -> list[str]:
    assert run(["tasks", *words]) == 0
    return capsys.readouterr().out.splitlines()


@pytest.mark.parametrize("name", ["number", "letter"])
def test_walks_are_marked(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    printed = lines(capsys, name, "--sequences", "8", "--seed", "3")
    assert len(printed) == 8
    for line in printed:
        text, answer = line.split("  ->  ")
        visits = {int(mark): at for at, mark in enumerate(re.findall(r"\S+?(?:\[(\d)\])?(?= |$)", text), 1) if mark}
        bare = re.sub(r"\[\d\]", "", text)
        walk = ref.number_walk(parse_symbols(bare)) if name == "number" else ref.letter_walk(parse_pairs(bare))
        assert tuple(visits[step] for step in range(len(visits))) == walk.path
        assert answer == str(walk.answer)


@pytest.mark.parametrize("name", ["number", "letter", "index", "retrieval", "induction"])
def test_options(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    plain = lines(capsys, name, "--hops", "1")
    assert len(plain) == 5 and all("[1]" in line and "[2]" not in line for line in plain)
    assert lines(capsys, name, "--hops", "1", "--seed", "0") == plain
    assert lines(capsys, name, "--hops", "1", "--seed", "1") != plain
    longer = lines(capsys, name, "--hops", "1", "--prepended", "4")
    assert [line.split(" ", 4)[4] for line in longer] == plain


@pytest.mark.parametrize("name", ["letter", "index"])
def test_the_same_as_json(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    plain = lines(capsys, name, "--seed", "3")
    data = json.loads("\n".join(lines(capsys, name, "--seed", "3", "--json")))
    assert (data["format"], data["version"], data["task"], data["seed"]) == ("headproof sequences", 1, name, 3)
    assert len(data["sequences"]) == len(plain) == 5
    for line, row in zip(plain, data["sequences"], strict=True):
        marked = list(row["tokens"])
        for number, at in enumerate(row["walk"]):
            marked[at - 1] += f"[{number}]"
        assert f"{' '.join(marked)}  ->  {row['answer']}" == line


@pytest.mark.parametrize(
    "words",
    [
        ("number", "--hops", "10"),
        ("letter", "--hops", "0"),
        ("letter", "--sequences", "1000000000000"),
        ("index", "--prepended", "-1"),
        ("letters",),
        ("number", "--seed", "x"),
        (),
    ],
)
def test_bad_input_is_one_line(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["tasks", *words]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("error: ") and err.count("\n") == 1


def test_help_has_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    assert "python -m empirical tasks number" in "\n".join(lines(capsys, "--help"))
