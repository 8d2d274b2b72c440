"""What heads cannot compute, as it is printed: a broken formula stops the script, and its tables say what is true."""

import re
from dataclasses import replace
from fractions import Fraction
from itertools import permutations

from proofs import impossibility, impossibility_cases, impossibility_retrieval
from tests.companions import output, stops
from theory.rope.expressivity.positional_cannot_retrieve import positional_cannot_retrieve_printed
from theory.rope.expressivity.positional_heads import PositionalHead, hinting, mostly_own
from theory.rope.expressivity.positional_margin import MarginBound, positional_retrieve_margin
from theory.rope.expressivity.positional_retrieval import GATED
from theory.rope.expressivity.symbolic_cannot_index import Blind, by_position, symbolic_cannot_index
from theory.rope.sequences import index

test_a_broken_formula_stops_the_script = stops(
    impossibility,
    (impossibility_cases, "by_token", by_position, 1),
    (impossibility, "symbolic_cannot_index", replace(symbolic_cannot_index, variant=Blind(heads=by_position)), 2),
    (impossibility_cases, "index_at_end", lambda tokens: tokens[0], 3),
    (impossibility_cases, "SMALLEST", (("a", "b", 1), ("a", "b", 1)), 3),
    (impossibility_cases, "Blind", lambda **how: Blind(), 4),
    (impossibility_cases, "retrieval_at_end", lambda tokens: tokens[0], 6),
    (impossibility_retrieval, "GATED", PositionalHead("uniform weights, W_V = 1, W_R = 0"), 7),
    (
        impossibility_retrieval,
        "HINTED",
        PositionalHead("weight 1/2 on the query, W_V hints by 4", mostly_own(Fraction(1, 2)), hinting(4)),
        9,
    ),
    (
        impossibility_retrieval,
        "positional_cannot_retrieve_printed",
        replace(positional_cannot_retrieve_printed, counterexample="n=2"),
        11,
    ),
    (impossibility_cases, "one_hot", lambda weights: PositionalHead("reversed", lambda length: weights[::-1]), 13),
    (
        impossibility_retrieval,
        "positional_retrieve_margin",
        replace(positional_retrieve_margin, variant=MarginBound(lambda largest, length: largest / (length - 1))),
        14,
    ),
    (impossibility_cases, "BOUND", MarginBound(lambda largest, length: 2 * largest / length**2), 15),
)


def test_the_smallest_inputs_by_the_definition_of_index() -> None:
    one, other = impossibility_cases.SMALLEST
    assert other in [(*order, one[-1]) for order in permutations(one[:-1])]
    assert [index(tokens)[-1] for tokens in (one, other)] == ["b", "a"]
    assert re.search(r"a b 1 +b\n +b a 1 +a\n", output(impossibility))


def test_outputs_of_the_first_counterexample() -> None:
    found = {token: total for token, _, _, total in impossibility_cases.outputs(GATED)}
    third = Fraction(1, 3)
    assert found == {"aa": 0, "ab": third, "a1": third, "ba": 2, "bb": 2, "b1": 2 + third}
    assert re.search(r"b1 +2 +1/3 +7/3\n", output(impossibility))


def test_margins_that_are_printed() -> None:
    rows = re.findall(r"^ +(\d+)" + r" +(\d+(?:/\d+)?)" * 6 + "$", output(impossibility), flags=re.M)
    assert [row[0] for row in rows] == ["3", "6", "12", "24"]
    for row in rows:
        n, *values = map(Fraction, row)
        shares = [1 / n, 1 / (10 * (n - 1)), 2 / n]
        assert values[::2] == shares
        assert values[1::2] == [2 * largest / (n - 1) for largest in (1, 5, 1)]
