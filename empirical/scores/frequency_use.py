"""Which planes of a head carry its logits, and what each plane would do alone.

The logit of a key is the sum of what the planes add, c_k, and of what coordinates that are not rotated add; a soft cap
comes after the sum and is left aside. Two shares answer two questions. The share of the size, sum_j |c_k(j)| over the
keys j that the query sees, says how much of the dot product is formed in the plane. The share of the variation,
Cov(c_k, logit)/Var(logit) over the same keys, says how much of what the softmax can see does: it ignores what a plane
adds to all keys alike, and may be negative where a plane works against the others. Both add up to 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from empirical.rotary import Rotary
from empirical.scores.logit_matrix import View


@dataclass(frozen=True, eq=False)
class FrequencyUse:
    """Shares of each plane, in the order of the frequencies, then of the coordinates that are not rotated.

    `size` and `variation` have shape (..., planes + 1); NaN where no key has a logit other than 0, resp. where all
    logits agree.
    """

    size: Tensor
    variation: Tensor

    def mean_id(self) -> Tensor:
        """The average number of a plane, the first being 1, weighted by the shares of size of all planes."""
        shares = self.size[..., :-1]
        numbers = torch.arange(1, shares.shape[-1] + 1, dtype=shares.dtype, device=shares.device)
        return (shares * numbers).sum(-1) / shares.sum(-1)


def unrotated(rotary: Rotary, width: int) -> Tensor:
    """The coordinates that are in no plane."""
    still = torch.ones(width, dtype=torch.bool)
    still[rotary.pairs.flatten()] = False
    return still.nonzero().squeeze(-1)


def contributions(view: View, rotary: Rotary) -> Tensor:
    """What each plane, and last the unrotated coordinates, add to the logit of each key: (units, N + 1, planes + 1)."""
    terms = view.keys * view.seen
    rest = terms[..., unrotated(rotary, terms.shape[-1])].sum(-1, keepdim=True)
    return torch.cat((terms[..., rotary.pairs].sum(-1), rest), dim=-1)


def frequency_use(view: View, rotary: Rotary) -> FrequencyUse:
    """The shares of the planes in the logits of some heads, (units, planes + 1)."""
    parts = contributions(view, rotary)
    size = parts.abs().sum(-2)
    centred = parts - parts.mean(-2, keepdim=True)
    whole = centred.sum(-1, keepdim=True)
    variation = (centred * whole).sum(-2)
    variance = whole.square().sum(-2)
    # Below what rounding of the terms can make of equal logits there is no variation to share.
    rounding = view.keys.shape[-1] * torch.finfo(parts.dtype).eps * parts.abs().sum(-1).amax(-1, keepdim=True)
    seen = variance > parts.shape[-2] * rounding.square()
    return FrequencyUse(size / size.sum(-1, keepdim=True), (variation / variance).where(seen, torch.nan))
