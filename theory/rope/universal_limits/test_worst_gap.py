"""Worst gaps against evaluations of every offset with 40 digits, ties, and hostile input."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from random import Random
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy
from flint import arb, fmpq

from theory.__main__ import run
from theory.arithmetic.angle import Angle
from theory.arithmetic.ball import Real, cos, sqrt
from theory.arithmetic.continued_fraction import closest_return, gap
from theory.errors import InputError, Undecided
from theory.outcome import Outcome
from theory.progress import progress_bar
from theory.quantities import Enclosure, Exact, quantities
from theory.rope.universal_limits import cosine_blocks, gap_planes
from theory.rope.universal_limits import worst_gap as worst_gap_module
from theory.rope.universal_limits.cosine_blocks import Block, CosineBlocks, error_bound
from theory.rope.universal_limits.gap_planes import Planes
from theory.rope.universal_limits.worst_gap import SHORTEST_SCAN, WorstGap, worst_gap

DIGITS = 40


def rope(planes: Sequence[int], base: int = 10**4, d: int = 128) -> list[Angle]:
    return [Angle.rope(base, d, k) for k in planes]


def random_angle(random: Random) -> tuple[Angle, mpmath.mpf]:
    """A plane of RoPE, rational radians, a rational or a quadratic number of turns; and its turns with 40 digits."""
    match random.randrange(5):
        case 0 | 1:
            base, d = random.choice([7, 10**4, 5 * 10**5]), random.choice([8, 64, 128])
            k = random.randrange(1, d // 2 + 1)
            return Angle.rope(base, d, k), mpmath.mpf(base) ** (mpmath.mpf(-2 * (k - 1)) / d) / (2 * mpmath.pi)
        case 2:
            p, q = random.randrange(-300, 300), random.randrange(1, 100)
            return Angle(sympy.Rational(p, q)), mpmath.mpf(p) / q / (2 * mpmath.pi)
        case 3:
            q = random.choice([random.randrange(1, 12), random.randrange(1, 5000)])
            p = random.randrange(-q, 2 * q)
            return Angle.turn(p, q), mpmath.mpf(p) / q
        case _:
            c, root = random.randrange(-3, 4), random.choice([2, 3, 5])
            return Angle(2 * sympy.pi * (sympy.sqrt(root) + c) / 7), (mpmath.sqrt(root) + c) / 7


def random_amplitude(random: Random, n: int) -> Fraction:
    # Planes far below float64 leave many offsets to be enclosed: only where they are few.
    tiny = Fraction(1, 2**70) if n <= 2000 else Fraction(3)
    return random.choice([Fraction(0), Fraction(1), Fraction(random.randrange(1, 999), 7), tiny])


def by_definition(n: int, turns: Sequence[mpmath.mpf], amplitudes: Sequence[Fraction]) -> tuple[mpmath.mpf, list[int]]:
    """The worst gap and where it is, each offset with 40 digits; beyond n = 300 only those that stand out in float64.

    The phases in float64 are exact to 2^-46 turns: integers modulo 2^64, off by t units.
    """
    steps, most = list(range(1, n)), 3000
    if n > 300:
        units = [int(mpmath.nint(x * mpmath.mpf(2) ** 64)) % 2**64 for x in turns]
        phases = np.arange(1, n, dtype=np.uint64)[:, None] * np.array(units, dtype=np.uint64)
        angles = phases.astype(np.int64) * (2 * np.pi / 2.0**64)
        gaps = (2 * np.sin(angles / 2) ** 2) @ np.array([float(a) for a in amplitudes])
        slack = 1e-10 * float(sum(amplitudes))
        steps = (np.flatnonzero(gaps <= gaps.min() + slack) + 1).tolist()
    parts = [(mpmath.mpf(a.numerator) / a.denominator, 2 * x) for a, x in zip(amplitudes, turns, strict=True)]
    values = {t: mpmath.fsum(a * (1 - mpmath.cospi(t * x)) for a, x in parts if a) for t in steps[:most]}
    least = min(values.values())
    assert len(steps) <= most or least < mpmath.mpf(10) ** -32, "nothing lies below a gap of 0"
    return least, [t for t, value in values.items() if value <= least + mpmath.mpf(10) ** -32]


@pytest.fixture
def thorough(request: pytest.FixtureRequest) -> bool:
    """Whether to compare 1,000 random sets of frequencies instead of 60."""
    return bool(request.config.getoption("thorough"))


def test_random_sets_against_forty_digits(thorough: bool) -> None:
    random = Random(3)
    with mpmath.workdps(DIGITS):
        for case in range(1000 if thorough else 30):
            m = random.choice([1, 2, 3, 5, 8])
            n = random.choice([random.randrange(2, 40), random.randrange(40, 300), random.randrange(300, 10**5)])
            angles, turns = zip(*(random_angle(random) for _ in range(m)), strict=True)
            amplitudes = [random_amplitude(random, n) for _ in range(m)]
            if not any(amplitudes):
                amplitudes[0] = Fraction(1)
            least, offsets = by_definition(n, turns, amplitudes)
            found = worst_gap(n, angles, amplitudes)
            message = f"case {case}: n={n}, angles={[str(a) for a in angles]}, amplitudes={amplitudes}"
            middle = mpmath.mpf(found.gap.ball().mid().str(30, radius=False))
            assert found.located is Outcome.HOLDS, message
            assert list(found.offsets)[: len(offsets)] == offsets, message
            assert abs(middle - least) < mpmath.mpf(10) ** -24, message


def test_planes_by_name_and_by_number() -> None:
    table = quantities()
    common = {"n": "850", "base": "1e4", "d": "128"}
    everything = table["rope-worst-gap"].evaluate(common)
    assert everything.keys() == {"t", "gap"}  # there is no tie
    assert everything["t"] == table["rope-worst-gap"].evaluate({**common, "planes": "64"})["t"]
    chosen = table["rope-worst-gap"].evaluate({**common, "planes": "[4, 1, 3, 2]"})
    assert chosen["t"] == Exact(377)
    frequencies = '["rope(base=1e4,d=128,k=1)", "rope(base=1e4,d=128,k=2)"]'
    twice = table["worst-gap"].evaluate({"n": "17", "frequencies": frequencies, "amplitudes": '[1, "1"]'})
    once = table["rope-worst-gap"].evaluate({**common, "n": "17", "planes": "2"})
    assert twice["t"] == once["t"] and isinstance(twice["gap"], Enclosure) and isinstance(once["gap"], Enclosure)
    assert float(twice["gap"].value) == pytest.approx(2 * float(once["gap"].value), rel=1e-15)


def test_largest_mean_of_cosines_is_the_other_side_of_the_worst_gap() -> None:
    """G = d/2 - max B_t for amplitudes 1, B_t being the sum of the cosines (arXiv 2405.14591, Thm 1)."""
    d, n = 16, 400
    angles = rope(range(1, d // 2 + 1), d=d)
    found = worst_gap(n, angles, [1] * len(angles))
    sums = [float(Real.total(cos(angle.real * t) for angle in angles)) for t in range(1, n)]
    assert found.t == 1 + int(np.argmax(sums))
    assert float(found.gap) == pytest.approx(d / 2 - max(sums), rel=1e-13)


def shrink_blocks(monkeypatch: pytest.MonkeyPatch, centres: int, steps: int) -> None:
    monkeypatch.setattr(cosine_blocks, "CENTRE_BITS", centres)
    monkeypatch.setattr(cosine_blocks, "STEP_BITS", steps)


def every_sum(blocks: CosineBlocks) -> dict[int, float]:
    found: dict[int, float] = {}
    for block in blocks:
        offsets, sums = block.at_least(-2.0)
        assert len(offsets) == 2 * block.larger.size == len(set(offsets.tolist()))
        found |= zip(offsets.tolist(), sums.tolist(), strict=True)
    return found


@pytest.mark.parametrize(("centres", "steps"), [(8, 10), (2, 3), (0, 0), (3, 0), (0, 4)])
def test_blocks_cover_their_range_and_nothing_else(monkeypatch: pytest.MonkeyPatch, centres: int, steps: int) -> None:
    shrink_blocks(monkeypatch, centres, steps)
    angles, weights = [Real.of(1), Real.of(Fraction(1, 3))], [Real.of(Fraction(1, 4)), Real.of(Fraction(3, 4))]
    for start in (1, 1000):
        for count in [*range(2, 20), 31, 32, 33, 63, 64, 65, 127, 128, 129, 200]:
            blocks = CosineBlocks(angles, weights, start, start + count)
            sums = every_sum(blocks)
            assert sorted(sums) == list(range(start, start + count))
            t = np.array(sorted(sums))
            direct = np.cos(t) / 4 + 3 * np.cos(t / 3) / 4
            # cos is exact to 2 ulp, and t/3 is rounded.
            np.testing.assert_allclose(
                [sums[k] for k in t], direct, rtol=0, atol=blocks.error + 2**-52 * (start + count)
            )


def test_blocks_of_the_usual_size_meet() -> None:
    width = 2 << cosine_blocks.STEP_BITS
    whole = width << cosine_blocks.CENTRE_BITS
    for count in (whole - 1, whole, whole + 1, 2 * whole + width + 5):
        covered = np.zeros(count, dtype=int)
        blocks = CosineBlocks([Real.of(1)], [Real.of(1)], 7, 7 + count)
        for block in blocks:
            covered[block.at_least(-2.0)[0] - 7] += 1
            assert block.larger.shape[1] == (width // 2 if count >= 2 * whole else width // 4)
        assert (2 << blocks.bits) == (whole if count >= 2 * whole else whole // 2)
        assert covered.min() == 1 and (covered > 1).sum() < width


@pytest.mark.parametrize(("planes", "start"), [(1, 1), (2, 10**12), (64, 10**9), (300, 1)])
def test_error_bound_against_balls(planes: int, start: int) -> None:
    random = Random(planes)
    angles = [Real.of(Fraction(random.randrange(1, 10**6), 10**6)) for _ in range(planes)]
    raw = [Fraction(random.randrange(1, 100)) for _ in range(planes)]
    weights = [Real.of(a / sum(raw)) for a in raw]
    blocks = CosineBlocks(angles, weights, start, start + 2**16)
    assert blocks.error < 2.0**-53 * (5 * 22 + planes + 3)
    offsets, sums = next(iter(blocks)).at_least(-2.0)
    for index in random.sample(range(len(offsets)), 30):
        exact = Real.total(w * cos(x * int(offsets[index])) for w, x in zip(weights, angles, strict=True))
        error = abs(exact - Fraction(float(sums[index])))
        assert (error <= error_bound(blocks.bits, planes)) is Outcome.HOLDS


def test_error_bound_to_first_order() -> None:
    for bits, planes in ((0, 1), (18, 64), (18, 1000)):
        roundings = 5 * (bits + 3) + (planes + 1) + 1
        assert 1 < error_bound(bits, planes) / (roundings * cosine_blocks.UNIT) < 1 + Fraction(1, 10**9)


def test_tables_shrink_with_many_frequencies() -> None:
    many = 5000
    block = next(iter(CosineBlocks([Real.of(1)] * many, [Real.of(Fraction(1, many))] * many, 1, 10**6)))
    assert many * block.larger.shape[1] <= 2**cosine_blocks.TABLE_BITS < 4 * many * block.larger.shape[1]


class Adversary(CosineBlocks):
    """Sums that are off by almost the error bound, in the worst direction for the offset 377."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.error = 0.05  # more than 377 and the second best, 754, are apart

    def __iter__(self) -> Iterator[Block]:
        for block in super().__iter__():
            rows, columns = np.indices(block.larger.shape)
            centres = block.first + (2 * rows + 1) * block.larger.shape[1]
            here = (centres + columns == 377) | (centres - 1 - columns == 377)
            # Both sums of a pair move, and the other one of this pair is far from the best.
            block.even[...] += 0.999 * np.where(here, -self.error, self.error)
            block.larger[...] = block.even + abs(block.odd)
            yield block


