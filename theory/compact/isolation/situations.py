"""A decoder that has learned one word, and another word: where the two are close, where they part, and what is wrong.

Isolation says that from every length at which the words agree and are close, the next place where they part is an
error. A situation holds what that needs, so that one loop tries them all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from theory.arithmetic.ball import Real
from theory.compact.isolation.detector import (
    LEARNED,
    BoundedDetector,
    Feature,
    margin_on,
    right,
    rightly,
    share,
)
from theory.compact.isolation.models import Decoder
from theory.compact.words import POWERS, Infinite, disagreements
from theory.outcome import Outcome


@dataclass(frozen=True)
class Situation:
    """Two words before one decoder that has learned the first.

    Args:
        name: decoder and words, as printed.
        parted: whether the words have different letters at a position.
        close: whether they are within x up to a length.
        wrong: whether the second word's next letter is mistaken for the first one's, by the promised margin.
        right: whether the second word's next letter is predicted at all.
    """

    name: str
    parted: Callable[[int], bool]
    close: Callable[[int], bool]
    wrong: Callable[[int], Outcome]
    right: Callable[[int], Outcome]

    def partings(self, lengths: Iterable[int], horizon: int) -> Iterator[int | None]:
        """The next parting from each length at which the words agree and are close; None if past the horizon."""
        last = 0
        for n in lengths:
            if self.close(n) and not self.parted(n) and n > last:
                last = next((m for m in range(n, horizon) if self.parted(m + 1)), horizon)
                yield last if last < horizon else None

    def __str__(self) -> str:
        return self.name


def bounded(boost: Real | Fraction, word: Infinite, name: str) -> Situation:
    """The detector of bounded logits, flagged by a word, before 0^w, which it has learned, and that word.

    A share d of changed letters moves the output by at most half the weight that it can have.
    """
    detector = BoundedDetector(boost)

    def promised(n: int) -> Outcome:
        if not word.nonzero(n):
            return ~rightly(detector, word, n, word)  # the word so far is the learned one itself
        return -margin_on(detector, word, n, word) >= LEARNED - share(boost, word.nonzero(n), n)

    return Situation(
        f"e^Delta = {name}, {word}",
        lambda i: word.letter(i) == 1,
        lambda n: (Real.of(word.nonzero(n)) < detector.certified_radius * n) is Outcome.HOLDS,
        promised,
        lambda n: rightly(detector, word, n, word),
    )


def detected(feature: Feature, name: str, near: Fraction) -> Situation:
    """A feature before 0^w and the powers of two, where no modulus is known: close means within `near`."""
    return Situation(
        name,
        lambda i: POWERS.letter(i) == 1,
        lambda n: Fraction(POWERS.nonzero(n), n) <= near,
        lambda n: ~rightly(feature, POWERS, n),
        lambda n: rightly(feature, POWERS, n),
    )


def read(decoder: Decoder, word: Sequence[int] | Infinite, near: Callable[[Fraction], bool] | None = None) -> Situation:
    """A decoder of known modulus before the word it has learned and another one, finite or infinite.

    Close is a distance d with omega(d) < eps/2, or what `near` says; the promise is eps - 2 omega(d).
    """

    def prefix(n: int) -> tuple[int, ...]:
        return word.prefix(n) if isinstance(word, Infinite) else tuple(word[:n])

    def distance(n: int) -> Fraction:
        return decoder.density(disagreements(prefix(n), decoder.word.prefix(n)), n)

    def close(n: int) -> bool:
        d = distance(n)
        return n >= decoder.start and (2 * decoder.modulus(d) < decoder.margin if near is None else near(d))

    def wrong(n: int) -> Outcome:
        lead = decoder.lead(prefix(n), decoder.word.letter(n + 1))
        return Outcome.of(lead > 0 and lead >= decoder.margin - 2 * decoder.modulus(distance(n)))

    def letter(i: int) -> int:
        return word.letter(i) if isinstance(word, Infinite) else word[i - 1]

    return Situation(
        f"{decoder} / {word if isinstance(word, Infinite) else ''.join(map(str, word))}",
        lambda i: letter(i) != decoder.word.letter(i),
        close,
        wrong,
        lambda n: Outcome.of(decoder.lead(prefix(n), letter(n + 1)) > 0),
    )


def fading_logit(ones: int, n: int, flag: int) -> Fraction:
    """Z = 4 (p - 1) + (k - 1/2)/n: right on 0^w and on the powers of two, but by less and less."""
    return 4 * (flag - 1) + (ones - Fraction(1, 2)) / n


def unsure() -> Situation:
    """0^w and the powers of two before a decoder whose margin fades."""

    def rightly_on(n: int) -> Outcome:
        flag = POWERS.letter(n + 1)
        assert right(fading_logit(0, n, flag), 0) is Outcome.HOLDS  # 0^w is learned, in the weak sense
        return right(fading_logit(POWERS.nonzero(n), n, flag), flag)

    return Situation(
        "z = 4 (p - 1) + (k - 1/2)/n, chi",
        lambda i: POWERS.letter(i) == 1,
        lambda n: Fraction(POWERS.nonzero(n), n) <= Fraction(1, 4),
        lambda n: ~rightly_on(n),
        rightly_on,
    )


def growing_share(word: Infinite, n: int) -> Fraction:
    """The weight of the ones at logits ln(n) 1[w_j = 1], which are not bounded."""
    weight: Fraction = share(Fraction(n), word.nonzero(n), n)
    return weight
