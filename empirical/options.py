"""Values of options that several commands read alike."""

from __future__ import annotations

from empirical.capture.prompts import is_number
from theory.errors import InputError


def numbers(option: str, text: str) -> tuple[int, ...]:
    """The whole numbers of an option, separated by commas. InputError for anything else."""
    words = [word.strip() for word in text.split(",")]
    if wrong := [word for word in words if not is_number(word)]:
        raise InputError(f"{option} {text!r} has {wrong[0]!r}, which is no number; write them as 5,9,17")
    return tuple(map(int, words))
