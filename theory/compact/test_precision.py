"""Means and rounding: formats of torch and NumPy at the lengths where runs become one number."""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from theory.compact.precision import computed_gap_bound, mean_collapse_length, stored_mean
from theory.errors import InputError
from theory.evidence import Case, Constructed
from theory.ledger import Submissions

FORMATS = {"bfloat16": torch.bfloat16, "float16": torch.float16, "float32": torch.float32}


def test_casts_of_torch(ledger: Submissions) -> None:
    def cases() -> Iterator[Case]:
        for name, dtype in FORMATS.items():
            first = int(str(mean_collapse_length.evaluate({"precision": name})["mean-collapse-length"].value))
            for n in (first - 1, first, 2 * first):
                # 1 + 1/n in float64 rounds to the same as the exact number: it is no tie but at powers of two.
                one = torch.tensor(1 + 1 / n, dtype=torch.float64).to(dtype)
                zero = torch.tensor(1 / n, dtype=torch.float64).to(dtype)
                yield {"format": name, "n": n}, bool(one == 1) is (n >= first)
                yield {"format": name, "n": n, "baseline": 0}, bool(zero != 0)

    ledger.submit("finite-precision-collapse", Constructed("casts", cases()))


def test_a_gap_below_an_ulp_is_not_none(ledger: Submissions) -> None:
    low, high = (torch.tensor(1 + 2**-8 + side * 1e-6, dtype=torch.float64).to(torch.bfloat16) for side in (-1, 1))
    assert (float(low), float(high)) == (1.0, 1.0078125)
    ledger.submit("finite-precision-collapse", Constructed("neighbours of a tie", [((float(low), float(high)), True)]))


@given(st.integers(1, 5000), st.integers(1, 5000), st.sampled_from([0, 1, 2]))
def test_stored_means_are_those_of_numpy(n: int, ones: int, baseline: int) -> None:
    if ones <= n:
        arguments = {"n": str(n), "ones": str(ones), "precision": "float32", "baseline": str(baseline)}
        exact = stored_mean.evaluate(arguments)["stored-mean"].value
        # Rounding twice, at 53 and at 24 bits, differs at most where the first lands on a tie.
        assert float(Fraction(str(exact))) == pytest.approx(float(np.float32(baseline + ones / n)), rel=2.0**-23)


@given(st.fractions(0, 1), st.fractions(0, 1))
def test_computed_gaps(gap: Fraction, error: Fraction) -> None:
    found = computed_gap_bound.evaluate({"gap": str(gap), "error": str(error)})
    assert float(found["outputs"].value) == pytest.approx(float(gap + 2 * error))
    assert found["margin"].value == 2 * gap + 4 * error


@pytest.mark.parametrize(
    ("quantity", "arguments", "complaint"),
    [
        (stored_mean, {"n": "3", "ones": "4", "precision": "8"}, "ones"),
        (computed_gap_bound, {"gap": "-1", "error": "0"}, "gap"),
        (mean_collapse_length, {"precision": "octuple"}, "octuple"),
    ],
)
def test_bad_arguments_are_named(quantity: object, arguments: dict[str, str], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        quantity.evaluate(arguments)  # type: ignore[attr-defined]
