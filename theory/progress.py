"""A progress bar on standard error for whatever takes its time; nothing where that is no terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Progress = Callable[[int, int], None]  # called with how much is done and how much there is


@contextmanager
def progress_bar(what: str) -> Iterator[Progress | None]:
    """A callback that moves a bar named `what`, or None; the bar is gone at the end, also after an interruption."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress as Bar

    with Bar(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what)

        def show(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        yield show
