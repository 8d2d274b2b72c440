"""Networks that one changed letter moves by a fixed amount at every length: each leaves the hypotheses in one way.

A pair of words of length n that differ at one place, or of neighbouring lengths, and the gap of the outputs in closed
form. Source: derived here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Broken:
    """A network outside the theorem.

    Args:
        name: what it does.
        gap: of its outputs at two words of a length, as a function of the length.
        words: the two words of a length.
        output: its output at a word, from the definition.
    """

    name: str
    gap: Callable[[int], Fraction]
    words: Callable[[int], tuple[str, str]]
    output: Callable[[str], Fraction]


def _first_changed(n: int) -> tuple[str, str]:
    return "0" * n, "1" + "0" * (n - 1)


def _ones(word: str) -> int:
    return word.count("1")


def _weighed(word: str) -> Fraction:
    """Logits ln(i) w_j, values w_j."""
    n = len(word)
    return Fraction(n * _ones(word), n * _ones(word) + n - _ones(word))


def _counting(word: str) -> Fraction:
    """Positions are counts of gates: the logit is ln 4 where a letter c stands between key and query, value 1 at a."""
    weights = [4 if "c" in word[place + 1 :] else 1 for place in range(len(word))]
    return Fraction(sum(w for w, letter in zip(weights, word, strict=True) if letter == "a"), sum(weights))


def _around(n: int) -> tuple[str, str]:
    """a^m b b^(n-m-1) and a^m c b^(n-m-1), m = floor((n-1)/2)."""
    m = (n - 1) // 2
    return "a" * m + "b" * (n - m), "a" * m + "c" + "b" * (n - m - 1)


def _counting_gap(n: int) -> Fraction:
    m = (n - 1) // 2
    return Fraction(4 * m, 4 * m + n - m) - Fraction(m, n)


LAST_LETTER = Broken(
    "the output is the last letter",
    lambda n: Fraction(1),
    lambda n: ("0" * n, "0" * (n - 1) + "1"),
    lambda word: Fraction(int(word[-1])),
)
LENGTH = Broken(
    "the output is the parity of the length",
    lambda n: Fraction(1),
    lambda n: ("0" * n, "0" * (n + 1)),
    lambda word: Fraction(len(word) % 2),
)
LOG_LOGITS = Broken(
    "logits grow like the logarithm of the length",
    lambda n: Fraction(n, 2 * n - 1),
    _first_changed,
    _weighed,
)
GROWING_DATA = Broken(
    "the readout min(1, n a) sees n",
    lambda n: Fraction(1),
    _first_changed,
    lambda word: min(Fraction(1), len(word) * Fraction(_ones(word), len(word))),
)
JUMP = Broken(
    "a layer norm without epsilon, the sign of the mean of w - 1/2 at the first letter",
    lambda n: Fraction(1),
    _first_changed,
    lambda word: Fraction(Fraction(2 * _ones(word) - 1, 2 * len(word)) > 0),
)
SUM = Broken(
    "values are added up and not averaged",
    lambda n: Fraction(1),
    _first_changed,
    lambda word: Fraction(_ones(word)),
)
COUNTED = Broken("positions are counts of a letter", _counting_gap, _around, _counting)

BROKEN = (LAST_LETTER, LENGTH, LOG_LOGITS, GROWING_DATA, JUMP, SUM, COUNTED)