def test_two_error_bounds_are_needed_and_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    angles = rope([1, 2, 3, 4])
    assert worst_gap(850, angles).offsets == [377]
    shrink_blocks(monkeypatch, 2, 2)
    monkeypatch.setattr(worst_gap_module, "CosineBlocks", Adversary)
    assert worst_gap(850, angles).offsets == [377]


def test_one_frequency_takes_no_scan_at_any_length() -> None:
    theta = Angle.rope(10**4, 128, 2)
    for n in (2, 17, 10**6, 10**18):
        found = worst_gap(n, [theta, theta, Angle.turn(1), Angle(-theta.expr)], [1, 2, 5, Fraction(1, 2)])
        assert found.t == closest_return(theta, n - 1).t
        assert found.gap.ball().overlaps((gap(theta, n) * Fraction(7, 2)).ball())


def test_slow_planes_take_no_scan() -> None:
    slow = [Angle(sympy.Rational(1, 10**20)), Angle(sympy.Rational(1, 10**21))]
    assert worst_gap(10**18, slow).offsets == [1]
    wound = [Angle(slow[0].expr + 2 * sympy.pi), Angle(-slow[1].expr - 4 * sympy.pi)]
    assert worst_gap(10**18, wound).offsets == [1]
    with pytest.raises(InputError, match="offsets to scan"):
        worst_gap(10**18, [*slow, Angle(sympy.Integer(1))])


