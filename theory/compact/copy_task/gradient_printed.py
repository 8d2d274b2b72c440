"""The step behind the printed gradient of the copy task: false at the flipped letter, true at all others.

Source: arXiv 2601.22950, App. B, eq. (21).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product

import sympy
from sympy import Expr, Integer, symbols

from theory.arithmetic.ball import evaluate
from theory.claims import Source, claim
from theory.compact.copy_task.gradient import CLAIM, ROOT, square_norm
from theory.compact.copy_task.perplexity import PAPER
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity
from theory.outcome import Outcome


@dataclass(frozen=True)
class Residual:
    """Where letters right on alpha_N have 1 - g after both prompts, |p - y| <= factor g at these places of beta_N.

    Args:
        factor: a SymPy number.
        places: all of them, or all but the flipped one, of N.
    """

    factor: Expr = ROOT
    places: Callable[[int], Sequence[int]] = range

    def __str__(self) -> str:
        which = "every letter" if len(self.places(3)) == 3 else f"{len(self.places(3))} of 3 letters"
        return f"|p_i - y_i| <= {self.factor} g at {which} of beta_N"


STEP = Residual()


@claim(
    "copy-task-gradient-printed",
    source=Source(PAPER, "App. B, eq. (21)"),
    quantifiers="for all N and g > 0, where alpha_N is answered to both prompts with probability 1 - g a letter; "
    "beta_N has its first letter flipped",
    statement=str,
    variant=STEP,
    controls={
        "V for sqrt(2)": replace(STEP, factor=Integer(2)),
        "all letters but the last": replace(STEP, places=lambda length: range(max(1, length - 1))),
    },
    expected=Outcome.REFUTED,
    counterexample="g = 1/4, N = 1, letter 1",
    near_miss=("all letters but the flipped one", replace(STEP, places=lambda length: range(1, length))),
    repaired_by=CLAIM,
    printed="|p_i - y_i| -> 0 for all i on beta_N, where L(alpha_N) -> 0",
    does_not_show="that gradients on beta_N stay large: the mean over N letters vanishes where L(alpha_N) does",
)
def copy_task_gradient_printed(claimed: Residual, thorough: bool) -> Iterator[Evidence]:
    """Two letters, exactly; at the flipped one the distance is sqrt(2) (1 - g)."""
    yield Enumeration("two letters", _residuals(claimed, 8 if thorough else 4))
    yield Identity("by letters, N = 2", _residual_identities(claimed), sympy.expand)


def _residuals(claimed: Residual, longest: int) -> Iterator[Case]:
    square = evaluate(claimed.factor**2).exact
    assert square is not None
    for steps, length in product((4, 10, 100), range(1, longest + 1)):
        g = Fraction(1, steps)
        for place in claimed.places(length):
            asked = 1 if place == 0 else 0
            yield f"g = {g}, N = {length}, letter {place + 1}", square_norm((1 - g, g), asked) <= square * g**2


def _residual_identities(claimed: Residual) -> Iterator[Equation]:
    g = symbols("g", positive=True)
    for place in claimed.places(2):
        asked = 1 if place == 0 else 0
        found = (1 - g - (1 - asked)) ** 2 + (g - asked) ** 2
        yield f"letter {place + 1}", found, claimed.factor**2 * g**2
