"""The words that one deterministic model learns are countably many: each is a prefix with its greedy continuation.

Source: derived here. It needs no continuity.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from random import Random

from theory.claims import Hypothesis, Source, claim
from theory.compact.learnability.models import Doubt
from theory.compact.learnability.separation import PAPER
from theory.compact.words import ZEROS, Infinite, Word, periodic
from theory.evidence import Case, Enumeration, Evidence, Search
from theory.quantities import Count, Exact, Letters, quantity

CLAIM = "learned-set-countable"
SEED = 25054
# The most probable letters after each word: several where they are equally probable.
Best = Mapping[Word, tuple[int, ...]]


def learned(best: Best, letters: int, start: int, length: int) -> list[Word]:
    """All words of this length whose every letter after the first `start` is a most probable one."""
    found = [tuple(word) for word in product(range(letters), repeat=start)]
    for _ in range(start, length):
        found = [(*word, letter) for word in found for letter in best[word]]
    return found


@dataclass(frozen=True)
class Countable:
    """How many words are learned from length n0 on: of V and n0.

    Args:
        words: at most so many.
        text: the same, for people.
        unique: whether the most probable letter is unique.
        finite: whether one model learns only finitely many words.
        closed: whether limits of learned words are learned.
    """

    words: Callable[[int, int], int] = lambda letters, start: letters**start
    text: str = "V^n0"
    unique: bool = True
    finite: bool = False
    closed: bool = False

    def __str__(self) -> str:
        ties = "" if self.unique else ", ties included"
        extra = "; these are finitely many in all" * self.finite + "; their limits are learned" * self.closed
        return f"at most {self.text} words are learned from n0 on, one for each prefix of length n0{ties}{extra}"


@claim(
    CLAIM,
    source=Source(PAPER, "words learned by one model", "derived"),
    quantifiers="for all deterministic T, V and n0; learned: the next letter is the only most probable one from n0 on",
    statement=str,
    variant=Countable(),
    controls={
        "finitely many": Countable(finite=True),
        "limits are learned": Countable(closed=True),
        "half of the prefixes": Countable(lambda letters, start: max(1, letters**start // 2), "V^n0/2"),
    },
    hypotheses=(Hypothesis("unique argmax", "no other letter is as probable", Countable(unique=False)),),
    does_not_show="how many words a continuous model learns with one margin: see margin-separation",
)
def learned_set_countable(claimed: Countable, thorough: bool) -> Iterator[Evidence]:
    """All deterministic maps on short words; random ones on longer words; the model that learns all periodic words."""
    yield Enumeration("two letters, all maps on words of length 1 and 2", _all_maps(claimed))
    yield Enumeration("a model that learns all per_m", _periodic(claimed, 20 if thorough else 10))
    yield Search.decided("random maps", _random(claimed, 40 if thorough else 10), seed=SEED)


def _case(claimed: Countable, best: Best, letters: int, start: int, length: int) -> bool:
    found = learned(best, letters, start, length)
    return len(found) <= claimed.words(letters, start) and len({word[:start] for word in found}) == len(found)


def _all_maps(claimed: Countable) -> Iterator[Case]:
    words = [word for length in (1, 2) for word in product(range(2), repeat=length)]
    choices = [(0,), (1,)] if claimed.unique else [(0,), (1,), (0, 1)]
    for answers in product(choices, repeat=len(words)):
        best = dict(zip(words, answers, strict=True))
        for start in (1, 2):
            yield {"answers": answers, "n0": start}, _case(claimed, best, 2, start, 3)


def _periodic(claimed: Countable, most: int) -> Iterator[Case]:
    """Every per_m is its prefix of length 2 (m + 1)(m + 2), continued as the model says."""
    witness = Doubt()
    for m in range(1, most + 1):
        word, start = periodic(m), 2 * (m + 1) * (m + 2)
        ones, right = word.nonzero(start), True
        for n in range(start, start + 3 * m + 10):
            letter = int(witness.logit(ones, n) > 0)
            right &= letter == word.letter(n + 1)
            ones += letter
        # Three words are said to be all, where they are said to be finitely many.
        yield {"word": word.name}, right and not (claimed.finite and m > 3)
    limit: Infinite = ZEROS
    yield {"limit": limit.name}, witness.right(limit, 1000) is claimed.closed


def _random(claimed: Countable, count: int) -> Iterator[tuple[object, bool]]:
    random = Random(SEED)
    for case in range(count):
        letters, length = random.choice(((2, 9), (3, 6), (5, 4)))
        words = [word for size in range(1, length) for word in product(range(letters), repeat=size)]
        best = {word: tuple(random.sample(range(letters), 1 if claimed.unique else 2)) for word in words}
        start = random.randrange(1, length)
        yield (case, letters, length, start), _case(claimed, best, letters, start, length)


@quantity("learned-words", unit="words", claim=CLAIM)
def learned_words(letters: Letters, n: Count) -> Exact:
    """How many words a deterministic model learns from length n on, at most: one for each prefix."""
    return Exact(letters**n)
