"""SymPy objects as a textbook prints them: on lines of their own, or within a sentence.

The expressions are those that the theory evaluates; only the order of their terms and factors is chosen here.
"""

from __future__ import annotations

import re
from functools import reduce
from math import gcd
from typing import Any

import sympy
from sympy import Add, Expr, Mul, Pow, Rational, cos
from sympy.core.function import Application
from sympy.core.operations import LatticeOp
from sympy.core.relational import Rel
from sympy.printing.pretty.pretty import PrettyPrinter
from sympy.printing.pretty.pretty_symbology import pretty_symbol, pretty_use_unicode, xsym
from sympy.printing.pretty.stringpict import prettyForm, stringPict
from sympy.printing.str import StrPrinter

from theory.symbols import omega

SPACE = "\N{NO-BREAK SPACE}"
_GREEK = {"Delta": "Δ", "theta": "θ", "omega": "ω", "beta": "β", "kappa": "κ", "epsilon": "ε", "pi": "π"}
_WORD = re.compile(rf"(?<![A-Za-z])(?<![A-Za-z]-)({'|'.join(_GREEK)})(?![A-Za-z-])")


def display(item: Any) -> str:
    """A SymPy expression, relation or matrix as lines of Unicode text."""
    before = pretty_use_unicode(True)  # SymPy's own guess is global, and goes by the terminal
    try:
        text = _Display({"order": "none", "wrap_line": False}).doprint(_arranged(item))
    finally:
        pretty_use_unicode(before)
    return "\n".join(line.rstrip() for line in text.splitlines())


def inline(item: Any) -> str:
    """A SymPy expression or relation on one line, which is not broken at its spaces."""
    text = _Inline({"order": "none"}).doprint(_arranged(item))
    text = re.sub(r"\*(?=\d)", "·", re.sub(r"\*\*2\b", "²", text).replace("**", "^"))
    text = re.sub(r"\*(?=[a-z]{3,}\()|(?<=_\w)\*", " ", text)
    return text.replace("*", "").replace(" ", SPACE)


def plain(text: str) -> str:
    """A text that spells Greek letters and relations out, with their signs."""
    text = _WORD.sub(lambda word: _GREEK[word[0]], text).replace("<=", "≤").replace(">=", "≥")
    text = re.sub(r"\^2(?!\d)", "²", text)
    text = re.sub(r"(?<=\d)[* ](?=[Δθωβκεπ])", "", text)
    return re.sub(r"(?<=\w)\*(?=\w)", SPACE, text)


class _Display(PrettyPrinter):
    def _print_Symbol(self, symbol: sympy.Symbol, bold_name: bool = False) -> prettyForm:
        return prettyForm(_name(symbol))

    def _print_Min(self, extreme: Application) -> prettyForm:
        return self._helper_print_function(extreme.func, extreme.args, func_name=type(extreme).__name__.lower())

    _print_Max = _print_Min

    def _print_Mul(self, product: Mul) -> prettyForm:
        if product.could_extract_minus_sign():
            return prettyForm(*stringPict.next("-", self._print(_arranged(-product))), binding=prettyForm.NEG)
        above: list[Expr] = []
        below: list[Expr] = []
        for factor in product.args:
            if factor.is_Rational:
                above += [sympy.Integer(factor.p)] * (factor.p != 1)
                below += [sympy.Integer(factor.q)] * (factor.q != 1)
            elif factor.is_Pow and factor.exp.is_Rational and factor.exp.is_negative:
                below.append(Pow(factor.base, -factor.exp))
            else:
                above.append(factor)
        numerator = self._juxtaposed(above or [sympy.Integer(1)])
        return numerator / self._juxtaposed(below) if below else numerator

    def _juxtaposed(self, factors: list[Expr]) -> prettyForm:
        forms = [self._print(factor) for factor in factors]
        if len(forms) == 1:
            return forms[0]
        forms = [
            prettyForm(*form.parens()) if factor.is_Add else form for factor, form in zip(factors, forms, strict=True)
        ]
        parts = [forms[0]]
        for before, factor, form in zip(factors, factors[1:], forms[1:], strict=False):
            apart = isinstance(factor, sympy.Function) or isinstance(before, sympy.Function) or _long(before)
            parts += ["·", form] if factor.as_base_exp()[0].is_Integer else [" ", form] if apart else [form]
        return prettyForm(*stringPict.next(*parts), binding=prettyForm.MUL)


class _Inline(StrPrinter):
    def _print_Symbol(self, symbol: sympy.Symbol) -> str:
        return _name(symbol)

    def _print_Pi(self, constant: Expr) -> str:
        return "π"

    def _print_Relational(self, relation: Rel) -> str:
        return f"{self._print(relation.lhs)} {xsym(relation.rel_op)} {self._print(relation.rhs)}"

    def _print_LatticeOp(self, extreme: Application) -> str:
        return f"{type(extreme).__name__.lower()}({', '.join(map(self._print, extreme.args))})"


def _long(factor: Expr) -> bool:
    return isinstance(factor, sympy.Symbol) and len(_name(factor)) > 1


def _name(symbol: sympy.Symbol) -> str:
    """A symbol's name in Unicode; names that are sentences keep their shape."""
    return plain(symbol.name) if "(" in symbol.name else pretty_symbol(symbol.name)


def _arranged(item: Any) -> Any:
    """The same object with sums and products in the order in which they are read aloud."""
    if not isinstance(item, sympy.Basic) or not item.args or isinstance(item, sympy.MatrixBase):
        return item.applyfunc(_arranged) if isinstance(item, sympy.MatrixBase) else item
    if isinstance(item, cos) and item.args[0].coeff(omega).could_extract_minus_sign():
        # The cosine is even: where the step between letters occurs, it leads.
        return cos(_common(-item.args[0]), evaluate=False)
    if isinstance(item, sympy.Function) and len(item.args) == 1:
        return item.func(_common(item.args[0]), evaluate=False)
    arguments = [_arranged(argument) for argument in item.args]
    if isinstance(item, Add):
        return Add(*sorted(arguments, key=_place_in_sum), evaluate=False)
    if isinstance(item, Mul):
        return Mul(*sorted(arguments, key=_place_in_product), evaluate=False)
    return item.func(*arguments, evaluate=False) if isinstance(item, Pow | Rel | LatticeOp) else item.func(*arguments)


def _common(argument: Expr) -> Expr:
    """A sum of halves as the half of a sum."""
    terms = Add.make_args(argument)
    denominators = [int(term.as_coeff_Mul()[0].q) for term in terms]
    if len(terms) == 1 or (common := reduce(gcd, denominators)) == 1:
        return _arranged(argument)
    return Mul(Rational(1, common), _arranged(Add(*(common * term for term in terms))), evaluate=False)


def _place_in_sum(term: Expr) -> tuple[bool, bool, bool]:
    return term.could_extract_minus_sign(), not term.has(omega), bool(term.is_number)


def _place_in_product(factor: Expr) -> int:
    kinds = (factor.is_number and factor != sympy.pi, factor == sympy.pi, factor.is_integer, factor.is_Symbol)
    return kinds.index(True) if True in kinds else len(kinds)
