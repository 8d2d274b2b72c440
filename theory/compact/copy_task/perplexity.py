"""Copying: a flipped bit of the prompt is not copied, and the log-perplexity hardly notices.

Source: arXiv 2601.22950, Lemma 3.1 and Prop 3.2; the inequality and the length from which it bites are derived here,
since the printed ones are false (`theory.compact.copy_task.perplexity_printed`). The prompt b_1..b_N| is to be answered
b_1..b_N; pplx is the mean of -ln T over the outputs that the model itself makes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np
import sympy
from sympy import Expr, Min, exp, log, symbols

from theory.arithmetic import ball
from theory.arithmetic.ball import Real, evaluate
from theory.claims import Hypothesis, Source, claim
from theory.compact.copy_task.runs import averaging_run, ceiling, excess, softmax
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.outcome import Outcome

PAPER = "2601.22950"
CLAIM = "copy-task-perplexity"
SEED = 2601
N, eps, moved, floor, xi = symbols("N epsilon epsilon' p_min xi", positive=True)
right = sympy.Rational(1, 2) + eps

DIFFERENCE = log(1 / floor) / N + (N - 1) / N * log(right / (right - moved))
FORCED = 2 * log(1 / floor) / N + (N - 2) / N * log(right / (right - moved))
CLOSENESS = Min(eps, right * (1 - exp(-xi / 2)))
LENGTH = 2 * log(1 / floor) / xi
TENTH = Fraction(1, 10)


@dataclass(frozen=True)
class Perplexity:
    """What the log-perplexities of alpha_N and beta_N differ by at most, and from which N on that is below xi.

    Args:
        difference: in N, epsilon, epsilon', p_min.
        length: in p_min and xi.
        closeness: which epsilon' is enough for xi.
        limit: what pplx(beta_N) tends to at most, in units of -ln(1 - gamma), where right letters have 1 - gamma.
        spread: by how many zeta a term that is not bad changes, zeta the oscillation of changes of the logits.
        flips: whether the answer to beta_N| is beta_N.
        bounded: whether no probability lies below p_min.
        confident: whether right letters have more than 1/2 + epsilon.
    """

    difference: Expr = DIFFERENCE
    length: Expr = LENGTH
    closeness: Expr = CLOSENESS
    limit: int = 1
    spread: Fraction = Fraction(1)
    flips: bool = False
    bounded: bool = True
    confident: bool = True

    def __str__(self) -> str:
        answer = "beta_N" if self.flips else "alpha_N"
        spread = "zeta" if self.spread == 1 else f"{self.spread} zeta"
        limit = "-ln(1 - gamma)" if self.limit == 1 else f"{self.limit}"
        return (
            f"T answers {answer} on the prompt beta_N|, and |pplx(alpha_N) - pplx(beta_N)| <= {self.difference}, which "
            f"is at most xi for epsilon' = {self.closeness} and N >= {self.length}; it is at most ln(1/p_min)/N + "
            f"{spread} for logits that change by zeta in oscillation; limsup pplx(beta_N) <= {limit}"
        )

    def bound(self, length: int, margin: Fraction, close: Fraction, least: Fraction) -> Real:
        """The claimed difference as a number."""
        return evaluate(self.difference, {N: length, eps: margin, moved: close, floor: least})


@claim(
    CLAIM,
    source=Source(PAPER, "Lemma 3.1, Prop 3.2 and App. A", "derived"),
    quantifiers="for all N, models with T >= p_min > 0, margins epsilon, flipped bits, and epsilon' <= epsilon by "
    "which T moves at most where one letter of N + 1 or more changes, not the last; both runs read their own outputs",
    statement=str,
    variant=Perplexity(),
    controls={
        "all terms within epsilon'": Perplexity(log(right / (right - moved))),
        "half of the bad term": Perplexity(DIFFERENCE - log(1 / floor) / N / 2),
        "half the length": Perplexity(length=LENGTH / 2),
        "half of zeta": Perplexity(spread=Fraction(1, 2)),
        "twice epsilon'": Perplexity(closeness=2 * CLOSENESS),
        "pplx(beta_N) tends to 0": Perplexity(limit=0),
        "T copies the flipped bit": Perplexity(flips=True),
    },
    hypotheses=(
        Hypothesis("p_min > 0", "no letter has a probability below p_min", Perplexity(bounded=False)),
        Hypothesis("margin 1/2 + epsilon", "right letters have more than half", Perplexity(confident=False)),
        Hypothesis(
            "own outputs",
            "T reads what it wrote",
            remark="where it reads beta_N instead, step j + 1 has another last letter, and a second term is bad",
        ),
    ),
    printed="|pplx(alpha_N) - pplx(beta_N)| <= -(ln(1/2 + epsilon) - ln p_min + (N - 1) epsilon)/N",
    does_not_show="that a small log-perplexity is right or wrong: one bad term of N is lost in the mean",
)
def copy_task_perplexity(claimed: Perplexity, thorough: bool) -> Iterator[Evidence]:
    """All runs over a grid of probabilities, the constant model, the thresholds, both steps, and averaging models."""
    yield Enumeration("runs over a grid of probabilities", _runs(claimed, 3 if thorough else 2))
    yield Enumeration("constant model", _constant(claimed))
    yield Enumeration("logits and changes in steps of ln 2", _logits(claimed, 3 if thorough else 2))
    yield Enumeration("from the claimed length on", _thresholds(claimed))
    yield Identity("the terms that are not bad", _terms(), sympy.simplify)
    yield Search("averaging models that read their own outputs", _models(claimed, 60 if thorough else 12), seed=SEED)


def _runs(claimed: Perplexity, longest: int) -> Iterator[Case]:
    """A letter of 1/2 + epsilon or more moves by -epsilon', 0 or epsilon'; what is flipped takes all or the least."""
    for margin, length in product((TENTH, Fraction(1, 5)), range(1, longest + 1)):
        lowest = Fraction(1, 2) + margin if claimed.confident else Fraction(1, 4)
        limit = claimed.bound(length, margin, TENTH, TENTH)
        for p in product({lowest, Fraction(4, 5)}, repeat=length):
            for moves in product((-TENTH, Fraction(0), TENTH), repeat=length):
                q = [a + move for a, move in zip(p, moves, strict=True)]
                for other in {1 - q[0] - TENTH, TENTH if claimed.bounded else Fraction(0)}:
                    if other >= TENTH or not claimed.bounded:
                        found = excess(p, q, 0, other)
                        case = {"p": [*map(str, p)], "q": [*map(str, q)], "p(flipped)": str(other)}
                        yield case, False if found is None else abs(found) <= limit


def _constant(claimed: Perplexity) -> Iterator[Case]:
    """T = (9/10, 9/100, 1/100) whatever it reads, alpha = 0^w, gamma = 1/10: the difference is ln(10)/N."""
    p, other, least = Fraction(9, 10), Fraction(9, 100), Fraction(1, 100)
    for length in (1, 2, 3, 10, 100, 1000):
        found = excess([p] * length, [p] * length, length - 1, other)
        assert found is not None
        bound = claimed.bound(length, Fraction(39, 100), Fraction(1, 10**9), least)
        yield {"N": length}, Outcome.every((found <= bound, Outcome.of(claimed.flips is (other > p))))
        # A bad term of ln(100) at most comes on top of the limit.
        limit = -claimed.limit * ball.log(p) - ball.log(least) / length
        yield {"N": length, "limit": claimed.limit}, found - ball.log(p) <= limit


def _logits(claimed: Perplexity, levels: int) -> Iterator[Case]:
    """|ln p - ln q| <= spread zeta of each term; squares, so that half of an oscillation is a whole power."""
    for logits in product(range(levels + 1), repeat=3):
        for changes in product(range(levels + 1), repeat=3):
            p, q = (
                softmax([Fraction(2) ** z for z in side])[0]
                for side in (logits, [z + change for z, change in zip(logits, changes, strict=True)])
            )
            most = Fraction(2) ** int(2 * claimed.spread * (max(changes) - min(changes)))
            yield {"z/ln 2": logits, "change/ln 2": changes}, max(p / q, q / p) ** 2 <= most


def _thresholds(claimed: Perplexity) -> Iterator[Case]:
    """The difference that is proved, at the claimed epsilon' and from the claimed length on, is at most xi."""
    margins, floors = (TENTH, Fraction(39, 100)), (Fraction(1, 100), Fraction(1, 1000))
    for margin, least, target in product(margins, floors, (Fraction(1, 2), TENTH, Fraction(1, 100))):
        values: dict[sympy.Symbol, Fraction | int | Real] = {eps: margin, floor: least, xi: target}
        close, start = evaluate(claimed.closeness, values), ceiling(evaluate(claimed.length, values))
        for length in (start, 2 * start + 7):
            found = evaluate(DIFFERENCE, {**values, N: length, moved: close})
            case = {"epsilon": str(margin), "p_min": str(least), "xi": str(target), "N": length}
            # A model that reads beta_N has a second bad term, and needs twice the length. Where epsilon' is epsilon
            # itself, balls do not tell the two apart.
            forced = evaluate(FORCED, {**values, N: 2 * length, moved: close})
            outcomes = (found <= target, forced <= target, close - margin <= Fraction(1, 10**9))
            yield case, Outcome.every(outcomes)


