"""A continuous decoder that has learned 0^w learns no sparse word: powers, squares, primes, ones far apart.

Source: derived here from isolation, for arXiv 2505.10606. The word beta has infinitely many letters 1, and the share of
ones is at most x infinitely often, omega(x) < eps/2. The other way round, one that has learned a word of density 0 with
infinitely many ones has not learned 0^w.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import sympy

from theory.arithmetic.ball import exp
from theory.claims import Hypothesis, Source, claim
from theory.compact.isolation.detector import BoundedDetector, Feature, Number, rightly
from theory.compact.isolation.models import constant_decoder, matching
from theory.compact.isolation.situations import growing_share, read
from theory.compact.words import POWERS, SQUARES, ZEROS, Infinite, altered, periodic
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity
from theory.outcome import Outcome
from theory.quantities import Enclosure, Exact, quantity
from theory.quantities import Number as AnyNumber
from theory.rope.scale import ceiling

CLAIM = "sparse-words"
X = sympy.Symbol("x")
# Detectors by e^Delta, each flagged by the word that is tried.
BOOSTS: tuple[tuple[str, Number], ...] = (("1", Fraction(1)), ("3/2", Fraction(3, 2)), ("e", exp(1)))
HORIZON = 400


def sieve(most: int) -> list[int]:
    """1 at the primes up to `most`, 0 elsewhere; entry 0 is position 0."""
    found = [0, 0] + [1] * (most - 1)
    for p in range(2, most + 1):
        if found[p] and p * p <= most:
            found[p * p :: p] = [0] * len(found[p * p :: p])
    return found


PRIME = sieve(1 << 11)
COUNTED = [sum(PRIME[: i + 1]) for i in range(len(PRIME))]
PRIMES = Infinite("primes", PRIME.__getitem__, COUNTED.__getitem__)


@dataclass(frozen=True)
class Sparse:
    """What is not learned beside 0^w.

    Args:
        below: of 1/x, how many positions a one of a periodic word needs to count as sparse.
        often: whether the word must have infinitely many ones.
        continuous: whether logits are bounded.
        neither: whether it is 0^w as well that is not learned.
        dense: whether words of positive lower density are excluded too, whatever it is.
    """

    below: Fraction = Fraction(1)
    often: bool = True
    continuous: bool = True
    neither: bool = False
    dense: bool = False

    def __str__(self) -> str:
        words = "infinitely many ones" if self.often else "a one"
        share = "a positive share of ones" if self.dense else f"a share of ones <= {X / self.below} infinitely often"
        kind = "continuous T" if self.continuous else "T"
        return f"{kind} with 0^w learned learns no word with {words} and {share}{', nor 0^w' * self.neither}"

    def words(self, detector: BoundedDetector, horizon: int) -> Iterator[Infinite]:
        """What the statement is about, for one detector; of the sparse ones those that are so before the horizon."""
        radius = detector.certified_radius
        for word in (POWERS, SQUARES, PRIMES):
            if (radius * (horizon // 2) > word.nonzero(horizon // 2)) is Outcome.HOLDS:
                yield word
        for m in (*range(1, 13), 20, 40):
            sparse = (radius * (m + 1) >= self.below) is Outcome.HOLDS
            if sparse or self.dense:
                yield periodic(m)
        if not self.often:
            yield altered((1, 0, 1), ZEROS)


@claim(
    CLAIM,
    source=Source("2505.10606", "isolation theorem", "derived"),
    quantifiers="for all continuous decoders with 0^w learned by eps, x with omega(x) < eps/2, and words beta",
    statement=str,
    variant=Sparse(),
    controls={
        "neither is learned": Sparse(neither=True),
        "words of period (m + 1) >= 1/(3 x) too": Sparse(below=Fraction(1, 3)),
        "positive density excludes learning": Sparse(dense=True),
    },
    hypotheses=(
        Hypothesis("ones for ever", "infinitely many letters are not 0", Sparse(often=False)),
        Hypothesis("continuity", "omega(x) < eps/2 for some x > 0", Sparse(continuous=False)),
    ),
    does_not_show="that dense words are learned: joint-learnability says which are, together with 0^w",
)
def sparse_words(claimed: Sparse, thorough: bool) -> Iterator[Evidence]:
    """Detectors flagged by each word, late and very late; decoders that have learned a sparse word; the share 1/p."""
    horizon = 1 << 11 if thorough else HORIZON
    if claimed.neither:
        yield Enumeration("0^w before the decoder that always says 0", _blind(horizon))
    if not claimed.continuous:
        yield Enumeration("logits ln(n) 1[w_j = 1], flagged by powers", [_late(growing_share, POWERS, horizon)])
    yield Enumeration("detectors of bounded logits", _detectors(claimed, horizon))
    yield Enumeration("at astronomical lengths", _far(claimed, 400 if thorough else 120))
    yield Enumeration("0^w before decoders that have learned a sparse word", _converse(64))
    yield Identity("the share of ones of a periodic word", _shares())


def _blind(horizon: int) -> Iterator[Case]:
    blind = constant_decoder(Fraction(0))
    wrong = [m for m in range(1, horizon) if not blind.lead(ZEROS.prefix(m), 0) > 0]
    yield {"decoder": str(blind), "word": "0^w"}, bool(wrong)


def _late(feature: Feature, word: Infinite, horizon: int) -> Case:
    """Whether the last place before the horizon where a one comes, or the last place at all, is an error."""
    ones = [m for m in range(horizon // 2, horizon - 1) if word.letter(m + 1)]
    last = ones[-1] if ones else horizon - 1
    return {"word": str(word), "n": last}, ~rightly(feature, word, last, word)


def _detectors(claimed: Sparse, horizon: int) -> Iterator[Case]:
    for name, boost in BOOSTS:
        detector = BoundedDetector(boost)
        for word in claimed.words(detector, horizon):
            case, outcome = _late(detector, word, horizon)
            yield {"e^Delta": name, **case}, outcome
            kept = (rightly(detector, ZEROS, n, word) for n in range(horizon - 50, horizon))
            yield {"e^Delta": name, "word": "0^w", "flags": str(word)}, Outcome.every(kept)


def _far(claimed: Sparse, most: int) -> Iterator[Case]:
    """The counts of powers and squares are known in closed form."""
    for name, boost in (*BOOSTS, ("e^20", exp(20))):
        detector = BoundedDetector(boost)
        for j in (most - 20, most):
            for word, length in ((POWERS, 2**j - 1), (SQUARES, 4**j - 1)):
                yield {"e^Delta": name, "word": str(word), "j": j}, ~rightly(detector, word, length, word)


def _converse(horizon: int) -> Iterator[Case]:
    half, learned = Fraction(1, 2), Fraction(4, 5)
    for word, margin, slope in ((POWERS, half, half), (SQUARES, learned, Fraction(3, 2)), (PRIMES, half, half)):
        situation = read(matching(word, margin, slope), ZEROS)
        late = [m for m in situation.partings(range(horizon // 2, horizon), 2 * horizon) if m is not None]
        yield {"learned": str(word), "errors": late}, Outcome.every(~situation.right(m) for m in late)


def _shares() -> Iterator[Equation]:
    """floor(n/p)/n = (n - r)/(p n) at n = p q + r, so at most 1/p, for all n."""
    p, q, r = sympy.symbols("p q r", integer=True, positive=True)
    yield "at n = p q + r", q, ((p * q + r) - r) / p


@quantity("sparse-radius", unit="share of ones; zeros between ones", claim=CLAIM)
def sparse_radius(delta: AnyNumber) -> dict[str, Enclosure | Exact]:
    """X and 1/x of the detector of oscillation delta, and the least m from which no per_m is learned beside 0^w.

    The least m is the one that the certified radius x gives.
    """
    x = BoundedDetector(exp(delta)).certified_radius
    return {"x": Enclosure(x), "1/x": Enclosure(1 / x), "m": Exact(ceiling(1 / x) - 1)}
