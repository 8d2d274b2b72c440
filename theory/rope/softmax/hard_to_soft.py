"""From which inverse temperature softmax decodes what average hard attention decodes.

Source: arXiv 2605.31558, Lemma F.1 (qualitative there; the threshold is derived here). Coordinate c of the output is
r_c + sum_j w_j m_c(j). Against the right coordinate token j gives h_c(j) = (r_right - r_c) + m_right(j) - m_c(j), and
the margin is sum_j w_j h_c(j). J holds the tokens of maximal logit, and lambda is the least positive gap below it.
Over the inputs of length at most n0, the mean of h_c over J is at least delta_c > 0, and h_c >= -D_c everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement
from math import log as float_log
from typing import Any

import numpy as np
import sympy
from sympy import Matrix, exp, symbols

from theory.arithmetic.ball import Real, log, maximum
from theory.claims import Hypothesis, Source, claim
from theory.errors import InputError
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.outcome import Outcome
from theory.quantities import Enclosure, Length, Positive, Vector, quantity
from theory.rope.index.head import index_embedding, index_head, index_unembedding
from theory.rope.retrieval.head import retrieval_head
from theory.rope.rotation import PAPER
from theory.symbols import beta

SEED = 2605
Pairs = Sequence[tuple[Any, Any]]


def odds(n0: Any, pairs: Pairs, largest: Callable[[list[Any]], Any] = max) -> Any:
    """What e^(beta lambda) must exceed: the largest (n0 - 1) D_c/delta_c over the coordinates (delta_c, D_c)."""
    return largest([(n0 - 1) * loss / gain for gain, loss in pairs])


@quantity("hard-to-soft-beta", unit="inverse temperature", claim="hard-to-soft-quantitative")
def hard_to_soft_beta(
    n: Length, gap: Positive, delta: Vector = (sympy.S.One,), loss: Vector = (sympy.S.One,)
) -> Enclosure:
    """Inverse temperature above which softmax decodes as average hard attention does, on all inputs of length up to n.

    One delta_c > 0 and one loss D_c for each wrong coordinate; `gap` is the least positive logit gap of these inputs.
    """
    if len(delta) != len(loss):
        raise InputError(
            f"delta and loss differ in length, {len(delta)} and {len(loss)}; give one of each for a wrong coordinate"
        )
    for gain in delta:
        if (Real.of(gain) > 0) is not Outcome.HOLDS:
            raise InputError(f"delta={gain} is not positive: hard attention must decode; give positive margins")
    pairs = [(Real.of(gain), Real.of(lost)) for gain, lost in zip(delta, loss, strict=True)]
    needed = odds(n, pairs, maximum)
    return Enclosure(Real.of(0) if (needed <= 1) is Outcome.HOLDS else log(needed) / gap)


@dataclass(frozen=True)
class Condition:
    """Softmax decodes if beta gap(gaps) > ln odds(n0, (delta_c, D_c)); `ties` lets hard attention tie."""

    said: str
    odds: Callable[[Any, Pairs], Any] = odds
    gap: Callable[[Sequence[Any]], Any] = min
    ties: bool = False

    def __str__(self) -> str:
        return f"softmax decodes as average hard attention does if {self.said}"


def _for_two(n0: Any, pairs: Pairs) -> Any:
    return odds(2, pairs)


@claim(
    "hard-to-soft-quantitative",
    source=Source(PAPER, "Lemma F.1", "derived"),
    quantifiers="for all n0, all logits and linear read-outs on inputs of length at most n0; sharp at two-level logits",
    statement=str,
    variant=Condition("beta > max_c ln((n0 - 1) D_c/delta_c)/lambda over c with D_c > 0"),
    controls={
        "n0/2 in place of n0 - 1": Condition(
            "beta > max_c ln(n0 D_c/(2 delta_c))/lambda", odds=lambda n0, pairs: odds(n0 / Fraction(2) + 1, pairs)
        ),
        "1/lambda dropped": Condition("beta > max_c ln((n0 - 1) D_c/delta_c)", gap=lambda gaps: 1),
        "one delta and one D for all coordinates is sharp": Condition(
            "and only if, at two levels, beta > ln((n0 - 1) max D_c/min delta_c)/lambda",
            odds=lambda n0, pairs: (n0 - 1) * max(loss for _, loss in pairs) / min(gain for gain, _ in pairs),
        ),
    },
    hypotheses=(
        Hypothesis(
            "n0", "lengths are bounded", Condition("beta > max_c ln(D_c/delta_c)/lambda at all lengths", odds=_for_two)
        ),
        Hypothesis(
            "unique",
            "the right coordinate is unique: delta_c > 0",
            Condition("hard attention does not lose", ties=True),
        ),
        Hypothesis("lambda", "lambda is the least gap", Condition("beta > ln(...)/(the largest gap)", gap=max)),
    ),
    printed="for every n0 some beta is enough",
    does_not_show="that this beta is needed: for many competitors at different gaps a smaller one is enough",
)
def hard_to_soft(condition: Condition, thorough: bool) -> Iterator[Evidence]:
    """All small inputs exactly, Index and Retrieval at the threshold, the proof as an identity, and random inputs."""
    longest = 4 if thorough else 3
    yield Enumeration(f"read-outs up to 2, levels 0 to -2, n <= {longest}", _small(condition, longest))
    yield Enumeration("two-level inputs of Index and Retrieval, n <= 17", _two_level(condition))
    yield Identity("margin as a sum of terms that are not negative", _margin(condition, 4), sympy.cancel)
    yield Search("random logits and read-outs", _random(condition, 1000 if thorough else 200), seed=SEED)


def _small(condition: Condition, longest: int) -> Iterator[Case]:
    """One coordinate, logits in steps of 1/2. `base` is e^(beta/2), the least on a grid that meets the condition."""
    tokens = [(level, h) for level in (0, -1, -2) for h in (2, 1, 0, -1, -2)]
    for n in range(1, longest + 1):
        for chosen in combinations_with_replacement(tokens, n):
            best = [h for level, h in chosen if level == 0]
            gain, loss = Fraction(sum(best), len(best) or 1), -min(h for _, h in chosen)
            if not best or gain < 0 or (gain == 0 and not (condition.ties and loss <= 0)):
                continue
            gaps = [Fraction(-level, 2) for level, _ in chosen if level]
            needed = condition.odds(n, [(gain, loss)]) if gain else 0
            steps = int(2 * condition.gap(gaps)) if gaps else 1
            base = next(b for b in (1 + Fraction(step, 16) for step in range(1, 1000)) if b**steps > needed)
            margin = sum(base**level * h for level, h in chosen)
            yield (
                {"(logit, h)": [(str(Fraction(level, 2)), h) for level, h in chosen], "e^(beta/2)": str(base)},
                margin > 0,
            )


def _heads() -> Iterator[tuple[str, Callable[[int], list[list[int]]]]]:
    """Tables h_c(j) of inputs of length n, a row for each wrong c: the target, then n - 1 times one wrong token."""
    embedding, decoder = index_embedding(2, 1), index_unembedding(2, 1)
    copied = decoder * index_head(2, 1).W_V * embedding
    read = decoder * embedding
    yield "Index, letter a among b", lambda n: contributions(read[:, 0], copied, [0] + [1] * (n - 1), 0)
    yield "Index, integer to a among b", lambda n: contributions(read[:, 2], copied, [0] + [1] * (n - 1), 0)
    values = retrieval_head(2, 1).W_V
    nothing = sympy.zeros(values.rows, 1)
    yield "Retrieval", lambda n: contributions(nothing, values, [0] + [3] * (n - 1), 0)


def contributions(residual: Matrix, values: Matrix, tokens: Sequence[int], right: int) -> list[list[int]]:
    """h_c(j) for the wrong coordinates c and the tokens j of an input, from decoded residual and decoded values."""
    wrong = [c for c in range(values.rows) if c != right]
    return [
        [residual[right] - residual[c] + values[right, token] - values[c, token] for token in tokens] for c in wrong
    ]


def _two_level(condition: Condition) -> Iterator[Case]:
    for name, table in _heads():
        for n in range(2, 18):
            rows = [[Fraction(int(h)) for h in row] for row in table(n)]
            needed = condition.odds(Fraction(n), [(row[0], -min(row)) for row in rows])
            for ratio in (max(1, needed * Fraction(near, 100)) for near in (99, 100, 101)):
                decodes = all(row[0] + sum(row[1:]) / ratio > 0 for row in rows)
                yield {"head": name, "n": n, "e^(beta lambda)": str(ratio)}, decodes == (ratio > needed)


def _margin(condition: Condition, longest: int) -> Iterator[Equation]:
    """With X = e^(-beta lambda), every term on the right is >= 0 once X < 1/odds, and the first one is positive."""
    mu, n0, gain, loss, gap = symbols("mu n0 delta D lambda", positive=True)
    X = exp(-beta * gap)
    for n in range(2, longest + 1):
        for k in range(1, n):
            h, gaps = symbols(f"h_1:{n + 1}", real=True), symbols(f"g_1:{n - k + 1}", positive=True)
            weights = [exp(beta * logit) for logit in [mu] * k + [mu - g for g in gaps]]
            margin = sum(w * value for w, value in zip(weights, h, strict=True)) / sum(weights)
            scaled = margin * sum(weights) / exp(beta * mu)
            x = [exp(-beta * g) for g in gaps]
            terms = k * (n0 - 1) * loss * (1 / condition.odds(n0, [(gain, loss)]) - X)
            terms += ((k - 1) * n0 + (n0 - n)) * X * loss + loss * sum(X - each for each in x)
            terms += sum(value - gain for value in h[:k])
            terms += sum(each * (value + loss) for each, value in zip(x, h[k:], strict=True))
            yield f"n = {n}, |J| = {k}", scaled, terms


def _random(condition: Condition, count: int) -> Iterator[Trial]:
    """What the tokens off J take away, as a share of what those in J give; half of the inputs are nearly two-level."""
    random = np.random.default_rng(SEED)
    for case in range(count):
        n = int(random.integers(2, 18))
        k, coordinates = int(random.integers(1, n)), int(random.integers(1, 4))
        drop = random.uniform(0.01, 3)
        gaps = drop * (1 + random.exponential(size=n - k) * random.choice([0, 1]))
        gains = random.uniform(0.1, 3, coordinates)
        losses = random.uniform(0.1, 3, coordinates)
        h = -losses[:, None] * (1 - random.uniform(size=(coordinates, n - k)) * random.choice([0, 1]))
        pairs = [(gain, -row.min()) for gain, row in zip(gains, h, strict=True)]
        scale = max(float_log(condition.odds(n, pairs)), 0.01) / condition.gap(list(gaps))
        lost = (np.exp(-scale * gaps) * -h).sum(axis=1) / (k * gains)
        # An exponent is off by 2 beta g u and a threshold by 4 u; the sum of n terms by n u.
        allowance = (n + 16 + 4 * scale * gaps.max()) * np.finfo(np.float64).eps * lost.max()
        yield Trial(case, float(lost.max()), 1.0, float(allowance))
