"""Partial induction and the shape of attention over positions: brute force, and layers in torch."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
import sympy
import torch
from hypothesis import given
from hypothesis import strategies as st

from constructions.rope_head import RopeHead
from tests.asked import floats
from theory.arithmetic.angle import Angle
from theory.arithmetic.ball import Real
from theory.errors import InputError
from theory.evidence import Case, Constructed
from theory.ledger import Submissions
from theory.outcome import Outcome
from theory.rope.expressivity.partial_induction import (
    TwoAngles,
    induction_gaps,
    induction_key_column,
    induction_query_column,
)
from theory.rope.expressivity.partial_induction_needs_both import collides, inputs, latest_match
from theory.rope.expressivity.recency_gap import plane_gap
from theory.rope.expressivity.recency_phase import recency_gap_constant
from theory.rope.expressivity.u_shape import index_target_weight, step_sign
from theory.rope.head import Head


def test_a_whole_turn_shared_by_all_positions_has_no_shape() -> None:
    constant = [float(index_target_weight(8, Angle.turn(1, 8), Real.of(3), j).value) for j in range(1, 9)]
    assert np.ptp(constant) < 1e-15


def least_gap(angle: float, phase: float, n: int) -> float:
    gains = np.cos(np.arange(1, n) * angle + phase)
    return float((gains[:-1] - gains[1:]).min())


@pytest.mark.parametrize("n", [3, 4, 5, 6, 9, 16, 23])
def test_optimal_planes_against_a_fine_grid(n: int) -> None:
    aligned, phased = floats("recency-gap-aligned", n=str(n)), floats("recency-gap-phase", n=str(n))
    angles = np.linspace(0, np.pi, 20_001)[1:]
    grid = [least_gap(angle, 0.0, n) for angle in angles]
    assert max(grid) == pytest.approx(aligned["gap"], abs=2e-3 * aligned["gap"])
    assert max(grid) <= aligned["gap"] + 1e-15
    assert least_gap(aligned["theta"], 0.0, n) == pytest.approx(aligned["gap"], abs=1e-14)
    centred = np.pi / 2 - n * phased["theta"] / 2
    assert least_gap(phased["theta"], centred, n) == pytest.approx(phased["gap"], abs=1e-14)
    coarse = [least_gap(angle, phase, n) for angle in angles[::100] for phase in np.linspace(0, 2 * np.pi, 49)]
    assert max(coarse) <= phased["gap"] + 1e-14
    assert phased["gap"] <= 2 / (n - 2) + 1e-15


def test_best_phase_tends_to_its_constant() -> None:
    constant = float(recency_gap_constant().value)
    for n in (1_000, 100_000, 10_000_000):
        assert n * floats("recency-gap-phase", n=str(n))["gap"] == pytest.approx(constant, abs=5 / n)


@given(st.integers(3, 9), st.fractions(0, 1, max_denominator=30), st.fractions(-1, 1, max_denominator=30))
def test_plane_gap_is_that_of_the_definition(n: int, turns: Fraction, phase: Fraction) -> None:
    expected = least_gap(2 * np.pi * float(turns), 2 * np.pi * float(phase), n)
    assert float(plane_gap(turns, phase, n)) == pytest.approx(expected, abs=1e-13)
    angles = Angle.turn(turns.numerator, turns.denominator), Angle.turn(phase.numerator, phase.denominator)
    gaps = {name: float(result.value) for name, result in induction_gaps(n, 5, Real.of(2), *angles).items()}
    gains = np.cos(2 * np.pi * (np.arange(1, n) * float(turns) + float(phase)))
    assert gaps == pytest.approx(
        {"symbol": 2 - 2 * np.cos(2 * np.pi / 5), "range": gains[0] - gains[-1], "recency": expected}, abs=1e-13
    )


@given(st.integers(2, 12), st.fractions(0, 1, max_denominator=30), st.data())
def test_steps_are_those_of_the_weights(n: int, turns: Fraction, data: st.DataObject) -> None:
    j = data.draw(st.integers(1, n - 1))
    distances = np.abs(np.arange(1, n + 1)[:, None] - np.arange(1, n + 1))
    weights = 1 / np.exp(3 * (np.cos(2 * np.pi * float(turns) * distances) - 1)).sum(axis=0)
    step = weights[j] - weights[j - 1]
    assert step_sign(n, j, turns) == (0 if abs(step) < 1e-12 else np.sign(step))
    angle = Angle.turn(turns.numerator, turns.denominator)
    assert float(index_target_weight(n, angle, Real.of(3), j).value) == pytest.approx(weights[j - 1], rel=1e-12)


@given(st.integers(3, 12), st.floats(0.01, 1), st.floats(0, 1))
def test_a_symbolic_target_has_one_top(n: int, share: float, place: float) -> None:
    span = share * np.pi
    logits = np.cos(np.linspace(span, 0, n) - place * span)
    weights = np.exp(4 * logits) / (np.exp(4 * logits) + 7)
    rises = np.diff(weights) > 1e-13
    falls = np.diff(weights) < -1e-13
    assert not (falls[:-1] & rises[1:]).any() and (rises | falls).sum() >= n - 2


def test_how_many_inputs_the_two_angle_head_is_tried_on() -> None:
    """Symbols relative to the query's, over four letters: 4^k - 3^k for k earlier tokens, at five planes a length."""
    cases = list(TwoAngles().cases(4))
    assert len(cases) == 5 * ((4**2 - 3**2) + (4**3 - 3**3))


