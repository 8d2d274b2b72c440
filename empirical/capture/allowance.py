"""How far a model's own arithmetic may be from exact: rounding of angles, rotations, logits and attention weights.

The bounds follow the model's operations at unit roundoff u, half the spacing of its numbers at 1. A frequency
theta = b^(-x) formed from a rounded exponent is off by |ln theta| u relative to itself, by a few u for the power, the
inverse, the product with the position and the steps of a scaling; and a scaling's ramp between theta and
theta / stretch, off by 4 u, moves the slower end by 4 u stretch.
"""

from __future__ import annotations

import torch
from torch import Tensor

from empirical.capture.observed import Observed
from empirical.rotary import Rotary

_FREQUENCY = 13  # roundings: power 4, inverse 1, scaling 6, product with the position 1, argument reduction 1
_ROTATION = 6  # cosine or sine 2, factor 1, two products and a sum 3


def unit_roundoff(dtype: torch.dtype) -> float:
    """Half the distance from 1 to the next number of this format."""
    return torch.finfo(dtype).eps / 2


def rotation(x: Tensor, rotary: Rotary, positions: Tensor, u: float, stretch: float) -> Tensor:
    """Largest error of each coordinate of the rotated x (..., n, d), float64, at positions (n,)."""
    theta = rotary.frequencies.abs().to(x.device)
    logarithm = torch.where(theta > 0, theta, 1.0).log().abs()
    angle = positions.to(theta)[:, None].abs() * theta * (_FREQUENCY + logarithm + 4 * stretch) * u
    first, second = rotary.pairs.to(x.device).unbind(-1)
    x = x.abs().double()
    error = abs(rotary.factor) * (x[..., first] + x[..., second]) * (angle + _ROTATION * u)
    allowed = torch.zeros_like(x)
    allowed[..., first] = allowed[..., second] = error
    return allowed


def logits(seen: Observed, queries: Tensor, keys: Tensor, u: float) -> Tensor:
    """Largest error of each logit (prompts, heads, n, n) before the soft cap.

    `queries` and `keys` are the rotated ones, float64 on the CPU, with a key head for every query head.
    """
    heads = seen.heads
    error = [
        rotation(x.double().cpu(), heads.rotary, seen.positions, u, seen.stretch).norm(dim=-1)
        for x in (heads.queries, heads.keys)
    ]
    error[1] = error[1].repeat_interleave(queries.shape[1] // error[1].shape[1], dim=1)
    row, column = queries.norm(dim=-1), keys.norm(dim=-1)
    # A product of d terms rounds d times, its scaling once, and the soft cap, of slope at most 1, four times.
    rounding = (queries.shape[-1] + 5) * u * row[..., :, None] * column[..., None, :]
    moved = (row + error[0])[..., :, None] * (column + error[1])[..., None, :] - row[..., :, None] * column[
        ..., None, :
    ]
    return abs(heads.scale) * (rounding + moved)


def weights(attention: Tensor, logit_error: Tensor, u: float) -> Tensor:
    """Largest error of each attention weight (..., n, n), for logits off by at most the largest error in their row.

    A weight changes at most by the factor exp(2 error); the softmax rounds each of n terms a few times.
    """
    row = logit_error.amax(-1, keepdim=True)
    return attention * torch.expm1(2 * row) + (attention.shape[-1] + 8) * u
