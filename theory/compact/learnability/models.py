"""Models with compact position data that learn given words, exactly: one word, finitely many, all periodic ones.

`JointDetector` has one layer of uniform attention, `Doubt` too; `table_margin` has none. Source: derived here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

from sympy import Expr, exp, symbols

from theory.arithmetic.ball import Real, maximum
from theory.arithmetic.ball import exp as ball_exp
from theory.compact.words import NAMES, Infinite, Word, hamming, named
from theory.errors import InputError
from theory.quantities import Parameter

V = symbols("V", integer=True, positive=True)
C = symbols("C", positive=True)
HALF = Fraction(1, 2)


def softmax_margin(lead: Expr, letters: Expr = V) -> Expr:
    """T(right) - T(other) where the right letter leads all others, which are equal, by `lead` in logit."""
    return (exp(lead) - 1) / (exp(lead) + letters - 1)


def margin(logits: Sequence[Fraction], right: int) -> Real:
    """T(right) - max T(other) of a softmax."""
    weights = [ball_exp(z) for z in logits]
    return (weights[right] - maximum(w for s, w in enumerate(weights) if s != right)) / Real.total(weights)


def leads(logits: Sequence[Fraction], right: int) -> bool:
    """Whether the letter has the only largest logit."""
    return all(z < logits[right] for s, z in enumerate(logits) if s != right)


@dataclass(frozen=True)
class JointDetector:
    """z_s = C sum of max(0, f_k - 1 + gate) over the words alpha^k whose next letter is s, f_k = 1 - d_H(w, alpha^k).

    Args:
        words: alpha^1, ..., alpha^r over letters 0, ..., V - 1.
        gate: d0, in (0, 1].
        gain: C.
        letters: V.
    """

    words: tuple[Infinite, ...]
    gate: Fraction
    gain: Fraction = Fraction(30)
    letters: int = 2

    def logits(self, word: Word) -> list[Fraction]:
        """The logits of the next letter after a word."""
        n, found = len(word), [Fraction(0)] * self.letters
        for alpha in self.words:
            near = self.gate - hamming(word, alpha.prefix(n))
            found[alpha.letter(n + 1)] += self.gain * max(Fraction(0), near)
        return found

    def learned_from(self, longest: int) -> int:
        """The first n from which on, up to `longest`, all pairs are more than the gate apart."""
        apart = longest + 1
        for n in range(longest, 0, -1):
            prefixes = [word.prefix(n) for word in self.words]
            pairs = ((u, w) for i, u in enumerate(prefixes) for w in prefixes[:i])
            if any(hamming(u, w) < self.gate for u, w in pairs):
                break
            apart = n
        return apart


@dataclass(frozen=True)
class Doubt:
    """One layer that learns all per_m, m >= 1, with margins that tend to tanh(2^(1 - m)), and not 0^w.

    z = 8 sum of 2^-m (q_m - 1/2) tent_m(f) over m; f is the share of ones, q_m says whether m + 1 divides n + 1, and
    tent_m is centred at 1/(m + 1); the tents are disjoint.

    Args:
        digits: how many m the position data code; None for all.
    """

    digits: int | None = None

    @staticmethod
    def radius(m: int) -> Fraction:
        """Half the width of tent_m: half the way to the next centre."""
        return (Fraction(1, m + 1) - Fraction(1, m + 2)) / 2

    def logit(self, ones: int, n: int) -> Fraction:
        """Z after n letters with so many ones."""
        if not ones:
            return Fraction(0)
        share, total = Fraction(ones, n), Fraction(0)
        nearest = n // ones  # floor(1/f): the tents whose supports f may lie in
        for m in range(max(1, nearest - 2), nearest + 2):
            if self.digits is None or m <= self.digits:
                tent = 1 - abs(share - Fraction(1, m + 1)) / self.radius(m)
                if tent > 0:
                    flag = int((n + 1) % (m + 1) == 0)
                    total += Fraction(8, 2**m) * (flag - HALF) * tent
        return total

    def right(self, word: Infinite, n: int) -> bool:
        """Whether the letter after n letters of the word is predicted."""
        z = self.logit(word.nonzero(n), n)
        return z > 0 if word.letter(n + 1) else z < 0


def _family(text: str) -> tuple[Infinite, ...]:
    found = []
    for name in text.split():
        if (word := named(name)) is None:
            raise InputError(f"{name} is no word here; give some of {NAMES}")
        found.append(word)
    if not found:
        raise InputError("no word is given; give some, separated by spaces")
    return tuple(found)


Words = Annotated[tuple[Infinite, ...], Parameter("words, as '0^w per_1 chi'", _family)]
