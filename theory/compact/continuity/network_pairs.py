"""Pairs of words with one last letter, and how far apart a small network puts them: in balls, or random in float64."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

import numpy as np
from flint import arb

from theory.compact.continuity.scalar_head import ScalarHead, ScalarLayer, run
from theory.compact.words import disagreements

# al, be, v, f_1 and f_0 of networks of two equal layers.
FIXED = ((0.25, -0.5, 1.0, 0.5, 0.75), (-0.125, 0.375, -1.5, 1.0, -0.5))


@dataclass(frozen=True)
class Pair:
    """Two words of one length under one network.

    Args:
        case: which.
        layers: of the network.
        start: D_0, the diameter of the letters' first states.
        places: where the words differ, never at the last one.
        length: of both.
        gap: the distance of the last states, a ball or a float.
        error: of `gap` in float64.
    """

    case: Any
    layers: tuple[ScalarLayer, ...]
    start: Any
    places: tuple[int, ...]
    length: int
    gap: Any
    error: float = 0.0


def certified_pairs(length: int) -> Iterator[Pair]:
    """All pairs of words over {-1, 1} that end in 1, under fixed networks, in balls."""
    words = [(*start, 1) for start in product((-1, 1), repeat=length - 1)]
    for weights in FIXED:
        al, be, value, outer, skip = map(arb, weights)
        layers = (ScalarLayer(skip, (ScalarHead(al, be, value, outer),)),) * 2
        states = {word: np.array([arb(letter) for letter in word], dtype=object) for word in words}
        outputs = {word: run(layers, row)[-1] for word, row in states.items()}
        for u, w in combinations(words, 2):
            case = {"weights": weights, "u": u, "w": w}
            yield Pair(case, layers, arb(2), disagreements(u, w), length, abs(outputs[u] - outputs[w]))


def random_pairs(count: int, seed: int) -> Iterator[Pair]:
    """Networks of one to three layers on words over three letters, of which few or half are changed."""
    random = np.random.default_rng(seed)
    for case in range(count):
        layers = tuple(ScalarLayer.draw(random) for _ in range(int(random.integers(1, 4))))
        letters = random.uniform(-1, 1, size=3)
        length = int(random.integers(2, 40))
        u = random.integers(3, size=length)
        changed = np.append(random.uniform(size=length - 1) < random.choice([0.05, 0.5]), False)
        changed[random.integers(length - 1)] = True
        w = np.where(changed, (u + random.integers(1, 3, size=length)) % 3, u)
        gap = float(abs(run(layers, letters[u])[-1] - run(layers, letters[w])[-1]))
        # Each layer's exponentials are off by Delta eps and its sums by n eps; later layers make that grow by a + b.
        spread = max(head.oscillation for layer in layers for head in layer.constants.heads)
        growth = float(np.prod([1 + layer.constants.a + layer.constants.b for layer in layers]))
        error = float((2 * length + 2 * spread + 8) * 8 * growth * np.finfo(np.float64).eps)
        start = float(np.ptp(letters))
        yield Pair(case, layers, start, disagreements(u.tolist(), w.tolist()), length, gap, error)
