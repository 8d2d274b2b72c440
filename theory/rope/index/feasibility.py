"""The Index head with hard attention computes Index at the last position, with margins 3, 1 and 1.

Source: arXiv 2605.31558, Thm 3.1 and App. F.2.1, with the hypotheses that the proof uses. The margin of an output is
its correct coordinate minus the largest other one; a margin of 0 is a tie, which decodes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import sympy
from sympy import Expr, Matrix, cos, symbols

from theory.claims import Hypothesis, claim
from theory.evidence import Enumeration, Evidence, Identity
from theory.rope.head import Head
from theory.rope.index.head import (
    SOURCE,
    index_embedding,
    index_head,
    index_unembedding,
    key_column,
    query_column,
)
from theory.rope.index.window import angle_of, fold, rational_turns
from theory.rope.sequences import Symbol, show
from theory.symbols import i, j, n, s, theta

Margins = Callable[[Any], tuple[Any, Any, Any]]
# The letters and integers of the enumeration, in the order of the embedding.
TOKENS: tuple[Symbol, ...] = ("a", "b", 1, 2)


def hard_margins(alpha: Any) -> tuple[Any, Any, Any]:
    """The margins of a letter query, of an integer that finds a letter, and of one that finds an integer."""
    return 1 + alpha, alpha - 1, 1


@dataclass(frozen=True)
class Layer:
    """The Index head inside its layer, the margins that it is said to have, and the inputs on which it is tried.

    Args:
        alpha: the weight with which letters are copied, and integers too if `copy_integers`.
        residual: the weight of the residual connection.
        turn: the sign of the rotation exponent; 1 for the logit k^T R^{n-j} q.
        margins: as `hard_margins`.
        aliases: admit angles of which a multiple t theta, 2 <= t < n, is a multiple of 2 pi.
        past_start: admit pointers to before position 1, which Index should then leave as they are.
    """

    alpha: int = 2
    copy_integers: bool = False
    residual: int = 1
    turn: int = 1
    margins: Margins = hard_margins
    aliases: bool = False
    past_start: bool = False

    def __str__(self) -> str:
        letter, found, kept = self.margins(self.alpha)
        copied = "letters and integers" if self.copy_integers else "letters"
        angles = "any theta that is no multiple of 2 pi" if self.aliases else "theta without aliases"
        pointers = "those before position 1 kept" if self.past_start else "Index-valid"
        return (
            f"with logits cos({self.multiple(n, j, s) * theta}), y = {self.residual} x + a, {copied} copied "
            f"{self.alpha} times, {angles}, pointers {pointers}: y decodes to Index, a letter with margin {letter}, "
            f"an integer that finds a letter with {found}, one that finds an integer with {kept}"
        )

    def parts(self, alpha: Expr | int) -> tuple[Matrix, Matrix]:
        """What the residual connection and what attention adds to the decoded output, a column for each token."""
        embedding, decode = index_embedding(2, 2), index_unembedding(2, 2)
        values = index_head(2, 2, alpha=alpha).W_V + int(self.copy_integers) * alpha * sympy.diag(0, 0, 1, 1, 0)
        return decode * self.residual * embedding, decode * values * embedding

    def multiple(self, query_position: Any, key_position: Any, offset: Any) -> Any:
        """How often theta lies between a query with this offset and a key, in their logit."""
        return self.turn * (query_position - key_position) - offset


@claim(
    "index-feasibility",
    source=SOURCE,
    quantifiers="for all n <= n0, all inputs of length n that are Index-valid at n, all such angles; hard attention",
    statement=str,
    variant=Layer(),
    controls={
        "rotation exponent j - n": Layer(turn=-1),
        "integers are copied too": Layer(copy_integers=True),
        "no residual connection": Layer(residual=0),
        "margin 2 where an integer finds a letter": Layer(margins=lambda alpha: (1 + alpha, alpha, 1)),
    },
    hypotheses=(
        Hypothesis("Index-valid", "an integer query s has s < n", Layer(past_start=True)),
        Hypothesis(
            "no alias",
            "t theta is no multiple of 2 pi for 1 <= t < n0",
            Layer(aliases=True),
            "even where theta itself is no multiple of 2 pi; for letter queries alone it is not necessary",
        ),
        Hypothesis("copies outweigh the residual", "alpha > 1", Layer(alpha=1)),
    ),
    printed="a letter query returns 3 E(s); its bias coordinate is 1 in fact, which is not decoded",
    does_not_show="that soft attention decodes the same: that takes index-softmax-threshold",
)
def index_feasibility(layer: Layer, thorough: bool) -> Iterator[Evidence]:
    """Every input over two letters and the integers 1 and 2, exactly, at rational turns; then logit and outputs."""
    yield Enumeration("two letters, integers 1 and 2, rational turns", _inputs(layer, longest=5 if thorough else 4))
    yield Identity("logit", [("cosine", *_logit(layer))])
    yield Identity("outputs at full weight, any alpha", _outputs(layer))


Rows = list[list[int]]


def _inputs(layer: Layer, longest: int) -> Iterator[tuple[object, bool]]:
    kept, copied = ([[int(entry) for entry in row] for row in part.tolist()] for part in layer.parts(layer.alpha))
    for length in range(1, longest + 1):
        angles = rational_turns(2 if layer.aliases else length, max(2, length) + 1)
        for turns, query in product(angles, (2, 3, 0, 1)):
            yield from _with_query(layer, length, turns, query, kept, copied)


def _with_query(
    layer: Layer, length: int, turns: Fraction, query: int, kept: Rows, copied: Rows
) -> Iterator[tuple[object, bool]]:
    token = TOKENS[query]
    offset = token if isinstance(token, int) else 0
    if offset >= length and not layer.past_start:
        return
    distances = [fold(layer.multiple(length, key, offset) * turns) for key in range(1, length + 1)]
    angle = str(angle_of(turns))
    attended = [at for at, distance in enumerate(distances) if distance == min(distances)]
    for before in product(range(len(TOKENS)), repeat=length - 1):
        tokens = (*before, query)
        output = [
            keep[query] + Fraction(sum(copy[tokens[at]] for at in attended), len(attended))
            for keep, copy in zip(kept, copied, strict=True)
        ]
        found = tokens[length - 1 - offset] if offset < length else query
        finds_letter = isinstance(TOKENS[found], str)
        correct = found if finds_letter else query
        margin = output[correct] - max(value for number, value in enumerate(output) if number != correct)
        letter, looked_up, kept_integer = layer.margins(layer.alpha)
        claimed = letter if query < 2 else looked_up if finds_letter else kept_integer
        case = f"{show([TOKENS[number] for number in tokens])} at theta = {angle}: margin {margin}"
        yield case, margin == claimed and margin > 0


def _logit(layer: Layer) -> tuple[Expr, Expr]:
    head, one = Head((layer.turn * theta,), query_column(s), key_column(), Matrix()), Matrix([1])
    return head.logit(one, i, one, j), cos(layer.multiple(i, j, s) * theta)


def _outputs(layer: Layer) -> Iterator[tuple[str, Matrix, Matrix]]:
    alpha, unit = symbols("alpha_V", positive=True), sympy.eye(len(TOKENS))
    kept, copied = layer.parts(alpha)
    yield "a letter", kept[:, 0] + copied[:, 0], (1 + alpha) * unit[:, 0]
    yield "an integer that finds a letter", kept[:, 2] + copied[:, 0], alpha * unit[:, 0] + unit[:, 2]
    yield "an integer that finds an integer", kept[:, 2] + copied[:, 3], unit[:, 2]
