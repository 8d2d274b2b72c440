"""Temperatures, longest lengths and rounding errors against brute force from their definitions."""

import math
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest
import sympy

from theory.arithmetic.angle import Angle
from theory.arithmetic.real import Real
from theory.errors import InputError
from theory.outcome import Outcome
from theory.rope.head import Head
from theory.rope.index.circle import index_odds_bound
from theory.rope.precision.logit_rounding import FORMATS, logit_error, logit_rounding_error, nearest
from theory.rope.retrieval.repaired import r1_head, r2_head, r3_head
from theory.rope.softmax.attention_loss import LOST, TOLERATED, Guarantee
from theory.rope.softmax.guarantees import gap_guarantee, index_guarantee, printed_guarantee, repaired_guarantee
from theory.rope.tasks.letter_margin import Margin, letter_decoder_beta
from theory.rope.tasks.number_decoder import number_decoder_beta

SEED = 2605

GUARANTEES: dict[str, Guarantee] = {
    "index": index_guarantee(),
    "index at 1": index_guarantee(Angle(sympy.Integer(1))),
    "printed": printed_guarantee(3),
    "R2": repaired_guarantee("R2", 3, 2),
    "gap": gap_guarantee(Real.of(Fraction(1, 3))),
    "letter": Margin().guarantee(5),
}


@pytest.mark.parametrize("guarantee", GUARANTEES.values(), ids=GUARANTEES)
def test_temperatures_are_least_on_their_grid(guarantee: Guarantee) -> None:
    for length in (2, 3, 17, 40):
        beta = guarantee.inverse_temperature(length)
        below = beta * (1 - Fraction(1, 2**14))
        assert (guarantee.excess(length, Real.of(beta), LOST) <= LOST) is Outcome.HOLDS
        assert beta == 1 or (guarantee.excess(length, Real.of(below), LOST) > LOST) is Outcome.HOLDS
        assert beta == nearest(beta, 16)
    assert guarantee.inverse_temperature(1) == 1


@pytest.mark.parametrize("guarantee", GUARANTEES.values(), ids=GUARANTEES)
@pytest.mark.parametrize("name", ["float32", "bfloat16"])
def test_longest_length_is_where_the_guarantee_ends(guarantee: Guarantee, name: str) -> None:
    form = FORMATS[name]
    longest = guarantee.longest(form)

    def holds(length: int) -> bool:
        return guarantee.holds(length, guarantee.inverse_temperature(length), form)

    assert holds(longest) and not holds(longest + 1)
    assert all(map(holds, range(1, min(longest, 20))))
    beta = guarantee.inverse_temperature(min(longest, 9))
    reach = guarantee.length_at(beta, form)
    assert guarantee.holds(reach, beta, form) and not guarantee.holds(reach + 1, beta, form)
    assert reach >= min(longest, 9)


@pytest.mark.parametrize(("name", "head"), [("R1", r1_head(3, 2)), ("R2", r2_head(3, 2)), ("R3", r3_head(3, 2))])
def test_norm_and_planes_are_those_of_the_weights(name: str, head: Head) -> None:
    guarantee = repaired_guarantee(name, 3, 2)
    queries, keys = (np.array(weights.applyfunc(float), float) for weights in (head.W_Q, head.W_K))
    assert guarantee.planes == len(head.angles)
    assert guarantee.norm == pytest.approx(max(np.linalg.norm(queries, axis=0)) * max(np.linalg.norm(keys, axis=0)))
    assert guarantee.rotates == any(angle != 0 for angle in head.angles)


@pytest.mark.parametrize(("n", "angle"), [(2, "1"), (9, "sqrt(2)"), (17, "2*pi/17"), (40, "1/3")])
def test_number_decoder_temperature_against_its_weights(n: int, angle: str) -> None:
    arguments = {"n": str(n), "theta": angle}
    beta = number_decoder_beta.evaluate(arguments)["number-decoder-beta"].value
    bound = float(index_odds_bound.evaluate(arguments | {"beta": str(beta)})["index-odds-bound"].value)
    gaps = [1 - math.cos(t * float(Angle.parse(angle).real)) for t in range(1, n)]
    odds = [sum(math.exp(-beta * g) for g in gaps[:s] + gaps[: n - 1 - s]) for s in range(n)]
    assert max(odds) <= bound * (1 + 1e-9) and 0.142 < bound <= 1 / 7


@pytest.mark.parametrize(("n", "letters"), [(2, 2), (17, 8), (17, 3), (100, 5)])
def test_letter_decoder_temperature_against_the_definition(n: int, letters: int) -> None:
    """The worst share by a scan, and the largest cosine that is no match."""
    beta = float(letter_decoder_beta.evaluate({"n": str(n), "letters": str(letters)})["letter-decoder-beta"].value)
    rival = max(0.0, *(math.cos(2 * math.pi * k / letters) for k in range(1, letters)))

    def excess(beta: float) -> float:
        partly = max((x / 5000 - 1 / 8) * math.exp(-beta * x / 5000) for x in range(20000))
        return (n - 1) * max(partly, 7 / 8 * math.exp(-beta * (1 - rival)))

    assert excess(beta) <= 1 / 8
    assert excess(beta * (1 - 2e-3)) > 1 / 8


def test_rounding_counts_against_the_formulas() -> None:
    u = Fraction(1, 2**24)
    # To first order 2 (1 + 3 sqrt2) + 2m roundings, and 6 more where states carry three each.
    assert float(logit_error(u) / u) == pytest.approx(2 + 6 * 2**0.5 + 2, rel=1e-4)
    assert float(logit_error(u, 3) / u) == pytest.approx(2 + 6 * 2**0.5 + 6, rel=1e-4)
    assert float(logit_error(u, rotates=False) / u) == pytest.approx(4, rel=1e-4)
    assert float(logit_error(u, rotates=False, state=3) / u) == pytest.approx(10, rel=1e-4)
    assert (LOST, index_guarantee().tolerated, Margin().guarantee(3).tolerated) == (
        TOLERATED / 2,
        2 * TOLERATED,
        TOLERATED,
    )
    named = logit_rounding_error.evaluate({"bits": "24", "m": "3"})["logit-rounding-error"]
    assert float(named.value) == float(logit_error(u, 3))


@pytest.mark.parametrize(("dtype", "bits"), [(np.float16, 11), (np.float32, 24)])
def test_rounding_to_nearest_is_that_of_numpy(dtype: Any, bits: int) -> None:
    rng = Random(SEED)
    for _ in range(300):
        value = rng.uniform(-8, 8)
        assert float(nearest(Fraction(value), bits)) == float(dtype(value))
    ties = [1 + Fraction(k, 2**bits) for k in (-1, 1, 2, 3, 5)]
    assert [float(nearest(tie, bits)) for tie in ties] == [float(dtype(float(tie))) for tie in ties]


def test_out_of_reach_is_said_in_one_line() -> None:
    with pytest.raises(InputError, match="length=5 is out of reach at any inverse temperature") as refused:
        index_guarantee(Angle.turn(1, 4)).inverse_temperature(5)
    assert "\n" not in str(refused.value)
    with pytest.raises(InputError, match="n=5"):
        index_odds_bound.evaluate({"n": "5", "theta": "pi/2", "beta": "1"})
    assert index_guarantee(Angle.turn(1, 4)).inverse_temperature(4) > 1
