"""The scores of the hand-built heads: 1 for what they are, and an average of sech for what they are not.

Source: derived from the definition in arXiv 2605.31558, App. D, for the heads of Thm 3.1. With g and h as in
`score-logit-closed-form`, a positional head has h = g and a symbolic one h = -g.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from sympy import Expr, Integer, Symbol, sech, symbols

from theory.arithmetic.ball import Real, cos, cosh, evaluate, maximum, minimum
from theory.claims import Source, claim
from theory.errors import InputError
from theory.evidence import Enumeration, Equation, Evidence, Identity
from theory.quantities import AnyAngle, Enclosure, Length, Letters, Number, Offset, Positive, Vector, quantity
from theory.rope.index import head as index_head
from theory.rope.index.window import angle_of, check_query
from theory.rope.retrieval import head as retrieval_head
from theory.rope.rotation import PAPER, logit
from theory.rope.scores.closed_form import G, X, cosines, rational_square
from theory.rope.scores.definition import ONE, as_results, scores, squared_cosine, swaps
from theory.symbols import i, j, n, omega, phi_q, s, theta

Scores = Callable[[Expr], tuple[Expr, Expr]]
ANGLES = (Fraction(1, 6), Fraction(1, 4), Fraction(1, 3), Fraction(1, 2))


@dataclass(frozen=True)
class Null:
    """What a swap with logit difference g adds to s_POS and s_SYM of the two heads.

    Args:
        step: the frequency of T_Retrieval in units of omega; 0 in the statement.
    """

    index: Scores = lambda g: (Integer(1), sech(g))
    retrieval: Scores = lambda g: (sech(g), Integer(1))
    step: int = 0

    def __str__(self) -> str:
        g = Symbol("beta (l_i - l_j)", real=True)
        parts = (self.index(g), self.retrieval(g))
        index, retrieval = (f"s_POS averages {positional}, s_SYM averages {symbolic}" for positional, symbolic in parts)
        angle = f"{self.step} omega" if self.step else "0"
        return f"T_Index: {index} over the swaps; T_Retrieval at theta = {angle}: {retrieval}"


@claim(
    "score-hand-built-heads",
    source=Source(PAPER, "Thm 3.1 and App. D", "derived"),
    quantifiers="for all angles of T_Index, offsets, alphabets, inputs with n >= 3, swaps, beta and tau; an identity",
    statement=str,
    variant=Null(),
    controls={
        "T_Retrieval at theta = omega": Null(step=1),
        "scores of T_Index add up to 1": Null(index=lambda g: (Integer(1), Integer(0))),
        "half the difference": Null(
            index=lambda g: (Integer(1), sech(g / 2)), retrieval=lambda g: (sech(g / 2), Integer(1))
        ),
        "exchanged": Null(index=lambda g: (sech(g), Integer(1)), retrieval=lambda g: (Integer(1), sech(g))),
    },
    does_not_show="that scores of 1 make a head positional or symbolic: score-swaps-printed",
)
def score_hand_built_heads(null: Null, thorough: bool) -> Iterator[Evidence]:
    """Logits that are multiples of 1/2 as powers of 4, so all weights are rational; then W_Q and W_K symbolically."""
    longest = 6 if thorough else 4
    yield Enumeration(f"T_Index at Niven angles, n <= {longest}", _index_swaps(null, longest))
    alphabets = (2, 3, 4, 6) if thorough else (2, 3, 4)
    yield Enumeration(f"T_Retrieval, A in {alphabets}, n <= 4", _retrieval_swaps(null, alphabets))
    yield Identity("h from the columns of W_Q and W_K", _differences(null))
    yield Identity("cosines at h = g and h = -g", _averages(null), reduce=rational_square)


def _index_swaps(null: Null, longest: int) -> Iterator[tuple[object, bool]]:
    squares = [rational_square(average) for average in null.index(G)]
    for turns, length in product(ANGLES, range(3, longest + 1)):
        for offset in range(length):
            logits = [index_head.index_logit(length, at, offset, angle_of(turns).expr) for at in range(1, length + 1)]
            case = {"theta": str(angle_of(turns)), "n": length, "s": offset}
            yield case, _as_claimed([logits[:-1]] * (length - 1), logits[-1], squares)


def _retrieval_swaps(null: Null, alphabets: tuple[int, ...]) -> Iterator[tuple[object, bool]]:
    squares = [rational_square(average) for average in null.retrieval(G)]
    for letters, size in product(alphabets, (2, 3)):
        step, angle = angle_of(Fraction(1, letters)).real, angle_of(Fraction(null.step, letters)).real
        for left in product(range(letters), repeat=size):
            M = [[cos(retrieval_head.retrieval_phase(c, 0, size - p, step, angle)) for p in range(size)] for c in left]
            yield {"A": letters, "kappa": left}, _as_claimed(M, 1, squares)


def _as_claimed(M: Any, own: Any, squares: list[Expr]) -> bool:
    """Whether the squared cosines of all swaps are these functions of x = e^g."""
    weights = [[_weight(entry) for entry in row] for row in M]
    return all(
        [squared_cosine(u, v[::way]) for way in (1, -1)] == [evaluate(e, {X: v[0] / v[1]}).exact for e in squares]
        for u, v in swaps(weights, _weight(own))
    )


def _weight(value: Any) -> Fraction:
    """4^logit, rational for the rational cosines 0, 1/2, 1 and their negatives."""
    exponent = Real.of(2 * value).exact
    assert exponent is not None and exponent.denominator == 1
    return Fraction(2) ** exponent.numerator


def _differences(null: Null) -> Iterator[Equation]:
    query, key, angles = index_head.query_column(s), index_head.key_column(), [theta]
    at_i, at_j = (logit(query, n, key, at, angles) for at in (i, j))
    yield "T_Index: h = g", at_i - at_j, index_head.index_logit(n, i, s, theta) - index_head.index_logit(n, j, s, theta)
    letters = symbols("phi_i phi_j", integer=True)
    asked, keys = retrieval_head.query_column(phi_q), [retrieval_head.key_column(letter) for letter in letters]

    def at(content: int, position: Expr) -> Expr:
        return logit(asked, n, keys[content], position, [null.step * omega])

    yield "T_Retrieval: h = -g", at(1, i) - at(0, j), at(1, j) - at(0, i)


def _averages(null: Null) -> Iterator[Equation]:
    for head, h, claimed in (("T_Index", G, null.index(G)), ("T_Retrieval", -G, null.retrieval(G))):
        for score, cosine, average in zip(("s_POS", "s_SYM"), cosines(G, h), claimed, strict=True):
            yield f"{head}, {score}", rational_square(cosine), rational_square(average)


@quantity("index-head-scores", unit="1", claim="score-hand-built-heads")
def index_head_scores(
    n: Length, theta: AnyAngle, beta: Positive, tau: Positive, offset: Offset = 0
) -> dict[str, Enclosure]:
    """Scores of T_Index for a query with this offset, the range of its scaled logits, and s_SYM as tau falls to 0."""
    check_query(n, offset)
    logits = [Real.of(index_head.index_logit(n, at, offset, theta.expr)) for at in range(1, n + 1)]
    found = scores([logits[:-1]] * (n - 1), logits[-1], beta, tau)
    reach = beta * (maximum(logits[:-1]) - minimum(logits[:-1]))
    return as_results(found) | {"range": Enclosure(reach), "s-sym-limit": Enclosure(1 / cosh(reach))}


@quantity("retrieval-head-scores", unit="1", claim="score-hand-built-heads")
def retrieval_head_scores(
    letters: Letters, left: Vector, wanted: Number, theta: AnyAngle, tau: Positive, beta: Positive = ONE
) -> dict[str, Enclosure]:
    """Scores of T_Retrieval on an input with these left letters, numbered from 0, the query's own last."""
    numbers, asked = (
        [retrieval_head.letter_number(value, letters) for value in left],
        retrieval_head.letter_number(wanted, letters),
    )
    if len(numbers) < 3:
        raise InputError(f"left has {len(numbers)} letters, so there is no swap of two earlier tokens; give n >= 3")
    step, size = Real.of(retrieval_head.letter_step(letters)), len(numbers)

    def logit(letter: int, position: int) -> Real:
        return cos(retrieval_head.retrieval_phase(letter, asked, size - position, step, theta.real))

    rows = {letter: [logit(letter, position) for position in range(1, size)] for letter in set(numbers)}
    return as_results(scores([rows[letter] for letter in numbers[:-1]], logit(numbers[-1], size), beta, tau))
