"""Constants, radii and networks of the continuity claims against what their definitions say."""

from fractions import Fraction
from itertools import combinations, product
from math import prod
from typing import Any

import numpy as np
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.asked import value
from theory.arithmetic.real import Real
from theory.compact.averaging.averages import averaged, poisson_tail, poisson_tail_radius
from theory.compact.continuity.constants import (
    HeadConstants,
    LayerConstants,
    first_factor,
    modulus,
    modulus_at,
    plain_coefficients,
    polynomial,
    refined_coefficients,
    total_growth,
)
from theory.compact.continuity.discontinuous import BROKEN, LENGTH, Broken
from theory.compact.continuity.explicit_bound import AVERAGE, coefficientwise
from theory.compact.continuity.network_pairs import certified_pairs, random_pairs
from theory.compact.continuity.proof_share import COMPACT, averaging, boosted, lipschitz, proof_share
from theory.compact.continuity.radius import agreement_length_on_powers, asymptotic_radius
from theory.compact.continuity.scalar_head import ScalarHead, ScalarLayer, run
from theory.compact.continuity.single_head import changed_mass, changed_share
from theory.compact.words import POWERS, ZEROS, count
from theory.errors import InputError

POSITIVE = st.floats(0.01, 5)
HEADS = st.builds(HeadConstants, st.floats(0, 3), *[POSITIVE] * 5)
LAYERS = st.lists(
    st.builds(lambda skip, heads: LayerConstants(skip, tuple(heads)), POSITIVE, st.lists(HEADS, max_size=3)), max_size=4
)


@given(st.lists(st.tuples(POSITIVE, POSITIVE), max_size=6))
def test_products_by_numpy(factors: list[tuple[float, float]]) -> None:
    expected = np.polynomial.Polynomial([1.0])
    for p, q in factors:
        expected = expected * np.polynomial.Polynomial([p, q])
    assert polynomial(factors) == pytest.approx(expected.coef.tolist(), rel=1e-12)


@given(LAYERS, POSITIVE)
def test_growth_is_the_sum_without_the_first(layers: list[LayerConstants], start: float) -> None:
    plain = plain_coefficients(layers, start)
    assert sum(plain[1:]) == pytest.approx(total_growth(layers) * start, rel=1e-9, abs=1e-9)
    assert plain[0] == pytest.approx(start * prod(layer.a for layer in layers), rel=1e-12)


@given(LAYERS, POSITIVE, st.floats(0, 1))
def test_the_refinement_costs_nothing_at_an_agreeing_place(
    layers: list[LayerConstants], start: float, share: float
) -> None:
    """B <= b_1 D_0 and P_0 + B <= (a_1 + b_1) D_0."""
    if not layers:
        assert refined_coefficients(layers, start) == [start]
        return
    p, b = layers[0].first(start)
    own, mean = layers[0].a * start, layers[0].b * start
    assert b <= mean * (1 + 1e-12) and p + b <= (own + mean) * (1 + 1e-12)


@given(*[st.fractions(0, 50)] * 3, st.fractions(0, 1), st.fractions(0, 1))
def test_a_first_layer_is_bounded(
    whole: Fraction, own: Fraction, mean: Fraction, part: Fraction, running: Fraction
) -> None:
    share = part * mean
    p, b = first_factor(whole, own, mean, share)
    assert min(whole, own + mean * running) <= p + b * running
    assert share * running <= b * running


def test_least_coefficients_are_too_small() -> None:
    """a_1 D_0 = 1, b_1 D_0 = 100, B = 10, P = 50: 41 is allowed at d_i = 2/5, 5 claimed."""
    p, b = coefficientwise(50, 1, 100, 10)
    running = Fraction(2, 5)
    assert min(50, 1 + 100 * running) == 41 and p + b * running == 5
    assert first_factor(50, 1, 100, 10) == (50, 10)


def test_constants_in_all_types() -> None:
    weights = (0.5, 1.5, 0.25, 0.5, 0.125, 1.25)
    found = []
    for kind in (float, Fraction, arb, lambda x: Real.of(Fraction(x))):
        layer = LayerConstants(kind(1.5), (HeadConstants(*map(kind, weights)),) * 2)
        bounds = [plain_coefficients([layer] * 2, kind(0.5)), refined_coefficients([layer] * 2, kind(0.5))]
        shares = [
            f(c) for c in bounds for f in (lambda c: modulus(c, Fraction(1, 10)), lambda c: modulus_at(c, {2}, 9))
        ]
        found.append([float(x.mid()) if isinstance(x, arb) else float(x) for x in [*bounds[0], *bounds[1], *shares]])
    for row in found[1:]:
        assert row == pytest.approx(found[0], rel=1e-12)


