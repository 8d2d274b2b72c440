"""Values of options that several commands read alike."""

from __future__ import annotations

from empirical.capture.prompts import DIGITS, is_number
from theory.errors import InputError


def numbers(option: str, text: str) -> tuple[int, ...]:
    """The whole numbers of an option, separated by commas. InputError for anything else, and for absurd ones."""
    words = [word.strip() for word in text.split(",")]
    if wrong := [word for word in words if not is_number(word)]:
        word = wrong[0]
        if word.isascii() and word.isdigit():
            raise InputError(f"{option} has {word[:20]}, which is too large; give numbers of at most {DIGITS} digits")
        raise InputError(f"{option} {text[:60]!r} has {word[:20]!r}, which is no number; write them as 5,9,17")
    return tuple(map(int, words))
