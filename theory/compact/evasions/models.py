"""Models that each break one hypothesis of continuity, as the feature that they give to the detector head.

On a word of letters 0 and 1 a head sees values 1[w_j = 1]. Every model is given twice: what its weights are (`forward`,
NumPy, any word) and what that comes to (`feature`, exact, any word whose ones are counted in closed form). Source:
derived here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theory.arithmetic import ball
from theory.arithmetic.ball import Real
from theory.compact.isolation.detector import Feature, Number, share
from theory.compact.words import Infinite

Floats = NDArray[np.float64]
HALF = Fraction(1, 2)


@dataclass(frozen=True)
class Evader:
    """A feature of a word, its forward pass on the first n letters in float64, and what it breaks."""

    feature: Feature
    forward: Callable[[Floats], float]
    breaks: str


def _attend(logits: NDArray[Any], values: Floats) -> float:
    weights = np.exp(logits - logits.max())
    return float(weights @ values / weights.sum())


def power(length: int, exponent: Fraction) -> Number:
    """length^exponent, a fraction where it is one."""
    if exponent.denominator == 1:
        return Fraction(length) ** int(exponent)
    return ball.exp(exponent * ball.log(length))


def growing_content(c: Fraction) -> Evader:
    """E1: logits c ln(n) 1[w_j = 1]."""
    return Evader(
        lambda word, n: share(power(n, c), word.nonzero(n), n),
        lambda w: _attend(float(c) * np.log(len(w)) * w, w),
        "bounded logits: content times ln n",
    )


def growing_first(rate: Fraction) -> Evader:
    """E2: logit rate ln(n) at the first key."""

    def feature(word: Infinite, n: int) -> Number:
        first, boost = word.letter(1), power(n, rate)
        return (boost * first + (word.nonzero(n) - first)) / (boost + (n - 1))

    def forward(w: Floats) -> float:
        return _attend(float(rate) * np.log(len(w)) * (np.arange(len(w)) == 0), w)

    return Evader(feature, forward, "bounded logits: a fixed position")


def growing_lag(m: Real | Fraction) -> Evader:
    """E2b: logits m (i - j), larger for older keys."""

    def feature(word: Infinite, n: int) -> Number:
        q = ball.exp(-m)
        return (1 - q) / (1 - q**n) * Real.total(q ** (j - 1) for j in places(word, n))

    def forward(w: Floats) -> float:
        return _attend(float(m) * (len(w) - np.arange(1, len(w) + 1)), w)

    return Evader(feature, forward, "kernels that do not increase in the lag")


def unbounded_count(rate: Fraction) -> Evader:
    """E3: position data n^rate multiply the mean, cut at 1."""

    def feature(word: Infinite, n: int) -> Number:
        mean = power(n, rate) * Fraction(word.nonzero(n), n)
        return min(Fraction(1), mean) if isinstance(mean, Fraction) else ball.minimum((1, mean))

    def forward(w: Floats) -> float:
        return min(1.0, float(len(w) ** float(rate) * w.mean()))

    return Evader(feature, forward, "bounded position data")


def centred(word: Infinite, n: int) -> Fraction:
    """Y: the mean of 1[w_j = 1] - 1[j = 1]/2."""
    return (word.nonzero(n) - HALF) / n


def layer_norm(eps: Fraction) -> Evader:
    """E4: LayerNorm with this eps of (y, -y)."""

    def feature(word: Infinite, n: int) -> Number:
        y = centred(word, n)
        if eps == 0:
            return Fraction(int(y > 0))
        return (1 + y / ball.sqrt(y**2 + eps)) / 2

    def forward(w: Floats) -> float:
        y = w.mean() - 1 / (2 * len(w))
        pair = np.array([y, -y])
        return float(1 + (pair[0] - pair.mean()) / np.sqrt(pair.var() + float(eps))) / 2

    return Evader(feature, forward, "continuous layers: LayerNorm with eps = 0")


def hard_attention(least: int) -> Evader:
    """E6: average hard attention over 1[w_j = 1], of which there have to be `least`."""
    return Evader(
        lambda word, n: Fraction(int(word.nonzero(n) >= least)),
        lambda w: float(w[w == w.max()].mean() if w.sum() >= least else 0),
        "softmax: hard attention",
    )


def top_expert() -> Evader:
    """E7: the router (y, -y) sends to one of two experts, whose outputs are 1 and 0."""
    return Evader(
        lambda word, n: Fraction(int(centred(word, n) > 0)),
        lambda w: float(np.argmax([y := w.mean() - 1 / (2 * len(w)), -y]) == 0),
        "continuous layers: one expert is chosen",
    )


def top_keys(kept: int) -> Evader:
    """E8: the `kept` keys of largest 1[w_j = 1] are attended to, with logits ln(kept) 1[w_j = 1]."""

    def feature(word: Infinite, n: int) -> Number:
        return share(Fraction(kept), min(word.nonzero(n), kept), min(n, kept))

    def forward(w: Floats) -> float:
        chosen = w[np.argsort(-w, kind="stable")[:kept]]
        return _attend(np.log(kept) * chosen, chosen)

    return Evader(feature, forward, "softmax over all keys: the best are selected")


def sink_and_window(width: int, boost: int) -> Evader:
    """E9: the first token, with logit ln(boost), and a window of `width`."""

    def feature(word: Infinite, n: int) -> Number:
        first = word.letter(1)
        others = word.nonzero(n) - (word.nonzero(n - width) if n > width else first)
        return Fraction(boost * first + others, boost + (width if n > width else n - 1))

    def forward(w: Floats) -> float:
        lag = len(w) - np.arange(1, len(w) + 1)
        logits = np.where(lag < width, 0.0, -np.inf)
        logits[0] = np.log(boost)
        return _attend(logits, w)

    return Evader(feature, forward, "kernels that do not increase in the lag: a sink is always visible")


# What builds a model from its number, and the number that it has in the claim.
MODELS: dict[str, tuple[Callable[[Any], Evader], Fraction | Real]] = {
    "E1": (growing_content, Fraction(1)),
    "E2": (growing_first, Fraction(1)),
    "E2b": (growing_lag, ball.log(2)),
    "E3": (unbounded_count, Fraction(1)),
    "E4": (layer_norm, Fraction(0)),
    "E6": (lambda least: hard_attention(int(least)), Fraction(1)),
    "E7": (lambda _: top_expert(), Fraction(0)),
    "E8": (lambda kept: top_keys(int(kept)), Fraction(4)),
    "E9": (lambda width: sink_and_window(int(width), int(width)), Fraction(8)),
}


def places(word: Infinite, n: int) -> list[int]:
    """Where the first n letters are not 0, by bisection between counts."""
    found: list[int] = []

    def search(low: int, high: int) -> None:
        inside = word.nonzero(high) - (word.nonzero(low) if low else 0)
        if not inside:
            return
        if high - low == 1:
            found.append(high)
            return
        middle = (low + high) // 2
        search(low, middle)
        search(middle, high)

    search(0, n)
    return found
