"""What symbolic and positional heads cannot do: against torch layers, reference semantics and other margins."""

from fractions import Fraction
from itertools import permutations, product

import pytest
import sympy
import torch
from hypothesis import given
from hypothesis import strategies as st

from constructions import reference
from constructions.rope_head import RopeHead, to_tensor
from constructions.tasks import parse_pairs
from tests.asked import value
from theory.arithmetic.ball import Real
from theory.errors import InputError
from theory.evidence import Case, Constructed
from theory.ledger import Submissions
from theory.outcome import Outcome
from theory.quantities import quantities
from theory.rope.expressivity.positional_cannot_retrieve import copying, inputs, single_match
from theory.rope.expressivity.positional_heads import PositionalHead, candidates, hinting, mostly_own, uniform
from theory.rope.expressivity.positional_margin import SIGNED, MarginBound, pair_of_inputs, positional_margin_bound
from theory.rope.expressivity.positional_retrieval import GATED, HINTED
from theory.rope.expressivity.symbolic_cannot_index import index_at_end, mixed
from theory.rope.head import Head
from theory.rope.index.head import index_embedding
from theory.rope.sequences import Pair, is_proper, pair_alphabet, proper_sequences, show
from theory.rope.tasks.letter_task import PROPER

TWO_TWO = pair_alphabet(2, 2)


def test_worked_bound() -> None:
    assert value("positional-margin-bound", n=6).exact == Fraction(2, 5)
    assert positional_margin_bound(5, Real.of(Fraction(3, 2))).value.exact == Fraction(3, 4)
    with pytest.raises(InputError, match="below 2"):
        quantities()["positional-margin-bound"].evaluate({"n": "1"})


@pytest.mark.parametrize("length", [2, 3, 4])
def test_least_margins_over_all_proper_inputs(length: int) -> None:
    tokens = pair_alphabet(2, 1)
    rows = [row for row in proper_sequences(2, 1, length) if len(row) == length]
    for name, head in (("positional-retrieval-margin", GATED), ("positional-values-margin", HINTED)):
        assert value(name, n=length) == min(head.margin(row, tokens) for row in rows)


@pytest.mark.parametrize("length", [2, 3, 6, 20])
def test_bound_is_reached_without_weight_on_the_query(length: int) -> None:
    weights = [Fraction(1, length - 1)] * (length - 1) + [Fraction(0)]
    head = PositionalHead("", lambda _: weights, SIGNED.values, SIGNED.residual)
    assert MarginBound().least(head, length) == positional_margin_bound(length).value.exact
    assert MarginBound().least(SIGNED, length) == Fraction(2, length)


@given(st.lists(st.sampled_from(["a", "b", "c", 1, 2, 3]), min_size=1, max_size=6))
def test_index_at_the_end(drawn: list[str | int]) -> None:
    """Against the reference, on sequences where no integer points to before position 1."""
    tokens = [token if isinstance(token, str) or token <= at else "a" for at, token in enumerate(drawn)]
    twin = [
        reference.Letter(ord(token) - ord("a")) if isinstance(token, str) else reference.Integer(token)
        for token in tokens
    ]
    assert str(reference.index(twin)[-1]) == str(index_at_end(tokens))


def test_index_depends_on_the_order_exactly_for_mixed_inputs() -> None:
    for length in (2, 3, 4, 5):
        for tokens in product(("a", "b", 1, 2), repeat=length):
            if not isinstance(tokens[-1], int) or tokens[-1] < length:
                answers = {index_at_end((*order, tokens[-1])) for order in permutations(tokens[:-1])}
                assert (len(answers) > 1) == mixed(tokens)


def test_inputs_of_the_proofs_are_proper() -> None:
    assert all(is_proper(tokens) for tokens in inputs(4))
    assert single_match(4, 2) in inputs(4)
    assert all(
        is_proper(tokens) for length in (2, 3, 5) for at in range(1, length) for tokens in pair_of_inputs(length, at)
    )


def test_copying_heads_have_weights() -> None:
    names = [name for name, _ in copying(3)]
    assert len(names) == len(set(names)) == 2 + 15


