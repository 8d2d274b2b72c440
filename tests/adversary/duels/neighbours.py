"""Neighbouring theory: aligned norms, bases, the semantic flip and planes at rest."""

from fractions import Fraction
from typing import Any

import numpy as np

from tests.adversary.arithmetic import Ball
from tests.adversary.duel import Axis, Duel, Pair
from tests.adversary.duels.phases import planes, worst
from theory.rope.neighbours.men_bases import CLAIM as BASES
from theory.rope.neighbours.men_bases import WIDEST_EXACT
from theory.rope.neighbours.semantic_flip import CLAIM as FLIP
from theory.rope.universal_limits.m_frequency_gaps import gap_at


def _middle(value: Any) -> float:
    return float(value.arb.mid()) if isinstance(value, Ball) else float(value)


def _attention(claimed: Any, setting: tuple[int, int, int, int], x: Any, ar: Any) -> Pair | None:
    """What the competitors take at the norm that is said to leave them eps, for a target at offset r of n keys."""
    m, most, length, offset = setting
    turns, shares, eps = x[:m], x[m : 2 * m], x[-1]
    gap = worst(shares, turns, claimed.length(most) - 1, ar)
    odds = claimed.odds(most, eps)
    if not (gap > 1e-9 and odds > 0):
        return None
    scale = abs(np.log(odds)) / gap
    places = np.array([t - offset for t in range(length) if t != offset])
    if claimed.phase:
        off = ar.number(claimed.phase)
        parts = (
            a * (np.cos(2 * ar.pi * places * turn + off) - np.cos(off)) for a, turn in zip(shares, turns, strict=True)
        )
        lost = np.exp(scale * sum(parts)).sum()
    else:
        lost = np.exp(-scale * gap_at(places, shares, turns, ar.sin_pi)).sum()
    return lost / (1 + lost), eps


def _diagonal(claimed: Any, setting: Any, x: Any, ar: Any) -> Pair:
    """Logits of bos, and of x and itself at distance 1 on a plane that turns, with query and key x."""
    bos, norm = x
    turned = norm * (ar.cos_pi(ar.number(2 * claimed.turns)) - 1) if claimed.turns else ar.number(0)
    others = np.exp(turned) + (np.exp(bos - norm) if claimed.first else 0)
    return 1 / (1 + others), ar.number(claimed.bound)


