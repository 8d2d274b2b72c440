"""Rounded logits and averages, emulated on fractions: the adversary picks codes, turns and weights."""

from fractions import Fraction
from typing import Any

import numpy as np

from tests.adversary.arithmetic import Ball
from tests.adversary.duel import Axis, Duel, Pair
from theory.rope.precision.logit_rounding import nearest, rotated
from theory.rope.precision.softmax_rounding import gamma


def _code(t: Fraction) -> tuple[Fraction, Fraction]:
    """A point of the unit circle by the tangent of half its angle."""
    return (1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)


def _logit(rounding: Any, precision: int, x: Any, ar: Any) -> Pair:
    q, k, turn_q, turn_k = map(_code, x)
    a, b = rotated(q, turn_q, precision), rotated(k, turn_k, precision)
    products = [nearest(one * other, precision) for one, other in zip(a, b, strict=True)]
    a, b = rotated(q, turn_q, None), rotated(k, turn_k, None)
    error = abs(nearest(products[0] + products[1], precision) - (a[0] * b[0] + a[1] * b[1]))
    return error, rounding.bound(Fraction(1, 2**precision), 1)


HALF_PRECISION = 11


def _in_format(rounding: Any, last: int, x: Any, ar: Any) -> Pair:
    """Half precision, the key at 0: phases are exact or formed in the format, then cosines and sines rounded."""
    theta, t, code = x[0], x[1], x[2:]
    exact = t * theta
    place = exact
    if rounding.angles_in_format:
        product = Fraction(float(getattr(t, "arb", t))) * Fraction(float(getattr(theta, "arb", theta)))
        place = ar.number(nearest(product, HALF_PRECISION))
    table = [_rounded(f(place)) for f in (np.cos, np.sin)]
    q, k = ([Fraction(float(getattr(c, "arb", c))) for c in half] for half in (code[:2], code[2:]))
    a = rotated(q, table, HALF_PRECISION)
    b = rotated(k, (Fraction(1), Fraction(0)), HALF_PRECISION)
    products = [nearest(one * other, HALF_PRECISION) for one, other in zip(a, b, strict=True)]
    found = ar.number(nearest(products[0] + products[1], HALF_PRECISION))
    cosine, sine = np.cos(exact), np.sin(exact)
    true = code[2] * (cosine * code[0] - sine * code[1]) + code[3] * (sine * code[0] + cosine * code[1])
    norms = np.sqrt((code[0] ** 2 + code[1] ** 2) * (code[2] ** 2 + code[3] ** 2))
    return abs(found - true), norms * ar.number(rounding.bound(Fraction(1, 2**HALF_PRECISION), 1))


def _rounded(value: Any) -> Fraction:
    """A cosine of float64 or a ball, far narrower than the format's spacing, to the format."""
    middle = Fraction(float(value.arb.mid())) if isinstance(value, Ball) else Fraction(float(value))
    return nearest(middle, HALF_PRECISION)


def _average(rounding: Any, setting: tuple[int, int], x: Any, ar: Any) -> Pair | None:
    """One key of weight 1 and n - 1 of a small one, exp off by up to 4u, one key carries the value."""
    precision, n = setting
    small, off, target = x[0], x[1], int(x[2])
    u = Fraction(1, 2**precision)
    if rounding.roundings(n) * u >= 1:
        return None
    exps = [Fraction(1)] + [small] * (n - 1)
    # Rounded itself: 3u and a rounding are at most 4u.
    rough = [exps[0], *(nearest(e * (1 + 3 * off * u * (1 - u)), precision) for e in exps[1:])]
    total = Fraction(0)
    for e in rough:
        total = nearest(total + e, precision)
    exact = exps[-target] / sum(exps)
    return abs(nearest(rough[-target] / total, precision) - exact), gamma(rounding.roundings(n), u) * exact


def _average_axes(setting: tuple[int, int]) -> tuple[Axis, ...]:
    precision, n = setting
    return (
        Axis("exp", 2.0 ** -(precision + 2), 0.9),
        Axis("error of exp", -1, 1, "3u"),
        Axis("key", 0, min(1, n - 1), whole=True),
    )


ROUNDING = [
    Duel(
        "rope-logit-rounding",
        "error of a logit, (p)",
        (3, 4, 8),
        lambda _: [Axis(f"tan({name}/2)", -1, 1) for name in ("q", "k", "i theta", "j theta")],
        _logit,
        ("only the dot product rounds", "one rounding in all"),
        exact=True,
        rounds=True,
    ),
    Duel(
        "rope-logit-rounding",
        "error of a logit in half precision, (last position)",
        (2000,),
        lambda last: [
            Axis("theta", 0.1, 1, "radians"),
            Axis("t", 1, last, "tokens", whole=True),
            *(Axis(f"{name}_{c}", 0.3, 1) for name in "qk" for c in (1, 2)),
        ],
        _in_format,
        ("angles formed in the format",),
    ),
    Duel(
        "softmax-average-rounding",
        "error of an average, (p, n)",
        ((7, 2), (8, 24), (7, 8)),
        _average_axes,
        _average,
        ("no growth with the length", "one rounding a key"),
        exact=True,
        rounds=True,
    ),
]
