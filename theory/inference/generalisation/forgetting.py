"""What one task learns does not touch another's weights where z gates them and steps are plain gradients.

Source: arXiv 2407.17356, abstract, for the idea of less forgetting; the statement is derived here. For y = sum_k z_k
W_k x and the loss |t - y|^2/2 the slope in W_j is -z_j (t - y) x^T: none at z = e_k, and a leak of rate z_j |t - y|
|x| else. In a network with masked hidden units the slopes of what leads to and from a masked unit are 0 in the same
way.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Literal

import sympy

from theory.arithmetic.ball import Real, sqrt
from theory.claims import Hypothesis, Source, claim
from theory.errors import InputError
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity
from theory.inference.arguments import result, results, rows, same_length, vector
from theory.inference.generalisation.training import Optimiser, Training, ramps, residual, slopes
from theory.inference.simplex import Vector as Entries
from theory.inference.simplex import dot
from theory.outcome import Outcome
from theory.quantities import Count, Exact, Matrix, Positive, Rational, Result, Vector, quantity

CLAIM = "gbi-hard-gate-zero-forgetting"
Readout = Literal["gated", "shared bias", "concatenated"]
HALF, TENTH = Fraction(1, 2), Fraction(1, 10)
# Two tasks and a datum: residuals 7/10 and 21/10.
WEIGHTS: list[Entries] = [(HALF, TENTH), (Fraction(-3, 10), Fraction(2, 5))]
X: Entries = (Fraction(1), Fraction(-2))


@dataclass(frozen=True)
class Forgetting:
    """What steps on task 2, after one on task 1, do to the weights of task 1.

    Args:
        optimiser: what makes steps of slopes.
        readout: whether outputs are gated alone, have a bias for all tasks, or z is one more input of shared weights.
        hard: whether z = e_2, or leaves a tenth to task 1.
        leak: the power of z_j in the size of a step.
        shared: the share of units in both of two masks, of p.
    """

    optimiser: Optimiser = "SGD"
    readout: Readout = "gated"
    hard: bool = True
    leak: int = 1
    shared: sympy.Expr = sympy.Symbol("p") ** 2

    def __str__(self) -> str:
        z = "z = e_k" if self.hard else "any z"
        power = "" if self.leak == 1 else f"^{self.leak}"
        return (
            f"{self.optimiser}, {self.readout} output, {z}: W_j does not move, j != k; |change of W_j| = eta "
            f"z_j{power} |t - y| |x|; units masked by task k stay; Bernoulli masks share {self.shared} of all units"
        )

    def unmoved(self, rate: Fraction, count: int) -> Outcome:
        """Whether steps on task 2 leave what task 1 computes with as one step on task 1 left it."""
        if self.readout == "concatenated":
            return Outcome.of(_concatenated(rate, count))
        training = Training(WEIGHTS, self.optimiser, self.readout == "shared bias")
        training.step((Fraction(1), Fraction(0)), X, 1, rate)
        before = (*training.weights[0], training.bias)
        z = (Fraction(0), Fraction(1)) if self.hard else (TENTH, 1 - TENTH)
        for _ in range(count):
            training.step(z, X, 1, rate)
        after = (*training.weights[0], training.bias)
        return Outcome.every(Real.of(a).equals(b) for a, b in zip(before, after, strict=True))


def _concatenated(rate: Fraction, count: int) -> bool:
    """Whether y = <v, x> + s_k, z being one more input, stays what it is at z = e_1 under steps at z = e_2."""
    v, s = WEIGHTS[0], Fraction(0)
    before = dot(v, X)
    for _ in range(count):
        gap = 1 - dot(v, X) - s
        v = tuple(w + rate * gap * entry for w, entry in zip(v, X, strict=True))
        s += rate * gap
    return bool(dot(v, X) == before)


@claim(
    CLAIM,
    source=Source("2407.17356", "abstract", "reconstructed"),
    quantifiers="for all K >= 2, weights, data, targets and rates, any number of steps; equalities",
    statement=str,
    variant=Forgetting(),
    controls={
        "none with Adam": Forgetting("Adam"),
        "none at a soft z": Forgetting(hard=False),
        "a leak of z_j^2": Forgetting(leak=2),
        "masks share p": Forgetting(shared=sympy.Symbol("p")),
    },
    hypotheses=(
        Hypothesis("no momentum", "steps have no memory of earlier tasks", Forgetting("momentum")),
        Hypothesis("no decay", "weights do not shrink by themselves", Forgetting("decay")),
        Hypothesis("nothing shared", "no bias is common to all tasks", Forgetting(readout="shared bias")),
        Hypothesis("z multiplies", "z gates weights and is not one more input", Forgetting(readout="concatenated")),
        Hypothesis("a vertex", "z = e_k exactly", remark="a soft z leaks in proportion: it is one of the controls"),
    ),
    does_not_show="that this is free: what tasks do not share is not forgotten, and not transferred either",
)
def hard_gate_zero_forgetting(claimed: Forgetting, thorough: bool) -> Iterator[Evidence]:
    """Steps on a second task, in fractions; sizes of leaks; masked units; shares of masks; slopes in symbols."""
    yield Enumeration("weights of the first task, step by step", _runs(claimed, 6 if thorough else 3))
    yield Enumeration("sizes of leaks", _leaks(claimed))
    yield Enumeration("masked hidden units", _masked(3 if thorough else 1))
    yield Enumeration("all pairs of masks", _masks(claimed, 4 if thorough else 3))
    yield Identity("slopes", _slopes(), sympy.expand)


def _runs(claimed: Forgetting, most: int) -> Iterator[Case]:
    for rate, count in product((TENTH, HALF), range(1, most + 1)):
        yield {"rate": str(rate), "steps": count}, claimed.unmoved(rate, count)


def _leaks(claimed: Forgetting) -> Iterator[Case]:
    """|change of w_2|^2 against the square of eta z_2 |t - y| |x|; z adds up to 1."""
    for tenths, target, rate in product(range(11), (-1, 0, 1), (TENTH, Fraction(3))):
        z = (1 - Fraction(tenths, 10), Fraction(tenths, 10))
        change = [rate * entry for entry in slopes(WEIGHTS, z, X, target)[1]]
        size = rate * z[1] ** claimed.leak * residual(WEIGHTS, z, X, target)
        yield {"z_2": str(z[1]), "t": target, "eta": str(rate)}, dot(change, change) == size**2 * dot(X, X)


def _masked(largest: int) -> Iterator[Case]:
    """Three hidden units: the output of task 1 depends on weights to and from its own units, and on no others."""
    values = [Fraction(i, 2) for i in range(1, largest + 1)]
    for inner, outer in product(product(values, repeat=3), repeat=2):
        for mask in product((0, 1), repeat=3):
            before = ramps(mask, inner, outer, Fraction(1))
            for unit, used in enumerate(mask):
                moved = [w + (i == unit) for i, w in enumerate(inner)]
                read = [v + (i == unit) for i, v in enumerate(outer)]
                after = (ramps(mask, moved, outer, Fraction(1)), ramps(mask, inner, read, Fraction(1)))
                right = all((value != before) is bool(used) for value in after)
                yield {"mask": mask, "unit": unit, "weights": [*map(str, (*inner, *outer))]}, right


def _masks(claimed: Forgetting, most: int) -> Iterator[Case]:
    """Expected shares of units in both masks: of all, and of those in the first where it has any."""
    for units, p in product(range(1, most + 1), (Fraction(1, 3), HALF)):
        whole = active = nonempty = Fraction(0)
        for masks in product((0, 1), repeat=2 * units):
            first, second = masks[:units], masks[units:]
            chance = p ** sum(masks) * (1 - p) ** (2 * units - sum(masks))
            both = dot(first, second)
            whole += chance * Fraction(both, units)
            if any(first):
                active += chance * Fraction(both, sum(first))
                nonempty += chance
        expected = claimed.shared.subs("p", sympy.Rational(p.numerator, p.denominator))
        yield {"units": units, "p": str(p)}, Real.of(whole).equals(expected) is Outcome.HOLDS and active == p * nonempty


def _slopes() -> Iterator[Equation]:
    """Three tasks, two inputs, two outputs: the loss itself, differentiated."""
    z, x, t = sympy.symbols("z_1:4"), sympy.symbols("x_1:3"), sympy.symbols("t_1:3")
    w = [sympy.Matrix(2, 2, sympy.symbols(f"w_{k}_1:5")) for k in range(3)]
    output = sum((z[k] * w[k] for k in range(3)), sympy.zeros(2, 2)) * sympy.Matrix(x)
    gap = sympy.Matrix(t) - output
    loss = gap.dot(gap) / 2
    for k in range(3):
        slope = sympy.Matrix(2, 2, [sympy.diff(loss, entry) for entry in w[k]])
        yield f"W_{k + 1}", slope, -z[k] * gap * sympy.Matrix(x).T


@quantity("gate-leak", unit="weight", claim=CLAIM)
def gate_leak(
    weights: Matrix, z: Vector, x: Vector, target: Rational, rate: Positive, task: Count
) -> dict[str, Result]:
    """One SGD step on |t - sum_k z_k <w_k, x>|^2/2: the residual, the change of w_task and its length.

    Raises InputError where z has not one entry a task, x not one an input, or the task does not exist.
    """
    table, shares, data = rows(weights), vector(z), vector(x)
    same_length("z", shares, len(table))
    same_length("x", data, len(table[0]), "input")
    if task > len(table):
        raise InputError(f"task = {task} of {len(table)} tasks; give a number up to that")
    change = tuple(-rate * entry for entry in slopes(table, shares, data, target)[task - 1])
    return {
        "residual": result(residual(table, shares, data, target)),
        **results(change=change, length=sqrt(Real.of(dot(change, change)))),
    }


@quantity("mask-overlap", unit="share of units", claim=CLAIM)
def mask_overlap(p: Rational) -> dict[str, Result]:
    """What two Bernoulli(p) masks share on average: of all units, of the active ones of one, of those of either.

    The last is a ratio of expectations, which the mean ratio tends to as units grow in number. Raises InputError unless
    0 < p <= 1.
    """
    if not 0 < p <= 1:
        raise InputError(f"p = {p} is no probability of an active unit; give a number above 0 and up to 1")
    return {"of-all": Exact(p**2), "of-active": Exact(p), "of-either": Exact(p / (2 - p))}
