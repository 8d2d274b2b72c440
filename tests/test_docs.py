"""Pages whose code is meant to be copied: every block of Python runs, in order, and prints what stands below it."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest

DOCS = Path(__file__).parent.parent / "docs"
BLOCK = re.compile(r"^```python\n(?P<code>.*?)^```\n(?:\n```\n(?P<output>.*?)^```\n)?", re.M | re.S)


class Block(NamedTuple):
    """Code, the line on which it starts, and what it has to print."""

    line: int
    code: str
    output: str


def blocks(page: str) -> list[Block]:
    return [
        Block(page.count("\n", 0, match.start("code")) + 1, match["code"], match["output"] or "")
        for match in BLOCK.finditer(page)
    ]


def printed(block: Block, names: dict[str, Any], page: Path) -> str:
    """What the code prints; it is compiled so that tracebacks name its line on the page."""
    with contextlib.redirect_stdout(io.StringIO()) as shown:
        exec(compile("\n" * (block.line - 1) + block.code, page.as_posix(), "exec"), names)
    return shown.getvalue()


PAGE = DOCS / "inference.md"
BLOCKS = blocks(PAGE.read_text(encoding="utf-8"))
OPTIONAL = [block for block in BLOCKS if "transformers" in block.code]


def test_the_page_prints_what_it_says() -> None:
    names: dict[str, Any] = {"__name__": "page"}
    for block in BLOCKS:
        if block not in OPTIONAL:
            assert printed(block, names, PAGE) == block.output, f"{PAGE.name}, line {block.line}"


def test_language_models_print_what_the_page_says() -> None:
    pytest.importorskip("transformers")
    assert len(OPTIONAL) == 1
    for block in OPTIONAL:
        assert printed(block, {"__name__": "page"}, PAGE) == block.output, f"{PAGE.name}, line {block.line}"


def test_all_blocks_are_found() -> None:
    fences = PAGE.read_text(encoding="utf-8").count("```python")
    assert len(BLOCKS) == fences >= 9
    assert sum(bool(block.output) for block in BLOCKS) == fences


def test_what_is_printed_is_compared() -> None:
    page = "text\n\n```python\nx = 1\n```\n\n```python\nprint(x + 1)\n```\n\n```\n3\n```\n"
    first, second = blocks(page)
    assert (first.line, first.output, second.output) == (4, "", "3\n")
    names: dict[str, Any] = {}
    assert printed(first, names, PAGE) == "" and printed(second, names, PAGE) == "2\n" != second.output
