"""The exclusion principle as it is printed: a broken formula stops the script, and its tables say what is true."""

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from proofs import exclusion_blind_spot, exclusion_cases, exclusion_principle, exclusion_scores
from tests.companions import output, stops
from theory.rope.scores.acting import deviations
from theory.rope.scores.blind_spot import reverses_ratios, score_swaps_printed
from theory.rope.scores.closed_form import G, H, cosines
from theory.rope.scores.definition import scores
from theory.rope.scores.exclusion import Exclusion, rope_exclusion_principle, variance
from theory.rope.scores.sum import Sum, score_sum_bounds


def unmoved(weights: Any, i: int, j: int) -> list[Any]:
    return [row[c] for c, row in enumerate(weights)]


test_a_broken_formula_stops_the_script = stops(
    exclusion_principle,
    (exclusion_cases, "variance", lambda logits: 2 * variance(logits), 3),
    (
        exclusion_principle,
        "rope_exclusion_principle",
        replace(rope_exclusion_principle, variant=Exclusion(loose=lambda size: 2 * size**2)),
        4,
    ),
    (exclusion_cases, "EXCLUSION", Exclusion(sharp=lambda size: 2 * size * (size + 1)), 5),
    (exclusion_cases, "EXCLUSION", Exclusion(loose=lambda size: size * (size + 1)), 5),
    (exclusion_principle, "deviations", lambda M: (1, 0), 8),
    (exclusion_cases, "cosines", lambda g=G, h=H: cosines(g, -h), 9),
    (exclusion_cases, "keeps_ratios", reverses_ratios, 10),
    (
        exclusion_cases,
        "retrieval_phase",
        lambda left, wanted, offset, step, angle: (left - wanted) * step - offset * angle,
        14,
    ),
    (
        exclusion_scores,
        "score_sum_bounds",
        replace(score_sum_bounds, variant=Sum(lower=Fraction(2))),
        15,
    ),
    (exclusion_cases, "after_swap", unmoved, 17),
    (
        exclusion_blind_spot,
        "score_swaps_printed",
        replace(score_swaps_printed, counterexample="[]"),
        18,
    ),
    (exclusion_cases, "full_scores", lambda M: (True, True), 20),
    (exclusion_blind_spot, "LEAVING", [[0, 1, 2]] * 3, 21),
)


def rows_after(text: str, head: str, count: int) -> list[list[str]]:
    """The cells of a printed table, by the words of its head."""
    lines = output(exclusion_principle).partition(text)[2].splitlines()
    start = next(at for at, line in enumerate(lines) if line.split() == head.split())
    return [line.split() for line in lines[start + 2 : start + 2 + count]]


def test_examples_of_the_bounds() -> None:
    rows = rows_after("Four matrices", "M Var P S first second", 4)
    assert [row[-5:] for row in rows] == [
        ["9/4", "8", "2", "9/4", "5/2"],
        ["1/4", "0", "2", "1/4", "1/2"],
        ["1", "2", "2", "1", "1"],
        ["0", "2", "2", "1", "1"],
    ]


def test_ranges_are_those_of_the_formula() -> None:
    for floor, largest in rows_after("The scores cannot", "both scores at least range at most", 4):
        assert math.cosh(float(largest)) == pytest.approx(1 / (2 * float(floor) ** 2 - 1), rel=1e-3)


@pytest.mark.parametrize("M", [exclusion_blind_spot.SMALLEST, exclusion_blind_spot.LEAVING, exclusion_cases.family(2)])
@pytest.mark.parametrize("tau", [Fraction(1, 1000), Fraction(1), Fraction(50)])
def test_the_blind_spot_by_the_definition_of_the_score(M: list[list[int]], tau: Fraction) -> None:
    positional, _ = scores(M, 0, 1, tau)
    assert float(positional) == pytest.approx(1, abs=1e-15)
    assert min(deviations(M)) > 0


def test_attention_before_and_after_the_swap() -> None:
    def softmax(logits: list[int]) -> list[str]:
        total = sum(map(math.exp, logits))
        return [f"{math.exp(logit) / total:.4f}" for logit in logits]

    rows = rows_after("Logits need not agree", "position 1 2 3 query", 2)
    assert rows == [["before", *softmax([0, 1, 2, 0])], ["after", *softmax([-3, 1, -1, 0])]]
    assert f"{1 / math.cosh(2):.4f}" in output(exclusion_principle)
    least = float(scores(exclusion_blind_spot.LEAVING, 0, 1, Fraction(1, 10**4))[1])
    assert least == pytest.approx(1 / math.cosh(2), abs=1e-12)


@pytest.mark.parametrize("step", [1, 2, 7])
def test_shares_are_those_of_a_softmax(step: int) -> None:
    ((found, before, after),) = exclusion_cases.moved([step])
    assert (found, before, after) == (step, 1 - Fraction(1, 2 ** (step + 1) + 1), Fraction(2, 2 + 2**step))
