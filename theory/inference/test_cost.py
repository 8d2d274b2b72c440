"""Costs against the shapes of matrices, at widths that no claim lists."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from theory.errors import InputError
from theory.inference.cost import Decoder, counted, decoding_cost
from theory.inference.linear_pool.test_linear_pool import ask

WIDTHS = st.integers(1, 12)


@settings(max_examples=15)
@given(st.integers(0, 9), WIDTHS, st.integers(2, 9), WIDTHS, st.integers(1, 6))
def test_costs(d: int, H: int, K: int, D: int, S: int) -> None:
    found = ask(decoding_cost, latent=d, hidden=H, tasks=K, outputs=D, steps=S)
    first, second = H * (d + K), H * D
    assert found["forward"] == first + second
    # Back through the output layer, then through the columns of z.
    assert found["one-step"] == first + second + second + H * K
    assert found["with-weight-gradients"] == found["one-step"] + first + second
    assert found["steps"] == S * found["one-step"]
    assert found["all-tasks"] == K * (first + second)
    assert found["all-tasks-reused"] == H * d + K * second
    assert found["one-step-passes"] == pytest.approx(found["one-step"] / found["forward"])
    assert counted(Decoder(d, K, (H, D)), frozen=True) == found["one-step"]
    assert counted(Decoder(d, K, (H, D)), frozen=False) == found["with-weight-gradients"]


def test_one_task_is_refused() -> None:
    with pytest.raises(InputError):
        ask(decoding_cost, latent=1, hidden=1, tasks=1, outputs=1)
