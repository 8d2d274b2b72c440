"""Closest returns against the definition: all t up to 10^5 in exact integers, and gaps in floats."""

from collections.abc import Iterator
from fractions import Fraction
from math import gcd
from random import Random

import mpmath
import numpy as np
import pytest
import sympy
from numpy.typing import NDArray

from theory.arithmetic.angle import Angle
from theory.arithmetic.ball import Real, cos
from theory.arithmetic.continued_fraction import closest_return, gap
from theory.errors import InputError, Undecided
from theory.outcome import Outcome

LENGTH = 10**5
STEPS = np.arange(1, LENGTH + 1, dtype=np.uint64)


def rational_angles() -> Iterator[tuple[Angle, int, int]]:
    """Turns p/q, small and large denominators, both signs, with more than one turn among them."""
    random = Random(1)
    for index in range(50):
        q = index + 1 if index < 30 else random.randrange(30, 10 ** random.randrange(2, 9))
        p = random.randrange(-q, 3 * q)
        yield Angle.turn(p, q), p // gcd(p, q), q // gcd(p, q)


def irrational_angles() -> Iterator[tuple[Angle, mpmath.mpf]]:
    """Planes of RoPE, rational radians and quadratic turns, with the angle in turns to 80 digits."""
    random = Random(2)
    with mpmath.workdps(80):
        turn = 2 * mpmath.pi
        for _ in range(15):
            base, d = random.choice([10**4, 5 * 10**5, 10**6, 7]), random.choice([8, 64, 128])
            k = random.randrange(1, d // 2 + 1)
            yield Angle.rope(base, d, k), mpmath.mpf(base) ** (mpmath.mpf(-2 * (k - 1)) / d) / turn
        for _ in range(12):
            p, q = random.randrange(1, 5000) * random.choice([1, -1]), random.randrange(1, 500)
            yield Angle(sympy.Rational(p, q)), mpmath.mpf(p) / q / turn
        for n in (n for n in range(2, 20) if sympy.sqrt(n).is_irrational):
            c = random.randrange(-5, 6)
            yield Angle(2 * sympy.pi * (sympy.sqrt(n) + c) / 3), (mpmath.sqrt(n) + c) / 3


def first_least(values: NDArray[np.uint64], slack: int) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """For each T the first t <= T with the least value; values known up to `slack` must not leave that open."""
    least = np.minimum.accumulate(values)
    is_record = np.concatenate([[True], values[1:] < least[:-1]])
    if slack:
        margin = np.abs(values[1:].astype(np.float64) - least[:-1].astype(np.float64))
        assert margin.min() > 3 * slack
    return np.maximum.accumulate(np.where(is_record, np.arange(1, values.size + 1), 0)), least


@pytest.fixture
def thorough(request: pytest.FixtureRequest) -> bool:
    """Whether to compare at every length up to 10^5 (a quarter of an hour) instead of where the answer changes."""
    return bool(request.config.getoption("thorough"))


def assert_same_returns(
    theta: Angle, up: NDArray[np.uint64], down: NDArray[np.uint64], slack: int, thorough: bool
) -> None:
    """closest_return against brute force: at both ends of every stretch of T with one closest t, or at every T."""
    closest, _ = first_least(np.minimum(up, down), slack)
    above, _ = first_least(up, slack)
    below, _ = first_least(down, slack)
    jumps = np.flatnonzero(np.diff(closest)) + 1  # the T just before the closest t changes
    random = Random(3)
    ends = {1, 2, LENGTH, *jumps.tolist(), *(jumps + 1).tolist(), *(random.randrange(1, LENGTH) for _ in range(12))}
    for up_to in range(1, LENGTH + 1) if thorough else ends:
        found = closest_return(theta, up_to)
        expected = (closest[up_to - 1], above[up_to - 1], below[up_to - 1])
        assert (found.t, found.above.t, found.below.t) == expected, (str(theta), up_to)


def test_rational_turns_against_integers_modulo_the_denominator(thorough: bool) -> None:
    for theta, p, q in rational_angles():
        up = STEPS * np.uint64(p % q) % np.uint64(q)
        down = (np.uint64(q) - up) % np.uint64(q)
        assert_same_returns(theta, up, down, slack=0, thorough=thorough)
        for up_to in (1, q // 3 + 1, q - 1, q):
            if 1 <= up_to <= LENGTH:
                found = closest_return(theta, up_to)
                distances = np.minimum(up, down)[:up_to]
                assert found.turns == Fraction(int(distances.min()), q)
                assert found.above.turns == Fraction(int(up[:up_to].min()), q)
                assert found.below.turns == Fraction(int(down[:up_to].min()), q)


def test_irrational_turns_against_fixed_point_integers(thorough: bool) -> None:
    for theta, alpha in irrational_angles():
        with mpmath.workdps(80):
            phase = int(mpmath.floor(alpha * mpmath.mpf(2) ** 64)) % 2**64
        up = STEPS * np.uint64(phase)  # t alpha mod 1, in units of 2^-64, too small by less than t units
        assert_same_returns(theta, up, np.uint64(0) - up, slack=LENGTH, thorough=thorough)
        found = closest_return(theta, LENGTH)
        assert float(found.distance) == pytest.approx(np.minimum(up, -up).min() / 2.0**64, rel=1e-8)
        assert float(found.above.distance) == pytest.approx(up.min() / 2.0**64, rel=1e-8)
        assert float(found.below.distance) == pytest.approx((-up).min() / 2.0**64, rel=1e-8)


GOLDEN = "2*pi*(sqrt(5)-1)/2"


@pytest.mark.parametrize("angle", ["2", "3/7", "sqrt(3)", GOLDEN, "2*pi*3/11", "rope(base=500,d=16,k=3)"])
@pytest.mark.parametrize("n", [2, 9, 11, 300, 12345])
def test_gaps_by_exhaustion(angle: str, n: int) -> None:
    theta = Angle.parse(angle)
    gaps = 2 * np.sin(np.arange(1, n) * float(theta.real) / 2) ** 2
    # Phases are off by n u theta, and gaps near 0 by as much times their root.
    assert float(gap(theta, n)) == pytest.approx(gaps.min(), rel=1e-5, abs=1e-18)
    assert gap(theta, n).ball(200).rel_accuracy_bits() >= 200


@pytest.mark.parametrize("up_to", [10**18, 10**30, 10**100])
@pytest.mark.parametrize("angle", ["1", GOLDEN, "rope(base=10000,d=128,k=2)", "sqrt(2)*pi", "-10^-50", "10^60+1/3"])
def test_long_contexts(angle: str, up_to: int) -> None:
    """No point falls between the neighbours of 0: t_above + t_below > T, and t_above d_below + t_below d_above = 1."""
    theta = Angle.parse(angle)
    found = closest_return(theta, up_to)
    above, below = found.above, found.below
    assert max(above.t, below.t) <= up_to < above.t + below.t
    assert found.t in (above.t, below.t)
    identity = above.t * below.distance + below.t * above.distance - 1
    assert (abs(identity) < Fraction(1, 10**300)) is Outcome.HOLDS
    (farther,) = (side for side in (above, below) if side.t != found.t)
    assert (found.distance < farther.distance) is Outcome.HOLDS
    # The point named is where it is said to be.
    phase = theta.real * above.t - 2 * above.distance * Real.of(sympy.pi)
    assert (cos(phase) > 1 - Fraction(1, 10**300)) is Outcome.HOLDS


def test_exact_zeros_are_known() -> None:
    for q in range(1, 22):
        for p in (p for p in range(-q, 2 * q) if gcd(p, q) == 1):
            theta = Angle.turn(p, q)
            assert gap(theta, q + 1).exact == 0
            assert closest_return(theta, 10**18).t == q
            if q > 1:
                assert (gap(theta, q) > 0) is Outcome.HOLDS
                assert gap(theta, q).equals(1 - cos(2 * Real.of(sympy.pi) / q)) is not Outcome.REFUTED
    assert gap(Angle.turn(1, 3), 3).exact == Fraction(3, 2)


def test_a_hidden_rational_is_undecided_only_beyond_its_denominator() -> None:
    hidden = Angle(2 * sympy.pi * (sympy.sqrt(2) + 1) * (sympy.sqrt(2) - 1) / 5)
    assert closest_return(hidden, 3).t == 1
    with pytest.raises(Undecided, match="undecided at 4096 bits"):
        closest_return(hidden, 5)
    with pytest.raises(Undecided):
        gap(Angle(hidden.expr * 5), 2)


def test_an_angle_below_the_working_precision_needs_no_more_of_it() -> None:
    found = closest_return(Angle(sympy.Rational(1, 10**2000)), 5)
    assert (found.t, found.above.t, found.below.t) == (1, 1, 5)


def test_empty_ranges_are_refused() -> None:
    with pytest.raises(InputError, match="up_to=0"):
        closest_return(Angle(1), 0)
    with pytest.raises(InputError, match="n=1"):
        gap(Angle(1), 1)
