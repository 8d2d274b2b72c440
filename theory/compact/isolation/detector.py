"""Detectors: a head that tells 0^w from the powers of two if given a feature, and the feature of bounded logits.

Sigma = {0, 1}. After n letters with feature a in [0, 1] the head gives letter 1 the probability sigma(4 p + 2 a - 4.5),
where p is letter n + 1 of a word of flags, by default the powers of two (n is flagged where it is 1). If a = 0 on 0^w
and a >= 1/2 on the word of flags, both words are learned from length 1 on, with margin tanh(1/4) at least. Source:
derived here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from theory.arithmetic.ball import Real, exp, tanh
from theory.compact.words import POWERS, Infinite
from theory.errors import InputError
from theory.outcome import Outcome

Number = Real | Fraction
# What a detector reads off the first n letters of a word.
Feature = Callable[[Infinite, int], Number]

FLAG, GAIN, OFFSET = 4, 2, Fraction(9, 2)
# At a flagged length the sign of the logit changes here.
THRESHOLD = (OFFSET - FLAG) / GAIN
# The least margin on both words where the feature is 0 on one and at least 1/2 on the other.
LEARNED = tanh(Fraction(1, 4))


def logit(feature: Number, flag: int) -> Number:
    """The logit z = 4 p + 2 a - 4.5 of letter 1, a fraction where the feature is one."""
    return GAIN * feature + (FLAG * flag - OFFSET)


def sigma(z: Number) -> Real:
    """1 / (1 + e^-z)."""
    return 1 / (1 + exp(-z))


def margin(z: Number, letter: int) -> Real:
    """T(letter) - T(other letter) where T(1) = sigma(z): it is tanh(z/2), with a sign."""
    return tanh((z if letter else -z) / 2)


def right(z: Number, letter: int) -> Outcome:
    """Whether `letter` is the only most probable one; a tie is wrong."""
    return Real.of(z) > 0 if letter else Real.of(z) < 0


def logit_on(feature: Feature, word: Infinite, length: int, flags: Infinite = POWERS) -> Number:
    """Z after `length` letters of the word."""
    return logit(feature(word, length), flags.letter(length + 1))


def rightly(feature: Feature, word: Infinite, length: int, flags: Infinite = POWERS) -> Outcome:
    """Whether the letter after `length` letters of the word is predicted."""
    return right(logit_on(feature, word, length, flags), word.letter(length + 1))


def margin_on(feature: Feature, word: Infinite, length: int, flags: Infinite = POWERS) -> Real:
    """By how much the right letter leads after `length` letters of the word; negative where it is wrong."""
    return margin(logit_on(feature, word, length, flags), word.letter(length + 1))


def errors(feature: Feature, word: Infinite, lengths: Iterable[int], flags: Infinite = POWERS) -> Iterator[int]:
    """The lengths after which the next letter of the word is not predicted."""
    return (n for n in lengths if rightly(feature, word, n, flags) is Outcome.REFUTED)


def share(boost: Any, ones: Any, length: Any) -> Any:
    """Weight of `ones` keys of `length` whose weight is `boost` = e^Delta times that of the others."""
    return boost * ones / (boost * ones + (length - ones))


def fitting(ones: int, length: int) -> int:
    """The number of ones. Raises InputError where there are more than letters."""
    if ones > length:
        raise InputError(f"{ones} ones do not fit into n={length} letters; give at most n")
    return ones


@dataclass(frozen=True)
class BoundedDetector:
    """One head with logits Delta 1[w_j = 1] and values 1[w_j = 1]; `boost` is e^Delta, a fraction or a ball."""

    boost: Number

    def __call__(self, word: Infinite, length: int) -> Number:
        """The feature: the weight of the ones among the first `length` letters."""
        weight: Number = share(self.boost, word.nonzero(length), length)
        return weight

    @property
    def radius(self) -> Number:
        """0^w is predicted at a flagged length exactly where the share of ones is below this: 1/(1 + 3 e^Delta)."""
        return 1 / (1 + (1 / THRESHOLD - 1) * self.boost)

    @property
    def certified_radius(self) -> Real:
        """The share below which no head of this oscillation can change T by tanh(1/4)/2, half the margin on 0^w."""
        return LEARNED / (LEARNED + self.boost * (1 - LEARNED))

    def wrong_on_powers(self, j: int) -> Outcome:
        """Whether the flagged length 2^j - 1, which has j ones, is an error on the powers of two."""
        return Real.of((1 / THRESHOLD - 1) * self.boost * j) <= 2**j - 1 - j
