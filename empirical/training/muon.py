"""Muon: momentum whose every update is made orthogonal, so that a matrix learns in all its directions alike.

Source: arXiv 2502.16982, Section 2.1 (the method is K. Jordan's).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, nn

MOMENTUM = 0.95
_QUINTIC = (3.4445, -4.7750, 2.0315)  # x -> a x + b x^3 + c x^5 takes singular values from (0, 1] to about 1
_ITERATIONS = 5


def orthogonalise(matrices: Tensor) -> Tensor:
    """U V^T of every U S V^T in `matrices` (count, rows, columns), singular values within about 0.7 .. 1.2 of 1."""
    a, b, c = _QUINTIC
    wide = matrices if matrices.shape[-2] <= matrices.shape[-1] else matrices.mT
    x = (wide / (wide.norm(dim=(-2, -1), keepdim=True) + 1e-7)).bfloat16()  # rounding is below what the steps leave
    for _ in range(_ITERATIONS):
        gram = x @ x.mT
        x = torch.baddbmm(x, torch.baddbmm(gram, gram, gram, beta=b, alpha=c), x, beta=a)
    return (x if wide is matrices else x.mT).to(matrices.dtype)


class Muon(torch.optim.Optimizer):
    """Nesterov momentum, orthogonalised; `lr` is the size of an update in units of an orthogonal matrix."""

    def __init__(self, matrices: Iterable[nn.Parameter], lr: float) -> None:
        super().__init__(matrices, {"lr": lr})

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:  # type: ignore[override]  # takes no closure
        for group in self.param_groups:
            alike: dict[torch.Size, list[nn.Parameter]] = defaultdict(list)
            for matrix in group["params"]:
                alike[matrix.shape].append(matrix)
            for (rows, columns), matrices in alike.items():
                updates = orthogonalise(torch.stack([self._momentum(matrix) for matrix in matrices]))
                for matrix, update in zip(matrices, updates, strict=True):
                    matrix.add_(update, alpha=-group["lr"] * max(1.0, rows / columns) ** 0.5)

    def _momentum(self, matrix: nn.Parameter) -> Tensor:
        state, gradient = self.state[matrix], matrix.grad
        assert gradient is not None
        average: Tensor = state.setdefault("momentum", torch.zeros_like(matrix))
        average.lerp_(gradient, 1 - MOMENTUM)
        return gradient.lerp(average, MOMENTUM)
