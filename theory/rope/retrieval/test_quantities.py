"""Gaps, scales and lengths of the Retrieval heads, from definitions and by brute force."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
import sympy

from tests.asked import value, values
from theory.arithmetic.angle import Angle
from theory.arithmetic.ball import Real, pi
from theory.errors import InputError
from theory.outcome import Outcome
from theory.quantities import Bound, Enclosure, Exact, quantities
from theory.rope.retrieval.letter_scale import (
    hard_length_limit,
    letter_beta_threshold,
    letter_length_limit,
    smallest_gap,
)
from theory.rope.retrieval.repairs import REPAIRS, repaired_gap, retrieval_beta_for
from theory.rope.sequences import Pair, proper_sequences, retrieval

PLANE_42 = "rope(base=10000,d=128,k=42)"
SLOW = "rope(base=500,d=32,k=13)"


@pytest.mark.parametrize("n", [2, 9, 22, 25, 60])
def test_which_readings_exceed_the_printed_bound(n: int) -> None:
    found = values("retrieval-gap-readings", letters=8, n=n, theta=PLANE_42)
    assert float(found["displayed formula"]) == pytest.approx(float(found["true bound"]), rel=1e-15)
    assert (found["minimum"] > found["printed bound"]) is Outcome.of(n <= 23)
    assert (found["displayed formula"] > found["printed bound"]) is Outcome.HOLDS
    theta = float(Angle.parse(PLANE_42).real)
    for name, lost in (("printed bound", n), ("true bound", n - 1)):
        assert float(found[name]) == pytest.approx(1 - np.cos(np.pi / 4 - lost * theta), rel=1e-14)
    assert float(found["minimum"]) == pytest.approx(brute_gaps(8, n, theta).min(), abs=1e-14)


@pytest.mark.parametrize(("letters", "n", "theta"), [(2, 3, 0.4), (3, 4, 0.3), (5, 6, 0.11), (8, 3, 0.2)])
def test_largest_gap_is_the_maximum(letters: int, n: int, theta: float) -> None:
    found = values("retrieval-gap-readings", letters=letters, n=n, theta=theta)["maximum"]
    step = 2 * np.pi / letters
    gaps = [np.cos(theta) - np.cos(k * step) for k in range(1, letters)]
    gaps += [1 - np.cos(k * step + r * theta) for k in range(1, letters) for r in range(1, n)]
    assert float(found) == pytest.approx(max(gaps), rel=1e-13)


def test_collision_numbers() -> None:
    assert value("retrieval-collision-constant", n=2).exact == 0
    for n in (3, 5, 9):
        x = float(value("retrieval-collision-constant", n=n))
        assert np.exp(-x * np.arange(1, n) ** 2).sum() == pytest.approx(1, rel=1e-13)
        bounds, least = values("retrieval-collision-beta", letters=5, n=n), 2 * (5 * n / np.pi) ** 2
        assert float(bounds["with x_n"]) == pytest.approx(x * least, rel=1e-13)
        assert float(bounds["with x_3"]) <= float(bounds["with x_n"])
    assert value("retrieval-collision-margin", n=7) == Fraction(-5, 7)
    gaps = values("retrieval-integer-gap", letters=5, n=9, theta="0.03")
    assert float(gaps["gap"]) == pytest.approx(1 - np.cos(0.03), rel=1e-12)
    assert (gaps["gap"] < gaps["bound for theta < omega/(2 n)"]) is Outcome.HOLDS
    assert float(gaps["bound for theta < omega/(2 n)"]) == pytest.approx((2 * np.pi / 5) ** 2 / 8 / 9**2, rel=1e-14)


def test_repaired_scales_and_lengths_from_their_gaps() -> None:
    gaps = {name: float(gap) for name, gap in values("retrieval-repaired-gap", letters=5, integers=3).items()}
    betas = values("retrieval-repaired-beta-threshold", letters=5, integers=3, n=23)
    lengths = values("retrieval-repaired-length-limit", letters=5, integers=3, beta=15)
    assert (gaps.pop("R1 LI"), betas["R1 LI"], lengths["R1 LI"]) == (0, 0, 0)
    for name, gap in gaps.items():
        assert float(betas[name]) == pytest.approx(np.log(22) / gap, rel=1e-13)
        assert lengths[name] == np.ceil(np.exp(15 * gap))
    assert float(value("retrieval-residual-margin", n=5, gain="sqrt(2)")) == pytest.approx(2**0.5 - 0.6)


@pytest.mark.parametrize("letters", [2, 5, 12])
def test_gaps_without_rotation(letters: int) -> None:
    found = values("retrieval-nope-gap", letters=letters)
    assert float(found["circle"]) == pytest.approx(1 - np.cos(2 * np.pi / letters), rel=1e-13)
    assert found["orthonormal"] == 1 and found["simplex"] == Fraction(letters, letters - 1)


def test_multi_plane_numbers() -> None:
    n = value("retrieval-multi-plane-length", theta_max=SLOW, alpha0="1.2")
    assert (value("retrieval-multi-plane-gap", n=n, theta_max=SLOW, alpha0="1.2") > 0) is Outcome.HOLDS
    assert (value("retrieval-multi-plane-gap", n=n + 1, theta_max=SLOW, alpha0="1.2") > 0) is Outcome.REFUTED
    # Exactly at the limit the bound is 0, which is not positive.
    assert value("retrieval-multi-plane-length", theta_max="pi/12", alpha0="pi/2") == 3
    found = float(value("retrieval-multi-plane-gap", n=5, theta_max="0.05", alpha0="1.1"))
    assert found == pytest.approx(np.cos(0.2) - np.cos(0.9), rel=1e-14)


# Brute force in floats, at arguments that no statement lists.


def brute_gaps(letters: int, n: int, theta: float) -> np.ndarray[Any, Any]:
    places = [(s, r, k) for s, r, k in product(range(n), range(n), range(1, letters)) if s != r]
    s, r, k = np.array(places).T
    return np.asarray(np.cos(s * theta) - np.cos(k * 2 * np.pi / letters + r * theta))


@pytest.mark.parametrize(("letters", "n", "share"), list(product((2, 3, 7, 11), (2, 4, 13), (0.013, 0.37, 0.61, 0.97))))
def test_smallest_gap_is_the_minimum(letters: int, n: int, share: float) -> None:
    theta = Fraction(share * 2 * np.pi / letters / (n - 1))
    found = smallest_gap(letters, n, Angle(sympy.Rational(theta.numerator, theta.denominator)))
    assert float(found) == pytest.approx(brute_gaps(letters, n, float(theta)).min(), abs=1e-13)
    assert found.ball(128).rel_accuracy_bits() >= 128


@pytest.mark.parametrize(
    ("letters", "theta"), [(3, "0.31"), (5, "0.043"), (12, "pi/50"), (2, "pi/7"), (2, "pi"), (7, "2*pi/35")]
)
def test_hard_length_limit_is_the_last_positive_one(letters: int, theta: str) -> None:
    limit = hard_length_limit(letters, angle := Angle.parse(theta))
    # Where (2n - 3) theta = omega the gap is 0 but for rounding, which is not positive.
    assert limit == 1 or brute_gaps(letters, limit, float(angle.real)).min() > 1e-13
    assert brute_gaps(letters, limit + 1, float(angle.real)).min() < 1e-13
    found = values("retrieval-length-limit", letters=letters, theta=theta)
    assert found["longest"] == limit
    assert float(found["zero of the printed bound"]) == pytest.approx(2 * np.pi / letters / float(angle.real))


@pytest.mark.parametrize(("letters", "integers", "n", "turns"), [(3, 1, 3, "2/17"), (2, 1, 4, "3/29"), (3, 2, 2, "0")])
def test_failures_of_hard_attention_over_all_inputs(letters: int, integers: int, n: int, turns: str) -> None:
    sequences = list(proper_sequences(letters, integers, n))
    wrong = 0
    for tokens in sequences:
        asked = tokens[-1][1] if isinstance(tokens[-1][1], str) else tokens[-1][0]
        phases = [
            (ord(token[0]) - ord(asked)) / letters + offset * Fraction(turns)
            for offset, token in enumerate(reversed(tokens))
        ]
        logits = np.cos(2 * np.pi * np.array(phases, dtype=float))[::-1]
        winners = [token for token, logit in zip(tokens, logits, strict=True) if logit > logits.max() - 1e-9]
        target = retrieval(tokens)[-1]
        wrong += winners.count(target) <= max((winners.count(other) for other in tokens if other != target), default=0)
    found = values("retrieval-collision-count", letters=letters, integers=integers, n=n, turns=turns)
    assert found == {"proper": len(sequences), "wrong": wrong} and wrong > 0


def layer_threshold(inputs: Sequence[Sequence[Pair]], letters: int, theta: float) -> float:
    """The scale at which the last failing input decodes, from the logits of each token of each input."""
    low, high = 0.0, 200.0

    def decodes(tokens: Sequence[Pair], beta: float) -> bool:
        masses: dict[Pair, float] = {}
        asked = tokens[-1][1] if isinstance(tokens[-1][1], str) else tokens[-1][0]
        for offset, token in enumerate(reversed(tokens)):
            phase = (ord(token[0]) - ord(asked)) * 2 * np.pi / letters + offset * theta
            masses[token] = masses.get(token, 0.0) + float(np.exp(beta * (np.cos(phase) - 1)))
        target = masses.pop(retrieval(tokens)[-1])
        return target > max(masses.values(), default=0.0)

    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if all(decodes(tokens, middle) for tokens in inputs) else (middle, high)
    return high


@pytest.mark.parametrize(("letters", "n", "theta"), [(2, 4, "0.3"), (3, 3, "0.45"), (3, 3, "0"), (2, 3, "0.9")])
def test_letter_threshold_over_all_inputs(letters: int, n: int, theta: str) -> None:
    inputs = [
        tokens for tokens in proper_sequences(letters, 1, n) if len(tokens) == n and isinstance(tokens[-1][1], str)
    ]
    angle = Angle.parse(theta)
    found = float(letter_beta_threshold(letters, n, angle))
    assert found == pytest.approx(layer_threshold(inputs, letters, float(angle.real)), rel=1e-9)
    named = values("retrieval-letter-beta-threshold", letters=letters, n=n, theta=theta)
    assert float(named["threshold"]) == found <= float(named["sufficient"]) * (1 + 1e-15)


@pytest.mark.parametrize(("letters", "n", "theta"), [(2, 4, "0.4"), (3, 3, "0.51")])
def test_integer_threshold_over_all_inputs(letters: int, n: int, theta: str) -> None:
    inputs = [tokens for tokens in proper_sequences(letters, 1, n) if len(tokens) == n and tokens[-1][1] == 1]
    found = float(values("retrieval-integer-beta-threshold", letters=letters, n=n, theta=theta)["threshold"])
    assert found == pytest.approx(layer_threshold(inputs, letters, float(theta)), rel=1e-9)


@pytest.mark.parametrize(
    ("letters", "beta", "theta"), [(5, "7", "1/40"), (8, "40", "1/200"), (3, "2", "1/10"), (8, "500", "1/50")]
)
def test_letter_length_limit_is_the_last_that_decodes(letters: int, beta: str, theta: str) -> None:
    at_rest = np.ceil(np.exp(9 * (1 - np.cos(2 * np.pi / letters))))
    assert value("retrieval-letter-length-limit", letters=letters, beta=9, theta=0) == at_rest
    limit = letter_length_limit(letters, Real.of(int(beta)), Angle.parse(theta))
    turn, step = float(Fraction(theta)), 2 * np.pi / letters
    for n, holds in ((limit, True), (limit + 1, False)):
        sums = [
            sum(np.exp(-float(beta) * (np.cos(s * turn) - np.cos(step - r * turn))) for r in range(n) if r != s)
            for s in (0, n - 1)
        ]
        assert bool(max(sums) < 1) is holds or n > hard_length_limit(letters, Angle.parse(theta))


@pytest.mark.parametrize(
    ("letters", "beta", "theta"),
    [
        (5, "30", "1/10"),
        (8, "3000", "1/100"),
        (3, "10", "1/4"),
        (8, "10", "3/10"),
        (8, "3000", "1/50"),
        (5, "40000", "1/300"),
    ],
)
def test_integer_length_limit_is_the_last_that_decodes(letters: int, beta: str, theta: str) -> None:
    limit = value("retrieval-integer-length-limit", letters=letters, beta=beta, theta=theta)
    turn = float(Fraction(theta))
    for n, holds in ((limit, True), (limit + 1, False)):
        weight = sum(np.exp(-float(beta) * (1 - np.cos(t * turn))) for t in range(1, n))
        assert bool(weight < 1 and (n - 1) * turn <= np.pi / letters) is holds


@pytest.mark.parametrize(("letters", "integers"), [(5, 3), (7, 1), (12, 4)])
def test_repaired_gaps_are_the_least_over_all_tokens(letters: int, integers: int) -> None:
    step, second, sub = 2 * np.pi / letters, 2 * np.pi / integers, 2 * np.pi / letters / (integers + 1)
    keys = [(left, slot) for left in range(letters) for slot in range(integers + 1)]
    found = values("retrieval-repaired-gap", letters=letters, integers=integers)

    def r2(key: tuple[int, int], slot: int) -> float:
        return float(np.cos(key[0] * step) + (np.cos((key[1] - slot) * second) if key[1] and slot else 0))

    def r3(key: tuple[int, int], slot: int) -> float:
        middle = slot if slot else integers / 2
        return float(np.cos(key[0] * step + (key[1] - middle) * sub))

    for name, logit in (("R2", r2), ("R3", r3)):
        letter = min(logit(key, 0) for key in keys if not key[0]) - max(logit(key, 0) for key in keys if key[0])
        integer = min(
            logit((0, slot), slot) - max(logit(key, slot) for key in keys if key != (0, slot))
            for slot in range(1, integers + 1)
        )
        assert float(found[f"{name} LL"]) == pytest.approx(letter, rel=1e-12)
        assert float(found[f"{name} LI"]) == pytest.approx(integer, rel=1e-12)
        assert float(repaired_gap(name, letters, integers)) == pytest.approx(min(letter, integer), rel=1e-12)


def test_scale_for_a_share_of_the_weight() -> None:
    for name, (n, epsilon) in product(REPAIRS, ((9, Fraction(1, 10)), (200, Fraction(1, 10**6)))):
        scale = retrieval_beta_for(name, 5, 3, n, epsilon)
        gap = float(repaired_gap(name, 5, 3))
        lost = (n - 1) * np.exp(-scale.sufficient * gap)
        assert lost / (1 + lost) == pytest.approx(float(epsilon), rel=1e-9)
        assert scale.infimum.ball(64) <= scale.sufficient < float(scale.infimum) * (1 + 1e-15)
    assert retrieval_beta_for("R2", 5, 3, 1, Fraction(1, 10)).sufficient == 0
    assert retrieval_beta_for("R2", 5, 3, 2, Fraction(2, 3)).sufficient == 0
    found = values("retrieval-repaired-beta-for", letters=5, integers=3, n=9, epsilon="1/10")
    assert float(found["R3"]) == pytest.approx(float(retrieval_beta_for("R3", 5, 3, 9, Fraction(1, 10)).infimum))


@pytest.mark.parametrize(
    ("name", "arguments", "named"),
    [
        ("retrieval-gap", {"letters": 1, "n": 3, "theta": "0.1"}, "letters"),
        ("retrieval-gap", {"letters": 8, "n": -3, "theta": "0.1"}, "n"),
        ("retrieval-gap", {"letters": 8, "n": 3, "theta": "-0.1"}, "theta=-1/10 is negative"),
        ("retrieval-gap", {"letters": 8, "n": 90, "theta": "0.1"}, "n=90"),
        ("retrieval-gap", {"letters": 8, "n": 3, "theta": "nan"}, "nan"),
        ("retrieval-gap-readings", {"letters": 8, "n": 20000, "theta": "1/100000"}, "n=20000"),
        ("retrieval-length-limit", {"letters": 8, "theta": "0"}, "theta"),
        ("retrieval-length-limit", {"letters": 8, "theta": "1"}, "theta=1"),
        ("retrieval-letter-beta-threshold", {"letters": 8, "n": 6, "theta": "1/9"}, "n=6 exceeds 5"),
        ("retrieval-letter-length-limit", {"letters": 8, "beta": "0", "theta": "0"}, "beta"),
        ("retrieval-integer-beta-threshold", {"letters": 8, "n": 6, "theta": "0"}, "theta"),
        ("retrieval-integer-beta-threshold", {"letters": 8, "n": 6, "theta": "0.1"}, "n=6"),
        ("retrieval-integer-length-limit", {"letters": 8, "beta": "1", "theta": "-1/5"}, "theta=-1/5"),
        ("retrieval-collision-beta", {"letters": 8, "n": 2}, "n=2"),
        ("retrieval-collision-count", {"letters": 8, "integers": 8, "n": 9}, "n=9"),
        ("retrieval-repaired-gap", {"letters": 8, "integers": 0}, "integers"),
        ("retrieval-repaired-beta-for", {"letters": 8, "integers": 8, "n": 4, "epsilon": "2"}, "epsilon=2"),
        ("retrieval-repaired-beta-for", {"letters": 8, "integers": 8, "n": 4, "epsilon": "1/pi"}, "rational"),
        ("retrieval-residual-margin", {"n": 4, "gain": "-1"}, "gain"),
        ("retrieval-multi-plane-gap", {"n": 90, "theta_max": "0.1", "alpha0": "1"}, "n=90"),
        ("retrieval-multi-plane-gap", {"n": 9, "theta_max": "-0.1", "alpha0": "1"}, "theta_max=-1/10"),
        ("retrieval-multi-plane-gap", {"n": 9, "theta_max": "0.1", "alpha0": "4"}, "alpha0=4"),
        ("retrieval-multi-plane-length", {"theta_max": "0", "alpha0": "1"}, "theta_max"),
    ],
)
def test_bad_input_is_one_line_that_names_it(name: str, arguments: dict[str, object], named: str) -> None:
    with pytest.raises(InputError) as error:
        values(name, **arguments)
    assert named in str(error.value) and "\n" not in str(error.value)


def test_bad_input_of_plain_functions() -> None:
    angle = Angle.parse("1/10")
    for call, named in (
        (lambda: smallest_gap(1, 3, angle), "letters=1"),
        (lambda: smallest_gap(3, 1, angle), "n=1"),
        (lambda: repaired_gap("R4", 3, 2), "R4"),
        (lambda: retrieval_beta_for("R1", 3, 2, 0, Fraction(1, 2)), "n=0"),
        (lambda: retrieval_beta_for("R1", 3, 2, 5, Fraction(1)), "epsilon=1"),
        (lambda: hard_length_limit(3, Angle.parse("0")), "theta=0"),
    ):
        with pytest.raises(InputError, match=named):
            call()


def test_kinds_of_results() -> None:
    found = quantities()["retrieval-gap-readings"].evaluate({"letters": "8", "n": "5", "theta": "1/50"})
    assert isinstance(found["true bound"], Bound) and found["true bound"].side == "upper"
    assert isinstance(found["minimum"], Enclosure)
    lower = quantities()["retrieval-collision-beta"].evaluate({"letters": "8", "n": "5"})
    assert all(isinstance(bound, Bound) and bound.side == "lower" for bound in lower.values())
    limit = quantities()["retrieval-length-limit"].evaluate({"letters": "8", "theta": "1/50"})["longest"]
    assert isinstance(limit, Exact) and limit.value == 21
    assert (2 * 21 - 3) / 50 < float(2 * pi / 8) < (2 * 22 - 3) / 50
