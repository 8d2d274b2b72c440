"""Inverse temperatures, lengths and margins of the softmax Index head, from definitions and over all short inputs."""

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from itertools import product

import numpy as np
import pytest
import sympy
from scipy.optimize import brentq

from tests.asked import value
from theory.arithmetic.angle import Angle
from theory.arithmetic.real import Real
from theory.errors import InputError
from theory.outcome import Outcome
from theory.rope.index.length import length_limit, longest_length
from theory.rope.index.temperature import aliases, beta_for, beta_threshold
from theory.rope.index.test_head import FloatLayer
from theory.rope.index.weights import weight_sum


def cases(seed: int, number: int) -> Iterator[tuple[int, int, float, float]]:
    rng = np.random.default_rng(seed)
    for _ in range(number):
        n = int(rng.integers(2, 8))
        yield n, int(rng.integers(0, n)), round(rng.uniform(0.1, 6.2), 3), round(rng.uniform(0.0, 9.0), 3)


def float_sum(n: int, offset: int, angle: float, beta: float) -> float:
    keys = np.arange(-offset, n - offset)
    return float(np.sum(np.exp(-beta * (1 - np.cos(keys[keys != 0] * angle)))))


def excess(n: int, offset: int, angle: float, bound: float, beta: float) -> float:
    return float_sum(n, offset, angle, beta) - bound


def test_weight_sums_by_definition() -> None:
    for n, offset, angle, beta in cases(seed=1, number=25):
        found = value("index-weight-sum", n=n, theta=angle, beta=beta, offset=offset)
        assert float(found) == pytest.approx(float_sum(n, offset, angle, beta), rel=1e-12)


@pytest.mark.parametrize("angle", ["2*pi*3/7", "pi/3", "2*pi*5/12", "pi*4/5", "-2*pi/9"])
def test_weight_sums_at_rational_turns(angle: str) -> None:
    theta = Angle.parse(angle)
    for n, offset in ((2, 0), (9, 3), (14, 13)):
        found = value("index-weight-sum", n=n, theta=angle, beta="5/2", offset=offset)
        assert float(found) == pytest.approx(float_sum(n, offset, float(theta.real), 2.5), rel=1e-12)


def test_worst_margins_over_all_inputs() -> None:
    """Two letters and the integers 1..n-1, from the maps of the head in double precision."""
    for n in (2, 3, 4):
        layer = FloatLayer(2, n - 1)
        for beta, offset in product((0.0, 1.3, 15.0), range(n)):
            margins = []
            for before, query in product(product(range(n + 1), repeat=n - 1), [offset + 1] if offset else [0, 1]):
                tokens = (*before, query)
                target = tokens[n - 1 - offset]
                right = target if target < 2 else query
                output = layer.output(tokens, beta)
                margins.append(output[right] - np.max(np.delete(output, right)))
            claimed = value("index-softmax-margin", n=n, theta=1, beta=sympy.Rational(str(beta)), offset=offset)
            assert float(claimed) == pytest.approx(min(margins), abs=1e-12), (n, beta, offset)
            if abs(min(margins)) > 1e-9:
                critical = beta_threshold(n, Angle(sympy.Integer(1)), offset)
                decodes = critical < Fraction(str(beta)) if beta else Outcome.of(critical.exact == 0)
                assert decodes is Outcome.of(bool(min(margins) > 0))


def test_hard_margins_are_limits_of_soft_ones() -> None:
    for n, offset in product((2, 3, 5, 9), (0, 2)):
        for angle in ("pi", "2*pi/3", "pi/2", "2*pi*2/5", "1"):
            if offset < n:
                soft = value("index-softmax-margin", n=n, theta=angle, beta=10**6, offset=offset)
                assert float(value("index-hard-margin", n=n, theta=angle, offset=offset)) == pytest.approx(float(soft))


def test_thresholds_by_an_independent_root() -> None:
    for n, offset, angle, _ in cases(seed=2, number=25):
        bound = 1 if offset else 3
        threshold = value("index-beta-threshold", n=n, theta=angle, offset=offset)
        found = float(threshold)
        if n - 1 <= bound:
            assert threshold.exact == 0
        else:
            assert threshold.ball(128).rel_accuracy_bits() >= 128
            root = brentq(partial(excess, n, offset, angle, bound), 0, 1e7)
            assert found == pytest.approx(root, rel=1e-9)


def test_sufficient_beta() -> None:
    for n, offset in ((17, 0), (17, 5), (40, 39), (5, 0)):
        gap = min(1 - np.cos(t) for t in range(1, n))
        expected = np.log((n - 1) / (1 if offset else 3)) / gap
        found = value("index-sufficient-beta", n=n, theta=1, offset=offset)
        assert float(found) == pytest.approx(expected, rel=1e-9)
        assert (beta_threshold(n, Angle(sympy.Integer(1)), offset) < found) is Outcome.HOLDS
    assert value("index-sufficient-beta", n=3, theta=1).exact == 0


