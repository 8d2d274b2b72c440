"""Lag kernels and basins: weights, slopes, contents and outputs are free."""

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

from tests.adversary.arithmetic import constant
from tests.adversary.duel import Axis, Duel, Pair
from theory.arithmetic.real import Real
from theory.compact.lag_kernels.kernels import FALLING

LENGTH = 5


def _means(weights: Sequence[Any], values: Sequence[Any]) -> list[Any]:
    """One list of weights by lag for all queries."""
    means = []
    for i, own in enumerate(values):
        seen = (weights[r] * values[i - r] for r in range(1, i + 1))
        means.append(sum(seen, weights[0] * own) / sum(weights[1 : i + 1], weights[0]))
    return means


@constant
def _tail(bound: Any, setting: Any) -> Real:
    changed, layers = setting
    return Real.of(bound.modulus([0] * layers + [1], bound.density(changed, LENGTH)))


def _chain(bound: Any, setting: Any, x: Any, ar: Any) -> Pair | None:
    """Shares of a mean over the last r letters, for each r: so the weights fall. Else the first key has more."""
    changed, layers = setting
    values: Any = [ar.number(int(i in changed)) for i in range(1, LENGTH + 1)]
    for shares in np.split(x, layers):
        weights = [sum(shares[r + 1 :], shares[r]) for r in range(LENGTH)]
        if bound.kernels is not FALLING:
            weights[-1] = weights[-1] + LENGTH * weights[0]
        values = _means(weights, values)
    allowed = ar.number(_tail(bound, setting))
    return (values[-1], allowed) if allowed > 0 else None


def _chain_axes(setting: Any) -> list[Axis]:
    return [Axis(f"share {k}", 1e-3, 1) for k in range(LENGTH * setting[1])]


def _slopes(claimed: Any, setting: Any, x: Any, ar: Any) -> Pair:
    """f_m(n) of geometric kernels, all letters from lag R on changed, against h_m(R) of the ratio that counts."""
    far, _ = setting
    values: Any = [ar.number(int(i <= LENGTH + 3 - far)) for i in range(1, LENGTH + 4)]
    for q in x:
        values = _means([q**r for r in range(LENGTH + 3)], values)
    counted = ar.largest(x) if claimed.least else ar.least(x)
    return values[-1], claimed.tail(len(x), far, counted)


def _slopes_axes(setting: Any) -> list[Axis]:
    return [Axis(f"q of layer {k}", 0.01, 0.9) for k in range(setting[1])]


def _mass(claimed: Any, setting: Any, x: Any, ar: Any) -> Pair:
    """Content logits between 0 and Delta; the share of what lies R or more back."""
    far, _ = setting
    q, delta, contents = x[0], x[1], x[2:]
    weights = [np.exp(delta * content) * q**r for r, content in enumerate(contents)]
    late = sum(weights[far + 1 :], weights[far])
    return late / sum(weights[1:], weights[0]), claimed.mass(np.exp(delta), q**far)


def _mass_axes(setting: Any) -> list[Axis]:
    contents = [Axis(f"content {r}", 0, 1) for r in range(setting[1])]
    return [Axis("q", 0.05, 0.95), Axis("Delta", 0.1, 4, "logit"), *contents]


def _star(claimed: Any, letters: int, x: Any, ar: Any) -> Pair | None:
    """By how much a lead falls from one output to another; outputs are any numbers."""
    before, after = np.split(x, 2)
    omega = ar.largest([abs(a - b) for a, b in zip(before, after, strict=True)])
    if not omega > 0:
        return None
    lead, led = (out[0] - ar.largest(out[1:]) for out in (before, after))
    return 1 + (lead - led), 1 + claimed.loss * omega


def _star_axes(letters: int) -> list[Axis]:
    return [Axis(f"T(s) {when}, s = {s}", 0, 1) for when, s in product(("at alpha", "at u"), range(letters))]


LAG_KERNELS = [
    Duel(
        "lag-kernel-continuity",
        "chains of kernels that fall, (D, m)",
        (((4,), 1), ((1, 3), 2), ((2,), 2), ((1, 2), 3)),
        _chain_axes,
        _chain,
        (
            "d_H in place of M_D",
            "g_(m-1) in place of g_m",
            "a sink beside the window",
            "without kernels that do not rise",
        ),
    ),
    Duel(
        "alibi-recency",
        "chains of slopes, (R, m)",
        ((2, 2), (1, 1), (3, 3)),
        _slopes_axes,
        _slopes,
        ("q^R at any depth", "the largest slope counts"),
    ),
    Duel(
        "alibi-recency",
        "far mass of one head, (R, keys)",
        ((2, 5), (1, 3)),
        _mass_axes,
        _mass,
        ("mass q^R whatever the content", "mass of a boost (1 + e^Delta)/2"),
    ),
    Duel(
        "basin",
        "lead of the learned letter, (letters)",
        (2, 3),
        _star_axes,
        _star,
        ("margin eps - omega(d)",),
        sharp=True,
    ),
]
