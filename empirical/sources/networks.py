"""Character models that are told a mixture z of sources, at their input or at their head, or are not."""

from __future__ import annotations

from typing import cast

import torch
from torch import Tensor, nn

from constructions.inference.gradients import entering
from empirical.decoder import Block
from empirical.decoder_config import DecoderConfig
from empirical.sources.plan import EMBEDDING, Plan
from empirical.sources.texts import VOCABULARY
from theory.errors import InputError

LAYERS, HEADS = 2, 4  # of a transformer


class SourceModel(nn.Module):
    """Letters to logits of the letter after each; z says which source they are from.

    Args:
        K: sources, the entries of z.
        mode: "input": z is a further input at every letter; "head": logits = V((G z) * h) + b with states h of the
            letters alone, so they are linear in z; "none": logits = V h + b.
        body: "lstm", of one layer; "transformer": causal, 2 layers of 4 heads with RoPE, and as many parameters.
        hidden: units of the LSTM.
    """

    def __init__(self, K: int, mode: str, body: str = "lstm", hidden: int = 192) -> None:
        super().__init__()
        if mode not in ("input", "head", "none") or body not in ("lstm", "transformer"):
            raise InputError(f"mode={mode!r}, body={body!r}; give input, head or none, and lstm or transformer")
        self.K, self.mode = K, mode
        extra = K if mode == "input" else 0
        self.body: LSTM | Transformer
        if body == "lstm":
            self.body, width = LSTM(extra, hidden), hidden
            self.embedding = nn.Embedding(VOCABULARY, EMBEDDING)
        else:
            config = matched(hidden)
            self.body, width = Transformer(extra, config), config.width
            self.embedding = nn.Embedding(VOCABULARY, width)
        if mode == "head":
            self.gates = nn.Parameter(torch.empty(width, K).uniform_(0.5, 1.5))
        self.readout = nn.Linear(width, VOCABULARY)

    def states(self, letters: Tensor, z: Tensor | None = None, shift: Tensor | None = None) -> Tensor:
        """States h after every letter, (B, n, width), which depend on z in mode "input" only.

        `shift`, (width of embeddings,) or one row a window, is added to the embedding of every letter.
        """
        x = self.embedding(letters)
        if shift is not None:
            x = x + (shift if shift.dim() == 1 else shift[:, None])
        return self.body(x, self._told(letters, z) if self.mode == "input" else None)

    def logits(self, states: Tensor, z: Tensor | None = None) -> Tensor:
        """Logits (B, n, 96) of states h (B, n, width), which depend on z in mode "head" only."""
        if self.mode == "head":
            states = states * (self._told(states, z) @ self.gates.T)[:, None]
        return cast(Tensor, self.readout(states))

    def forward(self, letters: Tensor, z: Tensor | None = None, shift: Tensor | None = None) -> Tensor:
        """Logits (B, n, 96) of the letter after each of letters (B, n), from a state of zeros; z is (B, K).

        Mode "none" takes no notice of z. Raises InputError for z of another shape, or none where it is needed.
        """
        return self.logits(self.states(letters, z, shift), z)

    def _told(self, batch: Tensor, z: Tensor | None) -> Tensor:
        if z is None or z.shape[:-1] != batch.shape[:1]:
            found = "no z" if z is None else f"z of shape {tuple(z.shape)}"
            raise InputError(f"{found} for {len(batch)} windows; give ({len(batch)}, {self.K})")
        return entering(z, self.K, self.readout.weight)


class LSTM(nn.Module):
    """One layer of an LSTM, with z beside the embedding."""

    def __init__(self, extra: int, hidden: int) -> None:
        super().__init__()
        self.cells = nn.LSTM(EMBEDDING + extra, hidden, batch_first=True)

    def forward(self, x: Tensor, z: Tensor | None) -> Tensor:
        if z is not None:
            x = torch.cat((x, z[:, None].expand(-1, x.shape[1], -1)), dim=-1)
        return cast(Tensor, self.cells(x)[0])


class Transformer(nn.Module):
    """Blocks of a GPT-J decoder, every token read; what z adds to the embedding is linear in z."""

    def __init__(self, extra: int, config: DecoderConfig) -> None:
        super().__init__()
        self.config = config
        self.told = nn.Linear(extra, config.width, bias=False) if extra else None
        self.blocks = nn.ModuleList(Block(config) for _ in range(config.layers))
        self.norm = nn.LayerNorm(config.width)

    def forward(self, x: Tensor, z: Tensor | None) -> Tensor:
        if z is not None and self.told is not None:
            x = x + self.told(z)[:, None]
        n = x.shape[1]
        frequencies = torch.tensor(self.config.planes(0), dtype=torch.float64)
        angles = torch.arange(n, dtype=torch.float64)[:, None] * frequencies
        phases = torch.polar(torch.ones_like(angles), angles).to(x.dtype.to_complex())
        for block in self.blocks:
            x = block(x, phases, n)
        return cast(Tensor, self.norm(x))


def matched(hidden: int) -> DecoderConfig:
    """Sizes of the transformer that has, without z, as many parameters as the LSTM of so many units, up to 1 %.

    Twelve times the square of its width is nearly what a block has; the inner width then makes up for the rest.
    """
    lstm = VOCABULARY * EMBEDDING + 4 * hidden * (EMBEDDING + hidden + 2)
    wanted = lstm + VOCABULARY * (hidden + 1)
    width = max(2 * HEADS * round((4 * hidden * (EMBEDDING + hidden) / (12 * LAYERS)) ** 0.5 / (2 * HEADS)), 2 * HEADS)
    norms = 2 * width * (LAYERS + 1)
    outside = VOCABULARY * (2 * width + 1) + norms
    attention = LAYERS * (4 * width**2 + width)
    inner = max(round((wanted - outside - attention) / (LAYERS * (2 * width + 1))), 1)
    return DecoderConfig(VOCABULARY, LAYERS, HEADS, width, inner)


def build(plan: Plan) -> SourceModel:
    """The model of a plan with its first weights, which its seed decides."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(plan.seed)
        return SourceModel(plan.tasks, plan.mode, plan.body, plan.hidden)
