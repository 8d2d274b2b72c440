"""What is trained, and how much is measured on it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

BATCH, WINDOW = 32, 64  # windows of a step, letters that each predicts
PEAK, WARM_UP, CLIP = 3e-3, 0.1, 1.0  # of the one-cycle rate, its share that rises, and of the norm of gradients
EMBEDDING = 48


@dataclass(frozen=True)
class Plan:
    """One model.

    Args:
        mode: how z enters: "input", an input at every letter; "head", gates between body and logits, which are linear
            in z; "none", not at all.
        labels: "true": z is the one-hot source of a window; "shuffled": of a random source; "random": z is the softmax
            of K standard normals; the last two are drawn for every window.
        tasks: K, the number of sources.
        seed: of first weights and data.
        steps: updates of the weights.
        hidden: units of an LSTM; a transformer gets as many parameters as that LSTM.
        body: "lstm" or "transformer".
    """

    mode: str
    labels: str
    tasks: int
    seed: int
    steps: int
    hidden: int
    body: str = "lstm"

    def as_json(self) -> dict[str, Any]:
        """All that decides the training, texts apart."""
        constants = {"batch": BATCH, "window": WINDOW, "peak": PEAK, "warm_up": WARM_UP, "clip": CLIP}
        return {**asdict(self), **constants, "embedding": EMBEDDING}


@dataclass(frozen=True)
class Sizes:
    """What is measured.

    Args:
        lengths: of windows whose source is inferred, in letters that are predicted, in rising order.
        windows: of a source.
        iterations: steps of Adam on the logits of a window's z.
        adapting: windows of 64 letters of a text held out that one shared z adapts to.
        adaptation: steps of Adam on the logits of that z.
        judged: windows of the other half on which it is judged.
    """

    lengths: tuple[int, ...] = (64, 128)
    windows: int = 200
    iterations: int = 30
    adapting: int = 32
    adaptation: int = 100
    judged: int = 300

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "lengths": list(self.lengths)}


@dataclass(frozen=True)
class Tier:
    """A tier of the study: sizes of models and of measures."""

    steps: int
    hidden: int
    sizes: Sizes


TIERS = {
    "quick": Tier(40, 32, Sizes((32, 64), 20, 5, 8, 10, 20)),
    "small": Tier(500, 128, Sizes()),
    "full": Tier(1200, 192, Sizes()),
}
KINDS = {  # mode and labels
    "input": ("input", "true"),
    "head": ("head", "true"),
    "none": ("none", "true"),
    "shuf": ("input", "shuffled"),
    "rand": ("input", "random"),
}


def plans(tier: str, tasks: int, seed: int, body: str = "lstm") -> dict[str, Plan]:
    """The plans of one seed, by what they are."""
    chosen = TIERS[tier]
    return {
        kind: Plan(mode, labels, tasks, seed, chosen.steps, chosen.hidden, body)
        for kind, (mode, labels) in KINDS.items()
    }