def test_infinite_constants_certify_nothing() -> None:
    layer = LayerConstants(0.0, (HeadConstants(800.0, 1.0, 0.0, 0.0, 1.0),))
    assert not modulus(plain_coefficients([layer], 1.0), 0.1) <= 1


def test_the_last_place_has_no_bound() -> None:
    with pytest.raises(InputError, match="share the last letter"):
        modulus_at([1, 1], {3, 7}, 7)


@given(st.fractions(0, 4), st.fractions("1/1000", "999/1000"))
def test_changed_mass_and_its_inverse(spread: Fraction, share: Fraction) -> None:
    found = changed_mass(float(spread), float(share))
    k, n = share.numerator, share.denominator
    weight = k * np.exp(float(spread))
    assert found == pytest.approx(weight / (weight + n - k), rel=1e-12)
    assert changed_share(float(spread), found) == pytest.approx(float(share), rel=1e-9)


@pytest.mark.parametrize("coefficients", [[1], [0, 1], [3, Fraction(1, 2)], [0, 0, 2]])
@pytest.mark.parametrize("level", [Fraction(1, 3), Fraction(1, 7), Fraction(1, 50)])
def test_agreement_lengths_by_a_scan(coefficients: list[Any], level: Fraction) -> None:
    found = agreement_length_on_powers(coefficients, level)

    def bound(n: int) -> float:
        share = count(ZEROS, POWERS, n) / n
        return sum(float(c) * poisson_tail(m, share) for m, c in enumerate(coefficients, 1))

    assert found == 1 or bound(found - 1) > level
    # Where K rises by 1 the bound is largest; far on, all is small.
    assert all(bound(n) <= level * (1 + Fraction(1, 10**9)) for n in {*range(found, found + 50), 2 * found, 3 * found})
    assert all(bound(2**power) <= level for power in range((found - 1).bit_length(), 60))


def test_a_level_of_zero_is_met_by_no_length() -> None:
    with pytest.raises(InputError, match="no length meets"):
        agreement_length_on_powers([1], 0)


def test_the_asymptotic_radius_is_asymptotic() -> None:
    levels = [Fraction(1, 10**power) for power in (3, 30, 300)]
    ratios = [float(asymptotic_radius(2, level) / poisson_tail_radius(2, level)) for level in levels]
    assert ratios[0] > ratios[1] > ratios[2] > 1 and ratios[2] < 1.02


def test_quantities_refuse() -> None:
    for name, arguments, complaint in (
        ("changed-letters-mass", {"oscillation": 1, "share": 2}, "is no share"),
        ("continuity-radius", {"layers": 2, "eps": 1}, "not below 1"),
        ("continuity-radius", {"layers": 1000, "eps": "1/2"}, "too long"),
        ("continuity-bound", {"layers": 2, "own": -1, "mean": 1, "share": "1/2"}, "numbers >= 0"),
        ("one-change-ratio", {"n": 10**6}, "too long"),
    ):
        with pytest.raises(InputError, match=complaint):
            value(name, **arguments)


def test_the_bound_of_equal_layers() -> None:
    found = value("continuity-bound", layers=3, own=1, mean=2, share="1/10")
    layer = LayerConstants(1.0, (HeadConstants(0.0, 1.0, 0.0, 0.0, 2.0),))
    assert float(found) == pytest.approx(modulus(plain_coefficients([layer] * 3, 1.0), 0.1), rel=1e-12)


@pytest.mark.parametrize("broken", BROKEN, ids=lambda broken: broken.name)
def test_networks_outside_the_theorem(broken: Broken) -> None:
    for n in range(3, 40):
        u, w = broken.words(n)
        assert abs(broken.output(u) - broken.output(w)) == broken.gap(n) > Fraction(1, 5)
        changed = sum(a != b for a, b in zip(u, w, strict=False))
        assert (len(u), len(w), changed) == ((n, n, 1) if broken is not LENGTH else (n, n + 1, 0))
        assert (u[-1] == w[-1]) is (broken.name != "the output is the last letter")


@settings(max_examples=30)
@given(st.integers(2, 30), st.integers(1, 3), st.fractions("1/20", "3/4"))
def test_the_share_of_the_proof(n: int, layers: int, eps: Fraction) -> None:
    """All numbers of changed letters that it allows, at its worst places."""
    network = averaging(layers)
    share = proof_share(network.layers, network.readout, eps)
    n *= 1 + int(1 / share) // n if layers == 1 else 1
    for changed in range(int(share * n) + 1):
        assert averaged(range(1, changed + 1), n, layers) <= eps


