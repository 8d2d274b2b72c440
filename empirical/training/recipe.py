"""How a model is trained: data, optimizer, schedule.

Of the paper's recipe (arXiv 2605.31558, Section 5) the model, the task, the sizes of the three parts of the data, the
dropout and the loss are reported; batch, rates and number of epochs are not, and are ours.
"""

from __future__ import annotations

from dataclasses import dataclass

from theory.errors import InputError


@dataclass(frozen=True)
class Recipe:
    """A recipe; every step takes `batch` sequences that were not seen before in this epoch.

    Attributes:
        train, validation, test: sequences of each part of the data.
        batch: sequences a step.
        steps: of the whole training.
        report: steps between two reports (validation accuracy, checkpoint).
        rate: largest learning rate of AdamW. It rises linearly for `warmup` steps, then falls linearly to 0.
        muon: largest learning rate of Muon for the matrices of the blocks, None if AdamW trains them too.
        weight_decay: of AdamW, on matrices.
        dropout: on embeddings, attention weights and what a block adds.
        silent_blocks: every block begins by adding nothing: its two output matrices are 0.
        bfloat16: matrix products in bfloat16, weights and sums in float32.

    Raises InputError for numbers that make no training.
    """

    train: int = 432_000
    validation: int = 2_400
    test: int = 45_600
    batch: int = 128
    steps: int = 10_125
    report: int = 135
    rate: float = 1e-3
    muon: float | None = None
    warmup: int = 500
    weight_decay: float = 0.01
    dropout: float = 0.1
    silent_blocks: bool = False
    bfloat16: bool = False

    def __post_init__(self) -> None:
        for name in ("train", "validation", "test", "batch", "steps", "report", "rate"):
            if not getattr(self, name) > 0:
                raise InputError(f"{name}={getattr(self, name)} is not above 0; give more")
        if self.batch > self.train:
            raise InputError(f"batch={self.batch} is more than train={self.train} sequences; give a smaller batch")

    def schedule(self, step: int) -> float:
        """The learning rates at a step, counted from 0, as a share of the largest."""
        return min(1.0, (step + 1) / max(1, self.warmup), (self.steps - step) / max(1, self.steps - self.warmup))


RECIPES = {
    "paper": Recipe(),
    "fast": Recipe(
        steps=480,
        report=50,
        rate=3e-3,
        muon=0.02,
        warmup=25,
        weight_decay=0.0,
        dropout=0.0,
        silent_blocks=True,
        bfloat16=True,
    ),
}