@pytest.mark.parametrize("epsilon", ["1/10", "1/2", "3/5", "1e-6"])
@pytest.mark.parametrize("n", [2, 5, 12, 31])
def test_beta_for_every_query(n: int, epsilon: str) -> None:
    """The smallest that leaves each target its weight: the largest of all single roots."""
    angle, odds = Angle(sympy.sqrt(3)), float(Fraction(epsilon) / (1 - Fraction(epsilon)))
    found = beta_for(n, angle, Fraction(epsilon))
    theta = float(angle.real)

    def lost(beta: float) -> float:
        return max(float_sum(n, offset, theta, beta) for offset in range(n)) - odds

    expected = brentq(lost, 0, 1e6) if lost(0) > 0 else 0.0
    assert float(found.infimum) == pytest.approx(expected, rel=1e-8)
    assert (found.infimum <= Fraction(found.sufficient)) is Outcome.HOLDS
    assert found.sufficient <= float(found.infimum) * (1 + 1e-15) + 1e-300
    assert float(value("index-beta-for", n=n, theta="sqrt(3)", epsilon=epsilon)) == float(found.infimum)
    if expected:
        beta = Real.of(Fraction(found.sufficient))
        assert longest_length(beta, angle, Fraction(epsilon)) >= n
        assert longest_length(beta * Fraction(999, 1000), angle, Fraction(epsilon)) < n


def test_lengths_by_definition() -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        angle, beta = round(rng.uniform(0.1, 3.1), 3), round(rng.uniform(0.5, 60), 3)
        offset = int(rng.integers(0, 6))
        bound = 1 if offset else 3
        decoded = [n for n in range(offset + 1, 200) if float_sum(n, offset, angle, beta) < bound]
        found = length_limit(Real.of(Fraction(str(beta))), Angle(sympy.Rational(str(angle))), offset)
        assert found == max(decoded, default=0)
        lost = [n for n in range(1, 40) if max(float_sum(n, s, angle, beta) for s in range(n)) < Fraction(1, 4)]
        assert value("index-length-for", beta=beta, theta=angle, epsilon="1/5") == max(lost)


def test_a_large_offset_may_leave_no_length() -> None:
    assert value("index-length-limit", beta=1, theta=1, offset=40) == 0


def test_aliases() -> None:
    assert aliases(13, 0, Angle.turn(1, 4)) == 3
    assert aliases(13, 5, Angle.turn(3, 4)) == 2
    assert aliases(10**6, 5, Angle(sympy.Integer(1))) == 0
    assert float(weight_sum(0, 0, Real.of(1), Angle(sympy.Integer(1)))) == 0


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("index-beta-threshold", {"n": 13, "theta": "pi/2"}, ["pi/2", "4 positions", "n=13", "n <= 4"]),
        ("index-beta-threshold", {"n": 3, "theta": "pi", "offset": 2}, ["2 positions", "n <= 2"]),
        ("index-beta-threshold", {"n": 5, "theta": "1", "offset": 5}, ["offset=5", "1..5", "n - 1 = 4"]),
        ("index-beta-threshold", {"n": 1, "theta": "1"}, ["1 is below 2", ">= 2"]),
        ("index-sufficient-beta", {"n": 9, "theta": "pi"}, ["gap 0", "n <= 2"]),
        ("index-beta-for", {"n": 9, "theta": "1", "epsilon": 0}, ["epsilon=0", "0 < epsilon < 1"]),
        ("index-beta-for", {"n": 9, "theta": "1", "epsilon": "sqrt(2)/2"}, ["epsilon", "fraction"]),
        ("index-beta-for", {"n": 8, "theta": "2*pi/7", "epsilon": "0.1"}, ["7 positions", "n <= 7"]),
        ("index-length-for", {"beta": "1", "theta": "1", "epsilon": "1"}, ["epsilon=1", "0 < epsilon < 1"]),
        ("index-length-limit", {"beta": "1e11", "theta": "1"}, ["beta=1e+11", "1e+10"]),
        ("index-length-limit", {"beta": "-1", "theta": "1"}, ["beta", "-1 is not positive", "> 0"]),
        ("index-weight-sum", {"n": 4, "theta": "nan", "beta": 1}, ["nan"]),
        ("index-weight-sum", {"n": 4, "theta": "4*pi", "beta": 1}, ["4*pi", "multiple of 2 pi"]),
    ],
)
def test_bad_input_is_named_in_one_line(name: str, arguments: dict[str, object], words: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        value(name, **arguments)
    message = str(caught.value)
    assert "\n" not in message and all(word in message for word in words), message


def test_bad_input_of_the_functions() -> None:
    with pytest.raises(InputError, match="a=-1"):
        weight_sum(-1, 0, Real.of(1), Angle(sympy.Integer(1)))
    with pytest.raises(InputError, match="epsilon=1"):
        beta_for(4, Angle(sympy.Integer(1)), Fraction(1))
    with pytest.raises(InputError, match="beta=-2"):
        length_limit(Real.of(-2), Angle(sympy.Integer(1)), 0)
    with pytest.raises(InputError, match="no inverse temperature"):
        beta_for(4, Angle(sympy.Integer(0)), Fraction(1, 2))
    assert beta_for(1, Angle(sympy.Integer(1)), Fraction(1, 2)).sufficient == 0.0
    assert beta_for(2, Angle(sympy.Integer(1)), Fraction(3, 5)).sufficient == 0.0
