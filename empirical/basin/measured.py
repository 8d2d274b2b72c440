"""What is measured of a basin, and what was: numbers, no verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from theory.compact.words import Infinite


@dataclass(frozen=True)
class Plan:
    """What is measured.

    Args:
        longest: of the words; their lengths are powers of two from `shortest`, and of finite words their own.
        steps: greedy letters after words with one and with the most letters changed.
        influence: at how many of the lengths, the largest ones, every single letter is changed.
        collapse: the distance of outputs from which on one changed letter counts as not seen.
        seed: of random places.
    """

    longest: int = 128
    shortest: int = 8
    steps: int = 8
    influence: int = 3
    collapse: float = 0.01
    seed: int = 0

    def lengths(self, word: Infinite | tuple[int, ...], context: int | None) -> list[int]:
        """The lengths that are measured."""
        end = self.longest if isinstance(word, Infinite) else min(len(word), self.longest)
        end = end if context is None else min(end, context - self.steps)
        found, n = [], self.shortest
        while n <= end:
            found.append(n)
            n *= 2
        if isinstance(word, tuple) and end not in found and end >= 2:
            found.append(end)
        return found


@dataclass(frozen=True)
class Changed:
    """One changed word of length n: k letters of a placement.

    Args:
        distance, variation, divergence: of the outputs: sup norm, total variation, KL (nats) from the word's own.
        margin: of the letter that the model predicts on the word itself, over the best other one.
        moved: whether it predicts another letter now.
        rejoined: whether the greedy letters after it are those after the word; None where that was not tried.
    """

    n: int
    placement: str
    k: int
    distance: float
    variation: float
    divergence: float
    margin: float
    moved: bool
    rejoined: bool | None


@dataclass(frozen=True)
class OfLength:
    """What was measured at one length.

    Args:
        margin: of the word's next letter over the best other one; None where the word ends.
        last: the distance of outputs when the last letter is changed, of which the theory says nothing.
        noise: how far two runs of the same word in different places of a batch are apart.
        influence: by how much a change of letter i moves the output, i = 1, ..., n - 1; empty where not measured.
    """

    n: int
    margin: float | None
    last: float
    noise: float
    influence: tuple[float, ...]
    changes: tuple[Changed, ...]

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> OfLength:
        """What `asdict` made of it, with lists as JSON has them."""
        changes = tuple(Changed(**change) for change in data["changes"])
        return cls(**{**data, "influence": tuple(data["influence"]), "changes": changes})


@dataclass(frozen=True)
class Measured:
    """All lengths of one word."""

    word: str
    lengths: tuple[OfLength, ...]

    def radius(self, placement: str | None = None) -> dict[int, int]:
        """Of each length, the least k that moves the prediction; lengths at which none does are left out."""
        found: dict[int, int] = {}
        for at in self.lengths:
            moved = [c.k for c in at.changes if c.moved and placement in (None, c.placement)]
            if moved:
                found[at.n] = min(moved)
        return found

    def distances(self, placement: str, k: int = 1) -> dict[int, float]:
        """Of each length, the distance of outputs for k changed letters."""
        changes = [c for at in self.lengths for c in at.changes]
        return {c.n: c.distance for c in changes if c.placement == placement and c.k == k}

    def slope(self, placement: str) -> float | None:
        """The slope of ln distance in ln n over the last two octaves, for one changed letter; None below 3 lengths."""
        found = [(n, d) for n, d in self.distances(placement).items() if d > 0][-3:]
        if len(found) < 3:
            return None
        x, y = np.log(np.array(found)).T
        return float(np.polyfit(x, y, 1)[0])

    def collapse(self, placement: str, below: float) -> int | None:
        """The least measured length from which on one changed letter moves the output by at most `below`."""
        first = None
        for n, distance in self.distances(placement).items():
            first = (first or n) if distance <= below else None
        return first


def as_data(measured: Measured, plan: Plan) -> dict[str, object]:
    """For JSON."""
    placements = sorted({c.placement for at in measured.lengths for c in at.changes})
    return {
        "word": measured.word,
        "lengths": [asdict(at) for at in measured.lengths],
        "radius": {str(n): k for n, k in measured.radius().items()},
        "slope": {kind: measured.slope(kind) for kind in placements},
        "collapse_length": {kind: measured.collapse(kind, plan.collapse) for kind in placements},
    }
