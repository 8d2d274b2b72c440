"""What a score would be for heads that do nothing in particular, so that a number can be read.

All are expected values, without sampling, for the very input that is scored. A constant head scores 1 and 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import pi, sqrt
from typing import Any

import sympy
import torch
from torch import Tensor

from empirical.scores.swaps import Swaps
from theory.rope.scores.closed_form import G, H
from theory.rope.scores.heads import Null
from theory.rope.scores.sum import Sum

CONSTANT = 1.0


def sech(x: Tensor) -> Tensor:
    """1/cosh x, for x of any size."""
    a = torch.exp(-x.abs())
    return 2 * a / (1 + a * a)


def _numeric(arguments: Any, formula: Any) -> Any:
    return sympy.lambdify(arguments, formula, modules=[{"sech": sech, "sqrt": torch.sqrt}])


# What a swap adds to s_POS + s_SYM, and to the other score of an exactly positional or symbolic head.
BOTH = _numeric((G, H), Sum().closed(G, H))
OTHER = _numeric((G,), Null().index(G)[1])


@dataclass(frozen=True, eq=False)
class Nulls:
    """Scores of heads to compare with, (units,) each.

    Args:
        pure: the other score of a head that attends as this one does and is exactly positional, or exactly symbolic;
            its own score is 1.
        random: either score of a head that attends as this one does while logits after a swap are independent and
            normal, with the standard deviation of this head's M.
        everything: either score of a head that attends to all tokens alike, and whose swaps do as this one's.
    """

    pure: Tensor
    random: Tensor
    everything: Tensor


def nulls(swaps: Swaps) -> Nulls:
    """The nulls of some heads.

    After a swap, h is independent of g for a random head, and as likely as -h: so both scores have the expected value
    of half their sum, which is a product, sqrt(1 + sech g) sqrt(1 + sech h).
    """
    none = torch.zeros((), dtype=swaps.g.dtype, device=swaps.g.device)
    flat = swaps.logits.flatten(-2)
    spread = (flat - flat.mean(-1, keepdim=True)).square().mean(-1).sqrt()
    steep = swaps.average(BOTH(swaps.g, none)) / sqrt(2)
    return Nulls(
        swaps.average(OTHER(swaps.g)),
        steep * _expected(sqrt(2) * spread) / 2,
        BOTH(none, swaps.h).mean(-1) / 2,
    )


def _expected(deviation: Tensor) -> Tensor:
    """E sqrt(1 + sech h) for normal h of mean 0, by the trapezoidal rule.

    The integrand is even, and analytic for |Im h| < pi/2: a step of 1/4, in h or in standard deviations, whichever is
    finer, leaves an error of exp(-4 pi^2), and 148 steps a tail of exp(-37).
    """
    stretch = deviation.clamp(min=1.0)[..., None]
    steps = torch.arange(149, dtype=deviation.dtype, device=deviation.device)
    x = steps / 4 / stretch
    density = torch.exp(-x * x / 2) * sqrt(2 / pi)
    density[..., 0] /= 2
    excess = BOTH(x * deviation[..., None], torch.zeros_like(steps)) / sqrt(2) - 1
    return 1 + (density * excess / 4 / stretch).sum(-1)
