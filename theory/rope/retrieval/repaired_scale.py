"""The repaired Retrieval heads under softmax: the worst input has one competitor in all other places.

Source: derived here for arXiv 2605.31558, Thm 3.1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from math import exp
from random import Random

import numpy as np

from theory.arithmetic.ball import Real
from theory.claims import Hypothesis, Source, claim
from theory.evidence import Enumeration, Evidence, Search, Trial
from theory.outcome import Outcome
from theory.rope.retrieval.decoding import Design, number, r1, r2
from theory.rope.retrieval.repairs import REPAIRS, THRESHOLD, Repair, Repairs, next_letter
from theory.rope.rotation import PAPER
from theory.rope.scale import around, weight_sum
from theory.rope.sequences import Pair, pair_alphabet, proper_sequences, show

SOURCE = Source(PAPER, "Thm 3.1", "derived")
SEED = 31558


@dataclass(frozen=True)
class Threshold:
    """All queries of a kind decode iff `competitors`(n) e^(-beta gap) < 1, with the gaps of these heads."""

    competitors: Callable[[int], int] = lambda n: n - 1
    repairs: Repairs = field(default_factory=lambda: REPAIRS)

    def __str__(self) -> str:
        count = f"c e^(-beta gap) < 1 (c = {self.competitors(5)} at n = 5)"
        return f"all queries of a kind decode under {', '.join(self.repairs)} iff {count}; LI queries of R1: always"


@claim(
    THRESHOLD,
    source=SOURCE,
    quantifiers="for all A >= 2, I >= 1, n >= 1, beta >= 0; inputs of length n, LL and LI queries apart; softmax",
    statement=str,
    variant=Threshold(),
    controls={
        "n - 2 competitors": Threshold(lambda n: n - 2),
        "n competitors": Threshold(lambda n: n),
        "R2: only other letters compete": Threshold(repairs={"R2": Repair(r2, next_letter, next_letter)}),
        "R1 needs a scale for LI queries too": Threshold(
            repairs={"R1": Repair(lambda letters, _: r1(letters), next_letter, next_letter)}
        ),
    },
    hypotheses=(Hypothesis("one-hot read-out", "W_V = identity", None, "another read-out can correct the bias"),),
    does_not_show="that the target gets most of the weight: that takes a larger scale, retrieval-repaired-beta-for",
)
def retrieval_repaired_threshold(threshold: Threshold, thorough: bool) -> Iterator[Evidence]:
    """Every proper input on both sides of the threshold; random long inputs never exceed the weight of the worst."""
    for letters, integers, longest in ((3, 2, 4), (2, 2, 5)) if thorough else ((2, 2, 3), (3, 1, 3)):
        name = f"A = {letters}, I = {integers}, n <= {longest}"
        yield Enumeration(name, _both_sides(threshold, letters, integers, longest))
    yield Search("random inputs against the worst", _random(threshold, 1000 if thorough else 100), seed=SEED)


def _both_sides(threshold: Threshold, letters: int, integers: int, longest: int) -> Iterator[tuple[object, Outcome]]:
    inputs = list(proper_sequences(letters, integers, longest))
    for (name, repair), kind, n in product(threshold.repairs.items(), ("LL", "LI"), range(1, longest + 1)):
        chosen = [tokens for tokens in inputs if len(tokens) == n and _kind(tokens[-1]) == kind]
        gap = repair.gap(letters, integers, kind == "LI")
        gaps = [] if gap is None else [gap] * max(0, threshold.competitors(n))
        for beta in around(gaps):
            said = weight_sum(gaps, Real.of(beta)) < 1
            found = repair.design(letters, integers).all_decode(chosen, beta)
            yield {"head": name, "A": letters, "I": integers, "n": n, "query": kind, "beta": beta}, said.iff(found)


def _kind(query: Pair) -> str:
    return "LL" if number(query) is None else "LI"


def _random(threshold: Threshold, count: int) -> Iterator[Trial]:
    """The strongest wrong token over the target, for one target and mostly equal competitors, against the claim."""
    rng = Random(SEED)
    for name, repair in threshold.repairs.items():
        for _ in range(count):
            letters, integers, n = rng.choice((2, 3, 4, 6)), rng.choice((1, 2, 3, 4, 6)), rng.randint(2, 60)
            alphabet = pair_alphabet(letters, integers)
            query = rng.choice(alphabet)
            kind = _kind(query)
            targets = [query] if kind == "LI" else [key for key in alphabet if key[0] == query[1]]
            target = rng.choice(targets)
            others = [key for key in alphabet if key not in targets]
            gap = repair.gap(letters, integers, kind == "LI")
            if gap is None:
                continue
            favourite, beta = rng.choice(others), Fraction(rng.randint(0, 4000), 100)
            tokens = [favourite if rng.random() < 0.9 else rng.choice(others) for _ in range(n - 1)]
            ratio = _ratio(repair.design(letters, integers), query, target, tokens, float(beta))
            bound = threshold.competitors(n) * exp(-float(beta * gap))
            # Logits below 2 are rounded to a few ulp, which beta multiplies in the exponent.
            allowance = bound * (16 * float(beta) + n) * float(np.finfo(float).eps)
            yield Trial((name, show([*tokens, query]), beta), ratio, bound, allowance)


def _ratio(head: Design, query: Pair, target: Pair, others: list[Pair], beta: float) -> float:
    logits = {key: float(head.logit(head.level(query, key, 0))) for key in {target, *others}}
    return max(others.count(key) * exp(beta * (logits[key] - logits[target])) for key in set(others))
