"""Weights of bounded logits: the bounds against softmax on a grid, bad input."""

import math
from itertools import product

import numpy as np
import pytest
import sympy

from theory.errors import InputError
from theory.rope.softmax.bounded_logits import bounded_logit_weight


def bounds(n: int, spread: str) -> dict[str, float]:
    found = bounded_logit_weight.evaluate({"n": str(n), "spread": spread})
    return {name: float(result.value) for name, result in found.items()}


@pytest.mark.parametrize(("n", "spread"), [(1, "3"), (2, "0.7"), (3, "sqrt(2)"), (5, "4"), (6, "1/3")])
def test_extremes_on_a_grid(n: int, spread: str) -> None:
    R = float(sympy.sqrt(2)) if spread == "sqrt(2)" else float(sympy.Rational(spread))
    logits = np.array(list(product(np.linspace(0, R, 5), repeat=n)))
    weights = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    found = bounds(n, spread)
    assert found["least"] == pytest.approx(weights.min(), rel=1e-14)
    assert found["largest"] == pytest.approx(weights.max(), rel=1e-14)
    assert found["largest"] <= found["reconstructed"] == pytest.approx(math.exp(R) / n, rel=1e-14)


@pytest.mark.parametrize(("n", "spread", "name"), [("0", "1", "n"), ("3", "-1", "spread"), ("3", "0", "spread")])
def test_bad_arguments_are_named(n: str, spread: str, name: str) -> None:
    with pytest.raises(InputError, match=rf"\b{name}\b") as error:
        bounded_logit_weight.evaluate({"n": n, "spread": spread})
    assert "\n" not in str(error.value)
