"""Where texts come from, and what is said when they are not there."""

from __future__ import annotations

import gzip
import subprocess
from pathlib import Path
from typing import Any

import pytest

from empirical.sources import origins
from empirical.sources.texts import cleaned
from theory.errors import InputError


@pytest.mark.parametrize("name", ["kjv", "jargon", "anarchism"])
def test_a_debian_package_that_is_missing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(origins, "DOC", Path("/nowhere"))
    monkeypatch.setattr("shutil.which", lambda program: None)
    with pytest.raises(InputError, match=rf"install the Debian package .*{name}.* --source {name}=FILE"):
        origins.found(name, origins.SOURCES["full"][name], "source")


@pytest.mark.parametrize(
    ("script", "words"), [("exit 3", "exit code 3"), ("exit 0", "exit code 0"), (None, "PermissionError")]
)
def test_a_bible_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str | None, words: str) -> None:
    program = tmp_path / "bible"
    program.write_text(f"#!/bin/sh\n{script}\n")
    if script is not None:
        program.chmod(0o755)
    monkeypatch.setattr("shutil.which", lambda name: str(program))
    with pytest.raises(InputError, match=words):
        origins.found("kjv", origins.SOURCES["full"]["kjv"], "source")


def test_a_bible_that_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    def waits(*words: Any, **options: Any) -> Any:
        raise subprocess.TimeoutExpired("bible", options["timeout"])

    monkeypatch.setattr("shutil.which", lambda name: "bible")
    monkeypatch.setattr("subprocess.run", waits)
    with pytest.raises(InputError, match="TimeoutExpired"):
        origins.found("kjv", origins.SOURCES["full"]["kjv"], "source")


def test_the_jargon_file_loses_its_first_third(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "jargon-text").mkdir()
    (tmp_path / "jargon-text" / "jargon.txt.gz").write_bytes(gzip.compress(b"a" * 300 + b"b" * 600))
    monkeypatch.setattr(origins, "DOC", tmp_path)
    assert origins.SOURCES["full"]["jargon"]() == "b" * 600


def test_verses_lose_their_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "bible"
    program.write_text("#!/bin/sh\nprintf 'Genesis 1\\n\\n  1 In the\\n12 begin\\n  2 And 3 men\\n'")
    program.chmod(0o755)
    monkeypatch.setattr("shutil.which", lambda name: str(program))
    assert origins.SOURCES["full"]["kjv"]() == "Genesis 1\n\nIn the\n12 begin\nAnd 3 men\n"


@pytest.mark.parametrize(("tier", "name", "length"), [("full", "devil", 350_252), ("full", "licences", 182_407)])
def test_lengths_of_texts_of_debian(tier: str, name: str, length: int) -> None:
    """What Debian 12 has."""
    try:
        raw = origins.HELD_OUT[tier][name]()
    except origins.Missing as missing:
        pytest.skip(str(missing))
    assert len(cleaned(raw)) == length
