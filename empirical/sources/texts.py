"""Texts as letters of one small alphabet: cleaning, the sources of a tier, texts held out, and files of the user."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from empirical.sources import origins
from theory.errors import InputError

VOCABULARY = 96  # newline, and ASCII from space to tilde
KEPT = 400_000  # letters of a text
LEAST = 1000  # letters: 15 % of them are a test part with room for windows
MOST = 32  # texts
PARTS = {"quick": (40_000, 8000), "small": (150_000, 30_000), "full": (170_000, 30_000)}  # letters to train and to test
_SIGNS = {"‘": "'", "’": "'", "‚": "'", "“": '"', "”": '"', "„": '"', "—": "--", "–": "-"}
_TABLE = str.maketrans(_SIGNS)
Origins = Mapping[str, Callable[[], str]]


@dataclass(frozen=True, eq=False)
class Text:
    """A text after cleaning, in two parts.

    Attributes:
        name: what it is called.
        letters: (length,), int64, 0..95.
        sha256: of the letters, one byte each.
        split: how many letters the first part has.
    """

    name: str
    letters: Tensor
    sha256: str
    split: int

    @property
    def train(self) -> Tensor:
        """The first part: of a source what is trained on, of a text held out what z adapts to."""
        return self.letters[: self.split]

    @property
    def test(self) -> Tensor:
        """The second part."""
        return self.letters[self.split :]

    def as_json(self) -> dict[str, Any]:
        return {"name": self.name, "letters": len(self.letters), "sha256": self.sha256, "split": self.split}


def cleaned(text: str) -> str:
    """The text in newlines and ASCII: no run of spaces, no space beside a newline, at most one blank line at a time.

    Typographic quotes and dashes become ASCII ones; everything else outside the alphabet becomes a space.
    """
    text = re.sub(r"[^\n -~]", " ", text.translate(_TABLE))
    text = re.sub(r" *\n *", "\n", re.sub(r" {2,}", " ", text))
    return re.sub(r"\n{3,}", "\n\n", text)


def encoded(text: str) -> Tensor:
    """Cleaned text as numbers (length,), int64: newline 0, and the other signs their ASCII code minus 31.

    Raises InputError for a sign outside the alphabet.
    """
    if wrong := re.search(r"[^\n -~]", text):
        raise InputError(f"{wrong.group()!r} is not in the alphabet; clean the text first")
    codes = torch.tensor(list(text.encode("ascii")), dtype=torch.int64)
    return torch.where(codes == ord("\n"), 0, codes - 31)


def decoded(letters: Tensor) -> str:
    """The text of letters (length,)."""
    return "".join("\n" if code == 0 else chr(code + 31) for code in letters.tolist())


def sources(tier: str, given: Sequence[str] = ()) -> list[Text]:
    """The sources of a tier ("quick", "small", "full"), from K = 2 on, or those that NAME=FILE of the user make them.

    Names of the tier's own sources stand for these; with any other name, the files are all the sources. A text that is
    shorter than the tier wants is split in the same proportion. Raises InputError for texts that are missing, too
    short, or of one name, and for fewer than two.
    """
    found = _texts("source", origins.SOURCES[tier], given, lambda length: _parts(length, *PARTS[tier]))
    if len(found) < 2:
        raise InputError(f"{found[0].name} is the only source, which leaves nothing to infer; give --source twice")
    return found


def held_out(tier: str, given: Sequence[str] = ()) -> list[Text]:
    """The texts that no model is trained on, each in two halves; NAME=FILE as for `sources`."""
    return _texts("held-out", origins.HELD_OUT[tier], given, lambda length: (length, length // 2))


def refuse_shared(sources: Sequence[Text], held_out: Sequence[Text]) -> None:
    """Raise InputError where a text is held out and a source too."""
    known = {text.sha256: text.name for text in sources}
    for text in held_out:
        if text.sha256 in known or text.name in known.values():
            raise InputError(
                f"{text.name} is held out and also the source {known.get(text.sha256, text.name)}; "
                "give another --held-out"
            )


def _parts(length: int, train: int, test: int) -> tuple[int, int]:
    """How many letters are used, and how many of them are for training."""
    used = min(length, train + test)
    return used, used * train // (train + test)


def _texts(option: str, origin: Origins, given: Sequence[str], parts: Callable[[int], tuple[int, int]]) -> list[Text]:
    files = dict[str, Path]()
    for each in given:
        name, path = _pair(option, each)
        if name in files:
            raise InputError(f"--{option} gives {name} twice; use another name for one of them")
        files[name] = path
    if len(files) > MOST:
        raise InputError(f"--{option} gives {len(files)} texts; give at most {MOST}")
    names = list(origin) if files.keys() <= origin.keys() else list(files)
    found = []
    for name in names:
        raw = origins.own(files[name]) if name in files else origins.found(name, origin[name], option)
        found.append(_text(name, raw, parts, f"--{option} {name}={files[name]}" if name in files else name))
    same = {text.sha256: text.name for text in reversed(found)}
    for text in found:
        if same[text.sha256] != text.name:
            raise InputError(f"{same[text.sha256]} and {text.name} are the same text; give --{option} another file")
    return found


def _pair(option: str, given: str) -> tuple[str, Path]:
    """Name and file of NAME=FILE."""
    name, sign, path = given.partition("=")
    if not sign or not path or not re.fullmatch(r"[A-Za-z0-9_.-]{1,24}", name):
        raise InputError(
            f"--{option} {given[:60]!r} is not NAME=FILE; give a name of at most 24 letters, digits and - _ . first"
        )
    return name, Path(path)


def _text(name: str, raw: str, parts: Callable[[int], tuple[int, int]], called: str) -> Text:
    text = cleaned(raw)[:KEPT]
    if len(text) < LEAST or not text.strip():
        raise InputError(
            f"{called} has {len(text.strip())} letters after cleaning, which keeps ASCII alone; "
            f"give a text of at least {LEAST}"
        )
    used, split = parts(len(text))
    letters = encoded(text[:used])
    return Text(name, letters, hashlib.sha256(bytes(letters.tolist())).hexdigest(), split)
