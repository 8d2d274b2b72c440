"""Logits of rotary heads against complex rotations in float64, and bad input."""

import numpy as np
import pytest

from tests.asked import value
from theory.errors import InputError

CASES = [  # query, key, frequencies as typed and as floats, positions
    ("[2, -1]", [2, -1], '["1/3", 4]', [1 / 3, 4], "[0.7]", [0.7], 5, 2),
    ('[1, "sqrt(2)", 0, 3]', [1, 2**0.5, 0, 3], "[-1, 0.5, 2, 2]", [-1, 0.5, 2, 2], '["1/10", 2]', [0.1, 2], 3, 9),
    ("[1, 2, 3, 4]", [1, 2, 3, 4], "[4, 3, 2, 1]", [4, 3, 2, 1], '[0, "500^(-4/6)"]', [0, 500 ** (-4 / 6)], 40, 7),
]


@pytest.mark.parametrize(("q", "query", "k", "key", "frequencies", "theta", "i", "j"), CASES)
def test_logits_by_complex_rotations(
    q: str, query: list[float], k: str, key: list[float], frequencies: str, theta: list[float], i: int, j: int
) -> None:
    def turned(vector: list[float], position: int) -> np.ndarray:
        return np.array(vector).reshape(-1, 2) @ [1, 1j] * np.exp(1j * np.array(theta) * position)

    found = value("rope-logit", q=q, k=k, frequencies=frequencies, i=i, j=j)
    expected = (turned(query, i) * turned(key, j).conj()).real.sum()
    assert float(found) == pytest.approx(float(expected), abs=1e-13)


def test_sizes_must_fit() -> None:
    with pytest.raises(InputError, match="q has 2 entries and k 4 for 1 frequencies"):
        value("rope-logit", q="[1, 0]", k="[1, 0, 1, 0]", frequencies="[1]", i=1, j=1)
