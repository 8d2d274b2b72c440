"""Prompts from files: what is read, and what is refused with the number of its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from empirical.capture.prompts import as_numbers, read_lines, read_prompts
from theory.errors import InputError


def write(folder: Path, content: bytes) -> Path:
    path = folder / "prompts.txt"
    path.write_bytes(content)
    return path


def test_lines(tmp_path: Path) -> None:
    assert read_lines(write(tmp_path, "a b\r\nß \n中".encode())) == ["a b", "ß ", "中"]


def test_a_byte_order_mark_is_no_part_of_a_prompt(tmp_path: Path) -> None:
    assert read_lines(write(tmp_path, "\ufeffa b\n\ufeffc\n".encode())) == ["a b", "\ufeffc"]
    assert read_prompts(write(tmp_path, "\ufeff1 2 3\n".encode()), as_numbers, 10, 8) == [[1, 2, 3]]
    with pytest.raises(InputError, match="is empty"):
        read_lines(write(tmp_path, "\ufeff".encode()))


def test_tokens_are_cut(tmp_path: Path) -> None:
    path = write(tmp_path, b"1 2 3 4 5\n6 7 8 9\n")
    assert read_prompts(path, as_numbers, 10, 8) == [[1, 2, 3, 4], [6, 7, 8, 9]]
    assert read_prompts(path, as_numbers, 10, 4, 3) == [[1, 2, 3], [6, 7, 8]]


@pytest.mark.parametrize(
    ("content", "length", "reason"),
    [
        (b"", None, "is empty; give one prompt a line"),
        (b"1 2 3\n\n4 5 6\n", None, "line 2 is empty"),
        (b"1 2 3\n \t\n", None, "line 2 is empty"),
        (b"1 2 3\n4 \xff 5\n", None, "line 2 is not UTF-8 at byte 3"),
        (b"1 2 3\n4 5\n", None, "line 2: 2 tokens where 3 are needed"),
        (b"1 2 3 4\n4 5 6\n", 4, "line 2: 3 tokens where 4 are needed"),
        (b"1 2 3\n1 2 3 4 5 6 7 8 9\n", None, "line 2: 9 tokens, more than the model's 8; give --length"),
        (b"1 2 3\n4 5 10\n", None, "line 2: token 10 is not below 10"),
        (b"1 2 3\n4 5 six\n", None, "line 2: 'six' is no token number"),
        (b"1 2 3\n4 -5 6\n", None, "line 2: '-5' is no token number"),
        (b"1 2 3\n4 " + b"7" * 5000 + b"\n", None, "line 2: '7+' is no token number"),
        ("1 2 3\n4 ٥ 6\n".encode(), None, "line 2: '٥' is no token number"),
        (b"1 2 3\n", 2, "length 2 is not between 3 and the model's 8 tokens"),
        (b"1 2 3\n", 9, "length 9 is not between 3 and the model's 8 tokens"),
    ],
)
def test_bad_prompts_are_refused(tmp_path: Path, content: bytes, length: int | None, reason: str) -> None:
    with pytest.raises(InputError, match=reason) as caught:
        read_prompts(write(tmp_path, content), as_numbers, 10, 8, length)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_lines(tmp_path / "none.txt")
    with pytest.raises(InputError, match="cannot be read"):
        read_lines(tmp_path)
