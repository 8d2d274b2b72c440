"""Texts against the rules of cleaning, and files of the user, hostile ones too."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest
import torch

from empirical.sources import origins, texts
from empirical.sources.texts import cleaned, decoded, encoded
from theory.errors import InputError


def given(folder: Path, name: str, content: str | bytes) -> str:
    path = folder / f"{name}.txt"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return f"{name}={path}"


def pair(folder: Path) -> list[str]:
    return [given(folder, "songs", "la la li\n" * 300), given(folder, "sums", "1 + 2 = 3\n" * 300)]


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("\u201cI\u2019m\u201d \u2014 here\u2013there", '"I\'m" -- here-there'),
        ("a\tb\u00e9c\r\nd", "a b c\nd"),
        ("a   b  \n   c", "a b\nc"),
        ("a\n \n\t\n\n\nb\n\nc", "a\n\nb\n\nc"),
        ("\ufeffa\x00\x7f\u20acb", " a b"),
        ("", ""),
    ],
)
def test_cleaning(raw: str, clean: str) -> None:
    assert cleaned(raw) == clean
    assert cleaned(clean) == clean


def test_the_alphabet() -> None:
    every = "\n" + "".join(map(chr, range(32, 127)))
    assert encoded(every).tolist() == list(range(texts.VOCABULARY))
    assert decoded(encoded(every)) == every
    with pytest.raises(InputError, match="clean the text"):
        encoded("caf\u00e9")


def test_files_of_the_user(tmp_path: Path) -> None:
    packed = tmp_path / "packed.gz"
    packed.write_bytes(gzip.compress(b"one two\n" * 400))
    latin = given(tmp_path, "latin", ("caf\u00e9 noir\n" * 200).encode("latin-1"))
    found = texts.sources("full", [f"packed={packed}", latin])
    assert [each.name for each in found] == ["packed", "latin"]
    assert decoded(found[0].letters) == "one two\n" * 400
    assert decoded(found[1].letters).startswith("caf noir\ncaf noir")
    assert [len(each.train) / len(each.letters) for each in found] == pytest.approx([0.85, 0.85], abs=1e-3)
    assert torch.equal(torch.cat((found[0].train, found[0].test)), found[0].letters)
    halves = texts.held_out("full", [latin])[0]
    assert len(halves.train) == len(halves.test) == 900


def test_the_user_s_file_for_a_source_of_the_tier(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known = {"first": lambda: "one two\n" * 400, "second": lambda: pytest.fail("it was to be replaced")}
    monkeypatch.setitem(origins.SOURCES, "quick", known)
    found = texts.sources("quick", [given(tmp_path, "second", "three\n" * 400)])
    assert [decoded(each.letters[:4]) for each in found] == ["one ", "thre"]


def test_long_texts_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    long = {name: lambda name=name: f"{name} and so on\n" * 40_000 for name in "ab"}
    monkeypatch.setitem(origins.SOURCES, "full", long)
    monkeypatch.setitem(origins.HELD_OUT, "full", {"c": lambda: "other\n" * 90_000})
    for each in texts.sources("full"):
        assert (len(each.train), len(each.test)) == (170_000, 30_000)
    assert len(texts.held_out("full")[0].letters) == 400_000


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "has 0 letters"),
        (b"too short", "has 9 letters"),
        (b" \n\t" * 9000, "has 0 letters"),
        ("\u4e2d" * 9000, "has 0 letters"),
        ("wide" * 900, "is the only source"),
        (("wide" * 900).encode("utf-16"), "NUL bytes"),
        (b"\x1f\x8b" + b"broken" * 900, "broken gzip"),
        (gzip.compress(b"abc" * 900)[:-9], "broken gzip"),
        (b"a b " * (origins.LIMIT // 4) + b"c", "more than 16 MiB"),
        (gzip.compress(b"a b " * (origins.LIMIT // 4) + b"c", 1), "more than 16 MiB"),
    ],
    ids=["empty", "short", "blank", "foreign", "alone", "utf-16", "no-gzip", "cut-gzip", "large", "bomb"],
)
def test_files_that_are_no_source(tmp_path: Path, content: str | bytes, words: str) -> None:
    with pytest.raises(InputError, match=words) as complaint:
        texts.sources("quick", [given(tmp_path, "own", content)])
    assert "\n" not in str(complaint.value) and "give" in str(complaint.value)


def test_what_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    """A pipe to which nobody writes, and a device that never ends."""
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(InputError, match=f"{path} is no regular file; give another file"):
            texts.sources("quick", [f"own={path}"])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["own"], "NAME=FILE"),
        (["own="], "NAME=FILE"),
        (["=file"], "NAME=FILE"),
        (["$x$=file"], "NAME=FILE"),
        (["own=absent"], "No such file"),
        (["own=."], "directory"),
        (["own=a\0b"], "cannot be read"),
        (["a=f", "a=g"], "a twice"),
        ([f"t{number}=f" for number in range(33)], "33 texts"),
    ],
)
def test_options_that_are_no_source(options: list[str], words: str) -> None:
    with pytest.raises(InputError, match=words):
        texts.sources("quick", options)
    with pytest.raises(InputError, match=words):
        texts.held_out("quick", options)


def test_one_text_is_not_two(tmp_path: Path) -> None:
    songs, sums = pair(tmp_path)
    with pytest.raises(InputError, match="same text"):
        texts.sources("quick", [songs, f"copy={songs.partition('=')[2]}"])
    learned = texts.sources("quick", [songs, sums])
    texts.refuse_shared(learned, texts.held_out("quick", [given(tmp_path, "other", "not yet seen\n" * 99)]))
    for other in (f"another={songs.partition('=')[2]}", given(tmp_path, "sums", "not yet seen\n" * 99)):
        with pytest.raises(InputError, match="held out and also"):
            texts.refuse_shared(learned, texts.held_out("quick", [other]))


def test_quick_texts_are_on_every_machine() -> None:
    found = [*texts.sources("quick"), *texts.held_out("quick")]
    assert len({each.name for each in found}) == 4
    assert all((len(each.train), len(each.test)) == (40_000, 8000) for each in found[:3])
