"""Vectors as they are typed on the command line, as fractions where they are rational, and results with an index."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import sympy

from theory.arithmetic.real import Real
from theory.errors import InputError
from theory.inference.simplex import Vector
from theory.outcome import Outcome
from theory.quantities import Enclosure, Exact, Result

LARGEST = 10**100


def number(value: Any) -> Any:
    """A fraction where the value is known to be rational, else a `Real`."""
    real = Real.of(value)
    return real if (exact := real.exact) is None else exact


def vector(values: Iterable[Any]) -> Vector:
    """Every entry as a fraction or a `Real`."""
    return tuple(number(value) for value in values)


def rows(matrix: sympy.Matrix) -> tuple[Vector, ...]:
    """The rows of a matrix."""
    return tuple(vector(matrix.row(index)) for index in range(matrix.rows))


def positive(name: str, values: Sequence[Any]) -> None:
    """Raises InputError where an entry is not positive."""
    for value in values:
        if (Real.of(value) > 0) is not Outcome.HOLDS:
            raise InputError(f"{name} has the entry {value}, and all of them must be positive; give numbers > 0")


def distribution(name: str, values: Sequence[Any]) -> None:
    """Raises InputError where an entry is not positive or all do not add up to 1."""
    positive(name, values)
    if (total := Real.of(sum(values))).equals(1) is Outcome.REFUTED:
        raise InputError(f"{name} adds up to {total!r}, and shares add up to 1; divide by the sum")


def same_length(name: str, values: Sequence[Any], number: int, each: str = "task") -> None:
    """Raises InputError where there is not one entry for each task, or for each of something else."""
    if len(values) != number:
        raise InputError(f"{name} has {len(values)} entries; give {number}, one for each {each}")


def result(value: Any) -> Result:
    """A rational number exactly, any other in balls."""
    found = number(value)
    return Exact(found) if isinstance(found, Fraction) else Enclosure(found)


def results(**values: Any) -> dict[str, Result]:
    """Results by name, entries of vectors as name-1, name-2, ...; an underscore stands for a hyphen."""
    found: dict[str, Result] = {}
    for name, value in values.items():
        label = name.replace("_", "-")
        if isinstance(value, tuple):
            found |= {f"{label}-{index}": result(entry) for index, entry in enumerate(value, 1)}
        else:
            found[label] = Exact(value) if isinstance(value, str | bool) else result(value)
    return found


def largest_task(values: Sequence[Any]) -> int | str:
    """The 1-based number of the task with the largest entry, "tie" or "undecided"."""
    reals = [Real.of(value) for value in values]
    for index, value in enumerate(reals):
        if all((value > other) is Outcome.HOLDS for place, other in enumerate(reals) if place != index):
            return index + 1
    exact = [value.exact for value in reals if value.exact is not None]
    return "tie" if len(exact) == len(reals) else "undecided"


def doubles(name: str, values: Iterable[Any]) -> list[float]:
    """Numbers for float64. Raises InputError where one is so large that squares of it would not be finite."""
    found = [Real.of(value) for value in values]
    for value in found:
        if (abs(value) <= LARGEST) is not Outcome.HOLDS:
            raise InputError(f"{name} has the entry {value!r}, too large to compute with; give numbers up to 1e100")
    return list(map(float, found))
