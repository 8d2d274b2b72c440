"""How long a word has to be before bounded logits fail: the theory is silent while ln n is below Delta.

Source: derived here. One key among n gets the share tau of a softmax of range Delta iff e^Delta is at least (n - 1)
tau/(1 - tau); the detector of bounded logits errs on the powers of two at n = 2^j - 1 iff 3 e^Delta j <= 2^j - 1 - j,
and loses 0^w at a flagged length where the share of ones is 1/(1 + 3 e^Delta) or more.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np
import sympy
from sympy import Expr, symbols

from theory.arithmetic import ball
from theory.arithmetic.ball import Real, evaluate
from theory.claims import Hypothesis, Source, claim
from theory.compact.evasions.joint import PAPER
from theory.compact.isolation.detector import BoundedDetector, logit_on, right, rightly
from theory.compact.symbols import n
from theory.compact.words import POWERS, ZEROS, altered
from theory.errors import InputError
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.outcome import Outcome
from theory.quantities import Enclosure, Exact, Length2, Rational, Result, quantity

CLAIM = "finite-n-obstruction"
SEED = 250516
tau, boost = symbols("tau e^Delta", positive=True)
NEEDED = (n - 1) * tau / (1 - tau)
# Beyond it e^Delta is so large that j would have to exceed this many bits.
MOST_EXPONENT = 100_000


@dataclass(frozen=True)
class Obstruction:
    """What range of logits a share needs, where the detector errs on the powers of two, and how far 0^w reaches.

    Args:
        needed: e^Delta, in n and tau.
        odds: how many times e^Delta a one counts at the threshold of the detector.
        first: the first exponent j at which it errs, where that does not depend on Delta.
        keys: how many keys have the highest logit.
    """

    needed: Expr = NEEDED
    odds: int = 3
    first: int | None = None
    keys: int = 1

    def __str__(self) -> str:
        errs = f"{self.odds} e^Delta j <= 2^j - 1 - j" if self.first is None else f"j >= {self.first}"
        keys = "" if self.keys == 1 else f" where {self.keys} have the highest logit"
        return (
            f"one key of n gets tau{keys} iff e^Delta >= {self.needed}; the detector errs on "
            f"the powers of two at 2^j - 1 iff {errs}; 0^w is kept at flagged n iff d_H < 1/(1 + {self.odds} e^Delta)"
        )

    def errs(self, j: int, value: Fraction) -> bool:
        """Whether the claim says that 2^j - 1 is an error."""
        return self.odds * value * j <= 2**j - 1 - j if self.first is None else j >= self.first


@claim(
    CLAIM,
    source=Source(PAPER, "bounded logits at finite length", "derived"),
    quantifiers="for all Delta >= 0, n >= 2, tau in (0, 1), j >= 1 and numbers of changed letters; equivalences",
    statement=str,
    variant=Obstruction(),
    controls={
        "Delta = 10 gives half the weight at n = 131072": Obstruction(needed=NEEDED / 6),
        "n for n - 1": Obstruction(needed=n * tau / (1 - tau)),
        "first failure 2^5 for all Delta": Obstruction(first=5),
        "4 for 3": Obstruction(odds=4),
    },
    hypotheses=(Hypothesis("one key", "all other keys have the lowest logit", Obstruction(keys=2)),),
    does_not_show="that trained models fail there: their Delta is 20 to 40, and ln n is 12 at 10^5 tokens",
)
def finite_n_obstruction(claimed: Obstruction, thorough: bool) -> Iterator[Evidence]:
    """Both sides of all three equivalences in exact rationals; the share by algebra; forward passes in float64."""
    yield Enumeration("a key with share tau", _shares(claimed))
    yield Enumeration("errors on the powers of two", _errors(claimed, 40 if thorough else 16))
    yield Enumeration("0^w with changed letters", _radius(claimed, 8 if thorough else 6))
    yield Identity("share tau at the needed range", [_share(claimed)], sympy.simplify)
    yield Search("forward passes", _passes(claimed, 200 if thorough else 60), seed=SEED)


def _shares(claimed: Obstruction) -> Iterator[Case]:
    for length, share in product((2, 3, 10, 131072), (Fraction(1, 2), Fraction(1, 10), Fraction(9, 10))):
        needed = evaluate(claimed.needed, {n: length, tau: share}).exact
        assert needed is not None
        for value in (needed, needed * Fraction(99, 100), needed * Fraction(101, 100)):
            others = value * (claimed.keys - 1) + length - claimed.keys
            found = value / (value + others) >= share
            yield {"n": length, "tau": str(share), "e^Delta": str(value)}, found == (value >= needed)


def _errors(claimed: Obstruction, most: int) -> Iterator[Case]:
    for value, j in product(map(Fraction, ("1", "2", "27/10", "20", "1000", "22026")), range(1, most + 1)):
        wrong = rightly(BoundedDetector(value), POWERS, 2**j - 1) is Outcome.REFUTED
        yield {"e^Delta": str(value), "j": j}, wrong == claimed.errs(j, value)


def _radius(claimed: Obstruction, most: int) -> Iterator[Case]:
    for value, j in product((Fraction(1), Fraction(2), Fraction(7, 3)), range(1, most + 1)):
        length = 2**j - 1
        for changed in range(length + 1):
            word = altered((1,) * changed, ZEROS)
            kept = right(logit_on(BoundedDetector(value), word, length), 0) is Outcome.HOLDS
            said = Fraction(changed, length) < 1 / (1 + claimed.odds * value)
            yield {"e^Delta": str(value), "n": length, "changed": changed}, kept == said


def _share(claimed: Obstruction) -> Equation:
    needed = claimed.needed
    return "share", needed / (claimed.keys * needed + n - claimed.keys), tau


def _passes(claimed: Obstruction, count: int) -> Iterator[Trial]:
    """Softmax over all letters of the powers of two, Delta up to 4."""
    random = np.random.default_rng(SEED)
    for _ in range(count):
        spread, j = float(random.uniform(0, 4)), int(random.integers(1, 12))
        weights = np.exp(spread * np.array(POWERS.prefix(2**j - 1), dtype=float))
        ones = weights[weights > 1].sum() if spread > 0 else 0.0
        logit = 2 * ones / weights.sum() - 0.5
        if abs(logit) > 1e-9:  # float64 decides
            yield Trial((spread, j), float((logit < 0) != claimed.errs(j, Fraction(np.exp(spread)))), 0.0)


@quantity("range-for-share", unit="logit", claim=CLAIM)
def range_for_share(n: Length2, share: Rational) -> Enclosure:
    """ln((n - 1) share/(1 - share)): the range of logits from which one key among n can get this share."""
    if not 0 < share < 1:
        raise InputError(f"share = {share} is not between 0 and 1; give a share of the attention, such as 1/2")
    return Enclosure(ball.log((n - 1) * share / (1 - share)))


@quantity("share-of-range", unit="share of the attention", claim=CLAIM)
def share_of_range(n: Length2, spread: Rational) -> Enclosure:
    """The most that one key among n gets of a softmax of logits of range `spread`."""
    _check(spread)
    return Enclosure(1 / (1 + (n - 1) * ball.exp(-spread)))


@quantity("detector-first-failure", unit="letters", claim=CLAIM)
def detector_first_failure(spread: Rational) -> dict[str, Result]:
    """N + 1 = 2^j of the first error on the powers of two, and the basin radius of 0^w, at logits of this range."""
    _check(spread)
    detector = BoundedDetector(ball.exp(spread))
    j = 1
    while detector.wrong_on_powers(j) is not Outcome.HOLDS:
        j += 1
        if j > MOST_EXPONENT:
            raise InputError(f"spread = {spread} fails beyond 2^{MOST_EXPONENT} only; give a smaller range")
    return {"exponent": Exact(j), "radius": Enclosure(Real.of(detector.radius))}


def _check(spread: Fraction) -> None:
    if spread < 0:
        raise InputError(f"spread = {spread} is negative; give the range of the logits, at least 0")
