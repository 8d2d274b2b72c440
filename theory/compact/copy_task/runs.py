"""Runs of the copy task: what a model says after a prompt and its own outputs, and the log-perplexity of that.

A run is given by the probabilities of the letters of alpha_N after the prompt alpha_N| (p), and of the same letters
after beta_N| (q), whose letter at place `flipped` is another one, of probability `other` there.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from theory.arithmetic.ball import PRECISION_LIMIT, Real, log
from theory.arithmetic.real import precisions
from theory.errors import Undecided


def excess(p: Sequence[Fraction], q: Sequence[Fraction], flipped: int, other: Fraction) -> Real | None:
    """pplx(beta_N) - pplx(alpha_N) where both runs answer alpha_N; None where it is infinite."""
    answered = prod(q[:flipped], start=other) * prod(q[flipped + 1 :])
    return log(prod(p) / answered) / len(p) if answered else None


def softmax(exponentials: Sequence[Fraction]) -> list[Fraction]:
    """Probabilities from e^z."""
    total = sum(exponentials)
    return [value / total for value in exponentials]


def ceiling(value: Real) -> int:
    """The least integer that is not below the number. Raises Undecided where no precision tells."""
    if value.exact is not None:
        return ceil(value.exact)
    for bits in precisions(128, PRECISION_LIMIT):
        ends = (-value).fixed_point(bits)
        if ends is not None and ends[0] >> bits == ends[1] >> bits:
            return -(ends[0] >> bits)
    raise Undecided(f"whether {value!r} is an integer is undecided at the precision limit")


class Copied(NamedTuple):
    """Both runs of one model in float64, and what it answered to beta_N|."""

    p: NDArray[np.float64]
    q: NDArray[np.float64]
    flipped: int
    other: float
    answer: list[int]

    @property
    def excess(self) -> float:
        """pplx(beta_N) - pplx(alpha_N), where both answer alpha_N."""
        answered = np.log(self.q)
        answered[self.flipped] = np.log(self.other)
        return float((np.log(self.p) - answered).mean())


BAR = 2


def averaging_run(embeddings: NDArray[np.float64], length: int, flipped: int) -> Copied:
    """T = softmax of the mean embedding (3 letters, 3 logits), alpha = 0^N; every run reads its own greedy outputs."""

    def outputs(prompt: list[int]) -> tuple[NDArray[np.float64], list[int]]:
        total, said, rows = embeddings[prompt].sum(axis=0), list[int](), []
        for step in range(length):
            logits = total / (len(prompt) + step)
            weights = np.exp(logits - logits.max())
            rows.append(weights / weights.sum())
            said.append(int(rows[-1].argmax()))
            total = total + embeddings[said[-1]]
        return np.array(rows), said

    alpha = [0] * length
    beta = [*alpha[:flipped], 1, *alpha[flipped + 1 :]]
    (p, _), (q, answer) = outputs([*alpha, BAR]), outputs([*beta, BAR])
    return Copied(p[:, 0], q[:, 0], flipped, float(q[flipped, 1]), answer)
