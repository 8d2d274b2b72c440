"""Exact numbers as text, the same on every command line.

    number  = term { ("+" | "-") term }
    term    = factor { ("*" | "/") factor }
    factor  = ("+" | "-") factor | power
    power   = atom [ ("^" | "**") factor ]          rational exponent; groups to the right
    atom    = literal | "pi" | "(" number ")" | "sqrt" "(" number ")"
            | "rope" "(" "base" "=" number "," "d" "=" number "," "k" "=" number ")"
    literal = digits [ "." [ digits ] ] [ exponent ] | "." digits [ exponent ]
    exponent = ("e" | "E") [ "+" | "-" ] digits

A decimal is the rational number that it spells: 0.1 is 1/10. rope(base=b,d=d,k=k) is the angle b^(-2(k-1)/d) of plane
k = 1..d/2. Vectors and matrices are JSON lists, and lists of such lists, of numbers or of strings in this grammar:
[1, 0.5, "sqrt(2)/2"]. Examples: 11, 1/7, 1e-3, 2*pi*5/13, (1+sqrt(5))/2, 10^(-1/64), rope(base=10000,d=128,k=2).
"""

from __future__ import annotations

import json
import re
from fractions import Fraction
from typing import Any, NoReturn

import sympy

from theory.arithmetic.angle import Angle
from theory.arithmetic.real import Real
from theory.errors import InputError
from theory.outcome import Outcome

# Bounds that no honest number meets and that keep hostile text from costing time or memory.
_MAX_LENGTH = 1000
_MAX_JSON_LENGTH = 1_000_000
_MAX_DEPTH = 32
_MAX_BITS = 4096
_MAX_DECIMAL_EXPONENT = 1000

_TOKEN = re.compile(r"\s*(?:((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|([A-Za-z_]+)|(\*\*|[-+*/^(),=]))", re.ASCII)


def parse_number(text: str) -> sympy.Expr:
    """The exact real number that `text` spells; InputError for anything else."""
    return _Parser(text).whole()


def parse_vector(text: str) -> tuple[sympy.Expr, ...]:
    """The numbers of a JSON list, at least one."""
    return _vector(text, _json(text))


def parse_matrix(text: str) -> tuple[tuple[sympy.Expr, ...], ...]:
    """The rows of a JSON list of lists of equal length, at least 1 x 1."""
    rows = _json(text)
    if not isinstance(rows, list) or not rows:
        raise InputError(f'{_quote(text)} is no matrix; give a JSON list of rows such as [[1, 0], ["1/3", 0.5]]')
    matrix = tuple(_vector(text, row) for row in rows)
    if len({len(row) for row in matrix}) > 1:
        raise InputError(f"{_quote(text)} has rows of different lengths; give all rows the same length")
    return matrix