def test_shares_of_the_proof_fall() -> None:
    for network in COMPACT:
        shares = [proof_share(network.layers, network.readout, Fraction(1, 2**power)) for power in range(8)]
        assert shares == sorted(shares, reverse=True) and shares[-1] > 0
    small, large = (proof_share(boosted(g).layers, lipschitz(1), Fraction(1, 4)) for g in (1, 100))
    assert large < small


def by_loops(layers: tuple[ScalarLayer, ...], states: list[float], causal: bool) -> list[float]:
    """The network, key by key."""
    for layer in layers:
        after = []
        for i, own in enumerate(states):
            total = layer.skip * own
            for head in layer.heads:
                keys = range(i + 1 if causal else len(states))
                weights = [
                    np.exp(np.cos(head.turn * (i - j)) * (head.product * own * states[j] + head.linear * states[j]))
                    for j in keys
                ]
                mean = sum(w * head.value * states[j] for w, j in zip(weights, keys, strict=True)) / sum(weights)
                total += head.outer * mean
            after.append(float(np.tanh(total)))
        states = after
    return states


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_small_networks_by_loops(seed: int, causal: bool) -> None:
    random = np.random.default_rng(seed)
    layers = tuple(ScalarLayer.draw(random) for _ in range(2))
    states = random.uniform(-1, 1, size=7)
    assert run(layers, states, causal) == pytest.approx(by_loops(layers, states.tolist(), causal), abs=1e-13)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=50)
def test_constants_of_a_head_bound_what_it_does(seed: int) -> None:
    random = np.random.default_rng(seed)
    head = ScalarHead.draw(random)
    constants = head.constants()
    states, other = random.uniform(-1, 1, size=(2, 12))
    logits = head.logits(states)[-1]
    assert np.ptp(logits) <= constants.oscillation * (1 + 1e-12)
    query = np.append(states[:-1], other[-1])
    moved = abs(head.logits(query)[-1][:-1] - logits[:-1]).max()
    assert moved <= constants.query * abs(other[-1] - states[-1]) * (1 + 1e-12) + 1e-15
    keys = np.append(other[:-1], states[-1])
    moved = abs(head.logits(keys)[-1] - logits)
    assert (moved <= constants.key * abs(keys - states) * (1 + 1e-12) + 1e-15).all()


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=30)
def test_no_network_exceeds_its_bounds(seed: int) -> None:
    for pair in random_pairs(3, seed):
        layers = [layer.constants for layer in pair.layers]
        for coefficients in (plain_coefficients(layers, pair.start), refined_coefficients(layers, pair.start)):
            known = modulus_at(coefficients, pair.places, pair.length)
            assert pair.gap <= known + pair.error
            assert known <= modulus(coefficients, len(pair.places) / pair.length) * (1 + 1e-9)


def test_balls_hold_the_floats() -> None:
    for pair in certified_pairs(3):
        floats = []
        for layer in pair.layers:
            (head,) = layer.heads
            numbers = (head.product, head.linear, head.value, head.outer)
            floats.append(ScalarLayer(float(layer.skip.mid()), (ScalarHead(*(float(x.mid()) for x in numbers)),)))
        u, w = (run(tuple(floats), np.array(pair.case[name], dtype=float))[-1] for name in "uw")
        assert float(pair.gap.mid()) == pytest.approx(abs(u - w), abs=1e-14)


@pytest.mark.parametrize(("layers", "n"), [(1, 6), (2, 6), (3, 5)])
def test_uniform_networks_meet_their_constants(layers: int, n: int) -> None:
    """All constants are 1, so that the bound with known places is the gap."""
    for changed in range(1, n):
        for places in combinations(range(1, n), changed):
            assert modulus_at(plain_coefficients([AVERAGE] * layers, 1), places, n) == averaged(places, n, layers)


def test_no_mask_by_all_words() -> None:
    """Networks a x + b mean(x) on all pairs of short words over 0 and 1: the bound is met."""
    a, b = Fraction(1, 2), Fraction(3, 2)
    layer = LayerConstants(a, (HeadConstants(0, 1, 0, 0, b),))
    for n, layers in product((2, 3, 4), (1, 2, 3)):
        for u in product((0, 1), repeat=n - 1):
            states = [Fraction(x) for x in (*u, 0)]
            for _ in range(layers):
                mean = sum(states, Fraction(0)) / n
                states = [a * x + b * mean for x in states]
            assert states[-1] == total_growth([layer] * layers) * Fraction(sum(u), n)
