"""Rounded angles, emulated on fractions: the adversary picks frequencies and positions."""

from fractions import Fraction
from typing import Any

import numpy as np

from tests.adversary.arithmetic import constant
from tests.adversary.duel import Axis, Duel, Pair
from theory.rope.precision.angle_order import CLAIM as ORDER
from theory.rope.precision.gap_saturation import half_spacing
from theory.rope.precision.logit_rounding import nearest
from theory.rope.universal_limits.m_frequency_gaps import gap_at

THETA = Axis("theta", 0.3, 1.2, "radians")


def _position(name: str, last: float) -> Axis:
    return Axis(name, 0, last, "tokens", whole=True)


def _angle(error: Any, precision: int, x: Any, ar: Any) -> tuple[Any, Any]:
    return _angle_errors(error, precision, x)[0]


def _stored(error: Any, precision: int, x: Any, ar: Any) -> tuple[Any, Any]:
    return _angle_errors(error, precision, x)[1]


def _angle_errors(error: Any, precision: int, x: Any) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    """Against t theta and against t fl(theta); both bounds are relative to t theta, and t >= 1."""
    theta, t, u = x[0], int(x[1]), Fraction(1, 2**precision)
    stored = error.fl(theta, precision)
    position = nearest(Fraction(t), precision) if error.beyond else Fraction(t)
    found = error.fl(position * stored, precision)
    return (abs(found - t * theta), error.true(u, t) * theta), (abs(found - t * stored), error.stored(u, t) * stored)


def _angle_axes(precision: int) -> tuple[Axis, ...]:
    return Axis("theta", 0.02, 1.2, "radians"), Axis("t", 1, 2**precision, "tokens", whole=True)


def _phase(shift: Any, precision: int, x: Any, ar: Any) -> Pair | None:
    stored, i, j = nearest(x[0], precision), int(x[1]), int(x[2])
    if i == j:  # no error, whatever is claimed
        return None
    a, b = (nearest(nearest(Fraction(t), precision) * stored, precision) for t in (i, j))
    return abs(a - b - (i - j) * stored), Fraction(shift.bound(i, j), 2**precision) * stored


def _margin(certificate: Any, stored: Fraction, n: int, precision: int, ar: Any) -> Any:
    """The certificate's margin, 2 pi D less the errors of two angles, in radians."""
    turns = ar.number(stored) / (2 * ar.pi)
    steps = np.arange(1, n) * turns
    least = ar.least([abs(step - np.round(float(getattr(step, "arb", step)))) for step in steps])
    return 2 * ar.pi * least - ar.number(certificate.loss * (n - 1) * stored / 2**precision)


def _apart(certificate: Any, precision: int, x: Any, ar: Any) -> Pair | None:
    """No two rounded phases come closer to a multiple of 2 pi than the margin; distances lie below 4."""
    stored, n, i = _numbers(x, precision)
    angles = [nearest(t * stored, precision) for t in range(n)]
    moved = [ar.number(angles[i] - angles[j]) / (2 * ar.pi) for j in range(n) if j != i]
    near = [2 * ar.pi * abs(turn - np.round(float(getattr(turn, "arb", turn)))) for turn in moved]
    return 4 + _margin(certificate, stored, n, precision, ar), 4 + ar.least(near)


def _hopeless(certificate: Any, precision: int, x: Any, ar: Any) -> Pair | None:
    """Where it is said to be impossible, the margin is not positive."""
    stored, n, _ = _numbers(x, precision)
    if not ar.number(n * (n - 1) * stored / 2**precision) >= ar.number(certificate.impossible) * ar.pi:
        return None
    return 4 + _margin(certificate, stored, n, precision, ar), 4


def _numbers(x: Any, precision: int) -> tuple[Fraction, int, int]:
    theta, n, i = (Fraction(float(getattr(value, "arb", value))) for value in x)
    return nearest(theta, precision), int(n), min(int(i), int(n) - 1)


def _order_axes(precision: int) -> tuple[Axis, ...]:
    last = 2**precision
    return (
        Axis("theta", 0.25, 3.9, "radians"),
        Axis("n", 2, last + 1, "tokens", whole=True),
        _position("i", last),
    )


@constant
def _spacing(precision: int) -> Fraction:
    return half_spacing(precision)


def _saturates(saturation: Any, precision: int, x: Any, ar: Any) -> Pair:
    n = saturation.length(precision)
    return ar.least(gap_at(np.arange(1, n), [1], [x[0]], ar.sin_pi)), ar.number(_spacing(precision))


ANGLES = [
    Duel(
        "float-angle-error",
        "error against t theta, (p)",
        (3, 5, 11),
        _angle_axes,
        _angle,
        ("one rounding against theta", "independent of t", "without no underflow"),
        exact=True,
        rounds=True,
    ),
    Duel(
        "float-angle-error",
        "error against t fl(theta), (p)",
        (3, 5, 11),
        _angle_axes,
        _stored,
        ("products are exact", "half a rounding", "independent of t"),
        exact=True,
        rounds=True,
    ),
    Duel(
        "float-relative-phase",
        "error of a relative phase, (p)",
        (4, 6, 11),
        lambda p: (THETA, _position("i", 2**p), _position("j", 2**p)),
        _phase,
        ("exactly relative", "in proportion to the offset", "one of the two errors"),
        exact=True,
        rounds=True,
    ),
    Duel(
        ORDER,
        "margin against rounded phases, (p)",
        (3, 4, 6),
        _order_axes,
        _apart,
        ("one error", "no error"),
    ),
    Duel(
        ORDER,
        "margin beyond the length at which it ends, (p)",
        (4, 6),
        _order_axes,
        _hopeless,
        ("impossible from pi/(2 u theta) on",),
    ),
    Duel(
        "float-gap-saturation",
        "gap from the length at which it is lost, (p)",
        (2, 4, 7),
        lambda _: (Axis("theta", 1e-4, 0.5, "turns"),),
        _saturates,
        ("the spacing, not half of it", "one length less"),
    ),
]
