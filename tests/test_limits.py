"""The limits of RoPE settings against brute force from the definitions, and against the existing quantities."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
import sympy
from flint import arb, ctx
from scipy.optimize import brentq

from theory.arithmetic.angle import Angle
from theory.arithmetic.ball import Real, versine
from theory.errors import InputError, Undecided
from theory.limits import symbolic
from theory.limits.bases import grid, least_base, one_plane_may, runs, scan_bases
from theory.limits.model import Question, limits, plane_limits, set_limits
from theory.limits.rounding import format_limit, loss
from theory.limits.search import largest
from theory.limits.settings import made_up, stretched
from theory.limits.symbolic import LONGEST, angle_reach, decodes, symbolic_reach
from theory.limits.temperature import count_gaps, decoding_beta
from theory.outcome import Outcome
from theory.quantities import Bound, Enclosure, Exact
from theory.rope.index.length import first_token_reach, index_first_token_reach, length_limit
from theory.rope.index.temperature import least_beta
from theory.rope.index.weights import weight_sum
from theory.rope.models.config import published_models
from theory.rope.precision.logit_rounding import nearest
from theory.rope.retrieval.letter_scale import letter_length_limit
from theory.rope.sequences import Pair, matches, proper_sequences
from theory.rope.universal_limits.gap_planes import Planes
from theory.rope.universal_limits.optimal_amplitudes import rope_optimal_gap
from theory.rope.universal_limits.worst_gap import worst_gap

QUESTION = Question((Real.of(10), Real.of(100)), 26, ("float32", "bfloat16"))
STILL = Angle.turn(0)


def angle(text: str) -> Angle:
    return Angle.parse(text)


def rope(base: int, d: int) -> list[Angle]:
    return [Angle.rope(base, d, k) for k in range(1, d // 2 + 1)]


def gaps_of(angles: list[Angle], amplitudes: list[float], n: int) -> np.ndarray:
    t = np.arange(1, n)[:, None]
    return np.sum(2 * np.array(amplitudes) * np.sin(t * np.array([float(a.real) for a in angles]) / 2) ** 2, axis=1)


# Search


def test_largest_finds_every_last_integer_from_every_guess() -> None:
    for last, answer, guess in product(range(1, 12), range(1, 12), range(-1, 15)):
        if answer <= last:
            assert largest(answer.__ge__, guess, last) == answer


def test_a_good_guess_costs_two_evaluations() -> None:
    asked: list[int] = []

    def holds(n: int) -> bool:
        asked.append(n)
        return n <= 1000

    assert largest(holds, 1000, 10**9) == 1000
    assert asked == [1000, 1001]


# Positional reach of one plane


@pytest.mark.parametrize("beta", ["1/3", "1", "10", "100", "1000"])
@pytest.mark.parametrize("theta", ["1", "2*pi/7", "2*pi/40", "1/9", "10000^(-1/64)", "1/1000", "3"])
def test_positional_reach_is_where_the_running_sum_meets_one(theta: str, beta: str) -> None:
    plane, scale = angle(theta), Real.of(Fraction(beta))
    reach = first_token_reach(scale, plane)
    total, n = 0.0, 1
    while total < 1:
        total, n = total + math.exp(-float(scale) * (1 - math.cos(n * float(plane.real)))), n + 1
    assert reach == n - 1
    assert (weight_sum(0, reach - 1, scale, plane) < 1) is Outcome.HOLDS
    assert (weight_sum(0, reach, scale, plane) < 1) is Outcome.REFUTED
    assert length_limit(scale, plane, reach - 1) >= reach
    assert length_limit(scale, plane, reach) == 0
    assert index_first_token_reach.evaluate({"beta": beta, "theta": theta}) == {"index-first-token-reach": Exact(reach)}


def test_positional_reach_by_decoding_every_input() -> None:
    """Letters a and b, a query n - 1 that copies position 1: softmax of the cosines, largest coordinate."""
    theta, beta = 1.3, 1.1
    reach = first_token_reach(Real.of(Fraction("1.1")), angle("13/10"))

    def all_decode(n: int) -> bool:
        weights = np.exp(beta * np.cos((n - np.arange(1, n + 1) - (n - 1)) * theta))
        for letters in product("ab", repeat=n - 1):
            votes = {"a": 0.0, "b": 0.0}
            for letter, weight in zip(letters, weights, strict=False):
                votes[letter] += weight
            # The head adds twice the attended letters to the query, whose own coordinate stays 1.
            scores = {name: 2 * vote / weights.sum() for name, vote in votes.items()} | {"query": 1.0}
            if any(scores[letters[0]] <= score for name, score in scores.items() if name != letters[0]):
                return False
        return True

    assert [all_decode(n) for n in range(2, reach + 3)] == [n <= reach for n in range(2, reach + 3)]


def test_a_still_plane_has_no_positional_reach() -> None:
    assert first_token_reach(Real.of(100), STILL) == 1


# Symbolic reach of one plane


@pytest.mark.parametrize("letters", [2, 3, 8, 26])
@pytest.mark.parametrize("beta", ["1/2", "10", "100"])
def test_symbolic_reach_agrees_with_the_sums_of_single_gaps(letters: int, beta: str) -> None:
    for theta in ("1/11", "1/30", "2*pi/260", "1/99"):
        scale = Real.of(Fraction(beta))
        assert symbolic_reach(letters, scale, angle(theta)) == letter_length_limit(letters, scale, angle(theta))


@pytest.mark.parametrize(("letters", "beta", "theta"), [(3, 1.2, 0.21), (3, 0.8, 0.1), (2, 1.0, 0.3), (4, 2.0, 0.05)])
def test_symbolic_reach_by_decoding_every_proper_input(letters: int, beta: float, theta: float) -> None:
    longest = 5 if letters < 4 else 4

    def decodes_it(tokens: tuple[Pair, ...], asked: str) -> bool:
        (wanted,) = matches(tokens, len(tokens))
        letter = "abcdefgh".index
        logits = [
            math.cos(2 * math.pi * (letter(asked) - letter(left)) / letters + r * theta)
            for r, (left, _) in zip(range(len(tokens) - 1, -1, -1), tokens, strict=True)
        ]
        weights: dict[object, float] = {}
        for token, logit in zip(tokens, logits, strict=True):
            weights[token] = weights.get(token, 0.0) + math.exp(beta * logit)
        return all(weights[wanted] > weight for token, weight in weights.items() if token != wanted)

    worst = dict.fromkeys(range(1, longest + 1), True)
    for tokens in proper_sequences(letters, 1, longest):
        if isinstance(asked := tokens[-1][1], str):
            worst[len(tokens)] &= decodes_it(tokens, asked)
    reach = symbolic_reach(letters, Real.of(Fraction(beta)), Angle(sympy.Rational(Fraction(theta))))
    assert worst == {n: n <= reach for n in worst}


@pytest.mark.parametrize("letters", [2, 3, 8, 26])
@pytest.mark.parametrize("theta", ["1/3", "1/10", "1/77", "pi/13", "2*pi/26", "pi/1000"])
def test_angle_reach_counts(letters: int, theta: str) -> None:
    plane = angle(theta)
    n = 1
    while ((2 * (n + 1) - 3) * plane.real < Real.of(2 * sympy.pi / letters)) is Outcome.HOLDS:
        n += 1
    assert angle_reach(letters, plane) == n


def test_reach_of_extreme_planes() -> None:
    assert angle_reach(26, angle("1")) == symbolic_reach(26, Real.of(100), angle("1")) == 1
    assert angle_reach(26, angle("6")) == 1, "a plane that turns by more than omega is outside the theorem"
    assert angle_reach(8, STILL) == LONGEST
    assert symbolic_reach(8, Real.of(10), STILL) == 19
    assert symbolic_reach(8, Real.of(20), STILL) == 350
    assert symbolic_reach(8, Real.of(10**6), STILL) == LONGEST
    with pytest.raises(InputError, match="negative"):
        angle_reach(8, angle("-1/100"))


@pytest.mark.parametrize(
    ("beta", "step", "width", "last"),
    [
        (100, 10_000, "0.785", 5000),
        (10, 1000, "3.1", 1500),
        (30, 5000, "0.24", 1100),
        (1, 800, "3", 900),
    ],
)
def test_euler_and_maclaurin_enclose_the_sum(
    beta: int, step: int, width: str, last: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ctx.workprec(64):
        arguments = arb(beta), 1 / arb(step), arb(width), 1, last
        monkeypatch.setattr(symbolic, "_DIRECT", last + 1)
        direct = symbolic._total(*arguments)
        monkeypatch.setattr(symbolic, "_DIRECT", 10)
        summed = symbolic._total(*arguments)
    assert summed.overlaps(direct)
    assert not summed.contains(direct.mid() * (1 + arb(10) ** -6))
    assert summed.rad() > direct.rad(), "this was not the short way"


def test_long_reaches_are_certified_on_both_sides() -> None:
    beta, plane = Real.of(100), Angle.rope(500_000, 128, 64)
    reach = symbolic_reach(8, beta, plane)
    assert reach == 111_971
    terms = np.exp(100 * (np.cos(np.pi / 4 - np.arange(reach + 1) * float(plane.real)) - 1))

    def holds(n: int) -> bool:
        far = math.exp(100 * (math.cos((n - 1) * float(plane.real)) - 1))
        return bool(terms[1:n].sum() < 1 and terms[: n - 1].sum() < far)

    assert holds(reach)
    assert not holds(reach + 1)
    assert decodes(8, reach, beta, plane) and not decodes(8, reach + 1, beta, plane)


# All planes


@pytest.mark.parametrize("n", [3, 4, 5, 8, 17, 64, 65, 66, 100, 257, 1000, 4097])
def test_every_gap_is_counted_once(n: int) -> None:
    angles = rope(10_000, 16)
    found = count_gaps(n, Planes.of(angles))
    gaps = gaps_of(angles, [1 / 8] * 8, n)
    assert found.counts.sum() == n - 1
    assert found.smallest == pytest.approx(gaps.min(), abs=1e-13)
    assert found.largest == pytest.approx(gaps.max(), abs=1e-13)
    assert np.all(np.diff(found.means) > 0)
    # The k-th smallest gap is in the bin of the k-th count.
    means = np.repeat(found.means, found.counts)
    assert np.all(abs(means - np.sort(gaps)) <= means * 2**-12 + 1e-13)
    assert found.means @ found.counts == pytest.approx(gaps.sum(), rel=1e-12)
    assert 0 < found.error < 1e-11


@pytest.mark.parametrize(
    ("angles", "n", "shares"),
    [
        (rope(10_000, 4), 50, [1, 1]),
        (rope(10_000, 8), 66, [1, 1, 1, 1]),
        (rope(10_000, 8), 300, [5, 1, 0, 2]),
        (rope(100, 4), 700, [1, 3]),
        (rope(500_000, 32), 900, [1] * 16),
        ([*rope(1000, 8), STILL], 120, [1, 1, 1, 1, 4]),
    ],
)
def test_decoding_beta_solves_its_equation(angles: list[Angle], n: int, shares: list[int]) -> None:
    amplitudes = [Fraction(share, sum(shares)) for share in shares]
    gaps = gaps_of(angles, [float(a) for a in amplitudes], n)
    root = brentq(lambda beta: np.log(np.exp(-beta * (gaps - gaps.min())).sum()) - beta * gaps.min(), 0, 1e9, xtol=1e-9)
    ball = decoding_beta(n, angles, amplitudes).at(64)
    assert abs(ball.mid() - root) <= ball.rad() + arb(root) * 1e-9
    assert ball.rad() < ball.mid() * 1e-4


@pytest.mark.parametrize("n", [2, 3, 17, 65, 66, 200])
def test_decoding_beta_of_one_plane_is_that_of_the_index_head(n: int) -> None:
    plane = angle("2/7")
    ours, theirs = decoding_beta(n, [plane]), least_beta(n, plane, [n - 1], 1)
    assert ours.at(64).overlaps(theirs.at(64))


def test_decoding_beta_says_where_there_is_none() -> None:
    with pytest.raises(InputError, match="all planes are back after 6 positions"):
        decoding_beta(7, [angle("pi/3")])
    with pytest.raises(Undecided, match="so small"):
        decoding_beta(10**5, [angle("1")])


def test_equal_and_best_amplitudes_of_published_frequencies() -> None:
    model = made_up("10000", 128, None, 850)
    (layer,) = limits(model, QUESTION).layers
    assert float(layer.equal.gap) == pytest.approx(0.0297861905349, abs=1e-13)
    assert list(layer.equal.offsets) == [1]
    assert layer.best.ceiling is not None
    assert float(layer.best.gap) == pytest.approx(0.3288008533, abs=1e-9)
    known = rope_optimal_gap(10_000, 128, 850)["gap"]
    assert isinstance(known, Enclosure)
    assert (layer.best.gap <= known.value) is (known.value <= layer.best.ceiling) is Outcome.HOLDS
    assert len(layer.planes) == 64
    assert layer.slow == sum(2 * math.pi * 10_000 ** (k / 64) > 850 for k in range(64))


def test_best_amplitudes_beyond_the_size_of_the_programme(monkeypatch: pytest.MonkeyPatch) -> None:
    short = limits(made_up("10000", 16, None, 100), QUESTION).layers[0].best
    monkeypatch.setattr("theory.limits.model.LARGEST", 800)
    long = limits(made_up("10000", 16, None, 300), QUESTION).layers[0].best
    monkeypatch.undo()
    whole = limits(made_up("10000", 16, None, 300), QUESTION).layers[0].best
    assert long.ceiling is not None and short.ceiling is not None and whole.ceiling is not None
    assert float(long.ceiling) == float(short.ceiling), "V falls with the length, so this bounds it"
    assert float(long.gap) <= float(whole.gap) <= float(whole.ceiling) + 1e-12 <= float(long.ceiling) + 2e-12


def test_a_gap_too_small_for_float64_leaves_a_bound() -> None:
    found = set_limits(10**5, [angle("1")], None, QUESTION)
    assert isinstance(found.beta, Bound)
    assert float(found.beta.value) == pytest.approx(math.log(10**5 - 1) / float(found.gap))


# Formats


def bfloat16_gap(n: int, angles: list[Angle], shift: int = 0) -> float:
    """The least computed gap of any query and target below length n, angles in 8 bits, by exact rounding."""
    stored = [nearest(Fraction(float(a.real)), 8) for a in angles]
    table = np.array([[float(nearest(nearest(Fraction(t), 8) * s, 8)) for s in stored] for t in range(n)])
    exact = np.array([float(a.real) for a in angles])
    least = math.inf
    for i in range(n):
        for target in range(i + 1):
            # The query is turned back by the exact offset of its target, as weights can.
            logits = np.cos(table[i] - table[: i + 1] - (i - target) * exact).mean(axis=1)
            others = np.delete(logits, target)
            least = min(least, logits[target] - others.max()) if others.size else least
    return least


@pytest.mark.parametrize(("base", "d"), [(10_000, 16), (10_000, 64), (50, 32)])
def test_no_target_is_lost_within_the_length_that_a_format_keeps(base: int, d: int) -> None:
    angles, n = rope(base, d), 40
    planes = Planes.of(angles)
    gap = worst_gap(n, angles).gap
    found = format_limit("bfloat16", n, gap, planes, lambda length: worst_gap(length, angles).gap)
    assert found.kept >= 2
    assert (loss(found.kept, planes, 8) < worst_gap(found.kept, angles).gap) is Outcome.HOLDS
    assert bfloat16_gap(found.kept, angles) > 0
    assert float(gap) - bfloat16_gap(min(n, 30), angles) <= float(loss(min(n, 30), planes, 8))
    assert found.lost == 258
    assert nearest(Fraction(257), 8) == nearest(Fraction(256), 8) == 256, "the last two positions of length 258"


def test_the_length_that_a_format_keeps_does_not_depend_on_a_longer_context() -> None:
    angles = rope(100, 8)
    planes = Planes.of(angles)

    def gap_at(n: int) -> Real:
        return worst_gap(n, angles).gap

    kept = {format_limit("bfloat16", n, gap_at(n), planes, gap_at).kept for n in (50, 1000, 10**5)}
    assert len(kept) == 1
    (length,) = kept
    assert (loss(length, planes, 8) < gap_at(length)) is Outcome.HOLDS
    assert (loss(length + 1, planes, 8) < gap_at(length + 1)) is Outcome.REFUTED


def test_rounding_costs_a_plane_of_angle_one_nothing() -> None:
    assert float(loss(200, Planes.of([angle("1")]), 8)) == 0
    assert float(loss(200, Planes.of([angle("1"), angle("1/3")]), 8)) > 0


def test_lengths_beyond_the_context_are_scanned_anew() -> None:
    angles = [angle("1/3"), angle("1/10")]  # the gap falls far beyond the context
    planes, context = Planes.of(angles), 10

    def gap_at(n: int) -> Real:
        return worst_gap(n, angles).gap

    found = format_limit("float32", context, gap_at(context), planes, gap_at)
    assert found.kept > context
    assert (loss(found.kept, planes, 24) < gap_at(found.kept)) is Outcome.HOLDS


# Settings


def test_planes_set_to_zero_reach_as_far_as_softmax_lets_them() -> None:
    question = Question((Real.of(100),), 8, ("float32",), still=2)
    (layer,) = limits(made_up("10000", 16, None, 64), question).layers
    assert [plane.angle for plane in layer.planes[-2:]] == [STILL, STILL]
    assert layer.planes[-1].wavelength is None
    assert layer.planes[-1].symbolic == (math.ceil(math.exp(100 * (1 - math.cos(math.pi / 4)))),)
    moving = [float(versine(a.real)) for a in rope(10_000, 16)[:6]]
    assert float(layer.equal.gap) == pytest.approx(sum(moving) / 8), "still planes have their share and no gap"
    with pytest.raises(InputError, match="9 planes set to zero, but there are 8"):
        limits(made_up("10000", 16, None, 64), Question((Real.of(1),), 8, (), still=9))


def test_without_a_moving_plane_there_is_no_positional_head() -> None:
    (layer,) = limits(made_up("10000", 8, None, 64), Question((Real.of(10),), 8, ("float32",), still=4)).layers
    assert layer.equal.gap.exact == 0
    assert layer.equal.beta == Exact("none")
    assert layer.equal.formats[0].kept == 1


def test_dynamic_and_longrope_are_taken_at_the_length() -> None:
    models = {model.name: model for model in published_models()}
    longrope, dynamic = models["Phi-3.5 mini"], models["InternLM2.5 7B"]
    for model, short, long in ((longrope, 4096, 4097), (dynamic, 32_768, 65_536)):
        slow = [stretched(model, length).layers["all"].planes[-1] for length in (short, long)]
        assert (slow[0].real > slow[1].real) is Outcome.HOLDS
        assert slow[0] == model.layers["all"].at(short).planes[-1]
    assert stretched(dynamic, 100).context_length == 100


def test_two_bases_in_one_model_are_two_kinds_of_layers() -> None:
    (gemma,) = (model for model in published_models() if model.name == "Gemma 3 4B")
    question = Question((Real.of(10),), 26, ())
    full, sliding = limits(stretched(gemma, 1500), question).layers
    assert (full.kind, full.length) == ("full_attention", 1500)
    assert (sliding.kind, sliding.length) == ("sliding_attention", 1024), "a window of 1024 tokens"
    assert full.settings.base == 10**6 and sliding.settings.base == 10**4
    assert full.planes[1] == plane_limits(gemma.layers["full_attention"].planes[1], question)


# Bases


def test_bases_with_nonnegative_sums_are_no_interval() -> None:
    settings = made_up("10000", 128, None, 1024).layers["all"]
    rows = scan_bases(settings, 1024, QUESTION, [Fraction(b) for b in (4300, 5000, 6500)])
    assert [row.positive for row in rows] == [Outcome.HOLDS, Outcome.REFUTED, Outcome.HOLDS]
    assert list(runs(rows, lambda row: row.positive)) == [(Fraction(4300),) * 2, (Fraction(6500),) * 2]


@pytest.mark.parametrize(("base", "d", "first"), [(10_000, 128, 1707), (10_000, 64, 725), (1_000_000, 64, 6235)])
def test_first_negative_sum_of_published_bases(base: int, d: int, first: int) -> None:
    settings = made_up(str(base), d, None, 1024).layers["all"]
    rows = [scan_bases(settings, n, QUESTION, [Fraction(base)])[0] for n in (first, first + 1)]
    assert [row.positive for row in rows] == [Outcome.HOLDS, Outcome.REFUTED]


@pytest.mark.parametrize("still", [0, 3])
def test_each_base_against_the_limits_of_its_planes(still: int) -> None:
    question = Question((Real.of(4), Real.of(60)), 5, (), still)
    settings = made_up("10000", 16, None, 48).layers["all"]
    for row in scan_bases(settings, 48, question, [Fraction(b) for b in (2, 50, 3000, 10**6)]):
        (layer,) = limits(made_up(str(row.base), 16, None, 48), question).layers
        slowest = layer.planes[-1]
        assert row.by_angle is Outcome.of(slowest.by_angle >= 48)
        assert row.symbolic == tuple(Outcome.of(n >= 48) for n in slowest.symbolic)
        farthest = [max(plane.positional[i] for plane in layer.planes) for i in range(2)]
        assert row.one_plane == tuple(Outcome.of(n >= 48) for n in farthest)
        cosines = 1 - gaps_of([plane.angle for plane in layer.planes], [1 / 8] * 8, 48)
        assert row.positive is Outcome.of(bool(cosines.min() >= 0))
        assert row.gap == pytest.approx(float(layer.equal.gap), abs=1e-12)
        assert row.beta is not None and isinstance(layer.equal.beta, Enclosure)
        assert row.beta.at(64).overlaps(layer.equal.beta.value.at(64))
        assert row.together == tuple(Outcome.of(float(row.beta) < beta) for beta in (4, 60))


def test_the_least_base_by_angle_is_where_the_reach_changes() -> None:
    settings = made_up("10000", 16, None, 48).layers["all"]
    for target, letters in ((48, 5), (1000, 26)):
        least = math.floor(float(least_base(settings, target, letters)))
        below, above = (angle_reach(letters, Angle.rope(base, 16, 8)) for base in (least, least + 1))
        assert below < target <= above
    with pytest.raises(InputError, match="one plane"):
        least_base(made_up("10000", 2, None, 48).layers["all"], 48, 5)


@pytest.mark.parametrize("beta", [1, 10, 100])
def test_what_one_plane_cannot_do_no_base_does(beta: int) -> None:
    lengths = [n for n in range(2, 200) if one_plane_may(n, Real.of(beta))]
    assert lengths == list(range(2, len(lengths) + 2))
    assert all(first_token_reach(Real.of(beta), angle(f"1/{k}")) <= lengths[-1] for k in range(1, 40))


def test_the_grid_is_of_round_bases_and_holds_the_model_s_own() -> None:
    assert grid()[0] == 1000 and grid()[-1] == 10**8 and len(grid()) == 41
    assert all(int(str(base).rstrip("0")) < 1000 for base in grid())
    assert sorted({*grid(), Fraction(12345)}) == grid(Fraction(12345))


def test_progress_is_told_step_by_step() -> None:
    steps: list[tuple[int, int]] = []
    limits(made_up("100", 8, None, 20), QUESTION, lambda done, total: steps.append((done, total)))
    assert steps == [(1, 3), (2, 3), (3, 3)]
