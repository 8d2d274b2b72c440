"""Options that commands share, over all commands."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

from empirical import options
from empirical.__main__ import main, run
from theory.command_line import Folder, Option
from theory.errors import InputError

COMMANDS = main.commands


def shared(name: str) -> dict[str, click.Option]:
    """The commands that take an option."""
    every = ((command, each) for command, of in COMMANDS.items() for each in of.params if name in each.opts)
    return {command: each for command, each in every if isinstance(each, click.Option)}


def help_of(command: str) -> str:
    of = COMMANDS[command]
    return " ".join(of.get_help(click.Context(of, info_name=command)).split())


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_defaults_in_words_stand_as_numbers_do(command: str) -> None:
    text = help_of(command)
    assert not re.search(r"\[default: (\(|[^\]]*\] \[)", text)  # (0), or a range behind a default of its own


def test_shared_options_are_alike() -> None:
    for name, words in (
        ("--json", "Print versioned JSON."),
        ("--tau", "Temperature of the weights of swaps."),
        ("--threads", "Of the computation; more pay on idle cores only."),
        ("--tier", "quick shows the parts at work, and proves nothing"),
    ):
        found = shared(name)
        assert len(found) > 1 and all((each.help or "").startswith(words) for each in found.values())
    assert shared("--json").keys() == shared("--seed").keys() | {"sweep", "dynamics"} == COMMANDS.keys()
    for name in ("--seed", "--seeds"):
        for each in shared(name).values():
            counted = each.name == "seeds" and not each.multiple
            assert isinstance(each.type, click.IntRange) and (counted or each.type is options.SEED)
    for each in shared("--out").values():
        assert re.fullmatch(r"Folder for .*(; resumes there)?\.", each.help or "") and each.name == "out"
        assert isinstance(each.type, click.Path) and not each.type.file_okay


def test_defaults_in_words() -> None:
    @click.command()
    @click.option("--many", cls=Option, multiple=True, default=[0], show_default="0", help="Of them (0).")
    @options.threads(None)
    def command(many: tuple[int, ...], threads: int | None) -> None:
        pass

    text = " ".join(command.get_help(click.Context(command)).split())
    assert "Of them (0). [default: 0]" in text and "[default: torch's own; 1<=x<=1024]" in text


def test_seeds_end() -> None:
    assert options.seed_range(options.LAST_SEED - 1, 2)[-1] == options.LAST_SEED
    with pytest.raises(InputError, match=f"beyond the last seed, {options.LAST_SEED}"):
        options.seed_range(options.LAST_SEED, 2)


def test_a_folder_has_a_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["switching", "--tier", "quick", "--out", ""]) == 2
    complaint = capsys.readouterr().err
    assert "'--out': it is empty; name a folder, . for this one" in complaint and complaint.count("\n") == 1
    assert not list(tmp_path.iterdir())
    assert Folder().convert(".", None, None) == Path()
