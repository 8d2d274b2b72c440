"""Sums of cosines of all planes against mpmath, and admissible bases by brute force."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import mpmath
import numpy as np
import pytest

from theory.arithmetic.ball import Real
from theory.errors import InputError
from theory.outcome import Outcome
from theory.quantities import Bound, Enclosure, Exact, quantities
from theory.rope.neighbours import base_sums
from theory.rope.neighbours.base_sums import BaseSums, first_negative, least_cosine_sum


@pytest.fixture
def thorough(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("thorough"))


def test_published_other_condition() -> None:
    assert BaseSums(10**4, 128).first_below(32, 10**4) == 46


def by_definition(base: Fraction, d: int, count: int) -> list[mpmath.mpf]:
    b = mpmath.mpf(base.numerator) / base.denominator
    return [mpmath.fsum(mpmath.cos(m * b ** (-2 * mpmath.mpf(j) / d)) for j in range(d // 2)) for m in range(count)]


@pytest.mark.parametrize("seed", range(8))
def test_scans_against_thirty_digits(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(seed)
    monkeypatch.setattr(base_sums, "FIRST_SCAN", random.choice([2, 16, 4096]))
    base, d = Fraction(random.randint(3, 10**5), random.randint(1, 2)), random.choice([2, 6, 8, 20])
    length = random.choice([1, 2, 3, 50, 150])
    with mpmath.workdps(30):
        values = by_definition(base, d, length)
        sums = BaseSums(base, d)
        m, least = sums.least(length)
        assert m == min(range(length), key=lambda k: values[k])
        assert abs(mpmath.mpf(least.ball().mid().str(25, radius=False)) - values[m]) < 1e-20
        for floor in (0, 1, -1):
            first = next((k for k, value in enumerate(values) if value < floor), None)
            assert sums.first_below(floor, length) == first
        assert sums.admissible(length) is (min(values) >= 0)


@pytest.mark.parametrize("seed", range(4))
def test_named_sums_against_thirty_digits(seed: int) -> None:
    random = Random(100 + seed)
    base, d, length = random.randint(3, 10**4), random.choice([4, 8, 20]), random.randint(5, 60)
    arguments = {"base": str(base), "d": str(d)}
    with mpmath.workdps(30):
        sums = by_definition(Fraction(base), d, 400)
    least, first = min(range(length), key=lambda m: sums[m]), next(m for m in range(400) if sums[m] < 0)
    found = quantities()["least-cosine-sum"].evaluate(arguments | {"length": str(length)})
    assert found["m"] == Exact(least) and found["admissible"] == Exact(bool(sums[least] >= 0))
    named = quantities()["first-negative-cosine-sum"].evaluate(arguments)
    assert named["m"] == Exact(first)
    one = quantities()["cosine-sum"].evaluate(arguments | {"m": "17"})["cosine-sum"]
    for result, exact in ((found["value"], sums[least]), (named["value"], sums[first]), (one, sums[17])):
        assert isinstance(result, Enclosure)
        assert (abs(result.value - Fraction(mpmath.nstr(exact, 25))) < Fraction(1, 10**20)) is Outcome.HOLDS


def test_where_a_base_changes() -> None:
    arguments = {"low": "100", "high": "1000", "d": "8", "length": "15"}
    found = quantities()["admissible-base-change"].evaluate(arguments)
    above, below = found["above"], found["below"]
    assert isinstance(above, Bound) and isinstance(below, Bound)
    assert (above.side, below.side) == ("lower", "upper")
    assert 0 < float(below.value - above.value) < 1e-10
    ends = [end.value.exact for end in (above, below)]
    assert [BaseSums(end, 8).admissible(15) for end in ends if end is not None] == [False, True]


def test_bases_on_a_grid(thorough: bool) -> None:
    """In steps of 1/10 the admissible bases from 4290 to 9000 at d = 128, L = 1024 are three intervals."""
    edges = [(42935, 43303), (56022, 56443), (60183, 90000)]
    near = {edge + shift for pair in edges for edge in pair for shift in range(-3, 4)}
    tenths = range(500, 90001, 50) if thorough else Random(3).sample(range(500, 90001), 40)
    for tenth in sorted({*tenths, *near} - {tenth for tenth in near if tenth > 90000}):
        good = BaseSums(Fraction(tenth, 10), 128).admissible(1024)
        assert good is any(low <= tenth <= high for low, high in edges), tenth


def test_small_width_has_two_intervals() -> None:
    """The smallest width at which a larger base can be worse, in float64 on a grid."""

    def intervals(d: int, length: int) -> int:
        base = np.exp(np.linspace(0.01, 9, 4000))
        theta = base[:, None] ** (-2 * np.arange(d // 2) / d)
        least = np.cos(np.arange(length)[None, :, None] * theta[:, None]).sum(-1).min(1)
        return int(np.diff((least >= 0).astype(int), prepend=0).clip(0).sum())

    assert [intervals(8, length) for length in (14, 15, 16, 17)] == [1, 1, 2, 1]
    assert all(intervals(d, length) <= 1 for d in (4, 6) for length in range(2, 25))


def test_bad_input_is_named() -> None:
    with pytest.raises(InputError, match="even width"):
        least_cosine_sum(Real.of(100), 7, 5)
    with pytest.raises(InputError, match="exceed 1"):
        first_negative(Real.of(1), 8)
    change, rest = quantities()["admissible-base-change"], {"d": "128", "length": "1024"}
    with pytest.raises(InputError, match="both 5000 and 5001 are inadmissible"):
        change.evaluate({"low": "5000", "high": "5001", **rest})
    with pytest.raises(InputError, match="low < high"):
        change.evaluate({"low": "9", "high": "5", **rest})
    with pytest.raises(InputError, match="no length that can be scanned"):
        quantities()["least-cosine-sum"].evaluate({"base": "9", "d": "8", "length": "0"})
    assert first_negative(Real.of(10**6), 128, 50) == {"m": Exact("none below 50")}