def test_latest_match() -> None:
    assert latest_match((("a", 1), ("b", 2), ("a", 2), ("b", 1), "a")) == 2
    assert len(list(inputs(3))) == 16 - 4
    halves, powers = [Fraction(1, 2)] * 2, [Fraction(1, 3), Fraction(2, 3)]
    assert collides([(tokens, halves) for tokens in inputs(3)])
    assert not collides([(tokens, powers) for tokens in inputs(3)])


@pytest.mark.parametrize(
    ("quantity", "arguments", "words"),
    [
        ("recency-gap-aligned", {"n": "2"}, "n=2.*n >= 3"),
        ("recency-gap-phase", {"n": "1"}, "n=1.*n >= 3"),
        ("induction-gaps", {"n": "2", "letters": "3", "amplitude": "1", "theta": "1", "psi": "0"}, "n=2.*n >= 3"),
        ("index-target-weight", {"n": "4", "theta": "1", "beta": "1", "position": "5"}, "position=5.*1..4"),
    ],
)
def test_bad_input_is_named(quantity: str, arguments: dict[str, str], words: str) -> None:
    with pytest.raises(InputError, match=words) as error:
        floats(quantity, **arguments)
    assert "\n" not in str(error.value)


def test_two_angle_head_in_torch(ledger: Submissions) -> None:
    """Keys of three symbols and two values, aligned at theta = pi/n, hard attention: the value of the latest match."""
    letters, cases = 3, list[Case]()
    step, amplitude = 2 * sympy.pi / letters, sympy.Integer(2)
    names = [sympy.Integer(letter) for letter in range(letters)]
    keys = [induction_key_column(name, step, amplitude) for name in names for _ in range(2)]
    queries = [induction_query_column(name, step, amplitude, sympy.Integer(0)) for name in names]
    # The query's own key points away from its query, for it carries no value.
    W_K = sympy.Matrix.hstack(*keys, *(-query for query in queries))
    W_Q = sympy.Matrix.hstack(sympy.zeros(4, len(keys)), *queries)
    for n in (3, 4, 5):
        head = RopeHead(Head((sympy.Integer(0), sympy.pi / n), W_Q, W_K, sympy.eye(W_K.cols)), beta=None)
        rows = [
            (*pairs, len(keys) + query)
            for pairs, query in product(product(range(len(keys)), repeat=n - 1), range(letters))
            if any(pair // 2 == query for pair in pairs)
        ]
        outputs = head(torch.eye(W_K.cols, dtype=torch.float64)[torch.tensor(rows)])[:, -1]
        for row, output in zip(rows, outputs.tolist(), strict=True):
            latest = [pair for pair in row[:-1] if pair // 2 == row[-1] - len(keys)][-1]
            cases.append((row, Outcome.of(output[latest] == 1)))
    ledger.submit("partial-induction-two-angles", Constructed("three symbols, two values", cases))
