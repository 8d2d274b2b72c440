"""The inverse temperature of the Retrieval heads, on LI and on LL queries."""

from fractions import Fraction
from typing import Any

import numpy as np

from tests.adversary.arithmetic import constant
from tests.adversary.duel import Axis, Duel, Pair
from tests.adversary.duels.retrieval import SHARE, frequency, rivals
from theory.arithmetic.real import Real
from theory.rope.retrieval.collision_scale import same_letter
from theory.rope.retrieval.residual import margin
from theory.rope.retrieval.softmax import Places, sine_gap, worst_places

LOG_BETA = Axis("ln beta", -2, 6)


@constant
def _order_bound(order: Any, letters: int, length: int) -> Real:
    return order.bound(letters, length)


def _order(order: Any, setting: tuple[int, int], x: Any, ar: Any) -> Pair | None:
    """At the scale that is not enough, the competitors weigh more than the target."""
    letters, length = setting
    if length < order.shortest:
        return None
    turns, scale = frequency(x[0], order.reach, letters, length, ar), ar.number(_order_bound(order, letters, length))
    return 1, np.exp(-scale * 2 * ar.sin_pi(np.arange(1, length) * turns) ** 2).sum()


def _collision(rule: Any, setting: tuple[int, int], x: Any, ar: Any) -> Pair:
    """The weight of one token in all earlier places over that of the target."""
    letters, length = setting
    turns, scale = frequency(x[0], rule.reach, letters, max(length - 1, 1), ar), np.exp(x[1])
    step, logits = ar.number(Fraction(1, letters)), [*rivals(letters, range(1, length), turns, ar)]
    if rule.phases is not same_letter:  # else that is the claimed sum, term by term
        logits.append(ar.cos_pi(2 * np.arange(1, length) * turns))
    claimed = sum(np.exp(scale * (ar.cos_pi(2 * phase) - 1)) for phase in rule.phases(length, turns, step))
    return ar.largest([np.exp(scale * (row - 1)).sum() for row in logits]), claimed


def _weight(setting: tuple[int, int], reach: Fraction, places: list[Places], x: Any, ar: Any) -> Any:
    """The heaviest competitor of these inputs, one rival token in all other places."""
    letters, length = setting
    turns, scale = frequency(x[0], reach, letters, length - 1, ar), np.exp(x[1])
    step = ar.number(Fraction(2, letters))
    gaps = (sine_gap(step, 2 * turns, target, np.array(rivals), ar.sin_pi) for target, rivals in places)
    return ar.largest([np.exp(-scale * row).sum() for row in gaps])


def _decoding(threshold: Any, setting: tuple[int, int], x: Any, ar: Any) -> Pair | None:
    """Where all inputs are said to decode no competitor outweighs its target; (x,1) cannot be the query."""
    _, length = setting
    if not _weight(setting, threshold.reach, threshold.places(length), x, ar) < 1:
        return None
    further_in = [(s, [r for r in range(1, length) if r != s]) for s in range(1, length - 1)]
    return _weight(setting, threshold.reach, [*worst_places(length), *further_in], x, ar), 1


def _failing(threshold: Any, setting: tuple[int, int], x: Any, ar: Any) -> Pair | None:
    """Where they are not, one does."""
    _, length = setting
    if not _weight(setting, threshold.reach, threshold.places(length), x, ar) >= 1:
        return None
    return 1, _weight(setting, threshold.reach, worst_places(length), x, ar)


def _residual(residual: Any, length: int, x: Any, ar: Any) -> Pair:
    """At any relative weight of the other letters."""
    far, gain, same = x[0], x[1], int(x[2])
    # Margins lie above -1.
    return 2 + residual.bound(gain, length), 2 + margin(gain, length, same, far)


SCALES = [
    Duel(
        "retrieval-collision-order",
        "weight at the scale that is not enough, (A, n0)",
        ((8, 4), (26, 3), (2, 7), (2, 2)),
        lambda _: (SHARE,),
        _order,
        (
            "constant of one token more",
            "the limit of the constants",
            "twice the constant",
            "without theta < omega/(2 n0)",
            "without n0 >= 3",
        ),
        strict=True,
    ),
    Duel(
        "retrieval-collision-threshold",
        "weight of one token in all earlier places, (A, n)",
        ((2, 3), (3, 5), (8, 9)),
        lambda _: (Axis("share", 0.001, 0.999), LOG_BETA),
        _collision,
        ("n - 2 competitors", "only other letters compete", "order A^2 log n", "without (n - 1) theta <= omega/2"),
    ),
    Duel(
        "retrieval-softmax-threshold",
        "competitors where all inputs are said to decode, (A, n)",
        ((3, 4), (2, 5), (8, 6)),
        lambda _: (SHARE, LOG_BETA),
        _decoding,
        ("n - 2 rivals", "the letter above is the worst", "only the farthest target", "only the nearest target"),
    ),
    Duel(
        "retrieval-softmax-threshold",
        "competitors where some input is said to fail, (A, n)",
        ((3, 4), (2, 5), (8, 6)),
        lambda _: (SHARE, LOG_BETA),
        _failing,
        ("omega - n theta in the exponent",),
    ),
    Duel(
        "retrieval-repaired-residual",
        "least margin of an LI query, (n)",
        (2, 5, 20),
        lambda length: (
            Axis("weight", 0.001, 1),
            Axis("r", 0, 2),
            Axis("same letter", 0, length - 1, "tokens", whole=True),
        ),
        _residual,
        ("r - 1 + 3/n", "r - 1 + 1/n", "r - 1 + 2/(n + 1)"),
        exact=True,
        sharp=True,
    ),
]
