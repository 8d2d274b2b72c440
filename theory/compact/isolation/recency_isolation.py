"""Where only recent letters count, words that agree in long runs are isolated too: what evades is far influence.

Source: derived here, for arXiv 2505.10606. R = R(eta) letters of agreement bring two outputs within eta < eps/2. If
runs of R agreements come arbitrarily late, a decoder that has learned alpha errs on beta wherever they part after such
a run, by eps - 2 eta at least.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Literal

import sympy

from theory.arithmetic.ball import Real, log
from theory.claims import Hypothesis, Source, claim
from theory.compact.isolation.detector import LEARNED, Number, logit_on, margin, margin_on, rightly, sigma
from theory.compact.isolation.models import REPEAT
from theory.compact.lag_kernels.alibi import Ratio, ratio
from theory.compact.words import POWERS, SQUARES, ZEROS, Infinite, altered, constant
from theory.errors import InputError
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity
from theory.outcome import Outcome
from theory.quantities import Enclosure, Exact, Length, Positive, quantity
from theory.rope.scale import ceiling

CLAIM = "recency-isolation"
Errors = Literal["where they part", "nowhere"]
A, C = sympy.symbols("a c", real=True)
RATIOS = (Fraction(1, 2), Fraction(1, 3), Fraction(3, 4))
FARTHEST = 1 << 14


@dataclass(frozen=True)
class Sloped:
    """One head with logits -m (i - j), q = e^-m, and values 1[w_j = 1]."""

    q: Number

    def __call__(self, word: Infinite, length: int) -> Number:
        """The weight of the ones among the first `length` letters."""
        ones = (i for i in range(1, length + 1) if word.letter(i))
        weight: Number = sum((self.q ** (length - i) for i in ones), 0 * self.q)
        return weight * (1 - self.q) / (1 - self.q**length)

    def reach(self) -> int:
        """The least R at which the output moves by less than tanh(1/4)/2: by q^R/2 at most."""
        return ceiling(log(LEARNED) / log(self.q))


@dataclass(frozen=True)
class Recency:
    """After R agreements, T errs on beta where it parts from alpha, by eps - loss eta.

    Args:
        errs: where they err.
        loss: how often eta is lost.
        apart: whether beta must part from alpha for ever.
        run: whether a run of R agreements must come before a parting.
        converse: whether late runs are said to mean that liminf d_H < 1/R.
    """

    errs: Errors = "where they part"
    loss: int = 2
    apart: bool = True
    run: bool = True
    converse: bool = False

    def __str__(self) -> str:
        after = "after R agreements" if self.run else "at any time"
        always = "" if self.apart else ", even if it is eventually alpha"
        runs = "iff" if self.converse else "if"
        return (
            f"T errs on beta {self.errs} {after}, by eps - {self.loss} eta{always}; runs of R agreements come late "
            f"{runs} liminf d_H < 1/R"
        )


@claim(
    CLAIM,
    source=Source("2505.10606", "isolation, for encodings that are not compact", "derived"),
    quantifiers="for all decoders that are continuous in the last letters, alpha learned with eps, R(eta), eta < eps/2",
    statement=str,
    variant=Recency(),
    controls={
        "slopes can learn 0^w and the powers": Recency("nowhere"),
        "by eps - eta": Recency(loss=1),
        "late runs mean liminf d_H < 1/R": Recency(converse=True),
    },
    hypotheses=(
        Hypothesis("apart for ever", "beta is not eventually equal to alpha", Recency(apart=False)),
        Hypothesis("late runs", "R agreements in a row, arbitrarily late", Recency(run=False)),
    ),
    does_not_show="that compactness is needed for isolation: what evades is the weight of few letters far away",
)
def recency_isolation(claimed: Recency, thorough: bool) -> Iterator[Evidence]:
    """Detectors with slopes on sparse words; all changes before a run; runs and densities; what the output moves by."""
    if not claimed.run:
        yield Enumeration("0^w and 1^w before the last letter", _repeated())
    if not claimed.apart:
        yield Enumeration("1 0^w before a detector", _eventually())
    yield Enumeration("detectors with slopes on sparse words", _sparse(claimed, 10 if thorough else 8))
    yield Enumeration("all beginnings before a run", _beginnings(claimed, 9 if thorough else 6))
    yield Enumeration("runs of agreements and densities", _runs(claimed, 14 if thorough else 9))
    yield Identity("a change of the far letters", _moved(claimed), sympy.expand)


def _repeated() -> Iterator[Case]:
    """A bigram has learned both words, which part everywhere: R = 1, eta = 0, eps = 1."""
    ones = constant(1)
    for n in range(1, 9):
        assert REPEAT.lead(ZEROS.prefix(n), 0) == 1
        yield {"n": n, "word": str(ones)}, REPEAT.lead(ones.prefix(n), 1) <= 0


def _eventually() -> Iterator[Case]:
    """Sooner or later there is no error any more."""
    detector, word = Sloped(Fraction(1, 2)), altered((1,), ZEROS)
    errors = [n for n in range(20, 80) if rightly(detector, word, n) is Outcome.REFUTED]
    yield {"word": str(word), "errors": errors}, bool(errors)


def _sparse(claimed: Recency, powers: int) -> Iterator[Case]:
    """Where 0^w is said although a one comes: after a run of R zeros always, by as much as is promised."""
    for q, word in product(RATIOS, (POWERS, SQUARES)):
        detector, far = Sloped(q), Sloped(q).reach()
        for n in range(1, 1 << powers):
            if word.letter(n + 1) and n > far and not any(word.letter(i) for i in range(n - far + 1, n + 1)):
                case = {"q": str(q), "word": str(word), "n": n}
                wrong = ~rightly(detector, word, n, word)
                yield case, wrong if claimed.errs == "where they part" else ~wrong
                yield case, -margin_on(detector, word, n, word) >= LEARNED - Fraction(claimed.loss, 2) * q**far


def _beginnings(claimed: Recency, longest: int) -> Iterator[Case]:
    """All words that end in R zeros, at a flagged length: the lead of 0 is eps - 2 eta at least; eps - eta is too much.

    The readout is linear here, T(1) = 1/4 + a/2, so that nothing is lost to its curvature: eps = 1/2, eta = q^R/2.
    """
    for q, n in product(RATIOS, range(2, longest + 1)):
        for far in range(1, n):
            for start in product((0, 1), repeat=n - far):
                word = altered(start, ZEROS)
                one = Fraction(1, 4) + Sloped(q)(word, n) / 2
                case = {"q": str(q), "word": str(word), "n": n}
                yield case, 1 - 2 * one >= Fraction(1, 2) - claimed.loss * q**far / 2


def _runs(claimed: Recency, longest: int) -> Iterator[Case]:
    """All patterns of disagreement, repeated for ever: without a run of R agreements their density is 1/R at least."""
    for length in range(1, longest + 1):
        for bits in product((0, 1), repeat=length):
            for far in range(1, length + 1):
                run = any(not any((bits + bits)[i : i + far]) for i in range(length))
                dense = sum(bits) * far >= length
                case = {"differs": bits, "R": far}
                yield case, run or dense
                if claimed.converse:
                    yield case, not (run and dense)


def _moved(claimed: Recency) -> Iterator[Equation]:
    """The lead of a letter moves by twice what its probability moves by, over two letters."""
    yield "two letters", (1 - 2 * (A + C)) - (1 - 2 * A), -claimed.loss * C


@quantity("sloped-detector", unit="weight; probability; margin", claim=CLAIM)
def sloped_detector(n: Length, q: Ratio | None = None, slope: Positive | None = None) -> dict[str, Enclosure]:
    """A detector with one slope after n letters of the powers of two: feature, T(1), lead of the next letter."""
    if n > FARTHEST:
        raise InputError(f"n={n} is above {FARTHEST}, up to which letters are looked at one by one; give a smaller n")
    feature = Sloped(ratio(q, slope))
    z = logit_on(feature, POWERS, n)
    found = {"feature": feature(POWERS, n), "one": sigma(z), "lead": margin(z, POWERS.letter(n + 1))}
    return {name: Enclosure(Real.of(value)) for name, value in found.items()}


@quantity("sloped-detector-reach", unit="letters", claim=CLAIM)
def sloped_detector_reach(q: Ratio | None = None, slope: Positive | None = None) -> Exact:
    """The least R with q^R < tanh(1/4): agreement on the last R letters moves T by less than half the margin."""
    return Exact(Sloped(ratio(q, slope)).reach())
