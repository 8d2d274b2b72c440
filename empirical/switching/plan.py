"""What is trained."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

MEANS, SIGMA = (0.2, 0.8), 0.3
WINDOW = 7
RATE = 1e-3


@dataclass(frozen=True)
class Plan:
    """Networks on one stream a seed, an update for every new observation.

    Args:
        kind: "lstm", which is not told the task; "gbi", which is told that of every target; "shuffled", which is told
            one at random for every block. Of those that infer z as they learn: "label-free" by one step, "iterative"
            by several, and "strange" by one step on a window from elsewhere in the stream.
        seeds: of the streams and of the first weights.
        blocks: of a stream.
        means, sigma: of the tasks.
        hidden: units of an LSTM.
        latent: the number of entries of z, that of the tasks if not given.
    """

    kind: str
    seeds: tuple[int, ...]
    blocks: int = 40
    means: tuple[float, ...] = MEANS
    sigma: float = SIGMA
    hidden: int = 100
    latent: int | None = None

    @property
    def tasks(self) -> int:
        """The number of entries of z."""
        return 0 if self.kind == "lstm" else self.latent or len(self.means)

    def keys(self, number: int) -> list[list[int]]:
        """Seeds of data that are no training's stream, one a seed and the same for all kinds of networks."""
        return [[seed, number] for seed in self.seeds]

    def as_json(self) -> dict[str, Any]:
        """All that decides the training."""
        values = asdict(self)
        return {**values, "seeds": list(self.seeds), "means": list(self.means), "window": WINDOW, "rate": RATE}
