"""Copying: the gradient of the loss is at most sqrt(2) K times the loss, on every sequence.

Source: derived here; it repairs arXiv 2601.22950, Cor 3.7, whose step that p - y vanishes at every letter of beta_N
is false at the flipped one. K bounds the operator norm of the derivative of the logits with respect to the parameters.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import sympy
from sympy import Expr, Integer, sqrt, symbols

from theory.arithmetic import ball
from theory.arithmetic.ball import Real, evaluate
from theory.claims import Hypothesis, Source, claim
from theory.compact.copy_task.perplexity import PAPER
from theory.errors import InputError
from theory.evidence import BoxCover, Case, Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.outcome import Outcome
from theory.quantities import Bound, Count, Enclosure, Rational, Result, quantity

CLAIM = "copy-task-gradient"
SEED = 260137
N, omega, delta, p_min = symbols("N omega delta p_min", positive=True)
BAD = 1 / delta + 4
EXCESS = omega / p_min + BAD / N * sympy.log(1 / p_min)
ROOT = sqrt(2)
Distribution = tuple[Fraction, ...]


def simplex(letters: int, steps: int) -> Iterator[Distribution]:
    """All distributions over so many letters with probabilities in units of 1/steps."""
    for head in product(range(steps + 1), repeat=letters - 1):
        if sum(head) <= steps:
            yield tuple(Fraction(value, steps) for value in (*head, steps - sum(head)))


def square_norm(p: Distribution, right: int) -> Fraction:
    """|p - onehot(right)|^2."""
    return sum(((value - (letter == right)) ** 2 for letter, value in enumerate(p)), Fraction(0))


@dataclass(frozen=True)
class Gradient:
    """|grad L(x)| <= factor K L(x) for every x, and L(beta_N) <= L(alpha_N) + excess.

    Args:
        factor: a SymPy number.
        bad: how many terms of L(beta_N) do not come near those of L(alpha_N), in delta.
        bounded: whether K bounds the derivative of all logits, or of all but one.
    """

    factor: Expr = ROOT
    bad: Expr = BAD
    bounded: bool = True

    def __str__(self) -> str:
        return (
            f"|grad L(x)| <= {self.factor} K L(x) for all x, K >= |d logits/d parameters|"
            f"{'' if self.bounded else ' of the right letter'}; all but {self.bad} terms of L(beta_N) are within "
            "omega(delta)/p_min of those of L(alpha_N), the others at most ln(1/p_min)"
        )


@claim(
    CLAIM,
    source=Source(PAPER, "Cor 3.7 and App. B", "derived"),
    quantifiers="for all sequences x and models with T >= p_min > 0 and a finite K; L is the mean of -ln T, with the "
    "letters asked for as outputs",
    statement=str,
    variant=Gradient(),
    controls={
        "1 for sqrt(2)": Gradient(factor=Integer(1)),
        "7/5 for sqrt(2)": Gradient(factor=sympy.Rational(7, 5)),
        "one bad term": Gradient(bad=Integer(1)),
    },
    hypotheses=(Hypothesis("K", "K bounds the derivatives of all logits together", Gradient(bounded=False)),),
    printed="L(alpha_N) -> 0 implies grad L(beta_N) -> 0, since |p_i - y_i| -> 0 for all i",
    does_not_show="that L(alpha_N) tends to 0: of a fixed model with bounded logits it does not",
)
def copy_task_gradient(claimed: Gradient, thorough: bool) -> Iterator[Evidence]:
    """All distributions on grids; 1 - p <= -ln p on all of (0, 1); differing prefixes counted; linear models."""
    yield Enumeration("|p - y|^2 <= factor^2 (1 - p_y)^2 on grids", _grid(claimed, 12 if thorough else 8))
    yield Identity("two letters: equality at sqrt(2)", [_two()], sympy.expand)
    yield BoxCover("1 - p <= -ln p", ((Fraction(1, 1000), Fraction(99, 100)),), _logarithm)
    yield Enumeration("prefixes that differ in more than delta, or in their last letter", _prefixes(claimed))
    yield Search("models with logits linear in the parameters", _linear(claimed, 200 if thorough else 40), seed=SEED)


def _grid(claimed: Gradient, steps: int) -> Iterator[Case]:
    square = evaluate(sympy.expand(claimed.factor**2)).exact
    for letters in (2, 3, 4):
        for p in simplex(letters, steps):
            yield [*map(str, p)], square is not None and square_norm(p, 0) <= square * (1 - p[0]) ** 2


def _two() -> Equation:
    p = symbols("p", real=True)
    return "|(p, 1 - p) - (1, 0)|^2", (p - 1) ** 2 + (1 - p) ** 2, 2 * (1 - p) ** 2


def _logarithm(p: Any) -> Outcome:
    return Outcome.settled(1 - p <= -p.log(), 1 - p > -p.log())


def differing_prefixes(length: int, flipped: int, radius: Fraction) -> int:
    """Of the `length` steps, how many read prefixes that differ in more than `radius`, or end differently."""
    found = 0
    for step in range(1, length + 1):
        # Prompt with its bar, and the letters before this step; the flipped letter is in both once it is past.
        differing, read = 1 + (flipped < step), length + step
        found += Fraction(differing, read) > radius or step == flipped + 1 or step == flipped
    return found


def _prefixes(claimed: Gradient) -> Iterator[Case]:
    """Step `flipped` counts too: there the letters asked for differ."""
    for radius in (Fraction(1, 2), Fraction(1, 5), Fraction(1, 12)):
        most = evaluate(claimed.bad, {delta: radius})
        for length in range(1, 40):
            for flipped in range(1, length + 1):
                case = {"delta": str(radius), "N": length, "flipped": flipped}
                yield case, most >= differing_prefixes(length, flipped, radius)


def _linear(claimed: Gradient, count: int) -> Iterator[Trial]:
    """Logits J_k theta of each step, V = 2 to 5; K is the largest norm of the J_k."""
    random = np.random.default_rng(SEED)
    for case in range(count):
        letters, steps, parameters = int(random.integers(2, 6)), int(random.integers(1, 6)), int(random.integers(1, 8))
        jacobians = random.normal(size=(steps, letters, parameters))
        if not claimed.bounded:
            jacobians[:, 0] /= 100
        theta, right = random.normal(size=parameters) * random.choice((0.3, 3)), 0
        logits = jacobians @ theta
        p = np.exp(logits - logits.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        residual = p.copy()
        residual[:, right] -= 1
        gradient = np.einsum("slp,sl->p", jacobians, residual) / steps
        seen = jacobians if claimed.bounded else jacobians[:, :1]
        norm = max(float(np.linalg.norm(jacobian, 2)) for jacobian in seen)
        bound = float(evaluate(claimed.factor)) * norm * float(-np.log(p[:, right]).mean())
        # Norms and sums of at most 40 numbers.
        slack = 256 * float(np.finfo(float).eps) * norm
        yield Trial((case, letters), float(np.linalg.norm(gradient)), bound, slack)


@quantity("copy-gradient-bound", unit="gradient norm", claim=CLAIM)
def copy_gradient_bound(loss: Rational, jacobian: Rational) -> Bound:
    """sqrt(2) K L: the gradient of the mean loss L is no longer, where the logits have derivatives of norm <= K."""
    for name, value in (("loss", loss), ("jacobian", jacobian)):
        if value < 0:
            raise InputError(f"{name} = {value} is negative; give a number >= 0")
    return Bound("upper", ball.sqrt(2) * loss * jacobian)


@quantity("copy-residual-norm", unit="1", claim=CLAIM)
def copy_residual_norm(right: Rational) -> dict[str, Result]:
    """|p - y| for two letters of which the right one has probability `right`, and what bounds it."""
    if not 0 < right < 1:
        raise InputError(f"right = {right} is not between 0 and 1; give a probability")
    norm = ball.sqrt(square_norm((right, 1 - right), 0))
    return {
        "norm": Enclosure(norm),
        "of-loss": Bound("upper", ball.sqrt(2) * (1 - right)),
        "of-log": Bound("upper", ball.sqrt(2) * -ball.log(right)),
    }


@quantity("copy-loss-excess", unit="nats", claim=CLAIM)
def copy_loss_excess(n: Count, modulus: Rational, radius: Rational, least: Rational) -> Bound:
    """By how much L(beta_n) exceeds L(alpha_n) at most, where T moves by at most `modulus` within `radius`."""
    if not (0 < radius <= 1 and 0 < least < 1 and modulus >= 0):
        raise InputError(
            f"modulus = {modulus}, radius = {radius}, least = {least} are not >= 0, in (0, 1], in (0, 1); give such"
        )
    values: dict[sympy.Symbol, int | Fraction | Real] = {N: n, omega: modulus, delta: radius, p_min: least}
    return Bound("upper", evaluate(EXCESS, values))
