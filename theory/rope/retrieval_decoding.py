"""What a Retrieval head makes of a sequence, exactly: its logits as levels that can be compared and exponentiated.

At rational turns a logit cos(2 pi x) is known by the distance of x to the nearest integer, so that the maximisers of
hard attention and the ties of soft attention are decided without rounding.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from theory.arithmetic.ball import Real, cos, exp
from theory.outcome import Outcome
from theory.rope.index_window import fold
from theory.rope.retrieval_head import retrieval_phase
from theory.rope.retrieval_repaired_logits import r2_logit, r3_phase
from theory.rope.sequences import Pair, retrieval

TURN = Real.of_linear(0, 2)
Level = Fraction
Terms = frozenset[tuple[Level, Fraction]]
NONE = Fraction(0)
Residual = Callable[[Pair], Fraction]


def no_residual(query: Pair) -> Fraction:
    """F(x, a) = a."""
    return NONE


@cache
def circle_logit(level: Level) -> Real:
    """The logit of one plane; the level is minus the distance of its phase to 0, in turns."""
    return cos(level * TURN)


def letter(name: object) -> int:
    """The number of a letter, from 0."""
    return ord(str(name)) - ord("a")


def wanted(query: Pair) -> int:
    """The number of the left letter that a query looks for; its own if its right half is an integer."""
    return letter(query[1] if isinstance(query[1], str) else query[0])


def number(token: Pair) -> int | None:
    """The integer of a token, None if its right half is a letter."""
    return token[1] if isinstance(token[1], int) else None


@dataclass(frozen=True)
class Design:
    """A head as a function of query token, key token and offset.

    Args:
        level: an exact number that orders the keys as their logits do.
        logit: the logit that a level stands for; an injective function.
        residual: the weight of the query itself in the output, relative to that of the attention.
    """

    level: Callable[[Pair, Pair, int], Level]
    logit: Callable[[Level], Real] = circle_logit
    residual: Residual = no_residual

    def levels(self, tokens: Sequence[Pair]) -> list[Level]:
        """The levels of all keys for the last token as query, in the order of the positions."""
        return [self.level(tokens[-1], key, len(tokens) - place) for place, key in enumerate(tokens, 1)]

    def rivals(self, tokens: Sequence[Pair], target: Pair) -> tuple[Level, Level] | None:
        """The largest level of the target and that of all other tokens; None without a competitor."""
        levels = list(zip(tokens, self.levels(tokens), strict=True))
        others = [level for token, level in levels if token != target]
        return (max(level for token, level in levels if token == target), max(others)) if others else None

    def hard_margin(self, tokens: Sequence[Pair], target: Pair) -> Fraction:
        """Coordinate of the target minus the largest other, with equal weights on the keys of largest logit."""
        levels = self.levels(tokens)
        winners = [token for token, level in zip(tokens, levels, strict=True) if level == max(levels)]
        output = {token: Fraction(winners.count(token), len(winners)) for token in tokens}
        output[tokens[-1]] += self.residual(tokens[-1])
        return output.pop(target, NONE) - max(output.values(), default=NONE)

    def soft_sign(self, tokens: Sequence[Pair], target: Pair, beta: Fraction, bound: Fraction = NONE) -> int | None:
        """The sign of the margin under softmax at the rational scale `beta`, less `bound`; None where undecided."""
        levels = self.levels(tokens)
        output: dict[Pair, dict[Level, Fraction]] = {token: defaultdict(Fraction) for token in (*tokens, target)}
        own = self.residual(tokens[-1])
        for token, level in zip(tokens, levels, strict=True):
            output[token][level] += 1
            output[tokens[-1]][level] += own
            output[target][level] -= bound
        mass = output.pop(target)
        signs = [_sign(self.logit, _difference(mass, other), beta) for other in (*output.values(), {})]
        if -1 in signs:
            return -1
        known = [sign for sign in signs if sign is not None]
        return min(known) if len(known) == len(signs) else None

    def soft_decodes(self, tokens: Sequence[Pair], target: Pair, beta: Fraction) -> Outcome:
        """Whether the target alone has the largest coordinate under softmax at the rational scale `beta`."""
        sign = self.soft_sign(tokens, target, beta)
        return Outcome.UNDECIDED if sign is None else Outcome.of(sign > 0)

    def all_decode(self, inputs: Iterable[Sequence[Pair]], beta: Fraction) -> Outcome:
        """Whether softmax decodes Retrieval at the last position of every input; stops at the first failure."""
        undecided = False
        for tokens in inputs:
            outcome = self.soft_decodes(tokens, retrieval(tokens)[-1], beta)
            if outcome is Outcome.REFUTED:
                return outcome
            undecided |= outcome is Outcome.UNDECIDED
        return Outcome.UNDECIDED if undecided else Outcome.HOLDS


def _difference(mass: Mapping[Level, Fraction], other: Mapping[Level, Fraction]) -> Terms:
    excess = {level: mass.get(level, NONE) - other.get(level, NONE) for level in {*mass, *other}}
    return frozenset(item for item in excess.items() if item[1])


@cache
def _sign(logit: Callable[[Level], Real], terms: Terms, beta: Fraction) -> int | None:
    """The sign of a sum of weights; for distinct logits and beta > 0 it is 0 only without terms (Lindemann)."""
    if not terms:
        return 0
    total = Real.total(count * exp(beta * logit(level)) for level, count in terms)
    if (total > 0) is Outcome.HOLDS:
        return 1
    if (total < 0) is Outcome.HOLDS:
        return -1
    return 0 if total.equals(0) is Outcome.HOLDS else None


def printed(letters: int, turns: Fraction = NONE, residual: Residual = no_residual) -> Design:
    """The printed head at the frequency 2 pi `turns`; with a residual at frequency 0 it is R1."""
    step = Fraction(1, letters)

    def level(query: Pair, key: Pair, offset: int) -> Level:
        return -fold(retrieval_phase(letter(key[0]), wanted(query), offset, step, turns))

    return Design(cache(level), residual=residual)


def r1(letters: int, gain: Fraction = Fraction(1)) -> Design:
    """R1: the printed head at frequency 0, with the weight `gain` on queries with a right integer."""
    return printed(letters, residual=lambda query: NONE if number(query) is None else gain)


def r2(letters: int, integers: int) -> Design:
    """R2, for alphabets of 2, 3, 4 or 6 letters and 1, 2, 3, 4 or 6 integers, whose cosines are rational."""

    def level(query: Pair, key: Pair, offset: int) -> Level:
        steps = Fraction(1, letters), Fraction(1, integers)
        logit: Real = r2_logit(letter(key[0]), number(key), wanted(query), number(query), *steps, _cosine)
        assert logit.exact is not None
        return logit.exact

    return Design(cache(level), Real.of)


def r3(letters: int, integers: int, turns: Fraction = NONE, phase: Callable[..., Fraction] = r3_phase) -> Design:
    """R3, which turns with no position: `turns` is 0 in the repair."""
    step = Fraction(1, letters)

    def level(query: Pair, key: Pair, offset: int) -> Level:
        places = letter(key[0]), number(key) or 0, wanted(query), number(query)
        return -fold(phase(*places, integers, step) + offset * turns)

    return Design(cache(level))


def _cosine(turns: Fraction) -> Real:
    return circle_logit(-fold(turns))
