"""A continuous model that is right on 0^w and the powers of two at all lengths, with margins that vanish.

Source: derived here. The model E5 gives letter 1 the logit 4 (p - 1) + y, p the flag and y the mean of
1[w_j = 1] - 1[j = 1]/2: right in argmax, and not a learner, since no margin stays away from 0 on 0^w.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import sympy

from theory.arithmetic import ball
from theory.arithmetic.ball import Real
from theory.claims import Hypothesis, Source, claim
from theory.compact.evasions.joint import PAPER
from theory.compact.isolation.detector import FLAG, margin, sigma
from theory.compact.symbols import n
from theory.compact.words import POWERS, ZEROS, Infinite, periodic
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.outcome import Outcome
from theory.quantities import Enclosure, Length, Result, quantity

CLAIM = "argmax-without-margin"
SEED = 250515
HALF = Fraction(1, 2)


def logit(word: Infinite, length: int, shift: Fraction = HALF) -> Fraction:
    """Z = 4 (p - 1) + (k - shift)/n."""
    return FLAG * (POWERS.letter(length + 1) - 1) + (word.nonzero(length) - shift) / length


@dataclass(frozen=True)
class Vanishing:
    """E5 is right on the words at all lengths; at flagged lengths of 0^w its margin is tanh(1/(rate n)).

    Args:
        rate: a number.
        shift: what is taken off the number of ones.
        words: on which it is right.
        fixed: a margin that is said to hold at all lengths.
    """

    rate: int = 4
    shift: Fraction = HALF
    words: tuple[Infinite, ...] = (ZEROS, POWERS)
    fixed: Fraction = Fraction(0)

    def __str__(self) -> str:
        words = " and ".join(map(str, self.words))
        return (
            f"z = 4 (p - 1) + (k - {self.shift})/n has the sign of the next letter on {words} at all n; on 0^w the "
            f"margin at flagged n is tanh(1/({self.rate} n)), and above {self.fixed}"
        )


@claim(
    CLAIM,
    source=Source(PAPER, "necessity of its hypotheses", "derived"),
    quantifiers="for all n >= 1; model E5, which has compact position data and continuous layers",
    statement=str,
    variant=Vanishing(),
    controls={
        "tanh(1/(2 n))": Vanishing(rate=2),
        "a fixed margin": Vanishing(fixed=Fraction(1, 100)),
        "without the shift": Vanishing(shift=Fraction(0)),
    },
    hypotheses=(
        Hypothesis("its two words", "the flags are those of the word", Vanishing(words=(ZEROS, POWERS, periodic(2)))),
    ),
    does_not_show="anything against isolation, which is about margins: neither word is learned with one",
)
def argmax_without_margin(claimed: Vanishing, thorough: bool) -> Iterator[Evidence]:
    """Signs at all lengths and flagged lengths up to 2^40; the margin as an identity; float64 forward passes."""
    lengths = [*range(1, 4000 if thorough else 300), *(2**j - 1 for j in range(1, 41))]
    yield Enumeration("the sign is right", _signs(claimed, lengths))
    yield Enumeration("the margin at flagged lengths", _margins(claimed))
    yield Identity("2 sigma(z) - 1 = tanh(z/2)", [_margin(claimed)], sympy.simplify)
    yield Search("forward passes", _passes(claimed, 60 if thorough else 20), seed=SEED)


def _signs(claimed: Vanishing, lengths: list[int]) -> Iterator[Case]:
    for length in lengths:
        for word in claimed.words:
            z, letter = logit(word, length, claimed.shift), word.letter(length + 1)
            yield {"word": word.name, "n": length}, z > 0 if letter else z < 0


def _margins(claimed: Vanishing) -> Iterator[Case]:
    for j in range(1, 41):
        length = 2**j - 1
        found = margin(logit(ZEROS, length, claimed.shift), 0)
        said = ball.tanh(Fraction(1, claimed.rate * length))
        close = abs(found - said) <= Fraction(1, 10**40)
        yield {"n": length}, Outcome.every((close, found > claimed.fixed))


def _margin(claimed: Vanishing) -> Equation:
    z = sympy.Rational(-1, 2) / n
    return "margin after n zeros", 1 - 2 / (1 + sympy.exp(-z)), sympy.tanh(1 / (claimed.rate * n)).rewrite(sympy.exp)


def _passes(claimed: Vanishing, count: int) -> Iterator[Trial]:
    """The mean of w - e_1/2 in float64, and what the head makes of it."""
    random = np.random.default_rng(SEED)
    for case in range(count):
        length, word = int(random.integers(1, 2000)), claimed.words[case % len(claimed.words)]
        letters = np.array(word.prefix(length), dtype=float)
        letters[0] -= float(claimed.shift)
        z = 4 * (POWERS.letter(length + 1) - 1) + letters.mean()
        found = float(sigma(Fraction(logit(word, length, claimed.shift))))
        yield Trial((word.name, length), abs(1 / (1 + np.exp(-z)) - found), 0.0, 64 * float(np.finfo(float).eps))


@quantity("argmax-margin", unit="probability", claim=CLAIM)
def argmax_margin(n: Length) -> dict[str, Result]:
    """The least margins of E5 over lengths 1 to n on 0^w and the powers of two."""
    found = {}
    for word in (ZEROS, POWERS):
        signed = (logit(word, i) * (1 if word.letter(i + 1) else -1) for i in range(1, n + 1))
        found[word.name] = ball.tanh(Real.of(min(signed)) / 2)
    return {"zeros": Enclosure(found[ZEROS.name]), "powers": Enclosure(found[POWERS.name])}
