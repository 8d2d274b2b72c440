"""How scores of tasks go together with their log-likelihoods, up to what is the same for all tasks."""

from __future__ import annotations

import torch
from torch import Tensor


def centred(values: Tensor) -> Tensor:
    """Rows less their means: of scores of K tasks, (..., K), what tells the tasks apart."""
    return values - values.mean(-1, keepdim=True)


def correlation(a: Tensor, b: Tensor) -> float:
    """Pearson's, over all entries of two tensors of one shape; 0 where one of them does not vary beyond rounding."""
    x, y = (centred(values.double().flatten()) for values in (a, b))
    for rest, values in ((x, a), (y, b)):
        if rest.abs().max() <= 2 * len(rest) * torch.finfo(torch.float64).eps * values.abs().max():
            return 0.0
    return float(x @ y / (x.norm() * y.norm()))