def cosine_sums(base: Any, d: int, length: int, ar: Any) -> Any:
    """B_m for 1 <= m < length; planes turn by base^(-2 j/d)."""
    angles = [np.exp(np.log(base) * ar.number(Fraction(-2 * j, d))) for j in range(d // 2)]
    return sum(np.cos(np.arange(1, length) * angle) for angle in angles)


def _pattern(pattern: Any, number: int, x: Any, ar: Any) -> Pair | None:
    """All B_m >= 0, or one below 0, for every base of a range; sums lie between -d and d."""
    if number >= len(pattern.ranges):
        return None
    (low, high), good = pattern.ranges[number]
    base = ar.number(low) + x[0] * ar.number(high - low)
    least = ar.least(cosine_sums(base, pattern.d, pattern.length, ar))
    return (pattern.d - least if good else pattern.d + least), pattern.d


def _larger(larger: Any, setting: tuple[int, int], x: Any, ar: Any) -> Pair | None:
    """An admissible base, and a larger one; at any width and length that the statement speaks of."""
    d, length = setting
    if d not in larger.widths or length not in larger.lengths:
        return None
    low = larger.least + x[0] * (WIDEST_EXACT - larger.least)
    high = low + x[1] * (WIDEST_EXACT - low)
    if not ar.least(cosine_sums(low, d, length, ar)) >= 0:
        return None
    return d - ar.least(cosine_sums(high, d, length, ar)), d


def _flip(flip: Any, whole: int, x: Any, ar: Any) -> Pair | None:
    """Where pi/theta has this whole part: some r1 != r2 with a target below 0 and a distractor above."""
    inverse = ar.number(Fraction(2 * whole)) + 2 * x[0]
    turns = 1 / inverse
    if not flip.admits(_middle(turns)):
        return None
    n = int(flip.length(whole))
    offsets = np.arange(n)
    target, other = (ar.cos_pi(2 * (offsets * turns + phase)) for phase in x[1:])
    pairs = [ar.largest([target[a], -other[b]]) for a in range(n) for b in range(n) if a != b]
    return 1 + ar.least(pairs), 1


def _rest(margin: Any, setting: tuple[int, int], x: Any, ar: Any) -> Pair | None:
    """The least target less distractor, whose phases keep it longest near the middle of the window."""
    m, length = setting
    turns, sizes, others, phases = x[:m], x[m : 2 * m], x[2 * m : 3 * m], x[3 * m :]
    places = np.arange(length) - (length - 1) / 2
    target, other = (
        sum(a * ar.cos_pi(2 * (places * t + p)) for a, t, p in zip(size, turns, phase, strict=True))
        for size, phase in ((sizes, phases[:m]), (others, phases[m:] + 0.5))
    )
    pairs = [target[a] - other[b] for a in range(length) for b in range(length) if a != b]
    bound = margin.averaged(length, sizes, others, [ar.sin_pi(turn) for turn in turns])
    most = sizes.sum() + others.sum()
    return (ar.least(pairs), bound) if bound < most else None


def _rest_axes(setting: tuple[int, int]) -> list[Axis]:
    m, length = setting
    turns = [Axis(f"theta_{k}", 0.2 / length, 0.5, "turns") for k in range(m)]
    sizes = [Axis(f"{name}_{k}", 0.01, 1, "logit") for name in ("c", "c'") for k in range(m)]
    phases = [Axis(f"{name}_{k}", -0.25, 0.26, "turns") for name in ("psi", "psi'") for k in range(m)]
    return [*turns, *sizes, *phases]


def _flip_axes(whole: int) -> list[Axis]:
    return [Axis("part of pi/theta", 0.001, 0.999), Axis("psi_1", 0, 1, "turns"), Axis("psi_2", 0, 1, "turns")]


NEIGHBOURS = [
    Duel(
        "barbero-attention-bound",
        "weight of the competitors, (planes, N, n, r)",
        ((1, 3, 3, 0), (2, 5, 5, 1), (2, 5, 4, 3), (3, 9, 9, 4)),
        lambda setting: planes(setting[0], Axis("eps", 0.005, 0.6)),
        _attention,
        ("one competitor", "one competitor too few", "the gap of length N - 1", "without aligned"),
    ),
    Duel(
        "barbero-nope-diagonal",
        "weight of the last of (bos, x, x)",
        ((),),
        lambda _: (Axis("logit of bos", -30, 30, "logit"), Axis("logit of x", 0.1, 30, "logit")),
        _diagonal,
        ("a third at most", "below 49/100", "without bos", "without no rotation"),
        strict=True,
    ),
    Duel(
        BASES,
        "least cosine sum, (range of bases)",
        (2, 0, 1, 3),
        lambda _: (Axis("share of the range", 0, 1),),
        _pattern,
        ("any larger base", "what bisection from 2 to 300 finds", "one length less", "one length more"),
    ),
    Duel(
        "men-any-larger-base",
        "least cosine sum of the larger base, (d, L)",
        ((8, 16), (6, 12), (8, 20)),
        lambda _: (Axis("b", 0, 1), Axis("b'", 0, 1)),
        _larger,
        ("at d = 8 and L = 16 only", "bases from 200 on"),
    ),
    Duel(
        FLIP,
        "no flip, (floor(pi/theta))",
        (1, 2, 5),
        _flip_axes,
        _flip,
        ("n >= pi/theta", "one window", "one offset less"),
        strict=True,
    ),
    Duel(
        "semantic-flip-sharp-length",
        "no flip, (floor(pi/theta))",
        (2, 3, 6),
        _flip_axes,
        _flip,
        ("one window",),
        strict=True,
    ),
    Duel(
        "symbolic-margin-needs-zero-frequency",
        "target less distractor, (planes, n)",
        ((1, 6), (1, 24), (2, 9)),
        _rest_axes,
        _rest,
        ("1/h^2", "the target's amplitudes only", "the distractor's amplitudes only", "a quarter"),
    ),
]
