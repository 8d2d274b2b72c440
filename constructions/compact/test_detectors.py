"""Detectors in torch against exact features of theory on any words, and against the numbers worked out for them."""

from fractions import Fraction
from math import exp, log, tanh

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from constructions.compact.detectors import (
    EVASIONS,
    bounded,
    content_times_log,
    counted_positions,
    evasion,
    growing_with_lag,
    powers,
    sink_and_window,
    squares,
    unguarded_norm,
)
from constructions.compact.word_decoder import head, letters_of
from theory.arithmetic.ball import Real
from theory.compact.evasions.models import MODELS
from theory.compact.evasions.token_positions import output, pair
from theory.compact.isolation.detector import BoundedDetector, logit, margin
from theory.compact.words import POWERS, SQUARES, ZEROS, Infinite, altered, periodic
from theory.errors import InputError

LONG = 2100
BASES = [ZEROS, POWERS, SQUARES, periodic(3)]
starts = st.lists(st.integers(0, 1), max_size=12)


@given(st.sampled_from(sorted(MODELS)), starts, st.sampled_from(BASES), st.integers(1, 40))
def test_features_are_those_of_theory(name: str, start: list[int], base: Infinite, n: int) -> None:
    word = altered(start, base)
    build, usual = MODELS[name]
    feature = build(usual).feature(word, n)
    found = evasion(name)(letters_of(word, n), torch.tensor([n]))[0]
    z = float(Real.of(logit(feature, POWERS.letter(n + 1))))
    assert found.tolist() == pytest.approx([1 / (1 + exp(z)), 1 / (1 + exp(-z))], abs=1e-13)


@given(st.fractions(Fraction(1, 2), 40), starts, st.sampled_from(BASES), st.integers(1, 60))
def test_the_bounded_detector_is_that_of_theory(boost: Fraction, start: list[int], base: Infinite, n: int) -> None:
    word = altered(start, base)
    z = logit(BoundedDetector(boost)(word, n), POWERS.letter(n + 1))
    found = bounded(log(boost)).margins(letters_of(word, n + 1), torch.tensor([n]))
    assert float(found) == pytest.approx(float(margin(z, word.letter(n + 1))), abs=1e-13)


# The least margin over n < 2101 on 0^w and on the powers of two.
MARGINS = {
    "E1": (0.244918662, 0.529895608),
    "E2": (0.244918662, 0.247328615),
    "E3": (0.244918662, 0.635148952),
    "E4": (0.244918662, 0.635148952),
    "E5": (0.000122130, None),
    "E6": (0.244918662, 0.635148952),
    "E7": (0.244918662, 0.635148952),
    "E8": (None, 0.564142535),
    "E9": (0.244918662, 0.244918662),
}


@pytest.mark.parametrize("name", MARGINS)
def test_least_margins(name: str) -> None:
    for word, expected in zip((ZEROS, POWERS), MARGINS[name], strict=True):
        found = evasion(name).margins(letters_of(word, LONG + 1))
        if expected is not None:
            assert float(found.min()) == pytest.approx(expected, abs=1e-9)
        assert name == "E5" or float(found.min()) >= tanh(0.25) - 1e-15


def test_the_margin_of_the_compact_one_vanishes_as_it_should() -> None:
    lengths = 2 ** torch.arange(1, 17) - 1
    found = evasion("E5").margins(letters_of(ZEROS, 2**16), lengths)
    assert found.tolist() == pytest.approx([tanh(1 / (4 * n)) for n in lengths.tolist()], rel=1e-9)


@pytest.mark.parametrize(
    ("tens", "first"), [(2, 2**4), (3, 2**5), (4, 2**7), (5, 2**9), (6, 2**10), (8, 2**14), (12, 2**20)]
)
def test_a_guarded_norm_loses_zeros(tens: int, first: int) -> None:
    lengths = 2 ** torch.arange(1, first.bit_length() + 1) - 1
    word = torch.zeros(int(lengths[-1]) + 1, dtype=torch.int64)
    assert unguarded_norm(10.0**-tens).errors(word, lengths)[0] + 1 == first


def test_weaker_forms_fail() -> None:
    word = letters_of(POWERS, LONG)
    assert content_times_log(0.5).errors(word)[0] + 1 == 2**10
    assert content_times_log(0.25).errors(word)[0] + 1 == 2**6
    flagged = [2**j - 1 for j in range(1, 12)]
    assert growing_with_lag(0.05).errors(word) == flagged[4:]
    assert sink_and_window(8, boost=0.0).errors(word) == flagged[3:]


def test_one_changed_letter_moves_counted_positions() -> None:
    for half in (1, 5, 10):
        for word in pair(half):
            # Theory calls the counted letter 2 and the one that is read 0, as here.
            found = counted_positions(log(5))(torch.tensor(word), torch.tensor([len(word)]))[0]
            assert float(found[0]) == pytest.approx(float(output(word, Fraction(5))), abs=1e-14)
            assert float(found.sum()) == pytest.approx(1)
    u, w = (counted_positions()(torch.tensor(word), torch.tensor([21]))[0, 0] for word in pair(10))
    assert [float(u), float(w)] == pytest.approx([0.476190, 0.948078], abs=1e-6)


@pytest.mark.parametrize(("delta", "j"), [(0, 5), (0.5, 5), (1, 6), (2, 8), (3, 10), (5, 13), (7, 16)])
def test_bounded_logits_fail_first_where_predicted(delta: float, j: int) -> None:
    lengths = 2 ** torch.arange(1, j + 2) - 1
    word = letters_of(POWERS, int(lengths[-1]) + 1)
    assert bounded(delta).errors(word, lengths) == lengths[j - 1 :].tolist()
    assert bounded(delta).errors(torch.zeros_like(word), lengths) == []


def test_the_bounded_detector_as_weights() -> None:
    """States (w_j, 1), query (0, 1), key (0, Delta w_j), value w_j, over the whole pattern of logits."""
    w = letters_of(SQUARES, 60).double()
    x = torch.stack((w, torch.ones(60, dtype=torch.float64)), dim=-1)
    W_Q = torch.tensor([[0.0, 0.0], [0.0, 1.0]], dtype=torch.float64)
    W_K = torch.tensor([[0.0, 0.0], [1.5, 0.0]], dtype=torch.float64)
    W_V = torch.tensor([[1.0, 0.0]], dtype=torch.float64)
    a = head((x @ W_Q.T) @ (x @ W_K.T).T, x @ W_V.T)[:, 0]
    torch.testing.assert_close(a, bounded(1.5).states(letters_of(SQUARES, 60)), rtol=1e-13, atol=1e-14)


def test_flags() -> None:
    positions = torch.arange(1, 2000)
    assert powers(positions).tolist() == [POWERS.letter(i) for i in range(1, 2000)]
    assert squares(positions).tolist() == [SQUARES.letter(i) for i in range(1, 2000)]
    large = torch.tensor([10**14, 10**14 + 1, 2**52 - 1, 2**52])
    assert squares(large).tolist() == [1, 0, 0, 1]
    assert powers(large).tolist() == [0, 0, 0, 1]


def test_names() -> None:
    assert set(MODELS) | {"E5", "E10"} == set(EVASIONS)
    with pytest.raises(InputError, match="'E11' is no detector; give one of E1"):
        evasion("E11")