def _terms() -> Iterator[Equation]:
    small = right * (1 - exp(-xi / 2))
    yield "each is xi/2 at the epsilon' that is enough", right / (right - small), exp(xi / 2)
    p = symbols("p", positive=True)
    yield "ln p/(p - epsilon') falls in p", sympy.diff(log(p / (p - moved)), p), -moved / (p * (p - moved))


def _models(claimed: Perplexity, count: int) -> Iterator[Trial]:
    """Softmax of mean embeddings, alpha = 0^N; epsilon and epsilon' are what the two runs show."""
    random = np.random.default_rng(SEED)
    for case in range(count):
        length = int(random.integers(10, 201))
        embeddings = random.uniform(-1, 1, (3, 3))
        embeddings[0] += (random.uniform(1.5, 4), 0, 0)
        run = averaging_run(embeddings, length, flipped=int(random.integers(length)))
        margin, close = float(run.p.min() - 0.5), float(abs(run.p - run.q).max())
        if not 0 < close < margin:
            continue
        yield Trial((case, "answer"), float((sum(run.answer) > 0) is not claimed.flips), 0.0)
        spread = float(np.ptp(embeddings, axis=1).max())
        least = 1 / (1 + 2 * np.exp(spread))  # of three letters, whatever is read
        values = {eps: margin, moved: close, floor: least}
        exact = {name: Fraction(value) for name, value in values.items()}
        bound = float(evaluate(claimed.difference, {N: length, **exact}))
        # Every logarithm lies between ln p_min and 0 and is off by a few ulp, and so is their mean.
        yield Trial((case, length), abs(run.excess), bound, 16 * float(np.finfo(float).eps * -np.log(least)))
