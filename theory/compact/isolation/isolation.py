"""Around a learned word no other word is learned, unless it agrees with it from some position on.

Source: arXiv 2505.10606, the isolation theorem in words; statement and proof are reconstructed here. Where omega(x) <
eps/2 and d_H <= x infinitely often, the decoder is wrong at infinitely many of the places where the words part, by
eps - 2 omega(x) at least.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Literal

import sympy

from theory.arithmetic.ball import Real, exp
from theory.claims import Hypothesis, Source, claim
from theory.compact.isolation.detector import BoundedDetector, Number, errors, fitting, logit, margin, share, sigma
from theory.compact.isolation.models import Decoder, constant_decoder, matching
from theory.compact.isolation.situations import Situation, bounded, detected, growing_share, read, unsure
from theory.compact.words import (
    POWERS,
    SQUARES,
    ZEROS,
    altered,
    one_sided_density,
    periodic,
    power_of_two,
    running_distance,
)
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity
from theory.outcome import Outcome
from theory.quantities import Amount, Enclosure, Length, quantity
from theory.quantities import Number as AnyNumber
from theory.symbols import n, t

CLAIM = "isolation"
SOURCE = Source("2505.10606", "isolation theorem", "reconstructed")
Errors = Literal["infinitely often where they part", "at all large n", "nowhere"]
PARTING: Errors = "infinitely often where they part"
K = sympy.Symbol("k", integer=True, nonnegative=True)
HALF, SMALL = Fraction(1, 2), Fraction(1, 10)
HORIZON = 66
# Continuous, with modulus 2 x; it has learned 0^w, and (01)^w, which is at distance 1/2, from length 2 on.
JOINT = Decoder(
    "T(1) = 2 a at odd n",
    lambda u: Fraction(min(len(u), 2 * sum(u)), len(u)) * (len(u) % 2),
    ZEROS,
    Fraction(1),
    lambda x: 2 * x,
)
MATCHING = (
    matching(ZEROS, HALF, HALF),
    matching(periodic(1), HALF, Fraction(1, 3)),
    matching(POWERS, Fraction(4, 5), Fraction(1)),
    matching(periodic(2), HALF, HALF, one_sided=True),
)
# What is added to the situations where a hypothesis is given up.
WITHOUT = {
    "": (),
    "apart": (read(constant_decoder(SMALL), altered((1,), ZEROS)),),
    "near": (read(JOINT, periodic(1), lambda d: True),),
    "near once": (read(JOINT, periodic(1), lambda d: True),),
    "margin": (unsure(),),
    "continuous": (detected(growing_share, "logits ln(n) 1[w_j = 1], chi", SMALL),),
}


@dataclass(frozen=True)
class Isolation:
    """T learns alpha with margin eps, d_H(n) <= x infinitely often, omega(x) < eps/2, beta not eventually alpha.

    Args:
        errs: where T errs on beta.
        without: which hypothesis is given up, a key of `WITHOUT`.
    """

    errs: Errors = PARTING
    without: str = ""

    def __str__(self) -> str:
        often = {"near once": "d_H(n) <= x for one n", "near": ""}.get(self.without, "d_H(n) <= x infinitely often")
        given = [
            "T learns alpha" + " with a fixed margin eps" * (self.without != "margin"),
            "omega(x) < eps/2" * (self.without != "continuous"),
            often,
            "beta is not eventually alpha" * (self.without != "apart"),
        ]
        return f"{', '.join(filter(None, given))}: T errs on beta {self.errs}, by eps - 2 omega(x)"

    def verdict(self, situation: Situation, parting: int | None) -> Outcome:
        """What is said of a place where the words part; there must be one."""
        if parting is None:
            return Outcome.REFUTED
        if self.errs == "nowhere":
            return situation.right(parting)
        # Where they part they agree no more: the position before it is among "all large n" as well.
        more = [~situation.right(parting - 1)] if self.errs == "at all large n" else []
        return Outcome.every([situation.wrong(parting), ~situation.right(parting), *more])

    def cases(self, situation: Situation, lengths: Sequence[int], horizon: int) -> Iterator[Case]:
        for parting in situation.partings(lengths, horizon):
            yield {"decoder / word": str(situation), "parts after": parting}, self.verdict(situation, parting)


@claim(
    CLAIM,
    source=SOURCE,
    quantifiers="for all decoders with modulus omega in d_H, or in M_D where kernels fall with the lag, and all words",
    statement=str,
    variant=Isolation(),
    controls={
        "errors at all large n": Isolation("at all large n"),
        "learned with a small enough margin": Isolation("nowhere"),
        "d_H(n) <= x for one n": Isolation(without="near once"),
    },
    hypotheses=(
        Hypothesis("apart for ever", "beta parts from alpha infinitely often", Isolation(without="apart")),
        Hypothesis("near infinitely often", "d_H(n) <= x for infinitely many n", Isolation(without="near")),
        Hypothesis("a fixed margin", "alpha is learned with some eps > 0", Isolation(without="margin")),
        Hypothesis("continuity", "omega(x) < eps/2 for some x > 0", Isolation(without="continuous")),
    ),
    printed="around a learnable sequence there is no other learnable one: claim isolation-printed",
    does_not_show="that errors occur at lengths of interest: the first of them may lie beyond e^Delta",
)
def isolation(claimed: Isolation, thorough: bool) -> Iterator[Evidence]:
    """What is given up; the detector on sparse words; all short words; counting lemmas; a step back as an identity."""
    extra = WITHOUT[claimed.without]
    if extra:
        cases = (case for situation in extra for case in claimed.cases(situation, range(1, HORIZON), 2 * HORIZON))
        yield Enumeration(f"without: {claimed.without}", cases)
    yield Enumeration("detectors of bounded logits", _detectors(claimed, thorough))
    yield Enumeration("all words of one length", _short(claimed, 11 if thorough else 8))
    yield Enumeration("stepping back to an agreement", _stepping_back(13 if thorough else 8))
    yield Enumeration("errors of the detector at Delta = 1", _listed(claimed, 2**11 if thorough else 2**9))
    yield Identity("fewer changes in the shorter prefix", _shorter(), sympy.cancel)


def _detectors(claimed: Isolation, thorough: bool) -> Iterator[Case]:
    boosts: list[tuple[Number, str]] = [(Fraction(1), "1"), (Fraction(3), "3"), (exp(1), "e")]
    horizon = 2**11 if thorough else 300
    for (boost, name), word in product(boosts, (POWERS, SQUARES, periodic(20))):
        yield from claimed.cases(bounded(boost, word, name), range(1, horizon), 2 * horizon)
    for boost, name in boosts:
        situation = bounded(boost, POWERS, name)
        for j in (20, 64, 1000):
            case = {"decoder / word": str(situation), "parts after": f"2^{j} - 1"}
            if situation.close(2**j - 1):
                yield case, claimed.verdict(situation, 2**j - 1)


def _short(claimed: Isolation, longest: int) -> Iterator[Case]:
    """Only words that part again within the horizon say anything here."""
    for decoder in MATCHING:
        for word in product((0, 1), repeat=longest):
            situation = read(decoder, word)
            for parting in situation.partings(range(1, longest), longest):
                if parting is not None:
                    yield (
                        {"decoder / word": str(situation), "parts after": parting},
                        claimed.verdict(situation, parting),
                    )


def _stepping_back(longest: int) -> Iterator[Case]:
    """The last agreement is no farther and not much shorter; few positions have a large one-sided density."""
    for length in range(1, longest + 1):
        for bits in product((0, 1), repeat=length):
            changed = [i for i, bit in enumerate(bits, start=1) if bit]
            if 0 < len(changed) < length:
                back = max(set(range(1, length + 1)) - set(changed))
                nearer = running_distance(changed, back) <= running_distance(changed, length)
                densities = [one_sided_density(changed, j) for j in range(1, length + 1)]
                few = all(sum(x >= y for x in densities) * y <= len(changed) for y in set(densities))
                yield {"n": length, "D": changed}, nearer and back >= length - len(changed) and few


def _listed(claimed: Isolation, longest: int) -> Iterator[Case]:
    """On the powers of two exactly the flagged lengths from 63 on; where the errors are said to be elsewhere, there."""
    found = {*errors(BoundedDetector(exp(1)), POWERS, range(1, longest))}
    for length in range(1, longest):
        said = power_of_two(length + 1) if claimed.errs == PARTING else claimed.errs != "nowhere"
        yield {"n": length}, (length in found) is (said and length >= 63)


def _shorter() -> Iterator[Equation]:
    yield "t changes fewer", K / n - (K - t) / (n - t), t * (n - K) / (n * (n - t))


@quantity("detector", unit="weight; logit; probability", claim=CLAIM)
def detector(delta: AnyNumber, ones: Amount, n: Length) -> dict[str, Enclosure]:
    """The detector of oscillation delta after n letters with some ones: feature, logit and probability of 1, lead."""
    a = share(exp(delta), fitting(ones, n), n)
    z = logit(a, int(power_of_two(n + 1)))
    found = {"feature": a, "logit": z, "one": sigma(z), "lead of 1": margin(z, 1)}
    return {name: Enclosure(Real.of(value)) for name, value in found.items()}
