"""A positional head needs an inverse temperature of order n^2 to decode at length n, a symbolic one of order ln n.

Source: derived here; the sharp form of what arXiv 2605.31558, Thm 3.2, intends. What the Index head needs is derived in
`theory.rope.universal_limits.positional_temperature`; the repaired Retrieval head R1 decodes above ln(n - 1)/(1 - cos
omega), omega = 2 pi/A.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import sympy
from flint import arb
from sympy import And, Expr, Implies, Symbol

from theory.arithmetic.ball import Real, evaluate, log
from theory.claims import Hypothesis, Source, claim
from theory.evidence import BoxCover, Case, Enumeration, Equation, Evidence, Identity
from theory.outcome import Outcome
from theory.quantities import Enclosure, Length2, Letters, quantity
from theory.rope.index.temperature import beta_threshold
from theory.rope.index.weights import decoding_bound
from theory.rope.index.window import angle_of, rational_turns
from theory.rope.retrieval.decoding import Design, printed
from theory.rope.retrieval.repairs import R1, repaired_gap
from theory.rope.rotation import PAPER
from theory.rope.sequences import proper_sequences
from theory.rope.universal_limits.dyadic_frequencies import dyadic
from theory.rope.universal_limits.m_frequency_gaps import HALF_TURN, at_most, ball
from theory.rope.universal_limits.positional_temperature import CLAIM, INTEGER, LAST, LETTER, Query
from theory.rope.universal_limits.weight_floor import ONE, weight
from theory.symbols import beta, n, omega


@dataclass(frozen=True)
class Separation:
    """What each kind of Index query needs of beta, and that R1 decodes above `enough`.

    Args:
        letter, integer, last: the kinds of query.
        enough: an expression in n and omega.
        design: the symbolic head, from the number of letters.
        several: whether heads of several planes are to obey as well.
    """

    letter: Query = LETTER
    integer: Query = INTEGER
    last: Query = LAST
    enough: Expr = sympy.log(n - 1) / (1 - sympy.cos(omega))
    design: Callable[[int], Design] = lambda letters: R1.design(letters, 1)
    several: bool = False

    @property
    def statement(self) -> Expr:
        kinds = {"letters": self.letter, "integers": self.integer, "offset_n-1": self.last}
        needed = (
            Implies(Symbol(f"{name}_decode"), query.condition(Symbol("Bes(beta)"))) for name, query in kinds.items()
        )
        return And(*needed, Implies(beta > self.enough, Symbol("R1_decodes")))

    def of(self, length: int, offset: int) -> Query:
        return self.letter if offset == 0 else self.last if offset == length - 1 else self.integer


@claim(
    CLAIM,
    source=Source(PAPER, "Thm 3.2", "derived"),
    quantifiers="for all n >= 2, theta, beta > 0 and query offsets s < n; R1: for all A >= 2, I >= 1 and proper inputs",
    statement=lambda separation: separation.statement,
    variant=Separation(),
    controls={
        "letters: n M < 5": Separation(letter=Query(5)),
        "integers: (n + 1) M < 3": Separation(integer=Query(3, 1)),
        "offset n - 1: n M < 2": Separation(last=Query(2)),
        "R1 above ln(n - 1)/2": Separation(enough=sympy.log(n - 1) / 2),
    },
    hypotheses=(
        Hypothesis("one plane", "a single frequency", Separation(several=True), "claim temperature-several-planes"),
        Hypothesis("repaired", "the Retrieval head is R1, at frequency 0", Separation(design=printed)),
    ),
    does_not_show="that an angle reaches these limits at every length: temperature-best-frequency does at its own",
)
def temperature_separation(separation: Separation, thorough: bool) -> Iterator[Evidence]:
    """Certified thresholds at rational turns; all angles in boxes, at the beta that just fails; R1 on all inputs."""
    if separation.several:
        yield Enumeration("dyadic planes", _dyadic(separation))
    yield Enumeration("R1, all proper inputs just above its limit", _symbolic(separation, 4 if thorough else 3))
    lengths = (*range(3, 13), 17, 33, 65) if thorough else (3, 5, 8, 17)
    yield Enumeration("beta* at rational turns", _thresholds(separation, lengths))
    for length, offset in ((9, 0), (17, 16), (17, 8), (12, 3), *[(33, 32), (33, 16), (40, 0)] * thorough):
        decide = partial(_fails, length, offset, separation.of(length, offset).needed(length))
        yield BoxCover(f"all angles, n = {length}, offset {offset}", (HALF_TURN,), decide)
    yield Enumeration("from n = 8 A on positional needs more", _compared(separation))
    yield Identity("one plane: the level is met at the plain bound", _plain(separation))


def _dyadic(separation: Separation) -> Iterator[Case]:
    """Dyadic planes at the beta that one plane needs: F from the definition."""
    for m in (4, 6):
        length, shares = 2**m, (Fraction(1, m),) * m
        for offset in (0, length // 2, length - 1):
            needed = separation.of(length, offset).needed(length).at(64)
            turns = [ball(x) for x in dyadic(m)]
            found = weight(shares, turns, offset, length - 1 - offset, needed)
            yield {"planes": m, "n": length, "offset": offset}, at_most(arb(decoding_bound(offset)), found)


def _thresholds(separation: Separation, lengths: Sequence[int]) -> Iterator[Case]:
    for length in lengths:
        near = (Fraction(1, reach + c) for reach in (length - 1, length // 2) for c in range(1, 7))
        for turns in {*rational_turns(length, length + 2 if length > 9 else length + 4), *near}:
            for offset in {0, 1, length // 2, length - 2, length - 1} & {*range(length)}:
                if turns.denominator > max(offset, length - 1 - offset):
                    needed = separation.of(length, offset).needed(length)
                    if needed.exact != 0:
                        found = beta_threshold(length, angle_of(turns), offset)
                        yield {"n": length, "offset": offset, "turns": str(turns)}, found >= needed


def _fails(length: int, offset: int, needed: Real, turns: arb) -> Outcome:
    found = weight(ONE, [turns], offset, length - 1 - offset, needed.enclose())
    return at_most(arb(decoding_bound(offset)), found)


def _symbolic(separation: Separation, longest: int) -> Iterator[Case]:
    for letters in (2, 3):
        for length in range(2, longest + 1):
            inputs = [tokens for tokens in proper_sequences(letters, 1, length) if len(tokens) == length]
            enough = evaluate(separation.enough, {n: length, omega: sympy.S(2) * sympy.pi / letters})
            scale = Fraction(int(float(enough) * 1024) + 2, 1024)
            case = {"A": letters, "n": length, "beta": str(scale), "inputs": len(inputs)}
            yield case, separation.design(letters).all_decode(inputs, scale)


def _compared(separation: Separation) -> Iterator[Case]:
    for letters in (2, 3, 8, 26, 100):
        for length in (8 * letters, 10**3 * letters, 10**9):
            symbolic = evaluate(separation.enough, {n: length, omega: sympy.S(2) * sympy.pi / letters})
            yield {"A": letters, "n": length}, separation.integer.plain(length) > symbolic


def _plain(separation: Separation) -> Iterator[Equation]:
    for query in (separation.letter, separation.integer, separation.last):
        least = 1 / (1 + 2 * sympy.pi * query.plain_bound)  # the square of the least M
        yield f"level {query.level}", (n + query.more) ** 2, query.level**2 / least


@quantity("symbolic-sufficient-beta", unit="inverse temperature", claim=CLAIM)
def symbolic_sufficient_beta(n: Length2, letters: Letters) -> Enclosure:
    """ln(n - 1)/(1 - cos omega): the repaired Retrieval head R1 decodes all inputs of length n above it."""
    return Enclosure(log(n - 1) / repaired_gap("R1", letters, 1))
