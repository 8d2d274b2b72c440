"""LSTMs with weights of their own that go through their data together."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn


def shapes(tasks: int, hidden: int) -> dict[str, tuple[int, int]]:
    """Of the weights of one network, by name."""
    return {
        "inputs": (1 + tasks, 4 * hidden),
        "recurrent": (hidden, 4 * hidden),
        "bias": (1, 4 * hidden),
        "readout": (hidden, 1),
        "level": (1, 1),
    }


class Networks(nn.Module):
    """One LSTM a seed, of one layer with one bias for the gates and a linear read-out; z is a further input.

    Args:
        seeds: of the first weights, which are uniform on +-1/sqrt(hidden).
        tasks: the number of entries of z; 0 for networks that are not told the task.
    """

    inputs: nn.Parameter
    recurrent: nn.Parameter
    bias: nn.Parameter
    readout: nn.Parameter
    level: nn.Parameter

    def __init__(self, seeds: Sequence[int], tasks: int, hidden: int) -> None:
        super().__init__()
        self.tasks, self.hidden = tasks, hidden
        random = [torch.Generator().manual_seed(seed) for seed in seeds]
        for name, shape in shapes(tasks, hidden).items():
            drawn = torch.stack([torch.rand(shape, generator=generator) for generator in random])
            setattr(self, name, nn.Parameter((2 * drawn - 1) / hidden**0.5))

    def states(self, x: Tensor, z: Tensor | None = None) -> Tensor:
        """Hidden states after every input: x (S, B, n), z (S, B, K) or (S, B, n, K) -> (S, B, n, hidden)."""
        base: Tensor = self.bias
        if z is not None:
            base = torch.baddbmm(base, z.flatten(1, -2), self.inputs[:, 1:]).view(*z.shape[:-1], -1)
        varies = base.dim() == 4
        found = list[Tensor]()
        h = cell = None
        for t in range(x.shape[2]):
            total = (base[:, :, t] if varies else base) + x[:, :, t, None] * self.inputs[:, :1]
            if h is not None:
                total = torch.baddbmm(total, h, self.recurrent)
            opened, new = total[..., : 3 * self.hidden].sigmoid(), total[..., 3 * self.hidden :].tanh()
            take, keep, show = opened.chunk(3, dim=-1)
            cell = take * new if cell is None else keep * cell + take * new
            h = show * cell.tanh()
            found.append(h)
        return torch.stack(found, dim=2)

    def forward(self, x: Tensor, z: Tensor | None = None) -> Tensor:
        """Predictions of the observation after every input, (S, B, n)."""
        states = self.states(x, z)
        read = torch.bmm(states.flatten(1, 2), self.readout) + self.level
        return read.view(x.shape)

    def last(self, x: Tensor, z: Tensor | None = None) -> Tensor:
        """The prediction after the whole window, (S, B)."""
        return torch.baddbmm(self.level, self.states(x, z)[:, :, -1], self.readout)[..., 0]
