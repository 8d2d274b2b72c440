import numpy as np
import pytest
import sympy
from flint import arb

from theory.outcome import Outcome

HOLDS, REFUTED, UNDECIDED = Outcome.HOLDS, Outcome.REFUTED, Outcome.UNDECIDED


@pytest.mark.parametrize(
    ("value", "outcome"),
    [
        (True, HOLDS),
        (False, REFUTED),
        (np.True_, HOLDS),
        (np.False_, REFUTED),
        (sympy.true, HOLDS),
        (sympy.false, REFUTED),
        (HOLDS, HOLDS),
        (REFUTED, REFUTED),
        (None, UNDECIDED),
        (float("nan"), UNDECIDED),
        (1, UNDECIDED),
        (sympy.Symbol("x") > 0, UNDECIDED),
    ],
)
def test_only_truth_values_decide(value: object, outcome: Outcome) -> None:
    assert Outcome.of(value) is outcome


@pytest.mark.parametrize(
    ("parts", "whole"),
    [
        ([], UNDECIDED),
        ([HOLDS, HOLDS], HOLDS),
        ([HOLDS, UNDECIDED], UNDECIDED),
        ([UNDECIDED, REFUTED, HOLDS], REFUTED),
    ],
)
def test_conjunction(parts: list[Outcome], whole: Outcome) -> None:
    assert Outcome.every(parts) is whole
    assert Outcome.every(iter(parts)) is whole


def test_negation_keeps_undecided() -> None:
    assert [~outcome for outcome in (HOLDS, REFUTED, UNDECIDED)] == [REFUTED, HOLDS, UNDECIDED]


def test_equivalence() -> None:
    assert HOLDS.iff(HOLDS) is REFUTED.iff(REFUTED) is HOLDS
    assert HOLDS.iff(REFUTED) is REFUTED.iff(HOLDS) is REFUTED
    for outcome in Outcome:
        assert outcome.iff(UNDECIDED) is UNDECIDED.iff(outcome) is UNDECIDED


def test_opposite_conditions_on_balls() -> None:
    found = [Outcome.settled(ball > 0, ball <= 0) for ball in (arb(1, 0.5), arb(-1, 0.5), arb(0, 1), arb("nan"))]
    assert found == [HOLDS, REFUTED, UNDECIDED, UNDECIDED]


def test_an_outcome_is_no_truth_value() -> None:
    with pytest.raises(TypeError, match="is no truth value"):
        bool(HOLDS)
