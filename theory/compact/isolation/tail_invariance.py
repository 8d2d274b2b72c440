"""A word that agrees with a learned one from some position on is learned too, with every smaller margin.

Source: derived here, for arXiv 2505.10606. The margin itself may be lost at every length, and so may the start.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import sympy

from theory.arithmetic.ball import Real, exp
from theory.claims import Hypothesis, Source, claim
from theory.compact.isolation.detector import (
    LEARNED,
    THRESHOLD,
    BoundedDetector,
    Number,
    fitting,
    margin_on,
    share,
    sigma,
)
from theory.compact.isolation.models import averaging, matching
from theory.compact.isolation.situations import growing_share
from theory.compact.words import POWERS, ZEROS, altered, disagreements, periodic
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity
from theory.outcome import Outcome
from theory.quantities import Amount, Enclosure, Length, quantity
from theory.symbols import n

CLAIM = "tail-invariance"
A, S, K = sympy.symbols("a s k", positive=True)
# The readout of the averaging examples, T(1) = 1/10 + 2/5 a, and the gain of the one with a threshold at 1/4.
LEAST, SLOPE, GAIN = Fraction(1, 10), Fraction(2, 5), 8
DECODERS = (
    averaging(LEAST, SLOPE),
    averaging(Fraction(0), Fraction(1)),
    matching(POWERS, Fraction(1, 2), Fraction(1, 2)),
    matching(periodic(2), Fraction(4, 5), Fraction(2), one_sided=True),
)
STARTS = [start for size in (1, 2, 3) for start in product((0, 1), repeat=size) if any(start)]


@dataclass(frozen=True)
class Tail:
    """T learns a word that is eventually alpha with margin eps (1 - c), from where 2 omega(k/n) <= c eps on.

    Args:
        given: the c that are tried.
        begun: from which length on, of the first one at which the bound allows it.
        continuous: whether omega(x) -> 0.
    """

    given: tuple[Fraction, ...] = (Fraction(1, 2), Fraction(1, 20), Fraction(1, 50))
    begun: Callable[[int], int] = lambda first: first
    continuous: bool = True

    def __str__(self) -> str:
        begun = self.begun(1000)
        start = "n = 1" if begun == 1 else "2 omega(k/n) <= c eps"
        decoder = "continuous T" if self.continuous else "T"
        given = "> 0" if min(self.given) else "= 0"
        return f"{decoder}: margin eps (1 - c) on words that are eventually alpha, any c {given}, from {start} on"


@claim(
    CLAIM,
    source=Source("2505.10606", "isolation theorem", "derived"),
    quantifiers="for all decoders with omega(0+) = 0, alpha learned with eps, words equal to it from some n on",
    statement=str,
    variant=Tail(),
    controls={
        "the same margin": Tail(given=(Fraction(0),), begun=lambda first: 10**4),
        "from the same length": Tail(begun=lambda first: 1),
    },
    hypotheses=(Hypothesis("continuity", "omega(0+) = 0: bounded logits are enough", Tail(continuous=False)),),
    does_not_show="that the margin is regained at a given length",
)
def tail_invariance(claimed: Tail, thorough: bool) -> Iterator[Evidence]:
    """All short beginnings; detectors at astronomical lengths; the margins in closed form."""
    if not claimed.continuous:
        yield Enumeration("logits ln(n) 1[w_j = 1]", _unbounded(claimed))
    yield Enumeration("all short beginnings", _beginnings(claimed, 20 if thorough else 5))
    yield Enumeration("detectors after a one", _detectors(claimed, 200 if thorough else 60))
    yield Identity("margins of the averaging readout", _margins(claimed), sympy.expand)


def _unbounded(claimed: Tail) -> Iterator[Case]:
    """0^w is learned; after a single one no flagged letter is right any more."""
    for j in range(3, 40):
        n = 2**j - 1
        lead = margin_on(growing_share, altered((1,), ZEROS), n)
        yield {"n": n}, lead >= LEARNED * (1 - max(claimed.given))


def _beginnings(claimed: Tail, steps: int) -> Iterator[Case]:
    for decoder, start, part in product(DECODERS, STARTS, claimed.given):
        size = len(start)
        word = altered(start, decoder.word)
        changed = disagreements(word.prefix(size), decoder.word.prefix(size))
        if not changed:
            continue
        given = part * decoder.margin
        allowed = (m for m in range(size + 1, 10**4) if 2 * decoder.modulus(decoder.density(changed, m)) <= given)
        first = claimed.begun(next(allowed, size + 1))
        for m in range(first, first + steps):
            lead = decoder.lead(word.prefix(m), word.letter(m + 1))
            yield {"decoder": str(decoder), "word": str(word), "c": str(part), "n": m}, lead >= decoder.margin - given


def _detectors(claimed: Tail, most: int) -> Iterator[Case]:
    """Flagged lengths, where the margin is least; the output moves by half the weight of the ones at most."""
    boosts: list[tuple[Number, str]] = [(Fraction(1), "1"), (exp(2), "e^2"), (exp(10), "e^10")]
    for (boost, name), start, part in product(boosts, ((1,), (1, 0, 1), (1,) * 9), claimed.given):
        word, ones = altered(start, ZEROS), sum(start)
        given = LEARNED * part
        for j in range(4, most, 7):
            if claimed.begun(2**j) < 2**j or (share(boost, ones, 2**j - 1) <= given) is Outcome.HOLDS:
                lead = margin_on(BoundedDetector(boost), word, 2**j - 1)
                yield {"e^Delta": name, "start": start, "c": str(part), "n": f"2^{j} - 1"}, lead >= LEARNED - given


def _margins(claimed: Tail) -> Iterator[Equation]:
    """T(1) = a + s k/n on k ones and zeros then: the margin 1 - 2 T(1) is that of 0^w less 2 s k/n, never quite it."""
    lost = 2 * S * K / n
    yield "margin", 1 - 2 * (A + S * K / n), (1 - 2 * A) - lost
    yield "lost, as a multiple of omega(k/n)", lost, 2 * (S * K / n)


@quantity("averaging-readout", unit="probability; margin", claim=CLAIM)
def averaging_readout(ones: Amount, n: Length) -> dict[str, Enclosure]:
    """T(1) = 0.1 + 0.4 ones/n of uniform attention, and the margin by which letter 0 leads."""
    one = LEAST + SLOPE * Fraction(fitting(ones, n), n)
    return {"one": Enclosure(Real.of(one)), "margin of 0": Enclosure(Real.of(1 - 2 * one))}


@quantity("threshold-readout", unit="probability", claim=CLAIM)
def threshold_readout(ones: Amount, n: Length) -> Enclosure:
    """T(1) = sigma(8 (ones/n - 1/4)): 0^w is learned from n = 1 on, words that are eventually 0 from later on."""
    return Enclosure(sigma(GAIN * (Fraction(fitting(ones, n), n) - THRESHOLD)))
