"""What a swap adds to the scores and to the nulls, in float64 and for logits of any size.

The formulas are those of theory.rope.scores; h and g are the log ratios of the two weights after and before the swap.
"""

from __future__ import annotations

import math
from typing import Any

import sympy
import torch
from torch import Tensor

from theory.rope.scores.closed_form import G
from theory.rope.scores.heads import Null
from theory.rope.scores.sum import Sum


def cosines(g: Tensor, h: Tensor) -> tuple[Tensor, Tensor]:
    """cos(u, v) and cos(u, reversed v).

    `theory.rope.scores.closed_form.cosines` with numerator and denominator divided by exp((|g| + |h|)/2): nothing
    overflows, and no two terms cancel.
    """
    a, b = torch.exp(-g.abs()), torch.exp(-h.abs())
    norm = torch.sqrt((1 + a * a) * (1 + b * b))
    along, across = (1 + a * b) / norm, (a + b) / norm
    same = (g >= 0) == (h >= 0)
    return torch.where(same, along, across), torch.where(same, across, along)


def sech(x: Tensor) -> Tensor:
    """1/cosh x."""
    a = torch.exp(-x.abs())
    return 2 * a / (1 + a * a)


def _sqrt(x: Any) -> Any:
    return torch.sqrt(x) if isinstance(x, Tensor) else math.sqrt(x)


def _numeric(formula: sympy.Expr) -> Any:
    return sympy.lambdify(G, formula, modules=[{"sech": sech, "sqrt": _sqrt}])


# The sum of both cosines where the other of g and h, in which it is symmetric, is 0.
BOTH = _numeric(Sum().closed(G, sympy.S.Zero))
# The other cosine of a head that is exactly positional or symbolic.
OTHER = _numeric(Null().index(G)[1])
