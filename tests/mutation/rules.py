"""What is no mutant, by rule: operators that are left out, and text that no run looks at."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

# Operators of cosmic-ray, and why they are left out. Most of these mutants would be killed, by a TypeError at once.
LEFT_OUT = {
    r"ReplaceBinaryOperator_\w*(Bit|Shift)": "numbers that are no integers refuse bits, and sets refuse arithmetic",
    r"ReplaceComparisonOperator_(?!IsNot_)\w+_Is$": "identity is equality for enumerations, None and small integers",
    r"ReplaceComparisonOperator_(?!Is_)\w+_IsNot$": "the same",
    r"ReplaceComparisonOperator_Is(Not)?_(?!Is)": "the same; enumerations and None have no order",
    r"ReplaceUnaryOperator_USub_": "+x is what deleting the sign makes too; `not x` and `~x` are no numbers",
}
_CACHES = {"cache", "lru_cache"}
_GUARDS = {"strict", "frozen"}  # zip(strict=True), dataclass(frozen=True)
_STAR = re.compile(r"\*(?=,)")
_PROSE = {"claim", "Source", "Hypothesis"}

Place = tuple[int, int]  # line from 1, column from 0
Span = tuple[Place, Place]


def left_out(operator: str, source: str) -> bool:
    """Whether an operator, by its name, is left out in a module.

    Numbers of a module that draws are too: sizes and places in a picture are judged by eye.
    """
    layout = operator.endswith("NumberReplacer") and re.search(r"^\s*(from|import) matplotlib", source, re.M)
    return bool(layout) or any(re.search(pattern, operator) for pattern in LEFT_OUT)


def spans(source: str) -> list[Span]:
    """The text that is left alone.

    Annotations, which nothing evaluates; the prose of claims; decorators that only remember results; keywords that only
    forbid what nothing does; and the star of a signature, which cosmic-ray takes for a product.
    """
    lines = enumerate(source.splitlines(), start=1)
    stars = [((number, at.start()), (number, at.end())) for number, line in lines for at in _STAR.finditer(line)]
    return stars + [span for node in ast.walk(ast.parse(source)) for span in _left_alone(node)]


def _left_alone(node: ast.AST) -> Iterator[Span]:
    match node:
        case ast.arg(annotation=ast.expr() as annotation) | ast.AnnAssign(annotation=annotation):
            yield _span(annotation)
        case ast.FunctionDef():
            yield from [_span(node.returns)] if node.returns else []
            caches = (_span(decorator) for decorator in node.decorator_list if _name(decorator) in _CACHES)
            yield from (((line, column - 1), end) for (line, column), end in caches)  # with the @ before it
        case ast.Call():
            yield from (_span(keyword.value) for keyword in node.keywords if keyword.arg in _GUARDS)
            if _name(node) in _PROSE:
                yield from (_span(part) for part in ast.walk(node) if isinstance(part, ast.JoinedStr))


def _name(node: ast.expr) -> str:
    called = node.func if isinstance(node, ast.Call) else node
    return ast.unparse(called).rpartition(".")[2]


def _span(node: ast.expr | ast.stmt) -> Span:
    return (node.lineno, node.col_offset), (node.end_lineno or node.lineno, node.end_col_offset or node.col_offset)


def is_thorough(source: str, place: Place) -> bool:
    """Whether only a thorough run reaches a place: x in `x if thorough else y`, `x * thorough` or `if thorough: x`."""
    first: ast.expr | ast.stmt
    last: ast.expr | ast.stmt
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.If(test=ast.Name(id="thorough"), body=[first, *_]):
                last = node.body[-1]
            case (
                ast.IfExp(test=ast.Name(id="thorough"), body=first)
                | ast.BinOp(left=first, op=ast.Mult(), right=ast.Name(id="thorough"))
            ):
                last = first
            case _:
                continue
        if _span(first)[0] <= place < _span(last)[1]:
            return True
    return False


def statement_at(source: str, line: int) -> range:
    """The lines of the function, method or other statement at a line, with its decorators."""
    found = range(line, line + 1)
    for node in ast.walk(ast.parse(source)):  # from the outside to the inside
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            decorators = [decorator.lineno for decorator in node.decorator_list]
            lines = range(min([node.lineno, *decorators]), (node.end_lineno or node.lineno) + 1)
            if line in lines and (isinstance(node, ast.FunctionDef) or len(found) == 1):
                found = lines
    return found
