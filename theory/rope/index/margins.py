"""Margins of the Index head as linear forms in the weights of its keys, and their worst case over all inputs.

The target has weight 1 and the key t positions before it the weight f_t, before normalisation, so that a margin times
1 + F is a sum of c_t f_t with integer c_t. Letters are copied with the weight alpha = 2 unless another one is named.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from itertools import product

from sympy import Matrix

from theory.arithmetic.angle import Angle
from theory.arithmetic.ball import exp, minimum, versine
from theory.arithmetic.real import Real
from theory.quantities import Enclosure, Length2, NonzeroAngle, Number, Offset, quantity
from theory.rope.index.head import index_embedding, index_head, index_unembedding
from theory.rope.index.temperature import aliases
from theory.rope.index.weights import weight_sum
from theory.rope.index.window import check_query

# The coefficients c_t by offset t, and an input as token numbers, letters first, the query last.
Form = Mapping[int, int]
Input = tuple[int, ...]


@cache
def margin_forms(n: int, offset: int, alpha: int = 2) -> list[tuple[Input, list[Form]]]:
    """For every input over two letters and the integers 1..n-1 its margins, times 1 + F, over each wrong token.

    The query is either letter if `offset` is 0, else that integer.
    """
    embedding, decode = index_embedding(2, n - 1), index_unembedding(2, n - 1)
    kept = _rows(decode * embedding)
    copied = _rows(decode * index_head(2, n - 1, alpha=alpha).W_V * embedding)
    found: list[tuple[Input, list[Form]]] = []
    for before, query in product(product(range(n + 1), repeat=n - 1), [offset + 1] if offset else [0, 1]):
        tokens = (*before, query)
        target = tokens[n - 1 - offset]
        right = target if target < 2 else query
        forms: list[Form] = []
        for wrong in set(range(n + 1)) - {right}:
            own = kept[right][query] - kept[wrong][query]
            added = (own + copied[right][token] - copied[wrong][token] for token in tokens)
            forms.append({n - 1 - at - offset: weight for at, weight in enumerate(added)})
        found.append((tokens, forms))
    return found


def _rows(matrix: Matrix) -> list[list[int]]:
    return [[int(entry) for entry in row] for row in matrix.tolist()]


def worst_margin(total: Real, own: Real, offset: int) -> Real:
    """The least margin over all inputs with two letters or more, given F and the weight of the query's own key.

    A letter query is worst off if all else is one wrong letter; an integer query is ahead of itself by 1 - F, and of
    a wrong letter that fills all other positions by 2 (1 - F + own), over 1 + F.
    """
    if offset == 0:
        return (3 - total) / (1 + total)
    return minimum((1 - total, 2 * (1 - total + own))) / (1 + total)


def softmax_margin(n: int, angle: Angle, beta: Real, offset: int) -> Real:
    """The least margin of the softmax layer over all inputs of length `n` >= 2 with this query offset."""
    check_query(n, offset)
    total = weight_sum(offset, n - 1 - offset, beta, angle)
    return worst_margin(total, exp(-beta * versine(angle.real * offset)), offset)


def hard_margin(n: int, angle: Angle, offset: int) -> Real:
    """The least margin with hard attention; it is exact, and at most 0 where competitors alias with the target."""
    check_query(n, offset)
    period = angle.turns.denominator if angle.turns else 0
    own = Real.of(int(period > 0 and offset % period == 0))
    return worst_margin(Real.of(aliases(n, offset, angle)), own, offset)


@quantity("index-softmax-margin", unit="output coordinate", claim="index-softmax-threshold")
def index_softmax_margin(n: Length2, theta: NonzeroAngle, beta: Number, offset: Offset = 0) -> Enclosure:
    """The least margin over all inputs of length n with this query offset (0: a letter); above 0 iff they decode."""
    return Enclosure(softmax_margin(n, theta, beta, offset))


@quantity("index-hard-margin", unit="output coordinate", claim="index-feasibility")
def index_hard_margin(n: Length2, theta: NonzeroAngle, offset: Offset = 0) -> Enclosure:
    """The least margin of hard attention over all inputs of length n with this query offset (0: a letter query)."""
    return Enclosure(hard_margin(n, theta, offset))
