"""What a score would be for heads that do nothing in particular, so that a number can be read.

All are expected values, without sampling, for the very input that is scored. A constant head scores 1 and 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import pi, sqrt

import torch
from torch import Tensor

from empirical.scores.closed_forms import BOTH
from empirical.scores.swaps import Swaps

CONSTANT = 1.0


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
    flat = swaps.logits.flatten(-2)
    spread = (flat - flat.mean(-1, keepdim=True)).square().mean(-1).sqrt()
    other, steep = swaps.average(swaps.other, swaps.equal_after)
    # Each of the two is the product at one argument 0, where its other factor is sqrt 2.
    return Nulls(other, steep * _expected(sqrt(2) * spread) / 4, swaps.equal_before.mean(-1) / 2)


def _expected(deviation: Tensor) -> Tensor:
    """E sqrt(2 (1 + sech h)) for normal h of mean 0, by the trapezoidal rule.

    The integrand is even, and analytic for |Im h| < pi/2: a step of 1/4, in h or in standard deviations, whichever is
    finer, leaves an error of exp(-4 pi^2), and 148 steps a tail of exp(-37).
    """
    stretch = deviation.clamp(min=1.0)[..., None]
    steps = torch.arange(149, dtype=deviation.dtype, device=deviation.device)
    x = steps / 4 / stretch
    density = torch.exp(-x * x / 2) * sqrt(2 / pi)
    density[..., 0] /= 2
    excess = BOTH(x * deviation[..., None]) - sqrt(2)
    return sqrt(2) + (density * excess / 4 / stretch).sum(-1)
