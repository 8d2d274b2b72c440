"""Statements of claims as clauses, how a variant differs from the statement, and witnesses in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import sympy
from sympy.printing.str import StrPrinter

_OPENING, _CLOSING = "([{", ")]}"


def clauses(statement: Any, latex: bool = False) -> tuple[str, ...]:
    """A statement in words and formulas, parted where a line may end: behind "and" of a conjunction, or a semicolon."""
    if isinstance(statement, sympy.Basic):
        return tuple(_joined(_parts(statement), latex))
    return tuple(_sentences(str(statement)))


def _parts(statement: Any) -> list[sympy.Basic]:
    if isinstance(statement, sympy.And):
        return sorted(statement.args, key=sympy.default_sort_key)
    return [statement]


def _joined(parts: list[sympy.Basic], latex: bool) -> Iterator[str]:
    for left, part in zip(range(len(parts) - 1, -1, -1), parts, strict=True):
        yield (sympy.latex(part) if latex else _formula(part)) + (" and" if left else "")


class _Printer(StrPrinter):
    """SymPy's own way of writing, but for cases, which are told in words."""

    def _print_Piecewise(self, value: sympy.Piecewise) -> str:
        cases = [(self._print(part), "" if given is sympy.true else self._print(given)) for part, given in value.args]
        return f"({', '.join(f'{part} if {given}' if given else f'else {part}' for part, given in cases)})"


def _formula(value: sympy.Basic) -> str:
    if isinstance(value, sympy.Eq):
        return f"{_Printer().doprint(value.lhs)} = {_Printer().doprint(value.rhs)}"
    if isinstance(value, sympy.Implies):
        return f"if {_formula(value.args[0])}, then {_formula(value.args[1])}"
    return str(_Printer().doprint(value))


def _sentences(text: str) -> Iterator[str]:
    """A text, parted at the semicolons outside of all brackets."""
    depth, begun = 0, 0
    for at, letter in enumerate(text):
        depth += (letter in _OPENING) - (letter in _CLOSING)
        if depth == 0 and text.startswith("; ", at):
            yield text[begun : at + 1]
            begun = at + 2
    yield text[begun:]


def differing(variant: Any, statement: Any, latex: bool = False) -> tuple[str, ...]:
    """A variant in clauses; of a conjunction that shares parts with the statement, what it has in place of others."""
    new = [part for part in _parts(variant) if part not in _parts(statement)]
    old = [part for part in _parts(statement) if part not in _parts(variant)]
    if not new or not old or len(new) == len(_parts(variant)):
        return clauses(variant, latex)
    instead, place = (" ".join(_joined(parts, latex)) for parts in (new, old))
    return f"the statement with {instead}", f"in place of {place}"


def in_words(witness: Any) -> str:
    """A witness as one writes it: names with their values, numbers without their types."""
    if isinstance(witness, Mapping):
        return ", ".join(f"{name}={in_words(value)}" for name, value in witness.items())
    if isinstance(witness, tuple | list):
        return f"({', '.join(map(in_words, witness))})"
    return str(witness)
