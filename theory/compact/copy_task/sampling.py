"""Sampling: how likely a model is to answer alpha_N in full to a prompt with a flipped bit.

Source: derived here; it sharpens arXiv 2601.22950, Prop 3.6, 1 - P <= N (gamma + eps). Where two logit vectors differ
by numbers that lie within zeta of each other, all odds differ by a factor of at most e^zeta, so that what is left to
wrong letters does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np
import sympy
from sympy import Expr, Min, exp, symbols

from theory.arithmetic import ball
from theory.arithmetic.ball import Real, evaluate
from theory.claims import Hypothesis, Source, claim
from theory.compact.copy_task.perplexity import PAPER
from theory.compact.copy_task.runs import softmax
from theory.errors import InputError
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.outcome import Outcome
from theory.quantities import Bound, Count, Rational, Result, quantity

CLAIM = "copy-task-sampling"
SEED = 260136
TWO = Fraction(2)
gamma, N = symbols("gamma N", positive=True)
zeta = symbols("zeta", nonnegative=True)
Vector = Sequence[Fraction]

SHARP = 1 - (1 - Min(1, exp(zeta) * gamma)) ** N
LINEAR = N * gamma * exp(zeta)


def oscillation(changes: Vector) -> Fraction:
    """How far apart the changes of two logits are at most."""
    return max(changes) - min(changes)


def sup_norm(changes: Vector) -> Fraction:
    """How large one change is at most."""
    return max(map(abs, changes))


@dataclass(frozen=True)
class Sampling:
    """1 - T after beta_N| is at most e^(factor zeta) times 1 - T after alpha_N|, and what follows for all N letters.

    Args:
        factor: of zeta in the exponent.
        size: what of the changes of the logits zeta bounds.
        sharp, linear: upper bounds on 1 - P(alpha_N | beta_N|), in N, gamma and zeta.
        readout: probabilities from e^z.
    """

    factor: int = 1
    size: Callable[[Vector], Fraction] = oscillation
    sharp: Expr = SHARP
    linear: Expr = LINEAR
    readout: Callable[[Sequence[Fraction]], list[Fraction]] = softmax

    def __str__(self) -> str:
        what = "oscillation" if self.size is oscillation else "sup norm"
        grown = {0: "", 1: "e^zeta "}.get(self.factor, f"e^({self.factor} zeta) ")
        how = "softmax" if self.readout is softmax else "squared softmax weights"
        return (
            f"for {how} of logits that change by zeta in {what}: 1 - T(beta..)(alpha_k) <= "
            f"{grown}(1 - T(alpha..)(alpha_k)), and 1 - P(alpha_N | beta_N|) <= {self.sharp} <= {self.linear}"
        )


def squared(exponentials: Sequence[Fraction]) -> list[Fraction]:
    """Another readout: softmax of twice the logits."""
    return softmax([value**2 for value in exponentials])


@claim(
    CLAIM,
    source=Source(PAPER, "Prop 3.6", "derived"),
    quantifiers="for all N, numbers of letters and logits; gamma >= 1 - T of all N letters after alpha_N|; "
    "zeta >= max - min of the N vectors of changes of the logits",
    statement=str,
    variant=Sampling(),
    controls={
        "without e^zeta": Sampling(factor=0),
        "zeta in sup norm": Sampling(size=sup_norm),
        "one letter": Sampling(sharp=Min(1, exp(zeta) * gamma)),
        "linear without e^zeta": Sampling(linear=N * gamma),
    },
    hypotheses=(
        Hypothesis("softmax", "T is a softmax of the logits, so that odds change by e^zeta", Sampling(readout=squared)),
        Hypothesis(
            "the same last letter",
            "both runs end alike at every step, so that zeta is small",
            remark="a bigram model has another zeta for another last letter, whatever the length",
        ),
    ),
    printed="1 - P(alpha_N | beta_N|) <= N (gamma + epsilon)",
    does_not_show="anything of gamma: N gamma has to be small, and gamma is at least (V - 1) p_min",
)
def copy_task_sampling(claimed: Sampling, thorough: bool) -> Iterator[Evidence]:
    """All logits and changes on grids of steps ln 2; products of losses; the identity behind it; random logits."""
    yield Enumeration("logits and changes in steps of ln 2", _grid(claimed, 3 if thorough else 2))
    yield Enumeration("N letters, each at its limit", _letters(claimed))
    yield Enumeration("zeta of order 1/N adds up to no more, sup norms do not vanish", _sums(100 if thorough else 30))
    yield Identity("1 - q = e^zeta (1 - p) q/p where all wrong letters gain zeta", [_extreme(claimed)], sympy.simplify)
    yield Search("random logits", _random(claimed, 1000 if thorough else 200), seed=SEED)


def _grid(claimed: Sampling, levels: int) -> Iterator[Case]:
    steps = [Fraction(k) for k in range(-1, levels)]
    for logits in product(range(levels + 1), repeat=3):
        for changes in product(steps, repeat=3):
            p = claimed.readout([TWO**z for z in logits])[0]
            q = claimed.readout([TWO ** int(z + c) for z, c in zip(logits, changes, strict=True)])[0]
            size = claimed.size(changes)
            case = {"z/ln 2": logits, "change/ln 2": [*map(int, changes)]}
            yield case, 1 - q <= TWO ** int(claimed.factor * size) * (1 - p)


def _letters(claimed: Sampling) -> Iterator[Case]:
    """Every letter loses e^zeta gamma exactly, or all of its probability."""
    for length, loss, factor in product((1, 2, 10, 100), (Fraction(1, 3), Fraction(1, 100)), (1, 2, 4)):
        values = {N: length, gamma: loss}
        lost = 1 - (1 - min(Fraction(1), factor * loss)) ** length
        sharp, linear = (
            evaluate(side.subs(zeta, sympy.log(factor)), values) for side in (claimed.sharp, claimed.linear)
        )
        case = {"N": length, "gamma": str(loss), "e^zeta": factor}
        yield case, Outcome.every((sharp >= lost, linear >= sharp))


def _sums(most: int) -> Iterator[Case]:
    """The sum of 1/(N + k) over k <= N increases to ln 2; so C/(N + k) in sup norm adds up to no less than C/2."""
    before = Fraction(0)
    for length in range(1, most + 1):
        total = sum((Fraction(1, length + k) for k in range(1, length + 1)), Fraction(0))
        yield {"N": length}, Outcome.every((Outcome.of(before < total), ball.log(2) >= total))
        before = total


def _extreme(claimed: Sampling) -> Equation:
    odds, z = symbols("w z", positive=True)
    p, q = 1 / (1 + odds), 1 / (1 + odds * exp(z))
    return "loss", 1 - q, exp(claimed.factor * z) * (1 - p) * q / p


def _random(claimed: Sampling, count: int) -> Iterator[Trial]:
    random = np.random.default_rng(SEED)
    for case in range(count):
        letters = int(random.integers(2, 8))
        logits, changes = random.normal(size=letters) * 3, random.uniform(-2, 2, letters)
        logits[0] += random.choice((0, 8))
        before, after = np.exp(logits), np.exp(logits + changes)
        lost = [float(weights[1:].sum() / weights.sum()) for weights in (before, after)]
        size = float(claimed.size([Fraction(value) for value in changes]))
        bound = float(np.exp(claimed.factor * size)) * lost[0]
        # Sums and exponentials of at most 20, of 8 letters, on both sides.
        yield Trial(case, lost[1], bound, bound * 64 * float(np.finfo(float).eps))


@quantity("copy-sampling-loss", unit="probability", claim=CLAIM)
def copy_sampling_loss(n: Count, loss: Rational, change: Rational) -> dict[str, Result]:
    """How likely a flipped bit is to change an answer of n letters at most.

    `loss` is what the unflipped run leaves to wrong letters (gamma), `change` the oscillation of the logits (zeta).
    """
    if not 0 < loss < 1:
        raise InputError(f"loss = {loss} is not between 0 and 1; give the probability of a wrong letter, such as 1/100")
    if change < 0:
        raise InputError(f"change = {change} is negative; give an oscillation, at least 0")
    values: dict[sympy.Symbol, int | Fraction | Real] = {N: n, gamma: loss, zeta: change}
    return {
        "product": Bound("upper", evaluate(SHARP, values)),
        "linear": Bound("upper", evaluate(LINEAR, values)),
    }
