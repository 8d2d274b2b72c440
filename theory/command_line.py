"""What every command line shares: one line and an exit code for whatever goes wrong, and requests with a limit."""

from __future__ import annotations

import faulthandler
import os
import resource
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from difflib import get_close_matches
from multiprocessing import active_children, get_context
from pathlib import Path
from typing import Any, NoReturn, ParamSpec, TypeVar

import click

from theory.errors import InputError, Undecided

P = ParamSpec("P")
T = TypeVar("T")

_MEMORY = 4 << 30  # bytes; a request that needs more takes the machine with it
_LONGEST_LINE = 600


def run(command: click.Command, name: str, arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code: 2 and one line on bad input, 130 or 141 where user or reader left."""
    try:
        try:
            # Not command.main(): it would turn a reader that has left into exit code 1.
            words = sys.argv[1:] if arguments is None else list(arguments)
            with command.make_context(name, words) as context:
                command.invoke(context)
        except click.exceptions.Exit as stop:
            return stop.exit_code
        except SystemExit as stop:
            return int(stop.code or 0)
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()  # here a reader that has left is met, not at the exit of the interpreter
    except (InputError, Undecided) as error:
        return _fail(str(error))
    except click.exceptions.NoArgsIsHelpError as error:
        return _fail(f"a command is missing; `{error.ctx.command_path if error.ctx else name} --help` prints them")
    except click.UsageError as error:
        path = error.ctx.command_path if error.ctx else name
        return _fail(f"{error.format_message().rstrip('.')}; `{path} --help` shows the usage")
    except click.ClickException as error:
        return _fail(f"{error.format_message().rstrip('.')}; `{name} --help` shows the usage")
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        return 130
    except BrokenPipeError:
        _leave_output()
        return 141
    except OSError as error:
        _leave_output()
        return _fail(f"{error.filename or 'the output'} cannot be written: {error.strerror}; write it elsewhere")
    return 0


class Option(click.Option):
    """An option whose default is told in words, as `show_default`: without the parentheses that click puts around."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Name and help, with default and range."""
        record = super().get_help_record(ctx)
        if record is None or not isinstance(self.show_default, str):
            return record
        return record[0], record[1].replace(f"[default: ({self.show_default})", f"[default: {self.show_default}")


class Folder(click.Path):
    """A folder to write into, as a Path; an empty name, as of a shell's variable that is not set, is no folder."""

    def __init__(self) -> None:
        super().__init__(path_type=Path, file_okay=False)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path. Fails for "", which click would take for the current folder."""
        if value == "":
            self.fail("it is empty; name a folder, . for this one", param, ctx)
        return super().convert(value, param, ctx)


def _fail(message: str) -> int:
    line = " ".join(message.splitlines())
    if len(line) > _LONGEST_LINE:  # some input has a thousand digits
        line = f"{line[: _LONGEST_LINE // 2]} ... {line[-_LONGEST_LINE // 3 :]}"
    click.echo(f"error: {line}", err=True)
    return 2


def _leave_output() -> None:
    """Nothing is to be written any more, not even what is still buffered."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def known(name: str, table: Mapping[str, Any], noun: str, remedy: str) -> None:
    """Raises InputError, with names like it, where `name` is not in the table; the command `remedy` lists them."""
    if name not in table:
        near = [other for other in table if name and (name in other or other in name)][:3]
        near = near or get_close_matches(name, table, cutoff=0.8)
        hint = f"did you mean {', '.join(near)}? " if near else ""
        raise InputError(f"no {noun} is called {name!r}; {hint}`{remedy}` prints the names")


@contextmanager
def ended(pool: ProcessPoolExecutor) -> Iterator[ProcessPoolExecutor]:
    """The pool, which ends with the work; where something is raised, an interruption say, at once with all children."""
    try:
        yield pool
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        for child in active_children():
            child.terminate()
        raise
    pool.shutdown()


def ignore_interruptions() -> None:
    """For children: a terminal interrupts them too, and they would take it for the result of one task."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def bounded(seconds: int, what: str, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """`function(*args, **kwargs)` in a process of its own, of at most `seconds` of computing time and 4 GiB.

    Arguments, result and errors must be picklable. InputError, which names `what`, where a limit is met: also inside a
    library that does not listen to signals, or that gives up.
    """
    too_long = f"{what} takes more than {seconds} s of computing time; give smaller arguments, or more --seconds"
    limits = (seconds, too_long)
    with ended(ProcessPoolExecutor(1, get_context("fork"), initializer=_limit, initargs=limits)) as pool:
        try:
            return pool.submit(function, *args, **kwargs).result()
        except BrokenProcessPool:
            raise InputError(f"{what} takes more than {seconds} s or 4 GiB of memory; give smaller arguments") from None
        except (MemoryError, RecursionError, OverflowError) as error:
            raise InputError(f"{what} is beyond what can be computed ({error}); give smaller arguments") from None


def _limit(seconds: int, message: str) -> None:
    def stop(*_: Any) -> NoReturn:
        raise InputError(message)

    ignore_interruptions()
    signal.signal(signal.SIGXCPU, stop)
    faulthandler.disable()  # pytest enables it, and it would tell of a library that gives up on a page
    if not sys.stderr.isatty():  # nobody sees a progress bar, and libraries that give up write more than one line
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    # Python answers the signal between two steps of its own; a step that never ends is killed two seconds later.
    _cap(resource.RLIMIT_CPU, seconds, seconds + 2)
    _cap(resource.RLIMIT_DATA, _MEMORY, _MEMORY)


def _cap(kind: int, soft: int, hard: int) -> None:
    _, highest = resource.getrlimit(kind)
    top = hard if highest == resource.RLIM_INFINITY else min(hard, highest)
    resource.setrlimit(kind, (min(soft, top), top))
