"""Distances and counting functions against their definitions."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from theory.compact.words import (
    POWERS,
    SQUARES,
    ZEROS,
    Infinite,
    altered,
    constant,
    count,
    disagreements,
    hamming,
    named,
    one_sided_density,
    periodic,
    power_of_two,
    running_distance,
)
from theory.errors import InputError

words = st.lists(st.integers(0, 2), min_size=1, max_size=14)
FAMOUS = [ZEROS, constant(1), POWERS, SQUARES, *(periodic(m) for m in (0, 1, 2, 5)), altered((1, 0, 2), POWERS)]


@given(words, st.data())
def test_distances_are_counts(u: list[int], data: st.DataObject) -> None:
    w = data.draw(st.lists(st.integers(0, 2), min_size=len(u), max_size=len(u)))
    where = disagreements(u, w)
    assert where == tuple(sorted(i + 1 for i in range(len(u)) if u[i] != w[i]))
    assert hamming(u, w) == Fraction(len(where), len(u))
    for i in range(1, len(u) + 1):
        assert running_distance(where, i) == Fraction(sum(u[j] != w[j] for j in range(i)), i)
        windows = [Fraction(sum(i - r < j <= i for j in where), r) for r in range(1, i + 1)]
        assert one_sided_density(where, i) == max(windows)


@given(st.sets(st.integers(1, 30)), st.integers(1, 30))
def test_what_the_one_sided_density_knows(chosen: set[int], i: int) -> None:
    where = sorted(chosen)
    here, following = one_sided_density(where, i), one_sided_density(where, i + 1)
    assert here >= running_distance(where, i)
    assert (here == 1) is (i in chosen)
    assert following <= here or i + 1 in chosen


@pytest.mark.parametrize("word", FAMOUS, ids=str)
def test_letters_are_counted(word: Infinite) -> None:
    assert [word.nonzero(n) for n in range(80)] == [sum(a != 0 for a in word.prefix(n)) for n in range(80)]
    assert [count(word, ZEROS, n) for n in range(1, 60)] == [
        len(disagreements(word.prefix(n), (0,) * n)) for n in range(1, 60)
    ]
    assert count(word, periodic(2), 50) == len(disagreements(word.prefix(50), periodic(2).prefix(50)))


def test_the_words_themselves() -> None:
    assert POWERS.prefix(17) == (1, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0)
    assert [i for i in range(1, 50) if SQUARES.letter(i)] == [1, 4, 9, 16, 25, 36, 49]
    assert periodic(2).prefix(7) == (0, 0, 1, 0, 0, 1, 0)
    assert altered((1,), ZEROS).prefix(3) == (1, 0, 0)
    assert [i for i in range(1, 70) if power_of_two(i)] == [1, 2, 4, 8, 16, 32, 64]
    assert POWERS.nonzero(2**200) == 201


def test_distances_refuse_what_they_do_not_compare() -> None:
    with pytest.raises(InputError, match="lengths 2 and 3 differ"):
        hamming((0, 1), (0, 1, 1))
    with pytest.raises(InputError, match="below 1"):
        hamming((), ())
    with pytest.raises(InputError, match="below 1"):
        one_sided_density((1,), 0)
    with pytest.raises(InputError, match="negative"):
        periodic(-1)


def test_names_of_infinite_words() -> None:
    for names, letters in (
        (("0^w", "zeros"), (0, 0, 0, 0, 0)),
        (("1^w", "ones", "per0"), (1, 1, 1, 1, 1)),
        (("chi", "powers"), (1, 1, 0, 1, 0)),
        (("sq", "squares"), (1, 0, 0, 1, 0)),
        (("per_1", "per1"), (0, 1, 0, 1, 0)),
    ):
        for name in names:
            word = named(name)
            assert word is not None and word.prefix(5) == letters and str(named(str(word))) == str(word)
    assert [named(text) for text in ("", "per", "per_-1", "per1234567", "per_²", "Chi", "2^w")] == [None] * 7