@pytest.mark.parametrize("n", [2**19, 2**19 + 2, 2**20 + 1, 10**6])
def test_a_scan_finds_what_continued_fractions_find(n: int) -> None:
    """Two planes that are one, unknown to the scan: the largest n with a new closest return, and beyond."""
    theta = Angle(sympy.Rational(1, 3))
    disguised = [theta, Angle(theta.expr + 2 * sympy.pi)]
    at = closest_return(theta, n - 1).t
    for length in {n, at, at + 1} - {1}:
        found = worst_gap(length, disguised)
        assert found.offsets == [closest_return(theta, length - 1).t]
        assert found.gap.ball().overlaps(gap(theta, length).ball())


@pytest.mark.parametrize("n", [18, 40, 41, 42, 43, 60, 61, 62])
def test_every_offset_is_seen_in_small_blocks(monkeypatch: pytest.MonkeyPatch, n: int) -> None:
    """A single offset n - 1 brings both planes close to a whole turn."""
    shrink_blocks(monkeypatch, 1, 1)
    close = 2 * sympy.pi / (n - 1) * (1 + sympy.Rational(1, 10**6))
    for first in (1, 2, 5):
        angles = [Angle(first * close), Angle((first + 1) * close)]
        assert worst_gap(n, angles).offsets == [n - 1]
        assert worst_gap(n - 1, angles).offsets != [n - 1]


