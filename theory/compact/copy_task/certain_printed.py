"""A premise of the copy task that no softmax of bounded logits meets: that it never errs.

Source: arXiv 2601.22950, Cor 3.3, which is about gamma = 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import sympy
from sympy import Expr, Integer, exp, log

from theory.arithmetic.ball import evaluate
from theory.claims import Source, claim
from theory.compact.copy_task.perplexity import CLAIM, PAPER
from theory.errors import InputError
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity
from theory.outcome import Outcome
from theory.quantities import Enclosure, Letters, Rational, quantity

V, R = sympy.symbols("V R", positive=True)


@dataclass(frozen=True)
class Loss:
    """1 - max T, the least loss of V logits of range R, is `least`: an expression in V and R."""

    least: Expr

    def __str__(self) -> str:
        return f"the least gamma with 1 - T <= gamma, over V logits of range R, is {self.least}"


@claim(
    "copy-task-certain-printed",
    source=Source(PAPER, "Cor 3.3"),
    quantifiers="over all models with bounded logits: some V letters, logits of range at most R",
    statement=str,
    variant=Loss(Integer(0)),
    controls={
        "(V - 1)/V": Loss((V - 1) / V),
        "one rival": Loss(1 / (1 + exp(R))),
    },
    expected=Outcome.REFUTED,
    counterexample="V = 2, logits 0 and 0",
    near_miss=("(V - 1) p_min, of p_min = 1/(V - 1 + e^R)", Loss((V - 1) / (V - 1 + exp(R)))),
    repaired_by=CLAIM,
    printed="gamma = 0, so that pplx(beta_N) tends to 0",
    does_not_show="that the implication is false: its premise is, so that it says nothing; -ln(1 - gamma) is the limit",
)
def copy_task_certain_printed(claimed: Loss, thorough: bool) -> Iterator[Evidence]:
    """All logits on a grid of steps ln 2, exactly; symbolic logits of two levels."""
    yield Enumeration("logits 0, ln 2, 2 ln 2, ...", _losses(claimed, 5 if thorough else 4))
    yield Identity("one high logit", _high(claimed), sympy.simplify)


def _losses(claimed: Loss, letters: int) -> Iterator[Case]:
    for size, levels in product(range(2, letters + 1), range(3)):
        tables = [t for t in product(range(levels + 1), repeat=size) if max(t) - min(t) <= levels]
        best = min(tables, key=lambda table: 1 - Fraction(2 ** max(table), sum(2**level for level in table)))
        loss = 1 - Fraction(2 ** max(best), sum(2**level for level in best))
        shown = " and ".join("0" if level == 0 else f"{level} ln 2" for level in best)
        said = evaluate(claimed.least.subs({V: size, R: levels * log(2)}))
        yield f"V = {size}, logits {shown}", said.equals(loss)


def _high(claimed: Loss) -> Iterator[Equation]:
    for size in (2, 3, 5):
        yield f"V = {size}", 1 - exp(R) / (exp(R) + size - 1), claimed.least.subs(V, size)


@quantity("copy-least-loss", unit="probability", claim="copy-task-certain-printed")
def copy_least_loss(letters: Letters, spread: Rational) -> Enclosure:
    """The least that a softmax of so many logits of range `spread` leaves to wrong letters."""
    if spread < 0:
        raise InputError(f"spread = {spread} is negative; give the range of the logits, at least 0")
    return Enclosure(evaluate((V - 1) / (V - 1 + exp(R)), {V: letters, R: spread}))
