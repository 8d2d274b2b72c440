"""How a model answers on a word and on the word with letters changed: protocol, numbers, no verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
import torch
from torch import Tensor

from empirical.basin.pair import Pair, name, prefix
from empirical.basin.placements import PLACEMENTS, changed, places
from empirical.basin.subject import Subject
from theory.compact.words import Infinite
from theory.progress import Progress

SMALLEST = 1e-30  # probabilities below are this in a divergence


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


def measure(
    subject: Subject,
    pair: Pair,
    letters: tuple[int, int],
    plan: Plan,
    progress: Progress | None = None,
) -> list[Measured]:
    """Both words, length by length."""
    words = (pair.first, pair.second)
    work = [(index, n) for index, word in enumerate(words) for n in plan.lengths(word, subject.context)]
    found: list[list[OfLength]] = [[] for _ in words]
    for done, (index, n) in enumerate(work):
        lengths = plan.lengths(words[index], subject.context)
        found[index].append(_of_length(subject, words[index], n, letters, plan, n in lengths[-plan.influence :]))
        if progress is not None:
            progress(done + 1, len(work))
    return [Measured(name(word), tuple(rows)) for word, rows in zip(words, found, strict=True)]


def _of_length(
    subject: Subject, word: Infinite | tuple[int, ...], n: int, letters: tuple[int, int], plan: Plan, every: bool
) -> OfLength:
    generator = torch.Generator().manual_seed(plan.seed * 1_000_003 + n)
    base = prefix(word, n, letters)
    last = base.clone()
    last[-1] = letters[1] if base[-1] == letters[0] else letters[0]
    flips = [changed(base, torch.tensor([i]), "random", letters) for i in range(n - 1)] if every else []
    outputs = subject.probabilities(torch.stack([base, last, *flips, base]))
    own, noise = outputs[0], float((outputs[0] - outputs[-1]).abs().max())
    influence = (outputs[2:-1] - own).abs().amax(1) if every else None
    following = None
    if isinstance(word, Infinite) or n < len(word):
        following = int(prefix(word, n + 1, letters)[-1])
    changes = list(_changes(subject, base, own, letters, plan, influence, generator))
    return OfLength(
        n,
        None if following is None else _margin(own, following),
        float((outputs[1] - own).abs().max()),
        noise,
        () if influence is None else tuple(influence.tolist()),
        tuple(changes),
    )


def _margin(output: Tensor, letter: int) -> float:
    others = output.clone()
    others[letter] = -1
    return float(output[letter] - others.max())


def _changes(
    subject: Subject,
    base: Tensor,
    own: Tensor,
    letters: Sequence[int],
    plan: Plan,
    influence: Tensor | None,
    generator: torch.Generator,
) -> list[Changed]:
    """1, 2, 4, ..., n/4 letters of every placement, n - 1 of those that may have so many."""
    n = len(base)
    counts = [k for k in (2**power for power in range(n.bit_length())) if k <= max(1, n // 4)]
    cases, words = [], []
    for kind in PLACEMENTS:
        for k in counts:
            if (where := places(kind, base, k, influence, generator)) is not None:
                cases.append((kind, k))
                words.append(changed(base, where, kind, letters))
    batch = torch.stack([base, *words])
    outputs = subject.probabilities(batch)
    expected = int(own.argmax())
    tried = [0, *(row for row, (_, k) in enumerate(cases, start=1) if k in (1, counts[-1]))]
    followed = _rejoined(subject, batch[tried], outputs[tried], plan.steps)
    rejoined = dict(zip(tried, followed.tolist(), strict=True))
    found = []
    for row, (kind, k) in enumerate(cases, start=1):
        p, q = own.clamp_min(SMALLEST), outputs[row].clamp_min(SMALLEST)
        found.append(
            Changed(
                n,
                kind,
                k,
                distance=float((outputs[row] - own).abs().max()),
                variation=float((outputs[row] - own).abs().sum() / 2),
                divergence=max(0.0, float((p * (p / q).log()).sum())),
                margin=_margin(outputs[row], expected),
                moved=int(outputs[row].argmax()) != expected,
                rejoined=rejoined.get(row),
            )
        )
    return found


def _rejoined(subject: Subject, batch: Tensor, outputs: Tensor, steps: int) -> Tensor:
    """Whether the greedy letters after each word are those after the first one."""
    same = torch.ones(len(batch), dtype=torch.bool)
    for step in range(steps):
        letters = outputs.argmax(1)
        same &= letters == letters[0]
        alive = same.nonzero()[:, 0]
        if len(alive) < 2 or step == steps - 1:
            break
        batch = torch.cat((batch, letters[:, None]), 1)
        outputs = outputs.clone()
        outputs[alive] = subject.probabilities(batch[alive])
    return same


def constant_spread(subject: Subject, letter: int, longest: int) -> float:
    """How far the outputs on s, ss, sss, ... are apart: nothing, where positions enter the logits of attention only."""
    outputs, n = [], 1
    while n <= longest:
        outputs.append(subject.probabilities(torch.full((1, n), letter))[0])
        n *= 2
    stacked = torch.stack(outputs)
    return float((stacked.amax(0) - stacked.amin(0)).max())


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