def test_period_below_the_length() -> None:
    sixth, quarter = Angle.turn(1, 6), Angle.turn(3, 4)
    found = worst_gap(10**18, [sixth, quarter])
    assert found.gap.exact == 0 and found.offsets == range(12, 10**18, 12) and found.t == 12
    assert worst_gap(13, [sixth, quarter]).offsets == range(12, 13, 12)
    assert worst_gap(12, [sixth, quarter]).gap.exact != 0
    assert worst_gap(5, [Angle.turn(0), sixth], [1, 0]).offsets == range(1, 5)
    results = quantities()["worst-gap"].evaluate({"n": "100", "frequencies": '["2*pi/7", "2*pi/3"]'})
    assert results["tied"] == Exact("all multiples of 21 below n")


def test_dyadic_planes_have_an_exact_gap() -> None:
    for m in (3, 5, 10):
        angles = [Angle(sympy.pi / 2**k) for k in range(m)]
        for n in (2 ** (m - 1) + 1, 2**m):
            found = worst_gap(n, angles)
            assert found.gap.exact == Fraction(2, m) and found.offsets == [2 ** (m - 1)]


def test_ties_are_all_reported() -> None:
    ninth = [Angle.turn(1, 9), Angle.turn(2, 9)]
    assert worst_gap(9, ninth).offsets == [1, 8]
    assert worst_gap(7, [Angle.turn(1, 7)]).offsets == [1, 6]
    assert worst_gap(7, [Angle.turn(2, 7)]).offsets == [3, 4]
    prime = 10007
    both = worst_gap(prime, [Angle.turn(1, prime), Angle.turn(11, prime)]).offsets
    assert len(both) == 2 and sum(both) == prime
    # All units modulo 31 in one set: every offset has the same gap.
    assert worst_gap(31, [Angle.turn(j, 31) for j in range(1, 16)]).offsets == list(range(1, 31))
    irrational = worst_gap(9, ninth, [sqrt(2), sqrt(3)])
    assert irrational.offsets == [1, 8] and irrational.located is Outcome.HOLDS
    results = quantities()["worst-gap"].evaluate({"n": "9", "frequencies": '["2*pi/9", "4*pi/9"]'})
    assert results["t"] == Exact(1) and results["tied"] == Exact([1, 8])


