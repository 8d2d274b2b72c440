"""Write what the commands print now: python -m tests.printed."""

from tests.printed.commands import COMMANDS, FOLDER, printed

for name in COMMANDS:
    (FOLDER / f"{name}.txt").write_text(printed(name), encoding="utf-8")
