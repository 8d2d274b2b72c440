"""The MLP block between attention layers: one hidden layer of ReLUs that turns what was found back into one token.

Source: claim decoder-snap (theory.rope.tasks.snap); derived for arXiv 2605.31558, Sec. 3.2.
"""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from theory.rope.tasks.snap import Snap


def ramp(z: Tensor) -> Tensor:
    """Cut to [0, 1] by two ReLUs; for 1 <= z <= 4 the result is exactly 1, since both differences are exact."""
    return torch.relu(z) - torch.relu(z - 1)


class ReluBlock(nn.Module):
    """From a residual stream of two slots, token and found (..., 2d), to what is added to it.

    `terminal` says for each token type whether it stays; coordinates of a slot beyond the types are left alone. The
    weight matrices are sparse: 6 hidden units for a token type, most of which read two numbers and a sum. So they are
    evaluated by `theory.rope.tasks.snap.Snap`; `weights` returns them in full.
    """

    terminal: Tensor

    def __init__(self, terminal: Sequence[bool], dtype: torch.dtype) -> None:
        super().__init__()
        self.register_buffer("terminal", torch.tensor(terminal).to(dtype))
        self.snap = Snap()

    def forward(self, stream: Tensor) -> Tensor:
        token, found = stream.chunk(2, dim=-1)
        types = len(self.terminal)
        held = token[..., :types]
        change = torch.zeros_like(token)
        change[..., :types] = self.snap(held, found[..., :types], self.terminal, ramp) - held
        return torch.cat((change, -found), dim=-1)

    def weights(self, width: int) -> tuple[Tensor, Tensor, Tensor]:
        """W_in, 6V x 2d, b_in, 6V, and W_out, 2d x 6V, for slots of width d: the block is W_out relu(W_in x + b_in)."""
        types, gain = len(self.terminal), self.snap.gain
        one = torch.eye(types, dtype=self.terminal.dtype)
        none = torch.zeros_like(one)
        gate, mass = self.terminal.expand(types, -1), (1 - self.terminal)[:, None].expand(-1, types)
        new, held = torch.cat((-gain * gate, gain * one), dim=1), torch.cat((gain * one, -gain * mass), dim=1)
        token, found = torch.cat((one, none), dim=1), torch.cat((none, one), dim=1)
        inputs = torch.cat((new, new, held, held, token, found))
        outputs = torch.cat(
            (torch.cat((one, -one, one, -one, -one, none), dim=1), torch.cat((none,) * 5 + (-one,), dim=1))
        )
        biases = [-float(self.snap.bias) - step for step in (0, 1, 0, 1)] + [0.0, 0.0]
        slots = [*range(types), *range(width, width + types)]
        W_in, W_out = one.new_zeros(6 * types, 2 * width), one.new_zeros(2 * width, 6 * types)
        W_in[:, slots], W_out[slots] = inputs, outputs
        return W_in, one.new_tensor(biases).repeat_interleave(types), W_out