@pytest.mark.parametrize("head", [GATED, HINTED, PositionalHead("", uniform, hinting(1)), SIGNED])
def test_linear_forms_bound_every_short_input(head: PositionalHead) -> None:
    """The least margin over all inputs of a length is above its bound, and equal to it for these heads."""
    for length in (1, 2, 3):
        margins = [head.margin(tokens, TWO_TWO) for tokens in proper_sequences(2, 2, length) if len(tokens) == length]
        assert head.least_margin(length, TWO_TWO) <= min(margins)
    assert head.least_margin(3, TWO_TWO) == min(margins) or head.name == ""


def test_maps() -> None:
    a1, ab, ba, b1 = parse("a1 ab ba b1")
    wanted = candidates(2)
    assert [wanted(ab, token) for token in (a1, ab, ba, b1)] == [0, 0, 2, 2]
    assert [wanted(a1, token) for token in (a1, ab, ba, b1)] == [2, 0, 0, 0]
    hint = hinting(4)
    assert [hint(ab, token) for token in (a1, ab, ba, b1)] == [0, 1, 4, 4]
    assert [hint(a1, token) for token in (a1, ab, ba, b1)] == [1, 0, 0, 0]
    assert mostly_own(Fraction(1, 10))(3) == [Fraction(1, 20), Fraction(1, 20), Fraction(9, 10)]
    assert mostly_own(Fraction(1, 10))(1) == [Fraction(1)]


def parse(text: str) -> list[Pair]:
    return [(word[0], int(word[1:]) if word[1:].isdigit() else word[1]) for word in text.split()]


def matrix(entries: object, tokens: list[Pair]) -> sympy.Matrix:
    assert callable(entries)
    return sympy.Matrix([[sympy.Rational(entries(s, c)) for s in tokens] for c in tokens])


def test_positional_heads_retrieve_in_torch(ledger: Submissions) -> None:
    """Uniform attention with a gated residual as a rotary layer, against the reference semantics."""
    tokens = pair_alphabet(8, 3)
    blind = sympy.zeros(2, len(tokens))
    layer = Head((sympy.Integer(1),), blind, blind, matrix(GATED.values, tokens))
    head = RopeHead(layer, matrix(GATED.residual, tokens), beta=1.0)
    claimed, printed = list[Case](), list[Case]()
    for row in PROPER.random(60, longest=12):
        output = head(torch.eye(len(tokens), dtype=torch.float64)[[tokens.index(token) for token in row]])[-1]
        found = parse(str(reference.retrieval(parse_pairs(show(row)))[-1]))
        correct = torch.tensor([token in found for token in tokens])
        margin = float(output[correct] - output[~correct].max())
        claimed.append((show(row), Outcome.of(margin >= 1 / len(row) - 2.0**-48)))
        printed.append((show(row), Outcome.of(margin <= 2.0**-48)))
    ledger.submit("positional-retrieves-with-residual", Constructed("random proper inputs", claimed))
    ledger.submit("positional-cannot-retrieve-printed", Constructed("margins of the same head", printed))


def random_matrix(rows: int, columns: int, random: torch.Generator) -> sympy.Matrix:
    """Multiples of 1/8 in -1..1."""
    return sympy.Matrix(torch.randint(-8, 9, (rows, columns), generator=random).tolist()) / 8


def test_symbolic_heads_in_torch(ledger: Submissions) -> None:
    """Random layers at frequency 0 have one output for all orders of the earlier tokens, up to the order of sums."""
    random, cases = torch.Generator().manual_seed(2511), list[Case]()
    embedding = to_tensor(index_embedding(2, 3), torch.float64).T
    for case in range(20):
        d, n = 6, 3 + case % 3
        W_Q, W_K, W_V, W_R = (random_matrix(rows, d, random) for rows in (4, 4, d, d))
        head = RopeHead(Head((sympy.Integer(0),) * 2, W_Q, W_K, W_V), W_R, beta=1.0)
        tokens = [*torch.randint(0, 5, (n - 1,), generator=random).tolist(), 2]
        outputs = torch.stack([head(embedding[[*order, 2]])[-1] for order in permutations(tokens[:-1])])
        spread = float((outputs - outputs[0]).abs().max())
        # Sums of n products in another order: 2 n u times the largest value, d of at most 1 each.
        cases.append((tokens, Outcome.of(spread <= 2 * n * 2.0**-52 * 2 * d)))
    ledger.submit("symbolic-cannot-index", Constructed("random layers at frequency 0", cases))
