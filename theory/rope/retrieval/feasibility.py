"""The printed Retrieval head with hard attention computes Retrieval at small positive frequencies, with margin 1.

Source: arXiv 2605.31558, Thm 3.1 and App. F.2.2, for queries at the last position. The printed proof distinguishes
cases of several maximal keys that occur only at frequency 0, where the statement is false: see
`retrieval-nope-printed`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial, reduce
from itertools import product

from flint import arb, fmpq
from sympy import cos, sin, symbols

from theory.claims import Hypothesis, Source, claim
from theory.evidence import BoxCover, Enumeration, Evidence, Identity
from theory.outcome import Outcome
from theory.rope.retrieval.decoding import printed, wanted
from theory.rope.rotation import PAPER
from theory.rope.sequences import ALPHABET, Pair, matches, pair_alphabet, proper_sequences, show
from theory.symbols import omega, theta

# Share of the interval of admitted frequencies: near both ends and in the middle.
SHARES = (Fraction(1, 100), Fraction(1, 2), Fraction(99, 100))


@dataclass(frozen=True)
class Range:
    """The frequencies 0 < theta < reach omega/n0 for which hard attention is said to decode, and to which key.

    Args:
        reach: 1/2 in the statement.
        zero: admit theta = 0.
        nearest: the match nearest to the query is the maximiser; otherwise the farthest.
        proper: only proper inputs; otherwise all, on which the earliest token with the wanted letter is to be found.
    """

    reach: Fraction = Fraction(1, 2)
    zero: bool = False
    nearest: bool = True
    proper: bool = True

    def __str__(self) -> str:
        return (
            f"n <= n0 and {'0 <=' if self.zero else '0 <'} theta < {self.reach} omega/n0 imply that the output at n is "
            f"Retrieval with margin 1, and the only maximiser is the {'nearest' if self.nearest else 'farthest'} match"
        )

    def frequencies(self, letters: int, longest: int) -> list[Fraction]:
        """Frequencies in turns, of an alphabet and n0."""
        top = self.reach / letters / longest
        return [Fraction(0)] * self.zero + [share * top for share in SHARES]

    def inputs(self, letters: int, integers: int, longest: int) -> Iterator[tuple[Pair, ...]]:
        if self.proper:
            return proper_sequences(letters, integers, longest)
        alphabet = pair_alphabet(letters, integers)
        return (tokens for n in range(1, longest + 1) for tokens in product(alphabet, repeat=n) if matches(tokens, n))

    def decodes(self, tokens: Sequence[Pair], letters: int, turns: Fraction) -> bool:
        head = printed(letters, turns)
        asked = ALPHABET[wanted(tokens[-1])]
        found = [token for token in tokens if token[0] == asked] if isinstance(tokens[-1][1], str) else [tokens[-1]]
        places = [place for place, token in enumerate(tokens) if token == found[0]]
        levels = head.levels(tokens)
        maximisers = [place for place, level in enumerate(levels) if level == max(levels)]
        return maximisers == [max(places) if self.nearest else min(places)] and head.hard_margin(tokens, found[0]) == 1


@claim(
    "retrieval-feasibility",
    source=Source(PAPER, "Thm 3.1 and App. F.2.2"),
    quantifiers="for all A >= 2, I >= 1, n <= n0, proper inputs of length n and such theta; query at n, hard attention",
    statement=str,
    variant=Range(),
    controls={
        "the farthest match wins": Range(nearest=False),
        "theta < omega/n0 suffices": Range(reach=Fraction(1)),
    },
    hypotheses=(
        Hypothesis(
            "proper", "every wanted letter has one token so far; needed at position n only", Range(proper=False)
        ),
        Hypothesis("theta > 0", "the frequency is positive", Range(zero=True)),
        Hypothesis(
            "theta < omega/(2 n0)",
            "the frequency is small",
            Range(reach=Fraction(2)),
            "LL queries: (2n - 3) theta < omega",
        ),
    ),
    printed="the same, with a final angle 2 pi/|ALPH| that is omega, and cases that occur at theta = 0 only",
    does_not_show="that soft attention decodes at any fixed scale: an integer query needs one of order n0^2 A^2",
)
def retrieval_feasibility(interval: Range, thorough: bool) -> Iterator[Evidence]:
    """Every proper input of small alphabets; both strict inequalities as products, and in balls for all theta."""
    sizes = ((2, 2, 5), (3, 2, 4), (4, 1, 4)) if thorough else ((2, 1, 4), (3, 1, 3))
    for letters, integers, longest in sizes:
        yield Enumeration(
            f"A = {letters}, I = {integers}, n <= n0 = {longest}", _inputs(interval, letters, integers, longest)
        )
    yield Identity("gaps are products of sines", _products())
    for letters, longest in ((2, 4), (3, 9), (8, 17), (26, 33)):
        # theta = u reach omega/n0; the closed box u <= 1 is the stronger statement.
        top = interval.reach / letters / longest
        yield BoxCover(
            f"A = {letters}, n0 = {longest}",
            ((Fraction(0), Fraction(1)),),
            partial(_separated, top=top, letters=letters, longest=longest),
        )


def _inputs(interval: Range, letters: int, integers: int, longest: int) -> Iterator[tuple[str, bool]]:
    for tokens, turns in product(interval.inputs(letters, integers, longest), interval.frequencies(letters, longest)):
        yield f"{show(tokens)} at {turns} turns", interval.decodes(tokens, letters, turns)


def _products() -> Iterator[tuple[str, object, object]]:
    s, t, r, kappa = symbols("s t r kappa", integer=True)
    yield "two matches", cos(s * theta) - cos(t * theta), 2 * sin((s + t) * theta / 2) * sin((t - s) * theta / 2)
    x, y = (kappa * omega + (r + s) * theta) / 2, (kappa * omega + (r - s) * theta) / 2
    yield "match and other letter", cos(s * theta) - cos(kappa * omega + r * theta), 2 * sin(x) * sin(y)


def _separated(share: arb, top: Fraction, letters: int, longest: int) -> Outcome:
    """Whether all matches beat all other letters and each beats the next: the second as a positive product of sinc."""
    turn = 2 * share * fmpq(top.numerator, top.denominator)  # theta/pi
    worst = reduce(arb.min, ((s * turn).cos_pi() for s in range(longest)))
    others = product(range(1, letters), range(longest))
    best = reduce(arb.max, ((fmpq(2 * kappa, letters) + r * turn).cos_pi() for kappa, r in others))
    order = reduce(arb.min, ((half * turn / 2).sinc_pi() for half in range(1, 2 * longest - 2, 2)))
    return Outcome.every((_exceeds(worst, best), _exceeds(order, arb(0))))


def _exceeds(x: arb, y: arb) -> Outcome:
    return Outcome.settled(x > y, x <= y)
