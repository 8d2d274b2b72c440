from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy
from flint import arb, ctx

from tests.adversary.arithmetic import BALLS, FLOATS, Ball, Constant, ball_point
from tests.adversary.duel import Axis, Duel
from tests.adversary.engine import Attack
from theory.arithmetic.ball import sqrt
from theory.outcome import Outcome

BOX = (Axis("x", -1, 1), Axis("y", -1, 1))


def parabola(height: Any, setting: int, x: Any, ar: Any) -> tuple[Any, Any]:
    """At most 1, at (1/3, 1/7) and nowhere else."""
    near = sum((value - ar.number(peak)) ** 2 for value, peak in zip(x, (Fraction(1, 3), Fraction(1, 7)), strict=True))
    return setting - near, ar.number(height) * setting


def duel(**fields: Any) -> Duel:
    return Duel(
        **{"claim": "none", "name": "parabola", "settings": (1,), "axes": lambda _: BOX, "play": parabola, **fields}
    )


def test_every_evaluation_counts_and_a_seed_fixes_all_of_them() -> None:
    first, second = (Attack(duel(settings=(1, 2, 3)), Fraction(1), seed=5).run(900) for _ in range(2))
    assert first.evaluations == 900 == len(first.trials)
    assert first.trials == second.trials
    assert Attack(duel(settings=(1, 2, 3)), Fraction(1), seed=6).run(900).trials != first.trials
    assert Attack(duel(settings=(1, 2, 3)), Fraction(1), seed=5).run(900, settings=1).trials != first.trials


def test_a_true_bound_is_neared_and_a_false_one_beaten_beyond_doubt() -> None:
    held = Attack(duel(), Fraction(1), seed=1).run(600)
    assert held.outcome is Outcome.HOLDS is held.search().outcome
    assert 1 - 1e-9 < held.best <= 1
    assert held.search().count == 600
    # A millionth of a millionth: float64 tells it apart, and so do balls.
    beaten = Attack(duel(), 1 - Fraction(1, 10**12), seed=1).run(600)
    assert beaten.outcome is Outcome.REFUTED is beaten.search().outcome
    assert beaten.evaluations < 600
    assert "x=0.333333" in beaten.place
    assert str(beaten.search().witness).startswith(beaten.place[:12])


def test_a_violation_below_the_resolution_of_float64_is_still_found_by_balls() -> None:
    def play(height: Any, setting: int, x: Any, ar: Any) -> tuple[Any, Any]:
        return ar.number(1 + Fraction(1, 10**30)), ar.number(1)

    found = Attack(duel(play=play), None, seed=1).run(10)
    assert found.outcome is Outcome.REFUTED is found.search().outcome
    assert found.evaluations == 1


def test_the_best_point_of_a_climb_is_decided_however_far_float64_is_off() -> None:
    def play(height: Any, setting: int, x: Any, ar: Any) -> tuple[Any, Any]:
        return (0.5 if ar is FLOATS else 1.5) - x[0] ** 2, ar.number(1)

    found = Attack(duel(play=play, axes=lambda _: (Axis("x", 0, 2),)), None, seed=1).run(100)
    assert found.outcome is Outcome.REFUTED is found.search().outcome
    assert len(found.trials) == 101


def test_equality_that_balls_cannot_confirm_is_undecided_and_no_pass() -> None:
    def play(height: Any, setting: int, x: Any, ar: Any) -> tuple[Any, Any]:
        root = np.sqrt(x[0] ** 2 + 2)
        return root * root, x[0] ** 2 + 2

    found = Attack(duel(play=play), None, seed=1).run(10)
    assert found.outcome is Outcome.UNDECIDED is found.search().outcome
    # For a control it is no victory either.
    assert Attack(duel(play=play), None, seed=1, control=True).run(10).outcome is Outcome.HOLDS


def test_a_strict_bound_is_lost_at_equality() -> None:
    def play(height: Any, setting: int, x: Any, ar: Any) -> tuple[Any, Any]:
        return min(x[0], Fraction(1, 2)), Fraction(1, 2)

    box = (Axis("x", 0, 1),)
    assert Attack(duel(play=play, exact=True, axes=lambda _: box), None, 1).run(50).outcome is Outcome.HOLDS
    strict = Attack(duel(play=play, exact=True, strict=True, axes=lambda _: box), None, 1).run(50)
    assert strict.outcome is Outcome.REFUTED


def test_where_a_statement_says_nothing_no_evaluation_counts() -> None:
    found = Attack(duel(play=lambda *_: None), None, seed=1).run(40)
    assert found.evaluations == 40
    assert found.search().count == 0
    assert found.search().outcome is Outcome.UNDECIDED


def test_whole_parameters_are_whole_and_points_stay_in_their_box() -> None:
    seen = []

    def play(height: Any, setting: int, x: Any, ar: Any) -> tuple[Any, Any]:
        seen.append(tuple(x))
        return x[0] + x[1], 10

    axes = (Axis("n", 2, 5, whole=True), Axis("x", 0.25, 0.75))
    found = Attack(duel(play=play, exact=True, axes=lambda _: axes), None, seed=1).run(300)
    assert {n for n, _ in seen} == {2, 3, 4, 5}
    assert all(0.25 <= x <= 0.75 for _, x in seen)
    assert found.best == pytest.approx(0.575, abs=1e-6)


def test_balls_contain_what_float64_computes() -> None:
    point = np.array([0.3, -1.7, 2.5])
    x = sympy.Symbol("x")

    def play(values: Any, ar: Any) -> list[Any]:
        a, b, c = values
        root = Constant(sqrt(2))
        return [
            *(np.arange(1, 4) * a + values),
            np.exp(-values).sum() / np.cos(b) - np.sin(c) ** 3,
            np.arccos(a) + np.log(c) * np.sqrt(c),
            ar.largest(values) - ar.least(values) + abs(b),
            ar.sin_pi(a) + ar.cos_pi(2 * a) + 2 * ar.pi,
            ar.formula(sympy.cosh(x) / 3 + sympy.pi, {x: c}) - ar.number(root) + ar.bes(c),
            Fraction(1, 3) - a * Fraction(2, 7) + 1 / c + (1 - b) / 2,
        ]

    rough = play(point, FLOATS)
    with ctx.workprec(200):
        exact = play(ball_point(point), BALLS)
        for value, ball in zip(rough, exact, strict=True):
            assert ball.arb.rad() < arb(2) ** -150
            assert float(ball.arb.mid()) == pytest.approx(float(value), rel=1e-14)


def test_balls_compare_true_only_when_certain() -> None:
    wide, one = Ball(arb(1, 0.5)), Ball(1)
    assert not wide < one
    assert not wide >= one
    assert wide < 2
    assert wide >= 0.25
    assert Ball(0.5) < one <= 1.0
    assert -wide <= Fraction(-1, 4)
    assert Ball(2) ** 3 >= 8
