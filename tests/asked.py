"""Quantities as the command line is asked for them."""

from __future__ import annotations

from typing import Any

from theory.quantities import quantities


def values(name: str, **arguments: object) -> dict[str, Any]:
    """All results by name; arguments are read from their text."""
    results = quantities()[name].evaluate({key: str(text) for key, text in arguments.items()})
    return {key: result.value for key, result in results.items()}


def value(name: str, **arguments: object) -> Any:
    """The only result."""
    (found,) = values(name, **arguments).values()
    return found


def floats(name: str, **arguments: object) -> dict[str, float]:
    """All results by name, rounded."""
    return {key: float(found) for key, found in values(name, **arguments).items()}
