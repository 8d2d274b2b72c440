"""From hard attention to softmax: the temperature at its edge, the printed slips by hand, bad input."""

import math
from itertools import combinations_with_replacement

import numpy as np
import pytest
import sympy
from hypothesis import assume, given
from hypothesis import strategies as st

from theory.errors import InputError
from theory.quantities import Quantity
from theory.rope.index.head import index_embedding, index_head, index_unembedding
from theory.rope.softmax.hard_to_soft import contributions, hard_to_soft_beta
from theory.rope.softmax.hard_to_soft_printed import softmax_sum_lower_bound


def beta(**arguments: object) -> float:
    results = hard_to_soft_beta.evaluate({name: str(argument) for name, argument in arguments.items()})
    return float(results["hard-to-soft-beta"].value)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"n": 9, "gap": "sqrt(2)/2"}, math.log(8) * math.sqrt(2)),
        ({"n": 17, "gap": "1", "delta": "[3]", "loss": "[1]"}, math.log(16 / 3)),
        ({"n": 17, "gap": "1", "delta": "[1, 2]", "loss": "[1, 2]"}, math.log(16)),
        ({"n": 4, "gap": "2", "delta": "[3]", "loss": "[1]"}, 0.0),
        ({"n": 1, "gap": "0.5"}, 0.0),
        ({"n": 9, "gap": "1/2", "delta": "[1, 2]", "loss": "[-1, 3]"}, 2 * math.log(12)),
        ({"n": 9, "gap": "1/2", "delta": "[1]", "loss": "[-2]"}, 0.0),
    ],
)
def test_beta(arguments: dict[str, object], expected: float) -> None:
    assert beta(**arguments) == pytest.approx(expected, rel=1e-11, abs=0)


@given(st.integers(2, 12), st.integers(1, 40), st.integers(1, 40), st.integers(1, 40))
def test_two_levels_sit_on_the_threshold(n: int, gap: int, delta: int, loss: int) -> None:
    edge = beta(n=n, gap=f"{gap}/10", delta=f"[{delta}]", loss=f"[{loss}]")

    def margin(scale: float) -> float:
        weights = np.exp(-scale * np.array([0.0] + [gap / 10] * (n - 1)))
        return float(weights @ np.array([delta] + [-loss] * (n - 1)) / weights.sum())

    assert margin(edge + 1e-6) > 0
    if edge > 0:
        assert margin(edge - 1e-6) < 0


@given(st.lists(st.tuples(st.sampled_from([0.0, 0.3, 0.9]), st.integers(-3, 3)), min_size=1, max_size=6))
def test_any_input_decodes_above_the_threshold(tokens: list[tuple[float, int]]) -> None:
    gaps, h = np.array([gap for gap, _ in tokens]), np.array([value for _, value in tokens])
    best = gaps == gaps.min()
    assume(h[best].mean() > 0 and not best.all())
    gap = sympy.Rational(str(round(float(np.unique(gaps)[1] - gaps.min()), 1)))
    delta = sympy.Rational(int(h[best].sum()), int(best.sum()))
    edge = beta(n=len(h), gap=gap, delta=f'["{delta}"]', loss=f"[{-h.min()}]")
    assert np.exp(-(edge + 1e-6) * gaps) @ h > 0


def test_contributions_of_index() -> None:
    """An integer that points at letter a among b: against b 2 and -2, against the integer itself 1 and -1."""
    embedding, decoder = index_embedding(2, 1), index_unembedding(2, 1)
    copied = decoder * index_head(2, 1).W_V * embedding
    assert contributions((decoder * embedding)[:, 2], copied, [0, 1, 1], 0) == [[2, -2, -2], [1, -1, -1]]
    assert contributions((decoder * embedding)[:, 0], copied, [0, 1], 0) == [[3, -1], [3, 1]]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"n": "0", "gap": "1"}, "n"),
        ({"n": "2", "gap": "0"}, "gap"),
        ({"n": "2", "gap": "1", "delta": "[0]"}, "delta=0"),
        ({"n": "2", "gap": "1", "delta": "[1, 1]"}, "delta and loss differ in length, 2 and"),
        ({"n": "2", "gap": "1", "delta": "[]"}, "delta"),
        ({"n": "2", "gap": "nan"}, "nan"),
    ],
)
def test_bad_arguments_are_named(arguments: dict[str, str], words: str) -> None:
    refuse(hard_to_soft_beta, arguments, words)


def test_bad_arguments_of_the_printed_step() -> None:
    refuse(softmax_sum_lower_bound, {"mu": "0", "beta": "0"}, "beta")
    refuse(softmax_sum_lower_bound, {"mu": "0", "beta": "1", "k": "0"}, "k")


def refuse(quantity: Quantity, arguments: dict[str, str], words: str) -> None:
    with pytest.raises(InputError, match=rf"\b{words}\b") as error:
        quantity.evaluate(arguments)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(("k", "mu", "scale"), [(1, "-1", "2"), (3, "0.5", "0.25"), (2, "-7/3", "1"), (5, "1", "3")])
def test_printed_and_repaired_step(k: int, mu: str, scale: str) -> None:
    found = softmax_sum_lower_bound.evaluate({"mu": mu, "beta": scale, "k": str(k)})
    maximum, factor = (float(sympy.Rational(text)) for text in (mu, scale))
    assert float(found["printed"].value) == pytest.approx(k * math.exp(maximum), rel=1e-14)
    assert float(found["repaired"].value) == pytest.approx(k * math.exp(factor * maximum), rel=1e-14)
    total = min(
        sum(math.exp(factor * logit) for logit in (*[maximum] * k, *(maximum - gap for gap in gaps)))
        for gaps in combinations_with_replacement((0.5, 2.0, 50.0), 2)
    )
    # A sum of up to 7 exponentials, each correct to 2 units in the last place.
    assert float(found["repaired"].value) <= total * (1 + 16 * np.finfo(float).eps)
