"""How a model answers on a word and on the word with letters changed: protocol, numbers, no verdicts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import torch
from torch import Tensor

from empirical.basin.measured import Changed, Measured, OfLength, Plan
from empirical.basin.pair import Pair, name, prefix
from empirical.basin.placements import PLACEMENTS, changed, places
from empirical.basin.subject import Subject
from theory.compact.words import Infinite
from theory.progress import Progress

SMALLEST = 1e-30  # probabilities below are this in a divergence


def measure(
    subject: Subject,
    pair: Pair,
    letters: tuple[int, int],
    plan: Plan,
    progress: Progress | None = None,
    keep: Callable[[str, Callable[[], OfLength]], OfLength] = lambda name, compute: compute(),
) -> list[Measured]:
    """Both words, length by length; `keep(name, compute)` computes one, or has it from a run before, under its name."""
    words = (pair.first, pair.second)
    work = [(index, n) for index, word in enumerate(words) for n in plan.lengths(word, subject.context)]
    found: list[list[OfLength]] = [[] for _ in words]
    for done, (index, n) in enumerate(work):
        lengths = plan.lengths(words[index], subject.context)
        every = n in lengths[-plan.influence :]
        compute = partial(_of_length, subject, words[index], n, letters, plan, every)
        found[index].append(keep(f"word-{index + 1}-length-{n}", compute))
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