def test_ties_by_relations_between_cosines(monkeypatch: pytest.MonkeyPatch) -> None:
    """cos 72 + cos 144 = -1/2 makes a gap of 5/2 of the fifths alone, and half a turn of amplitude 5/4 another."""
    angles, amplitudes = [Angle.turn(1, 5), Angle.turn(2, 5), Angle.turn(1, 2)], [1, 1, Fraction(5, 4)]
    found = worst_gap(10, angles, amplitudes)
    assert found.offsets == [2, 4, 5, 6, 8] and found.located is Outcome.HOLDS
    assert found.gap.ball().overlaps(arb(fmpq(5, 2)))
    assert worst_gap(10, angles, [1, 1, Fraction(5, 4) + Fraction(1, 10**50)]).offsets == [2, 4, 6, 8]
    assert worst_gap(10, angles, [1, 1, Fraction(5, 4) - Fraction(1, 10**50)]).offsets == [5]
    monkeypatch.setattr(gap_planes, "LARGEST_FIELD", 9)
    assert worst_gap(10, angles, amplitudes).located is Outcome.UNDECIDED


def test_equal_gaps_in_a_large_field() -> None:
    prime = 10037
    assert prime > gap_planes.LARGEST_FIELD
    angles = [Angle.turn(1, prime), Angle.turn(100, prime)]
    assert len(worst_gap(prime, angles).offsets) == 2


def test_what_no_precision_decides_is_reported() -> None:
    """A fifth of a turn ties 1 and 4; a plane of amplitude 2^-9000 would decide between them."""
    angles, amplitudes = [Angle.turn(1, 5), Angle(sympy.Integer(1))], [Fraction(1), Fraction(1, 2**9000)]
    found = worst_gap(5, angles, amplitudes)
    assert found.located is Outcome.UNDECIDED and found.offsets == [1, 4]
    assert abs(found.gap - (1 - cos(Angle.turn(1, 5).real))).ball() < arb(2) ** -100
    with pytest.raises(Undecided):
        _ = found.t
    decided = worst_gap(5, angles, [Fraction(1), Fraction(1, 2**3000)])
    assert decided.offsets == [1]
    texts = {"n": "5", "frequencies": '["2*pi/5", 1]', "amplitudes": '[1, "2^-3000*2^-3000*2^-3000"]'}
    with pytest.raises(InputError, match="4096 bits"):
        quantities()["worst-gap"].evaluate(texts)


def test_an_angle_that_may_be_whole_turns() -> None:
    """Cardano's formula for the root 1 of x^3 + 3x = 4: zero, which balls do not tell from small angles."""
    third, five = sympy.Rational(1, 3), sympy.sqrt(5)
    zero = (five + 2) ** third - (five - 2) ** third - 1
    found = worst_gap(6, [Angle(zero), Angle(2 * zero)])
    assert found.located is Outcome.UNDECIDED and found.offsets == [1, 2, 3, 4, 5]


def test_crowds_are_refused_unless_a_better_offset_follows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worst_gap_module, "MOST_CANDIDATES", 20)
    shrink_blocks(monkeypatch, 1, 3)
    tiny = Fraction(1, 2**80)
    flat = [*(Angle.turn(j, 101) for j in range(1, 51)), Angle(sympy.Integer(1))]  # all t below 101 agree to 2^-80
    amplitudes = [Fraction(1)] * 50 + [tiny]
    with pytest.raises(Undecided, match="more than 20 offsets"):
        worst_gap(101, flat, amplitudes)
    assert worst_gap(150, flat, amplitudes).offsets == [101]
    monkeypatch.setattr(worst_gap_module, "MOST_CANDIDATES", 200)
    assert worst_gap(101, flat, amplitudes).offsets == [44]  # 44 radians are nearly seven turns


@pytest.mark.parametrize("scale", [Fraction(1, 10**400), Fraction(10**400)])
def test_amplitudes_beyond_the_range_of_floats(scale: Fraction) -> None:
    angles = rope([1, 2])
    found = worst_gap(850, angles, [scale, scale])
    plain = worst_gap(850, angles)
    assert found.t == plain.t
    assert float(found.gap / scale / 2) == pytest.approx(float(plain.gap), rel=1e-15)
    assert worst_gap(850, angles, [10**400, 1]).t == 710


