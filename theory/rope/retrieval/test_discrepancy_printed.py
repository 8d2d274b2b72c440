"""The readings of the printed bound, decided in balls, against the least or largest gap in double precision."""

from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest

from theory.arithmetic.real import Real
from theory.outcome import Outcome
from theory.rope.retrieval.discrepancy_printed import FORMULA, MAXIMUM, MINIMUM, UpperBound


@pytest.mark.parametrize("reading", [FORMULA, MINIMUM, MAXIMUM], ids=["formula", "minimum", "maximum"])
def test_balls_and_floats_agree(reading: UpperBound) -> None:
    seen = set()
    for letters, length, angle, share in product((2, 3, 5), (2, 3, 6), (Fraction(1, 10), Fraction(2, 7)), (1, 3, 9)):
        bound = replace(reading, share=Fraction(share, 4))
        largest_or_least, limit = bound.floats(letters, length, float(angle))
        assert abs(largest_or_least - limit) > 1e-9
        outcome = bound.holds(letters, length, Real.of(angle))
        assert outcome is Outcome.of(largest_or_least <= limit)
        seen.add(outcome)
    assert seen == {Outcome.HOLDS, Outcome.REFUTED}
