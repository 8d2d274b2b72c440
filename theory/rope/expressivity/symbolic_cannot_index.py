"""A head that acts symbolically on an input does not see the order of the earlier tokens, so it cannot compute Index.

Source: arXiv 2511.11579, Thm 2 and Lemma 1; arXiv 2605.31558, Remark 3.1. The output at n is F(a, x_n) with
a = sum_j w_j VAL(x_j): whatever VAL and F are, it depends on the query and on how often each weight meets each token.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations, product
from typing import Any

import sympy
from sympy import Expr, Matrix, exp, symbols

from theory.claims import Hypothesis, Source, claim
from theory.evidence import Enumeration, Equation, Evidence, Identity
from theory.rope.rotation import logit
from theory.rope.sequences import is_proper, matches, pair_alphabet, show
from theory.symbols import n, theta

Tokens = Sequence[Any]
SYMBOLS: tuple[Any, ...] = ("a", "b", 1, 2)
# The logit of each token at each position.
Logits = Mapping[tuple[Any, int], int]


def seen(tokens: Tokens, logits: Logits, placed: bool) -> tuple[Any, Counter[Any]]:
    """All that the output at the last position can depend on; `placed` lets values depend on positions too."""
    keys = ((logits[token, at], token, at if placed else 0) for at, token in enumerate(tokens, 1))
    return tokens[-1], Counter(keys)


def index_at_end(tokens: Tokens) -> Any:
    """Index at the last position, for a letter there or an integer below the length."""
    query = tokens[-1]
    found = tokens[-1 - query] if isinstance(query, int) else query
    return found if isinstance(found, str) else query


def retrieval_at_end(tokens: Tokens) -> Any:
    """Retrieval at the last position of a proper sequence, after any permutation of the earlier tokens."""
    return next(iter(matches(tokens, len(tokens))))


def index_inputs(lengths: Sequence[int]) -> Iterator[Tokens]:
    """Inputs over two letters and the integers 1 and 2 on which Index is defined at the last position."""
    for length in lengths:
        for earlier, query in product(product(SYMBOLS, repeat=length - 1), SYMBOLS):
            if isinstance(query, str) or query < length:
                yield (*earlier, query)


def retrieval_inputs(lengths: Sequence[int]) -> Iterator[Tokens]:
    """Proper inputs over two letters and one integer that end with a right letter."""
    for length in lengths:
        for tokens in product(pair_alphabet(2, 1), repeat=length):
            if is_proper(tokens) and isinstance(tokens[-1][1], str):
                yield tokens


def by_token(tokens: Tokens) -> Iterator[Logits]:
    """Logits 0 or 1 for each token, wherever it stands: heads that act symbolically on the input."""
    kinds, positions = sorted(set(tokens), key=str), range(1, len(tokens) + 1)
    for values in product((0, 1), repeat=len(kinds)):
        yield {(kind, at): value for kind, value in zip(kinds, values, strict=True) for at in positions}


def by_position(tokens: Tokens) -> Iterator[Logits]:
    """Logits 0 or 1 for each position, whatever stands there: heads that act positionally."""
    for values in product((0, 1), repeat=len(tokens)):
        yield {(kind, at): value for kind in set(tokens) for at, value in enumerate(values, 1)}


def mixed(tokens: Tokens) -> bool:
    """Whether the query is an integer and the earlier tokens hold a letter and a token that differs from it."""
    earlier = set(tokens[:-1])
    return isinstance(tokens[-1], int) and len(earlier) > 1 and any(isinstance(token, str) for token in earlier)


@dataclass(frozen=True)
class Blind:
    """That the output is one for all orders of the earlier tokens, while some order changes the answer.

    Args:
        heads: the logits that are tried on an input.
        inputs, admitted: the inputs, and which of them the statement speaks of.
        answer: the task at the last position.
        query_moves: permutations take the last token along.
        placed: values depend on positions.
        frequency: of the rotary head whose output is compared symbolically.
    """

    said: str = (
        "no head that acts symbolically on an input with an integer query, a letter and another token, computes Index"
    )
    heads: Callable[[Tokens], Iterator[Logits]] = by_token
    inputs: Callable[[Sequence[int]], Iterator[Tokens]] = index_inputs
    admitted: Callable[[Tokens], bool] = mixed
    answer: Callable[[Tokens], Any] = index_at_end
    query_moves: bool = False
    placed: bool = False
    frequency: Expr = sympy.S.Zero

    def __str__(self) -> str:
        return self.said

    def holds(self, tokens: Tokens) -> bool:
        fixed = () if self.query_moves else (tokens[-1],)
        orders = [(*order, *fixed) for order in permutations(tokens[: len(tokens) - len(fixed)])]
        one_output = all(
            seen(order, logits, self.placed) == seen(tokens, logits, self.placed)
            for logits in self.heads(tokens)
            for order in orders
        )
        return one_output and any(self.answer(order) != self.answer(tokens) for order in orders)


@claim(
    "symbolic-cannot-index",
    source=Source("2511.11579", "Thm 2 and Lemma 1", "reconstructed"),
    quantifiers="for all n >= 3, heads that act symbolically on one such input of length n, VAL and F",
    statement=str,
    variant=Blind(),
    controls={
        "symbolic heads cannot retrieve": Blind(
            "no symbolic head computes Retrieval for LL queries",
            inputs=retrieval_inputs,
            admitted=lambda tokens: len(set(tokens)) > 1,
            answer=retrieval_at_end,
        ),
        "no head with one rotary plane": Blind(
            "no head of one plane computes Index", heads=by_position, frequency=theta
        ),
        "one letter is enough": Blind(
            "as stated, with a letter", admitted=lambda tokens: set(tokens[:-1]) & {"a", "b"} != set()
        ),
    },
    hypotheses=(
        Hypothesis("query stays", "the query keeps its place", Blind("the query may move", query_moves=True)),
        Hypothesis("values", "VAL sees the token only", Blind("VAL sees the position too", placed=True)),
        Hypothesis(
            "integer query",
            "the query is an integer",
            Blind("any query", admitted=lambda tokens: mixed((*tokens[:-1], 1))),
        ),
        Hypothesis(
            "order matters",
            "the earlier tokens hold a letter and a token that differs from it",
            Blind("any earlier tokens", admitted=lambda tokens: isinstance(tokens[-1], int)),
        ),
    ),
    does_not_show="that positional heads compute it: index-feasibility does",
)
def symbolic_cannot_index(blind: Blind, thorough: bool) -> Iterator[Evidence]:
    """Inputs over two letters and two integers with all orders and all logits 0 or 1; a head of frequency 0."""
    inputs = (tokens for tokens in blind.inputs((2, 3, 4)) if blind.admitted(tokens))
    yield Enumeration("inputs of up to four tokens", ((show(tokens), blind.holds(tokens)) for tokens in inputs))
    yield Identity("output under any order", _outputs(blind, 3 if thorough else 2), reduce=sympy.expand)


def _outputs(blind: Blind, earlier: int) -> Iterator[Equation]:
    query, own = Matrix(symbols("q_1:3", real=True)), Matrix(symbols("o_1:3", real=True))
    keys = [Matrix(symbols(f"k_{c}_1:3", real=True)) for c in range(earlier)]
    values = symbols(f"v_0:{earlier + 1}", real=True)

    def output(order: Sequence[int]) -> Expr:
        placed = [*((keys[c], values[c], n - earlier + at) for at, c in enumerate(order)), (own, values[-1], n)]
        weights = [exp(logit(query, n, key, position, [blind.frequency])) for key, _, position in placed]
        return sum(w * value for w, (_, value, _) in zip(weights, placed, strict=True)) / sum(weights)

    for order in permutations(range(earlier)):
        yield f"order {order}", output(order), output(range(earlier))
