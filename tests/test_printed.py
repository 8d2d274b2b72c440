"""The commands print what they used to print; `python -m tests.printed` keeps what is meant to be new."""

import pytest

from tests.printed.commands import COMMANDS, FOLDER, printed


@pytest.mark.parametrize("name", COMMANDS)
def test_the_command_prints_what_it_used_to(name: str) -> None:
    assert printed(name) == (FOLDER / f"{name}.txt").read_text(encoding="utf-8")


def test_every_file_belongs_to_a_command() -> None:
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(COMMANDS)
