"""The keys of a spec are fields of the records that a run is built from; their types are read off these."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from math import isfinite
from pathlib import Path
from reprlib import repr as short
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

from theory.errors import InputError

_NOUNS = {int: "a whole number", float: "a finite number", bool: "true or false", str: "a text", Path: "a path"}


def keys_of(*records: type, without: tuple[str, ...] = ()) -> dict[str, Any]:
    """The fields of these dataclasses by name, each with its type."""
    found: dict[str, Any] = {}
    for record in records:
        hints = get_type_hints(record)
        found |= {field.name: hints[field.name] for field in fields(record) if field.name not in without}
    return found


def typed(name: str, value: Any, hint: Any) -> Any:
    """A value that YAML has read, as the type that its key wants. Raises InputError if it is of another."""
    try:
        return _typed(value, hint)
    except TypeError:
        raise InputError(f"{name}={short(value)} is not {_noun(hint)}; give one") from None


def _typed(value: Any, hint: Any) -> Any:
    if isinstance(hint, UnionType):  # of one type and None
        kind, _ = get_args(hint)
        return None if value is None else _typed(value, kind)
    if get_origin(hint) is tuple:
        if not isinstance(value, list):
            raise TypeError
        return tuple(_typed(entry, get_args(hint)[0]) for entry in value)
    if hint is float and not isinstance(value, bool):
        return _number(value)
    if hint is Path and isinstance(value, str) and value and "\0" not in value:
        return Path(value)
    if type(value) is not hint:  # not isinstance: true is no whole number
        raise TypeError
    return value


def _number(value: Any) -> float:
    """A finite number; YAML takes 1e-3, without a point, for a text."""
    if not isinstance(value, int | float | str):
        raise TypeError
    try:
        number = float(value)
    except (ValueError, OverflowError):
        raise TypeError from None
    if not isfinite(number):
        raise TypeError
    return number


def _noun(hint: Any) -> str:
    if isinstance(hint, UnionType):
        return f"{_noun(get_args(hint)[0])} or null"
    if get_origin(hint) is tuple:
        return f"a list, each entry {_noun(get_args(hint)[0])}"
    return _NOUNS[hint]


def require_known(name: str, known: Mapping[str, Any], what: str) -> None:
    """Raise InputError, with all keys that there are, unless the key is one of them."""
    if name not in known:
        raise InputError(f"{short(name)} is no key of {what}; the keys are {', '.join(sorted(known))}")
