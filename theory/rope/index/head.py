"""The Index head: one rotary plane whose keys ignore content and whose integer queries look back by their value.

Source: arXiv 2605.31558, Thm 3.1 and App. F.2.1. Tokens are A letters and the integers 1..I; their one-hot
coordinates are followed by a bias coordinate that is 1 on every token, so d = A + I + 1. The layer returns x + a,
where a copies letters with weight `alpha` and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product

import sympy
from sympy import Expr, Matrix, cos, sin

from theory.claims import Source, claim
from theory.errors import InputError
from theory.evidence import Enumeration, Evidence, Identity
from theory.rope.head import UP, Head, code
from theory.rope.rotation import PAPER
from theory.symbols import i, j, n, s, theta

SOURCE = Source(PAPER, "Thm 3.1 and App. F.2.1")


def query_column(offset: Expr | int, angle: Expr = theta) -> Matrix:
    """The query rho(angle)^-offset (0, 1)^T of an integer token, or of a letter with offset 0, 2 x 1."""
    return code(offset * angle)


def key_column() -> Matrix:
    """The key (0, 1)^T of every token, 2 x 1."""
    return UP


def index_embedding(letters: int, integers: int) -> Matrix:
    """One column (one-hot, 1) for each token, d x (A + I) with d = A + I + 1: letters first, then the integers 1..I.

    Raises InputError for fewer than two letters or no integer.
    """
    if letters < 2:
        raise InputError(f"letters={letters}: an alphabet needs two letters to be told apart; give letters >= 2")
    if integers < 1:
        raise InputError(f"integers={integers}: an Index query is an integer token; give integers >= 1")
    tokens = letters + integers
    return Matrix.vstack(sympy.eye(tokens), sympy.ones(1, tokens))


def index_unembedding(letters: int, integers: int) -> Matrix:
    """The decoder of the A + I token coordinates, (A + I) x d: the bias coordinate is not read."""
    tokens = letters + integers
    return Matrix.hstack(sympy.eye(tokens), sympy.zeros(tokens, 1))


def index_head(letters: int, integers: int, angle: Expr = theta, alpha: Expr | int = 2) -> Head:
    """The query, key and value maps of T_Index, with d = letters + integers + 1 and d_head = 2.

    Args:
        letters: A >= 2 letters, at coordinates 0..A-1.
        integers: I >= 1 integers 1..I, at coordinates A..A+I-1.
        angle: radians per position.
        alpha: the weight of a copied letter against the residual, above 1.

    Raises InputError as `index_embedding` does.
    """
    tokens = index_embedding(letters, integers).cols
    offsets = [0] * letters + list(range(1, integers + 1))
    queries = [query_column(offset, angle) for offset in offsets]
    return Head(
        angles=(angle,),
        W_Q=Matrix.hstack(*queries, sympy.zeros(2, 1)),
        W_K=Matrix.hstack(sympy.zeros(2, tokens), key_column()),
        W_V=sympy.diag(*[alpha] * letters, *[0] * (integers + 1)),
    )


ClosedForm = Callable[[Expr, Expr, Expr, Expr], Expr]


def index_logit(query_position: Expr, key_position: Expr, offset: Expr, angle: Expr) -> Expr:
    """The logit cos((i - j - s) angle) of a query with offset s at i and any key at j."""
    return cos((query_position - key_position - offset) * angle)


@claim(
    "index-logit",
    source=SOURCE,
    quantifiers="for all angles, offsets s, positions n and j, and all tokens; an identity",
    statement=lambda closed: sympy.Eq(sympy.Symbol("L(x_n, n, x_j, j)"), closed(n, j, s, theta)),
    variant=index_logit,
    controls={
        "the head looks forward": lambda a, b, offset, angle: cos((a - b + offset) * angle),
        "one position beside": lambda a, b, offset, angle: cos((a - b - offset + 1) * angle),
        "sine": lambda a, b, offset, angle: sin((a - b - offset) * angle),
    },
    does_not_show="that the maximum is attained only at the target: that needs an angle that does not alias",
)
def index_logit_closed_form(closed: ClosedForm, thorough: bool) -> Iterator[Evidence]:
    """The columns with symbolic offset, then every pair of tokens through W_Q and W_K; Niven angles agree exactly."""
    columns = Head((theta,), query_column(s), key_column(), Matrix())
    one = Matrix([1])
    yield Identity("columns, offset s", [("logit", columns.logit(one, i, one, j), closed(i, j, s, theta))])
    yield Identity("tokens through W_Q and W_K", _token_pairs(closed, integers=6 if thorough else 2))
    yield Enumeration("angles with rational cosines", _rational_cosines(closed, length=8 if thorough else 4))


def _token_pairs(closed: ClosedForm, integers: int) -> Iterator[tuple[str, Expr, Expr]]:
    head, embedding = index_head(2, integers), index_embedding(2, integers)
    for query, key in product(range(embedding.cols), repeat=2):
        offset = max(0, query - 1)
        logit = head.logit(embedding[:, query], i, embedding[:, key], j)
        yield f"query token {query}, key token {key}", logit, closed(i, j, offset, theta)


def _rational_cosines(closed: ClosedForm, length: int) -> Iterator[tuple[object, bool]]:
    for angle in (sympy.pi / 3, sympy.pi / 2, 2 * sympy.pi / 3, sympy.pi):
        head, embedding = index_head(2, length, angle), index_embedding(2, length)
        for last in range(1, length + 1):
            for offset, key in product(range(last), range(1, last + 1)):
                query = embedding[:, offset + 1 if offset else 0]
                logit = head.logit(query, last, embedding[:, 0], key)
                yield {"theta": angle, "n": last, "s": offset, "j": key}, logit == closed(last, key, offset, angle)
