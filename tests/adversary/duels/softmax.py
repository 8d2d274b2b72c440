"""Softmax: what it can do with bounded logits, what it loses, and what it decodes."""

from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import sympy

from tests.adversary.arithmetic import constant
from tests.adversary.duel import Axis, Duel, Pair
from theory.arithmetic.ball import cos, maximum
from theory.arithmetic.real import Real
from theory.rope.softmax.hard_to_soft_printed import COUNT, LENGTH, MAXIMUM
from theory.rope.tasks.letter_margin import TURN, D, delta
from theory.symbols import beta, n

HALF = Fraction(1, 2)


def _lost(criterion: Any, competitors: int, x: Any, ar: Any) -> Pair:
    """The lost share once all weights are scaled to meet the criterion; weights are off by factors of up to g."""
    shares, weights, signs = (x[k * competitors : (k + 1) * competitors] for k in range(3))
    lost, g, own = x[-3], x[-2], x[-1]
    total = sum(criterion.excess(c, e, lost, g) for c, e in zip(shares, weights, strict=True))
    scale = min(1, lost / total) if total > 0 else 1
    found = [(c, scale * e * (g if sign > HALF else 1 / g)) for c, e, sign in zip(shares, weights, signs, strict=True)]
    return sum(c * e for c, e in found) / ((g if own > HALF else 1 / g) + sum(e for _, e in found)), lost


def _loss_axes(competitors: int) -> list[Axis]:
    names = [("c", 0.0, 1.0), ("e", 0.01, 3.0), ("side", 0.0, 1.0)]
    axes = [Axis(f"{name}_{j}", low, high) for name, low, high in names for j in range(competitors)]
    return [*axes, Axis("D", 0.05, 0.9), Axis("g", 1, 2), Axis("side", 0, 1)]


@cache
def _extreme(weights: Any, name: str, setting: tuple[int, int]) -> Any:
    """The claimed weight of n logits of range R = ln rho: a fraction, where powers of e^R are whole."""
    length, ratio = setting
    value = getattr(weights, name)(sympy.Integer(length), sympy.log(ratio))
    return Fraction(int(value.p), int(value.q)) if value.is_Rational else Real.of(value)


def _highest(weights: Any, setting: tuple[int, int], x: Any, ar: Any) -> Pair:
    return max(x) / sum(x), _extreme(weights, "largest", setting)


def _lowest(weights: Any, setting: tuple[int, int], x: Any, ar: Any) -> Pair:
    return _extreme(weights, "least", setting), min(x) / sum(x)


def _exponentials(setting: tuple[int, int]) -> list[Axis]:
    length, ratio = setting
    return [Axis(f"e^L_{j}", 1 / ratio, 1) for j in range(length)]


def _soft(condition: Any, setting: tuple[int, int], x: Any, ar: Any) -> Pair | None:
    """What the tokens off J take away over what those in J give, a millionth above the temperature that suffices."""
    length, tied = setting
    off = length - tied
    # One coordinate: of several the worst one counts.
    gaps, losses, gain = x[:off], x[off : 2 * off], x[-1]
    odds = condition.odds(length, [(gain, ar.largest(losses))])
    if not odds > 1:
        return None
    least = condition.gap(list(gaps))
    scale = np.log(odds) / least * ar.number(1 + Fraction(1, 10**6))
    return (np.exp(-scale * gaps) * losses).sum(), tied * gain


def _soft_axes(setting: tuple[int, int]) -> list[Axis]:
    length, tied = setting
    off = range(length - tied)
    gaps, losses = ([Axis(f"{name}_{j}", 0.05, 3, "logit") for j in off] for name in ("gap", "loss"))
    return [*gaps, *losses, Axis("gain", 0.1, 3)]


def _step(bound: Any, setting: tuple[int, int], x: Any, ar: Any) -> Pair:
    """Both sides over e^(beta mu)."""
    equal, below = setting
    values = {COUNT: equal, LENGTH: equal + below, MAXIMUM: x[0], beta: x[1]}
    exponent = sympy.expand(bound.exponent - beta * MAXIMUM)
    side = ar.formula(bound.count * sympy.exp(exponent), {k: values[k] for k in sorted(values, key=str)})
    return side, equal + np.exp(-x[1] * x[2:]).sum()


@constant
def _gap(letters: int) -> Real:
    return 1 - maximum((0, cos(TURN / letters)))


def _excess(margin: Any, setting: tuple[int, int], x: Any, ar: Any) -> Pair:
    """The excess of competitors of any type and share against what the claim allows for them all."""
    letters, length = setting
    shares, types, lost, scale = x[: length - 1], x[length - 1 : -2], x[-2], np.exp(x[-1])
    total = 0
    for share, kind in zip(shares, types, strict=True):
        steps = int(np.round(float(getattr(kind, "arb", kind))))
        logit = share * ar.cos_pi(ar.number(Fraction(2 * steps, letters)))
        part = (1 - share if steps == 0 else 1) - lost
        if part > 0:
            total = total + part * np.exp(-scale * (1 - logit))
    values = {D: lost, beta: scale, delta: ar.number(_gap(letters)), n: ar.number(length)}
    most = ar.largest([ar.formula(term, values) for term in margin.terms])
    return total, ar.formula(margin.competitors, values) * most


def _excess_axes(setting: tuple[int, int]) -> list[Axis]:
    letters, length = setting
    keys = range(1, length)
    # A whole token of the nearest wrong type is an equality case.
    shares = [Axis(f"share_{j}", 0, 0.999) for j in keys]
    types = [Axis(f"type_{j}", 0, letters - 1, "letters", whole=True) for j in keys]
    return [*shares, *types, Axis("D", 0.05, 0.6), Axis("ln beta", -1, 4)]


SOFTMAX = [
    Duel(
        "attention-loss",
        "lost share, (competitors)",
        (2, 1, 3),
        _loss_axes,
        _lost,
        ("one factor g", "what is partly right keeps its weight", "D counted twice"),
        exact=True,
    ),
    Duel(
        "softmax-dispersion-bounded-logits",
        "largest weight, (n, e^R)",
        ((2, 4), (3, 2), (8, 32)),
        _exponentials,
        _highest,
        ("n in place of n - 1", "e^R/n attained", "without range"),
        exact=True,
        sharp=True,
    ),
    Duel(
        "softmax-dispersion-bounded-logits",
        "least weight, (n, e^R)",
        ((2, 4), (3, 2), (8, 32)),
        _exponentials,
        _lowest,
        ("only the target may differ by R", "e^R/n attained", "without range"),
        exact=True,
        sharp=True,
    ),
    Duel(
        "hard-to-soft-quantitative",
        "what is lost over what is gained, (n, |J|)",
        ((3, 1), (2, 1), (5, 2)),
        _soft_axes,
        _soft,
        ("n0/2 in place of n0 - 1", "1/lambda dropped", "without n0", "without lambda"),
    ),
    Duel(
        "hard-to-soft-printed-step",
        "lower bound of the sum of exponentials, (k, other logits)",
        ((1, 1), (2, 3)),
        lambda setting: [
            Axis("mu", -3, 3, "logit"),
            Axis("beta", 0.2, 4),
            *(Axis(f"gap_{j}", 0.1, 4, "logit") for j in range(setting[1])),
        ],
        _step,
        ("n in place of k", "k e^(mu/beta)"),
    ),
    Duel(
        "letter-decoder-excess",
        "excess of competitors, (A, n)",
        ((8, 2), (3, 3), (2, 3), (5, 5)),
        _excess_axes,
        _excess,
        ("wrong tokens only", "shares of the right token only", "n - 2 competitors"),
    ),
]
