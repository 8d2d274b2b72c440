"""A transformer with compact position data is continuous at every word, uniformly in the length of words.

Source: arXiv 2505.10606 (printed in words; class and proof are reconstructed here). The proof needs no Lipschitz
constants: from moduli of continuity of the maps it builds a share delta of changed letters for every eps, layer by
layer, and that share is tried here on networks whose worst gap is known. A network that leaves the hypotheses is a
dropped one: one changed letter moves it by a fixed amount, at every length.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import sympy

from theory.claims import Hypothesis, Source, claim
from theory.compact.continuity.discontinuous import (
    COUNTED,
    GROWING_DATA,
    JUMP,
    LAST_LETTER,
    LENGTH,
    LOG_LOGITS,
    SUM,
    Broken,
)
from theory.compact.continuity.proof_share import COMPACT, Inverse, Maps, lipschitz, proof_share
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.outcome import Outcome
from theory.quantities import Exact, Length, quantity

CLAIM = "continuity-qualitative"
SEED = 2510


@quantity("log-logits-gap", unit="change of one head", claim=CLAIM)
def log_logits_gap(n: Length) -> Exact:
    """n/(2n - 1): the gap of a head with logits ln(i) w_j on 0^n and 1 0^(n-1), which stays above 1/2."""
    return Exact(LOG_LOGITS.gap(n))


def first_layer_only(layers: tuple[Maps, ...], readout: Inverse, eps: Fraction) -> Fraction:
    """Not enough: a share that does not depend on the depth."""
    return proof_share(layers[:1], readout, eps)


@dataclass(frozen=True)
class Continuity:
    """That a share of changed letters is enough for each eps.

    Args:
        share: the share, from a network and eps.
        broken: a network outside the theorem that is said to be continuous too.
    """

    share: Callable[[tuple[Maps, ...], Inverse, Fraction], Fraction] = proof_share
    broken: Broken | None = None

    @property
    def statement(self) -> Any:
        also = f", also where {self.broken.name}" if self.broken else ""
        return (
            f"for every eps > 0 there is delta > 0, by {self.share.__name__}, with |T(u) - T(w)| <= eps for all n and "
            f"all words of length n that share the last letter and differ in a share of at most delta{also}"
        )


@claim(
    CLAIM,
    source=Source("2505.10606", "Continuity", "printed"),
    quantifiers="for all transformers with compact position data and continuous maps, eps > 0; some delta > 0; all n, "
    "u, w of length n with one last letter and d_H(u, w) <= delta",
    statement=lambda continuity: continuity.statement,
    variant=Continuity(),
    controls={
        "one delta for all depths": Continuity(share=first_layer_only),
        "words that end differently": Continuity(broken=LAST_LETTER),
        "words of neighbouring lengths": Continuity(broken=LENGTH),
        "logits that grow like ln i": Continuity(broken=LOG_LOGITS),
    },
    hypotheses=(
        Hypothesis("last letter", "u and w share the last letter", Continuity(broken=LAST_LETTER)),
        Hypothesis("equal length", "u and w have one length", Continuity(broken=LENGTH)),
        Hypothesis("compact logits", "position data of the logits in a compact set", Continuity(broken=LOG_LOGITS)),
        Hypothesis("compact readout", "position data of the readout in a compact set", Continuity(broken=GROWING_DATA)),
        Hypothesis("continuous", "maps are continuous", Continuity(broken=JUMP)),
        Hypothesis("softmax", "weights sum to 1", Continuity(broken=SUM)),
        Hypothesis("positions", "position data do not depend on the letters", Continuity(broken=COUNTED)),
    ),
    does_not_show="how small delta is, which continuity-explicit says, nor that it serves other weights or depths",
)
def continuity_qualitative(continuity: Continuity, thorough: bool) -> Iterator[Evidence]:
    """The proof's share on networks of known worst gap; networks outside the theorem; symbols; long random words."""
    if continuity.broken is not None:
        yield Enumeration("gaps at one changed letter", _gaps(continuity.broken))
    yield Enumeration("the share that the proof allows", _allowed(continuity, 5 if thorough else 3))
    yield Identity("gaps in the limit", _limits(), sympy.cancel)
    yield Search("long words, content-weighted averages", _random(continuity, 200 if thorough else 25), seed=SEED)


def _gaps(broken: Broken) -> Iterator[Case]:
    """Whether the gap is at most 1/4 once 1/n is as small as 2^-40."""
    for power in (40, 44, 64):
        for less in (1, 0):
            gap = broken.gap(2**power - less)
            yield {"n": f"2^{power} - {less}", "gap": str(gap)}, gap <= Fraction(1, 4)


def _allowed(continuity: Continuity, powers: int) -> Iterator[Case]:
    for network, power in product(COMPACT, range(1, powers + 1)):
        eps = Fraction(1, 4**power)
        share = continuity.share(network.layers, network.readout, eps)
        holds = Outcome.every((Outcome.of(share > 0), network.gap(share) <= eps))
        yield {"network": network.name, "eps": str(eps)}, holds


def _limits() -> Iterator[Equation]:
    """Gaps of two networks outside the theorem, above 1/2 and above 3/10."""
    n, m = sympy.symbols("n m", positive=True)
    yield "logits ln i", n / (2 * n - 1) - sympy.Rational(1, 2), 1 / (2 * (2 * n - 1))
    gap = 4 * m / (5 * m + 1) - m / (2 * m + 1)
    excess = (9 * m - 3) / (10 * (5 * m + 1) * (2 * m + 1))
    yield "counts, n = 2 m + 1", gap - sympy.Rational(3, 10), excess


def _random(continuity: Continuity, count: int) -> Iterator[Trial]:
    """Two layers x <- tanh(f a), logits be x_j and values x_j: prefix sums, so that words can be long."""
    random = np.random.default_rng(SEED)
    for case in range(count):
        depth, slope, outer = int(random.integers(1, 3)), float(random.uniform(0, 0.2)), float(random.uniform(0.2, 1))
        spread = Fraction(slope) * 2
        maps = Maps(lipschitz(Fraction(slope)), lipschitz(1), lipschitz(Fraction(outer)), 1 + 2 * spread, Fraction(1))
        eps = Fraction(1, 2) if depth == 2 else Fraction(1, 10)
        share = continuity.share((maps,) * depth, lipschitz(1), eps)
        length = int(2 / share) + int(random.integers(1, 100))
        if length > 2**20:
            continue
        changed = int(share * length)
        u = random.choice([-1.0, 1.0], size=length)
        w = u.copy()
        # The earliest places, or any.
        early = random.uniform() < 0.5
        w[np.arange(changed) if early else random.choice(length - 1, size=changed, replace=False)] *= -1
        gap = abs(_prefix_network(u, depth, slope, outer) - _prefix_network(w, depth, slope, outer))
        allowance = 16 * depth * length * np.finfo(np.float64).eps
        yield Trial(case, float(gap), float(eps), allowance)


def _prefix_network(states: Any, depth: int, slope: float, outer: float) -> Any:
    for _ in range(depth):
        weights = np.exp(slope * states)
        states = np.tanh(outer * np.cumsum(weights * states) / np.cumsum(weights))
    return states[-1]
