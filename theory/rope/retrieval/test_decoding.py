"""Exact decoding of Retrieval heads against softmax and hard attention in floats, written out from the definition."""

from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

from theory.outcome import Outcome
from theory.rope.retrieval.decoding import Design, letter, number, printed, r1, r2, r3, wanted
from theory.rope.sequences import Pair, pair_alphabet, proper_sequences


def phase_logit(letters: int, turns: float) -> Callable[[Pair, Pair, int], float]:
    def logit(query: Pair, key: Pair, offset: int) -> float:
        asked = query[1] if isinstance(query[1], str) else query[0]
        return float(np.cos(2 * np.pi * ((ord(key[0]) - ord(asked)) / letters + offset * turns)))

    return logit


def two_plane_logit(query: Pair, key: Pair, offset: int) -> float:
    letters = phase_logit(3, 0)(query, key, 0)
    if isinstance(query[1], int) and isinstance(key[1], int):
        return letters + float(np.cos(2 * np.pi * (key[1] - query[1]) / 2))
    return letters


def sub_sector_logit(query: Pair, key: Pair, offset: int) -> float:
    slot = key[1] if isinstance(key[1], int) else 0
    asked, middle = (query[0], query[1]) if isinstance(query[1], int) else (query[1], 1)
    return float(np.cos(2 * np.pi * ((ord(key[0]) - ord(asked)) / 3 + (slot - middle) / 9)))


HEADS: list[tuple[Design, Callable[[Pair, Pair, int], float], float]] = [
    (printed(3), phase_logit(3, 0), 0),
    (printed(3, Fraction(3, 70)), phase_logit(3, 3 / 70), 0),
    (r1(3, Fraction(3, 2)), phase_logit(3, 0), 1.5),
    (r2(3, 2), two_plane_logit, 0),
    (r3(3, 2), sub_sector_logit, 0),
]


def float_margin(
    tokens: tuple[Pair, ...], logits: NDArray[np.float64], target: Pair, gain: float, beta: float | None
) -> float:
    weights = np.exp(beta * logits) if beta is not None else (logits > logits.max() - 1e-9).astype(float)
    output: dict[Pair, float] = defaultdict(float)
    for token, weight in zip(tokens, weights / weights.sum(), strict=True):
        output[token] += weight
    output[tokens[-1]] += gain if isinstance(tokens[-1][1], int) else 0
    own = output.pop(target, 0.0)
    return float(own - max(output.values(), default=0))


@pytest.mark.parametrize(("design", "logit", "gain"), HEADS)
def test_margins_of_random_inputs(design: Design, logit: Callable[[Pair, Pair, int], float], gain: float) -> None:
    rng, alphabet = Random(5), pair_alphabet(3, 2)
    for _ in range(80):
        tokens = tuple(rng.choice(alphabet) for _ in range(rng.randint(1, 6)))
        target = rng.choice([*tokens, ("a", 1)])
        logits = np.array([logit(tokens[-1], key, len(tokens) - place) for place, key in enumerate(tokens, 1)])
        levels = design.levels(tokens)
        assert [float(design.logit(level)) for level in levels] == pytest.approx(logits.tolist(), abs=1e-14)
        hard = float_margin(tokens, logits, target, gain, None)
        assert float(design.hard_margin(tokens, target)) == pytest.approx(hard, abs=1e-12)
        for beta in (Fraction(0), Fraction(1, 3), Fraction(5)):
            soft = float_margin(tokens, logits, target, gain, float(beta))
            sign = design.soft_sign(tokens, target, beta)
            assert sign == (0 if abs(soft) < 1e-12 else np.sign(soft))
            assert design.soft_decodes(tokens, target, beta) is Outcome.of(sign == 1)
            assert design.soft_sign(tokens, target, beta, Fraction(2)) == -1 or soft > 2 - 1e-12
            assert design.soft_sign(tokens, target, beta, Fraction(-3)) == 1


def test_rivals() -> None:
    head = printed(4, Fraction(1, 100))
    a, b = ("a", 1), ("b", "a")
    assert head.rivals((a, a, b), a) == (-1, -25)  # phases in hundredths of a turn
    assert head.rivals((a, a), a) is None


def test_ties_are_seen() -> None:
    head = printed(2)
    assert head.soft_sign((("a", 1), ("a", 2)), ("a", 2), Fraction(7, 3)) == 0
    assert head.soft_decodes((("a", 1), ("a", 2)), ("a", 2), Fraction(7, 3)) is Outcome.REFUTED
    # A target that does not occur has coordinate 0, like every absent token.
    assert head.soft_sign((("a", 1),), ("b", 1), Fraction(1)) == -1


def test_all_decode_stops_at_a_failure() -> None:
    inputs = list(proper_sequences(2, 2, 3))
    assert printed(2).all_decode(inputs, Fraction(1)) is Outcome.REFUTED
    assert r1(2).all_decode(inputs, Fraction(1)) is Outcome.HOLDS
    letters = [tokens for tokens in inputs if number(tokens[-1]) is None]
    assert printed(2).all_decode(letters, Fraction(34, 100)) is Outcome.REFUTED  # ln 2/2 = 0.3466
    assert printed(2).all_decode(letters, Fraction(35, 100)) is Outcome.HOLDS


def test_token_parts() -> None:
    assert (letter("c"), wanted(("c", 3)), wanted(("c", "b")), number(("c", 3)), number(("c", "b"))) == (
        2,
        2,
        1,
        3,
        None,
    )
