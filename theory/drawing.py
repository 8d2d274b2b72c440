"""The look of all figures, and how they are written: whole or not at all, and the same for the same data."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from theory.errors import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STYLE: dict[Any, Any] = {
    "font.size": 8,
    "axes.titlesize": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "savefig.dpi": 150,
    "svg.hashsalt": "headproof",
}
# Told apart by colour-blind readers too (Okabe and Ito).
BLUE, ORANGE, GREEN, RED, GREY = "#0072B2", "#E69F00", "#009E73", "#D55E00", "#777777"
_METADATA: dict[str, dict[str, Any]] = {
    "png": {"Software": None},
    "svg": {"Date": None},
    "pdf": {"CreationDate": None},
}


def write(figure: Figure, folder: Path, name: str, *kinds: str) -> list[Path]:
    """Write a figure into `folder`, once in each kind ("png", "svg", "pdf"). InputError where it cannot be written."""
    paths = [folder / f"{name}.{kind}" for kind in kinds]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path, kind in zip(paths, kinds, strict=True):
            _forget_killed(path)
            part = path.with_name(f".{path.name}.{os.getpid()}.part")
            try:
                figure.savefig(part, format=kind, metadata=_METADATA[kind])
                os.replace(part, path)
            finally:
                part.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(f"{folder} cannot be written to: {error.strerror}; give --out another folder") from error
    return paths


def _forget_killed(path: Path) -> None:
    """Remove the parts of this file that processes have left which were killed."""
    for part in path.parent.glob(f".{path.name}.*.part"):
        number = part.suffixes[-2].removeprefix(".")
        if number.isdecimal() and not _runs(int(number)):
            part.unlink(missing_ok=True)


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        pass  # it runs, but under another user
    return True
