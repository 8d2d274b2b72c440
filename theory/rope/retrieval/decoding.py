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
from math import lcm
from typing import Any

from theory.arithmetic.ball import Real, cos, exp
from theory.outcome import Outcome
from theory.rope.index.window import fold
from theory.rope.retrieval.head import retrieval_phase
from theory.rope.retrieval.repaired_logits import r2_logit, r3_phase
from theory.rope.sequences import Pair, retrieval

TURN = Real.of_linear(0, 2)
Level = int
Terms = frozenset[tuple[Level, Fraction | int]]
NONE = Fraction(0)
Residual = Callable[[Pair], Fraction]


def no_residual(query: Pair) -> Fraction:
    """F(x, a) = a."""
    return NONE


@cache
def circle_logit(turns: Fraction) -> Real:
    """The logit cos(2 pi turns) of one plane."""
    return cos(turns * TURN)


@cache
def circle(order: int) -> Callable[[Level], Real]:
    """The logits of one plane by level, which is minus the distance of the phase to 0 in units of 1/order turns."""
    return cache(lambda level: circle_logit(Fraction(level, order)))


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
        level: an integer that orders the keys as their logits do.
        logit: the logit that a level stands for; an injective function.
        residual: the weight of the query itself in the output, relative to that of the attention.
    """

    level: Callable[[Pair, Pair, int], Level]
    logit: Callable[[Level], Real]
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
        output: dict[Pair, dict[Level, Any]] = {token: defaultdict(int) for token in (*tokens, target)}
        own = self.residual(tokens[-1])
        for token, level in zip(tokens, levels, strict=True):
            output[token][level] += 1
            if own:
                output[tokens[-1]][level] += own
            if bound:
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


def _difference(mass: Mapping[Level, Any], other: Mapping[Level, Any]) -> Terms:
    excess = {level: mass.get(level, 0) - other.get(level, 0) for level in {*mass, *other}}
    return frozenset(item for item in excess.items() if item[1])


@cache
def _sign(logit: Callable[[Level], Real], terms: Terms, beta: Fraction) -> int | None:
    """The sign of a sum of weights; for distinct logits and beta > 0 it is 0 only without terms (Lindemann)."""
    if not terms:
        return 0
    if not beta:
        count = sum(count for _, count in terms)
        return (count > 0) - (count < 0)
    total = Real.total(count * exp(beta * logit(level)) for level, count in terms)
    if (total > 0) is Outcome.HOLDS:
        return 1
    if (total < 0) is Outcome.HOLDS:
        return -1
    return 0 if total.equals(0) is Outcome.HOLDS else None


def _one_plane(phase: Callable[[Pair, Pair, int], Fraction], order: int, residual: Residual = no_residual) -> Design:
    """A head of one plane whose phases are multiples of 1/order turns."""

    def level(query: Pair, key: Pair, offset: int) -> Level:
        steps = fold(phase(query, key, offset)) * order
        assert steps.denominator == 1
        return -steps.numerator

    return Design(cache(level), circle(order), residual)


@cache
def printed(letters: int, turns: Fraction = NONE, residual: Residual = no_residual) -> Design:
    """The printed head at the frequency 2 pi `turns`; with a residual at frequency 0 it is R1."""
    step = Fraction(1, letters)
    return _one_plane(
        lambda query, key, offset: retrieval_phase(letter(key[0]), wanted(query), offset, step, turns),
        lcm(letters, turns.denominator),
        residual,
    )


@cache
def r1(letters: int, gain: Fraction = Fraction(1)) -> Design:
    """R1: the printed head at frequency 0, with the weight `gain` on queries with a right integer."""
    return printed(letters, residual=lambda query: NONE if number(query) is None else gain)


@cache
def r2(letters: int, integers: int) -> Design:
    """R2, for 2, 3, 4 or 6 letters and 1, 2, 3, 4 or 6 integers: those whose cosines are multiples of 1/2."""

    def level(query: Pair, key: Pair, offset: int) -> Level:
        steps = Fraction(1, letters), Fraction(1, integers)
        logit: Real = r2_logit(letter(key[0]), number(key), wanted(query), number(query), *steps, circle_logit)
        twice = (2 * logit).exact
        assert twice is not None and twice.denominator == 1
        return twice.numerator

    return Design(cache(level), _half)


@cache
def r3(letters: int, integers: int, turns: Fraction = NONE, phase: Callable[..., Fraction] = r3_phase) -> Design:
    """R3; `turns`, by which a position turns it, is 0 in the repair."""
    step = Fraction(1, letters)

    def turned(query: Pair, key: Pair, offset: int) -> Fraction:
        places = letter(key[0]), number(key) or 0, wanted(query), number(query)
        return phase(*places, integers, step) + offset * turns

    return _one_plane(turned, lcm(2 * letters * integers * (integers + 1), turns.denominator))


@cache
def _half(level: Level) -> Real:
    return Real.of(Fraction(level, 2))
