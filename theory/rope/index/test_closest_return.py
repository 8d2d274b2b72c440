"""Closest returns as quantities: exhaustion, and the checker's own certificate at any length."""

from typing import Any

import numpy as np
import pytest

from theory.arithmetic.angle import Angle
from theory.errors import InputError
from theory.evidence import Enumeration
from theory.outcome import Outcome
from theory.quantities import Exact, quantities
from theory.rope.index.closest_return import Returns, Rule, by_convergents, delta_min_continued_fraction


def results(**arguments: object) -> dict[str, Any]:
    found = quantities()["closest-return"].evaluate({key: str(text) for key, text in arguments.items()})
    return {key: result.value if isinstance(result, Exact) else float(result.value) for key, result in found.items()}


@pytest.mark.parametrize(("angle", "up_to"), [("2", 50), ("0.37", 997), ("sqrt(3)", 2000), ("-5/3", 300)])
def test_both_neighbours_by_exhaustion(angle: str, up_to: int) -> None:
    steps = np.arange(1, up_to + 1)
    parts = (steps * (float(Angle.parse(angle).real) / (2 * np.pi))) % 1
    found = results(theta=angle, up_to=up_to)
    above, below = int(np.argmin(parts)), int(np.argmax(parts))
    assert (found["t above"], found["t below"]) == (above + 1, below + 1)
    assert found["distance above"] == pytest.approx(parts[above], abs=1e-11)
    assert found["distance below"] == pytest.approx(1 - parts[below], abs=1e-11)
    assert found["distance"] == min(found["distance above"], found["distance below"])
    assert found["gap"] == pytest.approx(1 - np.cos(steps * float(Angle.parse(angle).real)).max(), abs=1e-12)


def test_a_rational_turn_returns() -> None:
    found = results(theta="2*pi*3/7", up_to=7)
    assert (found["t"], found["distance"], found["gap"], found["t above"], found["t below"]) == (7, 0, 0, 7, 7)
    assert results(theta="2*pi*3/7", up_to=6)["distance"] == pytest.approx(1 / 7)


def test_the_certificate_catches_a_wrong_neighbour_at_any_length() -> None:
    """A rule that is right up to T = 10^6 and then one step behind is refuted by the certificates alone."""

    def late(theta: Angle, up_to: int) -> Returns:
        found = by_convergents(theta, up_to)
        return by_convergents(theta, found.closest.t - 1) if up_to > 10**6 else found

    pieces = delta_min_continued_fraction.check(Rule("late", late), False)
    outcomes = {piece.name: piece.outcome for piece in pieces if isinstance(piece, Enumeration)}
    assert list(outcomes.values()) == [Outcome.HOLDS, Outcome.REFUTED]


@pytest.mark.parametrize(
    ("theta", "up_to", "words"), [("0", 5, "multiple of 2 pi"), ("1", 0, "up_to"), ("1", "1/2", "up_to")]
)
def test_bad_input(theta: str, up_to: object, words: str) -> None:
    with pytest.raises(InputError, match=words) as caught:
        results(theta=theta, up_to=up_to)
    assert "\n" not in str(caught.value)
