"""Partial induction and where targets are found: frequencies and phases are free."""

from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import numpy as np

from tests.adversary.arithmetic import constant
from tests.adversary.duel import Axis, Duel, Pair
from theory.arithmetic.real import Real
from theory.rope.expressivity.partial_induction import induction_logit
from theory.rope.expressivity.recency_gap import sine_gap
from theory.rope.universal_limits.m_frequency_gaps import gap_at


def _induction(head: Any, length: int, x: Any, ar: Any) -> Pair | None:
    """The best rival of each possible target, where g falls on 1..n-1; theta in turns, psi beside a centred phase."""
    theta, phase = x[0], Fraction(1, 4) - x[0] * ar.number(Fraction(length, 2)) + x[1]
    angle, psi = 2 * ar.pi * theta, 2 * ar.pi * phase
    gains = np.cos(np.arange(1, length) * angle + psi)
    if not all(near > far for near, far in pairwise(gains)):
        return None
    notch = 1 - ar.cos_pi(ar.number(Fraction(2, head.letters)))
    amplitude = head.amplitude(gains[0] - gains[-1], notch)

    offsets, logits = range(1, length), {}
    for letter, offset in product(range(head.letters), offsets):
        turned = 2 * ar.pi * ar.number(Fraction(letter, head.letters) + offset * head.drift)
        logits[letter, offset] = induction_logit(turned, offset, amplitude, angle, psi, np.cos)
    excess = []
    for target in offsets:
        other = [logits[kappa, t] for kappa, t in logits if kappa and t != target]
        same = [logits[0, t] for t in offsets if (t > target if head.latest else t < target)]
        excess += [rival - logits[0, target] for rival in other + same]
    # Logits differ by 2 (B + 1) at most.
    return 1 + ar.largest(excess) / (2 * amplitude + 2), 1


def _induction_axes(length: int) -> tuple[Axis, ...]:
    return Axis("theta", 0.001, 0.5 / (length - 2), "turns"), Axis("psi", -0.2, 0.21, "turns")


@constant
def _aligned_bound(aligned: Any, length: int) -> Real:
    return Real.of(aligned.optimum(length))


def _aligned(aligned: Any, length: int, x: Any, ar: Any) -> Pair | None:
    if length < aligned.shortest:
        return None
    found = ar.least(sine_gap(np.arange(1, length - 1), x[0], 0, np.sin))
    return found, ar.number(_aligned_bound(aligned, length))


def _falls(aligned: Any, length: int, x: Any, ar: Any) -> Pair:
    """g falls strictly on 1..n-1 where it is said to, and nowhere else; steps lie between -2 and 2."""
    least = ar.least(sine_gap(np.arange(1, length - 1), ar.pi * x[0], 0, np.sin))
    falls = aligned.falls(length, Fraction(float(getattr(x[0], "arb", x[0]))))
    return 2 - least if falls else 2 + least, 2


@constant
def _phase_bound(phased: Any, length: int) -> Real:
    return phased.bound(length)


def _phase(phased: Any, length: int, x: Any, ar: Any) -> Pair:
    found = ar.least(sine_gap(np.arange(1, length - 1), x[0], x[1], np.sin))
    return found, ar.number(_phase_bound(phased, length))


def _u_shape(shape: Any, length: int, x: Any, ar: Any) -> Pair | None:
    """The weights of the target fall to the middle, and rise after it, exactly where the condition says so."""
    turns, scale = x[0], np.exp(x[1]) * shape.beta
    weights = []
    for target in range(1, length + 1):
        offsets = np.array([t - target for t in range(1, length + 1)])
        weights.append(1 / np.exp(-scale * gap_at(offsets, [1], [turns], ar.sin_pi)).sum())
    half = (length - 1) // 2
    rises = [there - here for here, there in pairwise(weights)]
    steps = [-rise for rise in rises[:half]] + rises[length - 1 - half :]
    shaped = ar.least([shape.direction * step for step in steps])
    exact = Fraction(float(getattr(turns, "arb", turns)))
    return 1 + (-shaped if shape.rule(length, exact) else shaped), 1


def _inverse_u(shape: Any, setting: Any, x: Any, ar: Any) -> Pair | None:
    """Of two offsets in the window, the one nearer to the top has the larger logit; turns."""
    window = ar.number(shape.reach(9))
    span, phase = x[0] * window, None
    low = ar.number(shape.low)
    phase = low + x[1] * (ar.number(Fraction(3, 4)) if _fixed(shape) else span - low)
    here, there = x[2] * span, x[3] * span
    nearer = abs(here - shape.peak * phase) - abs(there - shape.peak * phase)
    if nearer > 0:
        here, there = there, here
    elif not nearer < 0:
        return None
    return 2 + ar.cos_pi(2 * (there - phase)), 2 + ar.cos_pi(2 * (here - phase))


def _fixed(shape: Any) -> bool:
    """Whether phi may leave the window."""
    return bool(shape.high(Fraction(1, 10)) > Fraction(1, 10))


RECENCY = [
    Duel(
        "partial-induction-two-angles",
        "rivals of the latest match, (n)",
        (4, 3, 7),
        _induction_axes,
        _induction,
        ("B = 2.1 for eight letters", "plane 1 rotates too", "the first match", "without amplitude"),
        strict=True,
    ),
    Duel(
        "partial-induction-recency-aligned",
        "least step at phase 0, (n)",
        (5, 9, 4, 20),
        lambda _: (Axis("theta", 0.001, np.pi, "radians"),),
        _aligned,
        ("offset 0 included", "1 - cos(pi/n)", "without five tokens"),
    ),
    Duel(
        "partial-induction-recency-aligned",
        "where the cosine falls, (n)",
        (5, 3, 9),
        lambda _: (Axis("theta", 0.001, 1, "half turns"),),
        _falls,
        ("falls iff (n - 1) theta <= pi",),
    ),
    Duel(
        "partial-induction-recency-phase",
        "least step at any phase, (n)",
        (5, 8, 20),
        lambda length: (Axis("theta", 0.001, np.pi, "radians"), Axis("psi", -3.1, 3.2, "radians")),
        _phase,
        ("the aligned optimum", "1/(n - 2)", "1.05/n"),
        sharp=True,
    ),
    Duel(
        "index-u-shape",
        "steps of the target's weight, (n)",
        (3, 5, 8),
        lambda _: (Axis("theta", 0.001, 0.499, "turns"), Axis("ln beta", -2, 3)),
        _u_shape,
        ("(n - 1) theta <= pi", "maximum in the middle"),
    ),
    Duel(
        "symbolic-inverse-u",
        "logits of two offsets in the window",
        ((),),
        lambda _: [Axis(name, 0.001, 1) for name in ("span", "phi", "here", "there")],
        _inverse_u,
        ("top at 2 phi", "top at the query", "without phi from 0", "without phi in the window"),
    ),
]
