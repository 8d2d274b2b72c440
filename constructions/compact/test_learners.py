"""What the learners learn, against margins in closed form and hand-counted agreement."""

from math import exp, tanh

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from constructions.compact.learners import MOST_DIGITS, cantor_code, cantor_digits, doubtful, joint, joint_relu, table
from constructions.compact.word_decoder import letters_of
from theory.compact.words import POWERS, SQUARES, ZEROS, altered, constant, periodic
from theory.errors import InputError

TRIPLE = [ZEROS, periodic(1), periodic(2)]


@pytest.mark.parametrize(("letters", "gain", "margin"), [(2, 5.0, 0.986614298), (3, 2.0, 0.680479063)])
def test_one_word_is_learned_from_the_first_letter_on(letters: int, gain: float, margin: float) -> None:
    random = torch.Generator().manual_seed(0)
    for word in (letters_of(POWERS, 1000), torch.randint(letters, (1000,), generator=random)):
        found = table(word, letters, gain).margins(word)
        assert found.tolist() == pytest.approx([(exp(gain) - 1) / (exp(gain) + letters - 1)] * 999)
        assert found[0] == pytest.approx(margin, abs=1e-9)


def test_a_table_does_not_read_the_word() -> None:
    word = letters_of(POWERS, 50)
    model = table(word, 2, 1.0)
    assert torch.equal(model(word[:49]), model(1 - word[:49]))
    with pytest.raises(InputError, match="end at 49"):
        model(word)


def test_three_words_are_learned_together() -> None:
    model = joint(TRIPLE, 3000, gain=30, apart=1 / 6)
    for word in TRIPLE:
        margins = model.margins(letters_of(word, 3001))
        assert margins[2:].tolist() == pytest.approx([tanh(2.5)] * 2998)
    assert any(model.errors(letters_of(word, 3)) for word in TRIPLE)


@pytest.mark.parametrize(("flips", "margin"), [(15, 0.941375538), (30, 0.761594156), (45, 0.244918662)])
def test_early_flips_lower_the_margin(flips: int, margin: float) -> None:
    word = torch.zeros(301, dtype=torch.int64)
    word[:flips] = 1
    assert float(joint(TRIPLE, 300, gain=30, apart=1 / 6).margins(word, torch.tensor([300]))) == pytest.approx(margin)


three_letters = st.lists(st.integers(0, 2), min_size=1, max_size=25)


@given(three_letters, st.floats(0.01, 1), st.floats(0.1, 30))
def test_additive_codes_and_relus_do_the_same(word: list[int], apart: float, gain: float) -> None:
    words = [periodic(1), constant(2), altered((2, 0, 1, 1), periodic(2))]
    one, other = (build(words, 25, letters=3, gain=gain, apart=apart) for build in (joint, joint_relu))
    torch.testing.assert_close(one(torch.tensor(word)), other(torch.tensor(word)), rtol=0, atol=1e-14)
    # By hand: the share of agreement with each word opens its gate.
    n = len(word)
    votes = [0.0] * 3
    for each in words:
        share = sum(a == b for a, b in zip(word, each.prefix(n), strict=True)) / n
        votes[each.letter(n + 1)] += gain * max(0.0, share - 1 + apart)
    expected = [exp(z) / sum(map(exp, votes)) for z in votes]
    assert one(torch.tensor(word))[-1].tolist() == pytest.approx(expected, abs=1e-13)


def test_words_beyond_the_table_are_refused() -> None:
    for build in (joint, joint_relu):
        with pytest.raises(InputError, match="end at 5"):
            build(TRIPLE, 5, gain=1.0, apart=0.1)(letters_of(ZEROS, 6))
        with pytest.raises(InputError, match="no words"):
            build([], 5, gain=1.0, apart=0.1)


# The limit of the margin on per_m, and the last error before length 4000.
DOUBTS = {
    1: (0.761594156, 5),
    2: (0.462117157, 14),
    3: (0.244918662, 27),
    5: (0.062418747, 65),
    8: (0.00781234106, 152),
}


@pytest.mark.parametrize("m", DOUBTS)
def test_all_periodic_words_are_learned_with_margins_of_their_own(m: int) -> None:
    limit, last = DOUBTS[m]
    assert tanh(2.0 ** (1 - m)) == pytest.approx(limit, abs=1e-9)
    model, word = doubtful(), letters_of(periodic(m), 4001)
    assert model.errors(word)[-1] == last
    tail = model.margins(word, torch.arange(3000, 4001))
    assert float((tail - limit).abs().max()) < 0.003


def test_the_one_that_learns_all_periodic_words_is_undecided_on_zeros() -> None:
    assert doubtful()(letters_of(ZEROS, 300))[:, 1].tolist() == [0.5] * 300
    few = doubtful(3)
    assert few.errors(letters_of(periodic(4), 2001))[-1] > 1900
    assert few.errors(letters_of(periodic(3), 2001))[-1] == 27
    with pytest.raises(InputError, match="periods=25"):
        doubtful(25)


@given(st.integers(1, 10**9), st.integers(1, MOST_DIGITS))
def test_digits_of_the_code_are_the_flags(n: int, periods: int) -> None:
    code = cantor_code(torch.tensor([n]), periods)
    assert cantor_digits(code, periods)[0].tolist() == [(n + 1) % (m + 1) == 0 for m in range(1, periods + 1)]


def test_squares_are_not_learned_beside_zeros() -> None:
    assert len(joint([ZEROS, periodic(1)], 2000, gain=30, apart=0.25).errors(letters_of(SQUARES, 2001))) > 30
