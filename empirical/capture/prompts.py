"""Prompts from a file, one a line: as text for a tokenizer, or as token numbers."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Callable, Sequence
from pathlib import Path

from theory.errors import InputError

SHORTEST = 3  # tokens: two keys to swap, and a query
DIGITS = 18  # at most


def read_lines(path: Path) -> list[str]:
    """The lines of a UTF-8 file, without a byte order mark.

    InputError, with the number of the line, for one that is empty or not UTF-8.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}; give a file of prompts, one a line") from error
    lines = content.removeprefix(BOM_UTF8).split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    if not lines:
        raise InputError(f"{path} is empty; give one prompt a line")
    return [_decoded(line, f"{path}, line {number}") for number, line in enumerate(lines, 1)]


def _decoded(line: bytes, where: str) -> str:
    try:
        text = line.decode("utf-8").removesuffix("\r")
    except UnicodeDecodeError as error:
        raise InputError(f"{where} is not UTF-8 at byte {error.start + 1}; save the file as UTF-8") from error
    if not text.strip():
        raise InputError(f"{where} is empty; give a prompt in every line")
    return text


def is_number(word: str) -> bool:
    """Whether it is a whole number in plain digits, and not too long for one of tokens."""
    return word.isascii() and word.isdigit() and len(word) <= DIGITS


def as_numbers(line: str) -> list[int]:
    """The token numbers in a line, separated by spaces. InputError for a word that is no number."""
    words = line.split()
    if wrong := [word for word in words if not is_number(word)]:
        raise InputError(f"{wrong[0][:40]!r} is no token number; write numbers such as 17, separated by spaces")
    return [int(word) for word in words]


def read_prompts(
    path: Path, encode: Callable[[str], Sequence[int]], vocabulary: int, context: int, length: int | None = None
) -> list[list[int]]:
    """The first `length` tokens of every prompt in the file at `path`, in its order, as numbers.

    Without a length, as many as the shortest prompt has. InputError, with the number of the line, for a prompt that has
    fewer tokens, or fewer than SHORTEST, more than `context` where no length is given, or one not below `vocabulary`.
    """
    if length is not None and not SHORTEST <= length <= context:
        raise InputError(f"length {length} is not between {SHORTEST} and the model's {context} tokens; give another")
    prompts = []
    for number, line in enumerate(read_lines(path), 1):
        try:
            tokens = list(encode(line))
            needed = length or SHORTEST
            if len(tokens) < needed:
                raise InputError(f"{len(tokens)} tokens where {needed} are needed; leave the prompt out, or extend it")
            if length is None and len(tokens) > context:
                raise InputError(f"{len(tokens)} tokens, more than the model's {context}; give --length to cut it")
            if max(tokens) >= vocabulary:
                raise InputError(f"token {max(tokens)} is not below {vocabulary}, the model's vocabulary; correct it")
        except InputError as error:
            raise InputError(f"{path}, line {number}: {error}") from error
        prompts.append(tokens)
    used = length or min(map(len, prompts))
    return [tokens[:used] for tokens in prompts]
