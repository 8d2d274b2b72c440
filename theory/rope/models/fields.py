"""The fields of a JSON object, read exactly, with errors that name the field, its value and the remedy."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any

from theory.errors import InputError

# A number of more digits, or so far from 1, is a slip and not a setting.
_MOST_DIGITS = 50
_MOST_TENS = 30


@dataclass(frozen=True)
class Numeral:
    """A JSON number as it is written, so that decimals stay exact; NaN and Infinity included."""

    text: str


def parse_json(text: str, where: str) -> Any:
    """The JSON value of `text`, with numbers as Numerals; InputError names `where` and the place of the fault."""
    if not text.strip():
        raise InputError(f"{where} is empty; give a config.json")
    try:
        return json.loads(text, parse_int=Numeral, parse_float=Numeral, parse_constant=Numeral)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where} is not JSON: {error}; give a complete config.json") from error


def show(value: object) -> str:
    """A JSON value in one short line."""
    if isinstance(value, Mapping | list):
        return "an object" if isinstance(value, Mapping) else "a list"
    text = value.text if isinstance(value, Numeral) else json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


class Fields:
    """The fields of one JSON object. A field that is null counts as absent, as in Hugging Face configs.

    Every reader returns None for an absent field and raises InputError for a value of the wrong kind. Readers that take
    several names take them as spellings of one setting: where several are present, they must agree.
    """

    def __init__(self, values: Mapping[str, Any], prefix: str = "") -> None:
        self._values = {name: value for name, value in values.items() if value is not None}
        self._prefix = prefix
        self.nulls = values.keys() - self._values.keys()

    def __len__(self) -> int:
        return len(self._values)

    def __contains__(self, name: str) -> bool:
        return name in self._values

    def names(self) -> set[str]:
        """The names of the fields that are present."""
        return set(self._values)

    def text(self, *names: str) -> str | None:
        """The field as a string."""
        return self._one(names, lambda value: value if isinstance(value, str) else None, "a string; write it in quotes")

    def flag(self, *names: str) -> bool | None:
        """The field as a truth value."""
        return self._one(names, lambda value: value if isinstance(value, bool) else None, "true or false; give one")

    def number(self, *names: str) -> Fraction | None:
        """The field as a positive number."""
        return self._one(names, _positive, "a positive number of ordinary size; give one such as 10000.0")

    def integer(self, *names: str) -> int | None:
        """The field as a positive whole number."""
        return self._one(names, _whole, "a positive whole number of ordinary size; give one such as 128")

    def numbers(self, *names: str) -> tuple[Fraction, ...] | None:
        """The field as a list of positive numbers."""
        return self._one(names, _all_positive, "a list of positive numbers; give one number a plane")

    def texts(self, *names: str) -> tuple[str, ...] | None:
        """The field as a list of strings."""
        return self._one(names, _all_text, "a list of strings; write each in quotes")

    def table(self, name: str) -> Fields | None:
        """The field as an object."""

        def fields(value: Any) -> Fields | None:
            return Fields(value, f"{self._prefix}{name}.") if isinstance(value, Mapping) else None

        return self._one((name,), fields, "an object; write it in braces")

    def tables(self) -> dict[str, Fields]:
        """All fields as objects, if one of them is one; nothing otherwise."""
        if not any(isinstance(value, Mapping) for value in self._values.values()):
            return {}
        return {name: table for name in self._values if (table := self.table(name)) is not None}

    def same(self, other: Fields) -> bool:
        """Whether both hold the same fields with the same values."""
        return self._values == other._values

    def _one(self, names: tuple[str, ...], read: Any, expected: str) -> Any:
        found: dict[str, Any] = {}
        for name in names:
            if name in self._values:
                found[name] = read(self._values[name])
                if found[name] is None:
                    shown = f"{self._prefix}{name} = {show(self._values[name])}"
                    raise InputError(f"{shown} is not {expected}")
        if len(set(map(repr, found.values()))) > 1:
            shown = " and ".join(f"{self._prefix}{name} = {show(self._values[name])}" for name in found)
            raise InputError(f"{shown} contradict each other; keep the one that the model uses")
        return next(iter(found.values()), None)


def _positive(value: object) -> Fraction | None:
    if not isinstance(value, Numeral) or len(value.text) > _MOST_DIGITS + 10:
        return None
    try:
        number = Decimal(value.text)
    except InvalidOperation:  # an exponent beyond what decimals hold
        return None
    if not number.is_finite() or number <= 0 or abs(number.adjusted()) > _MOST_TENS:
        return None
    return Fraction(number)


def _whole(value: object) -> int | None:
    number = _positive(value)
    return number.numerator if number is not None and number.denominator == 1 else None


def _all_positive(value: object) -> tuple[Fraction, ...] | None:
    if not isinstance(value, list):
        return None
    numbers = tuple(number for entry in value if (number := _positive(entry)) is not None)
    return numbers if len(numbers) == len(value) else None


def _all_text(value: object) -> tuple[str, ...] | None:
    if not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
        return None
    return tuple(value)
