"""How much attention a Retrieval layer loses when other positions hold shares of tokens rather than tokens.

Source: derived here for arXiv 2605.31558, Sec. 3.2. The query holds exactly an LL token that wants y; some key holds
exactly sigma, the one token type with left letter y; every other key holds a share p in [0, 1] of one token type. At
frequency 0 such a key has logit p cos((L - y) omega). If its type is sigma that is p, and the share that is lost is
x = 1 - p; if not, the logit is at most c = max(0, cos omega), whatever p is, and all is lost. With delta = 1 - c the
excess at D (claim attention-loss) is at most (n - 1) max(max_x (x - D) e^{-beta x}, (1 - D) e^{-beta delta}), and the
inner maximum is e^{-1 - beta D}/beta, at x = D + 1/beta.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np
import sympy
from sympy import Expr, symbols

from theory.arithmetic.ball import cos, evaluate, maximum
from theory.arithmetic.real import Real
from theory.claims import Source, claim
from theory.evidence import Evidence, Identity, Search, Trial
from theory.quantities import Exact, Length, Letters, quantity
from theory.rope.rotation import PAPER
from theory.rope.softmax.attention_loss import LOST, TOLERATED, Guarantee
from theory.symbols import beta, n

SEED = 2605
TURN = Real.of_linear(0, 2)
D, delta, x = symbols("D delta x", positive=True)
# What one competitor adds to the excess: a share 1 - x of the right token, at its worst x; a wrong token.
PARTLY = (x - D) * sympy.exp(-beta * x)
WORST = D + 1 / beta
PARTLY_AT_WORST = sympy.exp(-1 - beta * D) / beta
WRONG = (1 - D) * sympy.exp(-beta * delta)


@dataclass(frozen=True)
class Margin:
    """That at most D is lost if `competitors` times the largest of these terms is at most D."""

    terms: tuple[Expr, ...] = (PARTLY_AT_WORST, WRONG)
    competitors: Expr = n - 1

    def __str__(self) -> str:
        return f"at most D is lost if {self.competitors * sympy.Max(*self.terms)} <= D"

    def guarantee(self, letters: int) -> Guarantee:
        """The promise of a layer over this many letters, between layers of a decoder."""
        gap = 1 - maximum((0, cos(TURN / letters)))

        def excess(length: int, scale: Real, lost: Fraction) -> Real:
            if length == 1:
                return Real.of(0)
            values = {n: length, beta: scale, D: lost, delta: gap}
            return evaluate(self.competitors, values) * maximum(evaluate(term, values) for term in self.terms)

        return Guarantee(excess, rotates=False, layers=True)


@cache
def least_scale(margin: Margin, letters: int, length: int, lost: Fraction) -> Fraction:
    """The least inverse temperature, on a grid, that is said to lose at most the share `lost`."""
    return margin.guarantee(letters).inverse_temperature(length, lost)


@quantity("letter-decoder-beta", unit="inverse temperature", claim="letter-decoder-excess")
def letter_decoder_beta(n: Length, letters: Letters) -> Exact:
    """What the layers of the letter decoder use at length n: at most 1/8 of the attention is lost, on a 16-bit grid."""
    return Exact(least_scale(Margin(), letters, n, LOST))


@claim(
    "letter-decoder-excess",
    source=Source(PAPER, "Sec. 3.2", "derived"),
    quantifiers="for all A >= 2, n >= 1, 0 < D < 1, types and shares of the other keys, one type with left letter y",
    statement=str,
    variant=Margin(),
    controls={
        "wrong tokens only": Margin((WRONG,)),
        "shares of the right token only": Margin((PARTLY_AT_WORST,)),
        "n - 2 competitors": Margin(competitors=n - 2),
    },
    does_not_show="that snapped states take the worst shares: so the temperature may be higher than needed",
)
def letter_decoder_excess(margin: Margin, thorough: bool) -> Iterator[Evidence]:
    """The worst share as identities; keys with adversarial shares at the least temperature that is said to do."""
    trials = _adversary(margin, 3000 if thorough else 400)
    yield Search("lost share of random and worst keys, n up to 33", trials, seed=SEED)
    slope = sympy.diff(PARTLY, x)
    worst = [
        ("the value there", PARTLY.subs(x, WORST), PARTLY_AT_WORST),
        ("the slope, which falls through 0 there", slope, beta * (WORST - x) * sympy.exp(-beta * x)),
    ]
    yield Identity("the worst share is 1 - x with x = D + 1/beta", worst, sympy.simplify)


def _adversary(margin: Margin, count: int) -> Iterator[Trial]:
    rng = np.random.default_rng(SEED)
    for _ in range(count):
        letters, length = int(rng.choice((2, 3, 4, 5, 8))), int(rng.choice((2, 9, 33)))
        lost = (LOST, TOLERATED)[rng.integers(2)]
        scale = float(least_scale(margin, letters, length, lost))
        # Shares: any, all nearly as bad as they can be, or whole. Types: any, all right, or all the nearest wrong one.
        worst = 1 - min(1.0, float(lost) + 1 / scale)
        shares = (
            rng.uniform(0, 1, length - 1),
            np.clip(worst + rng.normal(0, 0.05, length - 1), 0, 1),
            rng.integers(0, 2, length - 1),
        )[rng.integers(3)]
        steps = (rng.integers(0, letters, length - 1), np.zeros(length - 1), np.ones(length - 1))[rng.integers(3)]
        weights = np.exp(-scale * (1 - shares * np.cos(2 * np.pi * steps / letters)))
        observed = float(weights @ np.where(steps == 0, 1 - shares, 1) / (1 + weights.sum()))
        case = {"A": letters, "n": length, "D": lost, "beta": scale}
        yield Trial(case, observed, float(lost), 2.0**-52 * (length + 10 * scale))
