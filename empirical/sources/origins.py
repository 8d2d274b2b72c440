"""Where texts come from: Python and its library, Debian packages, files of the user."""

from __future__ import annotations

import gzip
import os
import re
import shutil
import stat
import subprocess
import sysconfig
import zlib
from collections.abc import Callable, Iterable
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path

from theory.errors import InputError

LIMIT = 16 << 20  # bytes of a file, packed or not
DOC = Path("/usr/share/doc")  # Debian's documentation
LICENCES = Path("/usr/share/common-licenses")
DICTIONARIES = Path("/usr/share/dictd")
_SECONDS = 60  # for a program that prints a text
_CODE = ("argparse.py", "ast.py", "asyncio/base_events.py", "calendar.py", "collections/__init__.py")
_PROSE_IN_CODE = ("doctest.py", "optparse.py", "statistics.py", "zipfile.py", "tarfile.py", "inspect.py")
_LICENCES = (
    "Apache-2.0",
    "Artistic",
    "CC0-1.0",
    "GFDL-1.3",
    "GPL-1",
    "GPL-2",
    "GPL-3",
    "LGPL-2.1",
    "LGPL-3",
    "MPL-1.1",
    "MPL-2.0",
)
PACKAGES = {
    "kjv": "bible-kjv and bible-kjv-text",
    "jargon": "jargon-text",
    "anarchism": "anarchism",
    "devil": "dict-devil",
    "policy": "debian-policy",
    "licences": "base-files",
}


class Missing(Exception):
    """A text is not on this machine."""


def found(name: str, origin: Callable[[], str], option: str) -> str:
    """The text of that name. Raises InputError, which says how to get it, if it is not there or cannot be read."""
    try:
        return origin()
    except Missing as missing:
        package = PACKAGES.get(name)
        install = f"install the Debian package {package}, or give" if package else "give"
        raise InputError(f"the text {name} is not to be had ({missing}); {install} --{option} {name}=FILE") from None


def own(path: Path) -> str:
    """A file of the user: plain or gzip, read as UTF-8, whose wrong bytes become spaces in cleaning.

    Raises InputError for what is no regular file or cannot be read, of more than LIMIT bytes, or with NUL bytes.
    """
    try:
        return _read(path)
    except Missing as missing:
        raise InputError(f"{missing}; give another file") from None


def _read(path: Path) -> str:
    try:
        with open(path, "rb", opener=_at_once) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise Missing(f"{path} is no regular file")
            data = file.read(LIMIT + 1)
        if data[:2] == b"\x1f\x8b" and len(data) <= LIMIT:
            with gzip.open(BytesIO(data)) as unpacked:
                data = unpacked.read(LIMIT + 1)
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise Missing(f"{path} is a broken gzip file") from None
    except (OSError, ValueError) as error:
        raise Missing(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if len(data) > LIMIT:
        raise Missing(f"{path} has more than {LIMIT >> 20} MiB of text")
    if b"\0" in data:
        raise Missing(f"{path} holds NUL bytes and is no UTF-8 text")
    return data.decode("utf-8", "replace")


def _at_once(path: str, flags: int) -> int:
    """Opens a pipe too, without waiting for one who writes to it."""
    return os.open(path, flags | os.O_NONBLOCK)


def _joined(paths: Iterable[Path]) -> str:
    return "\n".join(_read(path) for path in paths)


def _kjv() -> str:
    """The King James Bible as `bible` prints it, without the numbers of verses."""
    program = shutil.which("bible")
    if program is None:
        raise Missing("there is no program bible")
    words = [program, "-l70", "Gen1:1-Rev22:21"]
    try:
        # It looks for its data in the current folder first.
        done = subprocess.run(
            words, check=False, cwd="/", stdin=subprocess.DEVNULL, capture_output=True, timeout=_SECONDS
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Missing(f"{program} fails: {type(error).__name__}") from None
    if done.returncode or not done.stdout:
        raise Missing(f"{program} fails with exit code {done.returncode}")
    return re.sub(r"(?m)^ +\d+ ", "", done.stdout.decode("utf-8", "replace"))


def _jargon() -> str:
    """The Jargon File without its first third."""
    text = _read(DOC / "jargon-text" / "jargon.txt.gz")
    return text[len(text) // 3 :]


def _anarchism() -> str:
    """The first 8 sections of the Anarchist FAQ in the order of the names of their files."""
    folder = DOC / "anarchism" / "markdown"
    paths = sorted(folder.glob("sec*"), key=lambda path: path.name)[:8]
    if not paths:
        raise Missing(f"{folder} has no sections")
    return _joined(paths)


def _pydoc() -> str:
    """The topics of Python's help."""
    try:
        from pydoc_data.topics import topics
    except ImportError:
        raise Missing("this Python has no pydoc_data") from None
    return "\n".join(topics[key] for key in sorted(topics))


def _library(names: Iterable[str]) -> str:
    folder = Path(sysconfig.get_path("stdlib"))
    return _joined(folder / name for name in names)


def _unicode() -> str:
    """Names of Unicode's first signs."""
    import unicodedata

    return "\n".join(filter(None, (unicodedata.name(chr(code), "") for code in range(0x20, 0x1000))))


def _devil() -> str:
    """The Devil's Dictionary without its head."""
    return _read(DICTIONARIES / "devil.dict.dz")[6000:]


def _descriptions() -> str:
    """What scikit-learn says of its data sets; nothing of it is imported."""
    try:
        spec = find_spec("sklearn")
    except ModuleNotFoundError:
        spec = None
    if spec is None or spec.origin is None:
        raise Missing("scikit-learn is not installed: install headproof[images]")
    folder = Path(spec.origin).parent / "datasets" / "descr"
    paths = sorted(folder.glob("*.rst"), key=lambda path: path.name)
    if not paths:
        raise Missing(f"{folder} has no descriptions")
    return _joined(paths)


_PYTHON: dict[str, Callable[[], str]] = {"pydoc": _pydoc, "pycode": lambda: _library(_CODE)}
_LICENCE: dict[str, Callable[[], str]] = {"licences": lambda: _joined(LICENCES / name for name in _LICENCES)}
SOURCES: dict[str, dict[str, Callable[[], str]]] = {
    "quick": {**_PYTHON, "unicode": _unicode},
    "small": {**_PYTHON, **_LICENCE},
    "full": {"kjv": _kjv, "jargon": _jargon, "anarchism": _anarchism, **_PYTHON},
}
HELD_OUT: dict[str, dict[str, Callable[[], str]]] = {
    "quick": {"library": lambda: _library(_PROSE_IN_CODE)},
    "small": {"descriptions": _descriptions},
    "full": {"devil": _devil, "policy": lambda: _read(DOC / "debian-policy" / "policy.txt.gz"), **_LICENCE},
}