class _Parser:
    """Recursive descent over the grammar of the module docstring, one method a rule."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.depth = 0
        if len(text) > _MAX_LENGTH:
            self.fail(f"is longer than {_MAX_LENGTH} characters")
        self.tokens: list[str] = []
        end = 0
        while match := _TOKEN.match(text, end):
            self.tokens.append(match[0].strip())
            end = match.end()
        if rest := text[end:].strip():
            self.fail(f"has an unexpected {rest[0]!r}")
        self.tokens = [*self.tokens, ""][::-1]

    def fail(self, reason: str) -> NoReturn:
        raise InputError(f"{_quote(self.text)} {reason}; give an exact number such as 0.25, 1/7 or 2*pi*5/13")

    def accept(self, *symbols: str) -> str:
        return self.tokens.pop() if self.tokens[-1] in symbols else ""

    def expect(self, *symbols: str) -> None:
        for symbol in symbols:
            if not self.accept(symbol):
                self.fail(f"{_found(self.tokens[-1])} where {symbol!r} is needed")

    def whole(self) -> sympy.Expr:
        value = self.number()
        if self.tokens[-1]:
            self.fail(f"has an unexpected {self.tokens[-1]!r}")
        return value

    def number(self) -> sympy.Expr:
        value = self.term()
        while operation := self.accept("+", "-"):
            value = value + self.term() if operation == "+" else value - self.term()
        if _bits(value) > _MAX_BITS:
            self.fail(f"has numbers of more than {_MAX_BITS} bits")
        return value

    def term(self) -> sympy.Expr:
        value = self.factor()
        while operation := self.accept("*", "/"):
            factor = self.factor()
            if operation == "/" and Real.of(factor).equals(0) is not Outcome.REFUTED:
                self.fail("divides by what is not known to differ from 0")
            value = value * factor if operation == "*" else value / factor
        return value

    def factor(self) -> sympy.Expr:
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            self.fail(f"is nested more than {_MAX_DEPTH} deep")
        sign = self.accept("+", "-")
        value = self.factor() if sign else self.power()
        self.depth -= 1
        return -value if sign == "-" else value

    def power(self) -> sympy.Expr:
        base = self.atom()
        return self.raised(base, self.factor()) if self.accept("^", "**") else base

    def atom(self) -> sympy.Expr:
        token = self.tokens.pop()
        if token == "pi":
            return sympy.pi
        if token in ("(", "sqrt"):
            if token == "sqrt":
                self.expect("(")
            value = self.number()
            self.expect(")")
            return self.raised(value, sympy.S.Half) if token == "sqrt" else value
        if token == "rope":
            self.expect("(", "base", "=")
            base = self.number()
            self.expect(",", "d", "=")
            d = self.integer()
            self.expect(",", "k", "=")
            k = self.integer()
            self.expect(")")
            return Angle.rope(base, d, k).expr
        if not token or token[0] not in "0123456789.":
            self.fail(f"{_found(token)} where a number is needed")
        _, _, exponent = token.lower().partition("e")
        if abs(int(exponent or 0)) > _MAX_DECIMAL_EXPONENT:
            self.fail(f"has a decimal exponent beyond {_MAX_DECIMAL_EXPONENT}")
        value = Fraction(token)
        return sympy.Rational(value.numerator, value.denominator)

    def integer(self) -> int:
        value = self.number()
        if not value.is_Integer:
            self.fail("has a d or a k that is no integer")
        return int(value)

    def raised(self, base: sympy.Expr, exponent: sympy.Expr) -> sympy.Expr:
        if not exponent.is_Rational:
            self.fail("has an exponent that is not rational")
        # Every integer inside the base may be raised, so the largest one bounds the digits of the power.
        if max(abs(exponent.p) * _bits(base) / exponent.q, abs(exponent.p), exponent.q) > _MAX_BITS:
            self.fail(f"has a power of more than {_MAX_BITS} bits, or too fine a root")
        if exponent < 0 and Real.of(base).equals(0) is not Outcome.REFUTED:
            self.fail("divides by what is not known to differ from 0")
        if exponent.q > 1 and (Real.of(base) >= 0) is not Outcome.HOLDS:
            self.fail("has a root of what is not known to be at least 0")
        return base**exponent


def _found(token: str) -> str:
    return f"has {token!r}" if token else "ends"


def _bits(value: sympy.Expr) -> int:
    """The length of the longest integer inside `value`."""
    return max((max(abs(q.p), q.q).bit_length() for q in value.atoms(sympy.Rational)), default=1)


def _json(text: str) -> Any:
    """JSON whose numbers stay the text that spells them."""
    if len(text) > _MAX_JSON_LENGTH:
        raise InputError(f"{_quote(text)} is longer than {_MAX_JSON_LENGTH} characters; give a smaller matrix")
    try:
        return json.loads(text, parse_float=str, parse_int=str, parse_constant=str)
    except (json.JSONDecodeError, RecursionError):
        raise InputError(f'{_quote(text)} is not JSON; write expressions as strings: [1, "sqrt(2)"]') from None


def _vector(text: str, entries: Any) -> tuple[sympy.Expr, ...]:
    if not isinstance(entries, list) or not entries or not all(isinstance(entry, str) for entry in entries):
        raise InputError(f'{_quote(text)} has {_quote(entries)} where a list of numbers is needed, as in [1, "1/3"]')
    return tuple(parse_number(entry) for entry in entries)


def _quote(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 80 else f"{shown[:60]}...{shown[-12:]}"
