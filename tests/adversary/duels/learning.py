"""The copy task and words learned with one margin: probabilities, losses and logits of any model."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from tests.adversary.duel import Axis, Duel, Pair
from theory.arithmetic.ball import evaluate
from theory.compact.copy_task.perplexity import N, eps, floor, moved
from theory.compact.copy_task.sampling import N as LETTERS
from theory.compact.copy_task.sampling import gamma, zeta

HALF = Fraction(1, 2)


def _excess(claimed: Any, setting: tuple[int, Fraction, Fraction], x: Any, ar: Any) -> Pair:
    """Right letters of more than 1/2 + epsilon, which move by up to epsilon'; the first one is flipped."""
    length, margin, least = setting
    p, moves, close, other = x[:length], x[length : 2 * length], x[-2], x[-1]
    q = p[1:] + close * moves[1:]
    found = np.log(p).sum() - np.log(q).sum() - np.log(other)
    values = {N: ar.number(length), eps: ar.number(margin), moved: close, floor: ar.number(least)}
    return abs(found) / length, ar.formula(claimed.difference, values)


def _excess_axes(setting: tuple[int, Fraction, Fraction]) -> list[Axis]:
    length, margin, least = setting
    # A letter that moves up may not pass 1.
    sure = [Axis(f"p_{k}", float(HALF + margin), float(1 - margin)) for k in range(length)]
    moves = [Axis(f"move_{k}", -1, 1) for k in range(length)]
    return [*sure, *moves, Axis("epsilon'", 0.001, float(margin)), Axis("p(flipped)", float(least), 0.5)]


def _wrong(claimed: Any, letters: int, x: Any, ar: Any) -> Pair:
    """What is left to wrong letters, letter 0 being right, before and after the logits change."""
    logits, changes = x[:letters], x[letters:]
    before, after = (claimed.readout(list(np.exp(z))) for z in (logits, logits + changes))
    size = claimed.size(list(changes))
    return sum(after[1:]), np.exp(claimed.factor * size) * sum(before[1:])


def _lost(side: str) -> Any:
    def play(claimed: Any, length: int, x: Any, ar: Any) -> Pair:
        """Every letter loses a share of what it may lose."""
        shares, loss, change = x[:length], x[-2], x[-1]
        most = ar.least([ar.number(1), np.exp(change) * loss])
        values = {LETTERS: length, gamma: loss, zeta: change}
        return 1 - np.prod(1 - shares * most), ar.formula(getattr(claimed, side), values)

    return play


def _lost_axes(length: int) -> list[Axis]:
    shares = [Axis(f"share_{k}", 0, 1 - 1e-6) for k in range(length)]  # at 1 both sides are one number
    return [*shares, Axis("gamma", 0.001, 0.4), Axis("zeta", 0, 2)]


def _residual(claimed: Any, letters: int, x: Any, ar: Any) -> Pair:
    """Squares, which are rational: |p - y|^2 against factor^2 (1 - p_y)^2, weights of letter 0 being right."""
    p = [value / sum(x) for value in x]
    square = evaluate(claimed.factor**2).exact
    return (p[0] - 1) ** 2 + sum(value**2 for value in p[1:]), square * (1 - p[0]) ** 2


def _apart(claimed: Any, letters: int, x: Any, ar: Any) -> Pair | None:
    """Outputs that prefer letters 0 and 1 by a margin: how far apart they are."""
    first, second = ([value / sum(part) for value in part] for part in (x[:letters], x[letters:]))
    margin = first[0] - max(first[1:])
    other = second[1] - max(value for letter, value in enumerate(second) if letter != 1)
    if not (margin > 0 and other >= claimed.share * margin):
        return None
    gap = max(abs(a - b) for a, b in zip(first, second, strict=True))
    return claimed.apart * margin, gap


LEARNING = [
    Duel(
        "copy-task-perplexity",
        "difference of log-perplexities, (N, epsilon, p_min)",
        ((1, Fraction(1, 10), Fraction(1, 100)), (3, Fraction(1, 5), Fraction(1, 100)), (8, Fraction(1, 20), HALF / 5)),
        _excess_axes,
        _excess,
        ("all terms within epsilon'", "half of the bad term"),
    ),
    Duel(
        "copy-task-sampling",
        "what is left to wrong letters, (letters)",
        (2, 3, 6),
        lambda letters: [
            *(Axis(f"z_{s}", -3, 3, "logit") for s in range(letters)),
            *(Axis(f"change_{s}", -2, 2, "logit") for s in range(letters)),
        ],
        _wrong,
        ("without e^zeta", "zeta in sup norm", "without softmax"),
    ),
    Duel(
        "copy-task-sampling",
        "N letters, the product",
        (2, 1, 5),
        _lost_axes,
        _lost("sharp"),
        ("one letter",),
    ),
    Duel(
        "copy-task-sampling",
        "N letters, the sum",
        (2, 1, 5),
        _lost_axes,
        _lost("linear"),
        ("linear without e^zeta",),
    ),
    Duel(
        "copy-task-gradient",
        "|p - y|^2, (letters)",
        (2, 3, 5),
        lambda letters: [Axis(f"w_{s}", 0.01, 1) for s in range(letters)],
        _residual,
        ("1 for sqrt(2)", "7/5 for sqrt(2)"),
        exact=True,
    ),
    Duel(
        "margin-separation",
        "outputs that prefer different letters, (letters)",
        (2, 3),
        lambda letters: [Axis(f"w_{s}", 0.01, 1) for s in range(2 * letters)],
        _apart,
        ("twice the margin apart", "without common margin"),
        exact=True,
    ),
]