@pytest.mark.parametrize(
    ("n", "angles", "amplitudes", "message"),
    [
        (1, [1], None, "n=1 leaves no offset"),
        (0, [1], None, "n=0 leaves no offset"),
        (-3, [1], None, "n=-3 leaves no offset"),
        (9, [], None, "at least one angle"),
        (9, [], [], "at least one angle"),
        (9, [1, 2], [1], "amplitudes there are 1, of angles 2"),
        (9, [1], [1, 2], "amplitudes there are 2, of angles 1"),
        (9, [1, 2], [1, -1], "the amplitude -1 is negative"),
        (9, [1, 2], [1, Fraction(-1, 10**30)], "is negative"),
        (9, [1, 2], [1, float("nan")], "nan .float. is not exact"),
        (9, [1, 2], [1, 0.5], "0.5 .float. is not exact"),
        (9, [1, 2], [1, sympy.nan], "nan"),
        (9, [1, 2], [1, sympy.oo], "oo"),
        (9, [1, 2], [1, sympy.sqrt(6) - sympy.sqrt(2) * sympy.sqrt(3) - sympy.sqrt(2)], "is negative"),
        (10**12 + 10, [1, 2], None, "above the limit"),
    ],
)
def test_bad_input(n: int, angles: list[int], amplitudes: Any, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        worst_gap(n, [Angle(sympy.Integer(x)) for x in angles], amplitudes)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["worst-gap", "n=1", "frequencies=[1]"], "1 is below 2"),
        (["worst-gap", "n=9", "frequencies=[]"], "list of numbers"),
        (["worst-gap", "n=9", "frequencies=[1, NaN]"], "NaN"),
        (["worst-gap", "n=9", "frequencies=[1]", "amplitudes=[-1]"], "negative"),
        (["rope-worst-gap", "n=9", "base=1e4", "d=7"], "d=7 has no rotary planes"),
        (["rope-worst-gap", "n=9", "base=1e4", "d=1"], "at least one angle"),
        (["rope-worst-gap", "n=9", "base=0", "d=8"], "base=0"),
        (["rope-worst-gap", "n=9", "base=1e4", "d=8", "planes=5"], "k=5 is no plane"),
        (["rope-worst-gap", "n=9", "base=1e4", "d=8", "planes=1e15"], "k=5 is no plane"),
        (["rope-worst-gap", "n=9", "base=1e4", "d=8", "planes=[0]"], "names no planes"),
        (["rope-worst-gap", "n=9", "base=1e4", "d=8", "planes=1/2"], "names no planes"),
    ],
)
def test_bad_input_on_the_command_line(capsys: pytest.CaptureFixture[str], arguments: list[str], message: str) -> None:
    assert run(["value", *arguments]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1 and message in lines[0]


def test_progress_rises_to_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    shrink_blocks(monkeypatch, 2, 2)
    calls: list[tuple[int, int]] = []
    worst_gap(1000, rope([1, 2]), progress=lambda done, total: calls.append((done, total)))
    assert calls == sorted(calls) and len(calls) > 10
    assert {total for _, total in calls} == {999 - 3} and calls[-1] == (996, 996)


class Terminal:
    """Standard error as a terminal."""

    encoding = "utf-8"

    def __init__(self) -> None:
        self.text = ""

    def write(self, text: str) -> int:
        self.text += text
        return len(text)

    def flush(self) -> None: ...

    def isatty(self) -> bool:
        return True


def test_interruption_of_a_scan(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bar appears and is removed, and the cursor with it comes back."""
    terminal = Terminal()
    steps: Iterator[int] = iter(range(3))

    def interrupt(self: object, *args: Any, **kwargs: Any) -> None:
        if next(steps, None) is None:
            raise KeyboardInterrupt

    monkeypatch.setattr("rich.progress.Progress.update", interrupt)
    monkeypatch.setattr("sys.stderr", terminal)
    shrink_blocks(monkeypatch, 2, 2)
    with pytest.raises(KeyboardInterrupt):
        quantities()["worst-gap"].evaluate({"n": "5000", "frequencies": "[1,2]"})
    assert "scanning" in terminal.text
    assert terminal.text.count("\x1b[?25h") == 1


def test_no_bar_without_a_terminal() -> None:
    with progress_bar("scanning") as progress:
        assert progress is None


def test_short_scans_enclose_every_offset() -> None:
    for n in range(2, SHORTEST_SCAN + 6):
        angles = rope([1, 2, 3])
        gaps = [Planes.of(angles).gap(t) for t in range(1, n)]
        found = worst_gap(n, angles)
        assert isinstance(found, WorstGap)
        assert found.offsets == [1 + min(range(n - 1), key=lambda t: float(gaps[t]))]


def test_rational_multiples_of_pi_in_balls() -> None:
    planes = Planes.of([Angle.turn(1, 3), Angle.turn(-1, 3), Angle.turn(4, 3)], [1, 2, 3])
    assert len(planes.angles) == 1 and planes.amplitudes[0].exact == 6
    assert planes.gap(1).exact == 9 and planes.period == 3
    assert planes.gap(1).ball() == arb(fmpq(9))
