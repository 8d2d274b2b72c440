"""Any one word is learned by a model without layers: absolute position data store the next letter.

Source: derived here. So the theory is about families of words, but for models whose position data enter logits only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import sympy
from sympy import Expr, Integer, exp

from theory.arithmetic.ball import evaluate
from theory.claims import Hypothesis, Source, claim
from theory.compact.learnability.models import C, V, softmax_margin
from theory.compact.learnability.separation import PAPER
from theory.compact.words import POWERS, SQUARES, Infinite, altered, periodic
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.quantities import Enclosure, Letters, Positive, quantity

CLAIM = "any-single-word"
SEED = 25055
WORDS = (POWERS, SQUARES, altered((1, 1, 0, 1), periodic(3)))
MARGIN = softmax_margin(C)
# Which letter the table names after n letters of a word.
Table = Callable[[Infinite, int], int]


def stored(word: Infinite, n: int) -> int:
    """The next letter: a table of positions."""
    return word.letter(n + 1)


def after_letter(word: Infinite, n: int) -> int:
    """What most often follows the last letter within 1000 letters: a table without positions."""
    letters = word.prefix(1001)
    followers = [b for a, b in pairwise(letters) if a == letters[n - 1]]
    return max(set(followers), key=followers.count)


@dataclass(frozen=True)
class Single:
    """The table model with logit C at the letter that it names has a margin, of C and V, on every word at all n.

    Args:
        margin: that margin.
        table: which letter is named.
    """

    margin: Expr = MARGIN
    table: Table = stored

    def __str__(self) -> str:
        where = "of positions" if self.table is stored else "of letters, without positions"
        return f"a table {where} and no layers learns any word from n = 1 on, with margin {self.margin}"


@claim(
    CLAIM,
    source=Source(PAPER, "one word", "derived"),
    quantifiers="for all words, V >= 2, C > 0 and n >= 1; the margin is attained, and below 1",
    statement=str,
    variant=Single(),
    controls={
        "margin 1": Single(margin=Integer(1)),
        "V for V - 1": Single(margin=softmax_margin(C, V + 1)),
        "(e^C - 1)/(e^C + 1) for all V": Single(margin=softmax_margin(C, Integer(2))),
    },
    hypotheses=(Hypothesis("absolute positions", "embeddings depend on the position", Single(table=after_letter)),),
    does_not_show="that such a table generalises: it stores one word, which training would have to find",
)
def any_single_word(claimed: Single, thorough: bool) -> Iterator[Evidence]:
    """Letters and margins of three words in exact rationals, e^C rational; the margin by algebra; random C and V."""
    yield Enumeration("the letter named is the next", _named(claimed, 1000 if thorough else 150))
    yield Enumeration("margins, e^C rational", _margins(claimed))
    yield Identity("softmax of one C and V - 1 zeros", _softmax(claimed), sympy.simplify)
    yield Search("softmax in float64", _random(claimed, 200 if thorough else 50), seed=SEED)


def _named(claimed: Single, most: int) -> Iterator[Case]:
    for word in WORDS:
        for n in range(1, most + 1):
            yield {"word": word.name, "n": n}, claimed.table(word, n) == word.letter(n + 1)


def _margins(claimed: Single) -> Iterator[Case]:
    for letters, boost in product((2, 3, 7), (2, 3, 100)):
        found = Fraction(boost - 1, boost + letters - 1)
        said = claimed.margin.subs({V: letters, C: sympy.log(boost)})
        yield {"V": letters, "e^C": boost}, sympy.Rational(found.numerator, found.denominator) == said


def _softmax(claimed: Single) -> Iterator[Equation]:
    for letters in (2, 3, 5):
        total = exp(C) + letters - 1
        yield f"V = {letters}", exp(C) / total - 1 / total, claimed.margin.subs(V, letters)


def _random(claimed: Single, count: int) -> Iterator[Trial]:
    random = np.random.default_rng(SEED)
    margin = sympy.lambdify((V, C), claimed.margin, modules="numpy")
    for case in range(count):
        letters, gain = int(random.integers(2, 50)), float(random.uniform(0.01, 8))
        weights = np.exp(np.eye(letters)[0] * gain)
        p = weights / weights.sum()
        # A sum of 50 numbers, each side.
        yield Trial((case, letters, gain), abs(float(p[0] - p[1:].max()) - float(margin(letters, gain))), 0.0, 1e-13)


@quantity("single-word-margin", unit="probability", claim=CLAIM)
def single_word_margin(letters: Letters, gain: Positive) -> Enclosure:
    """(e^C - 1)/(e^C + V - 1): the margin with which a table of positions learns any one word over V letters."""
    return Enclosure(evaluate(softmax_margin(C), {C: gain, V: letters}))
