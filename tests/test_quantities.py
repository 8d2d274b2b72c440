"""How quantities say what is known of a number."""

from fractions import Fraction

import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

from theory.arithmetic.ball import Real, cos, sqrt
from theory.errors import InputError
from theory.outcome import Outcome
from theory.printing import as_json, decimal_bounds, describe
from theory.quantities import Bound, Count, Enclosure, Exact, Optimum, Positive, Quantity


@given(st.fractions(), st.integers(-60, 60))
def test_decimal_bounds_are_outward_and_close(value: Fraction, exponent: int) -> None:
    value *= Fraction(10) ** exponent
    low, high = map(Fraction, decimal_bounds(Real.of(value)))
    assert low <= value <= high
    assert high - low <= abs(value) * Fraction(1, 10**18)


def test_decimal_bounds_of_an_irrational_number() -> None:
    low, high = map(Fraction, decimal_bounds(sqrt(2)))
    assert (sqrt(2) > low) is Outcome.HOLDS
    assert (sqrt(2) < high) is Outcome.HOLDS


def test_decimal_bounds_hold_the_whole_ball() -> None:
    low, high = map(Fraction, decimal_bounds(Real(lambda: arb(1, 0.25))))
    assert low <= Fraction(3, 4) and high >= Fraction(5, 4)


@pytest.mark.parametrize(
    ("result", "text", "kind"),
    [
        (Exact(7), "7 exactly", "exact"),
        (Exact(True), "true", "exact"),
        (Enclosure(Real.of(Fraction(1, 2))), "1/2 = 0.5 exactly", "enclosure"),
        (Enclosure(cos(1)), "0.5403023058681397", "enclosure"),
        (Bound("lower", cos(1)), "at least 5.403023058681397174", "lower bound"),
        (Bound("upper", cos(1)), "at most 5.403023058681397174", "upper bound"),
        (Optimum(0.25, "grid"), "numerical optimum by grid, not certified", "numerical optimum"),
    ],
)
def test_every_result_says_what_is_known(result: Exact | Enclosure | Bound | Optimum, text: str, kind: str) -> None:
    assert text in describe(result)
    assert as_json(result)["kind"] == kind


def _ratio(count: Count, scale: Positive) -> Exact:
    """The count."""
    return Exact(count)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"count": "0", "scale": "1"}, "argument count: 0 is below 1"),
        ({"count": "1/2", "scale": "1"}, "argument count: 1/2 is not an integer"),
        ({"count": "1", "scale": "cos"}, "argument scale"),
        ({"count": "1", "scale": "-1"}, "argument scale: -1 is not positive"),
        ({"count": "1", "scale": "sqrt(2)^2-2"}, "not positive"),
        ({"count": "1"}, "missing argument 'scale'"),
        ({"count": "1", "scale": "1", "angle": "1"}, "unknown argument 'angle'"),
    ],
)
def test_bad_arguments_are_named(arguments: dict[str, str], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        Quantity("ratio", "1", "none", _ratio).evaluate(arguments)
