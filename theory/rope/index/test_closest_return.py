"""Closest returns as quantities: published numbers at any length, and the checker's own certificate."""

from typing import Any

import numpy as np
import pytest

from theory.arithmetic.angle import Angle
from theory.errors import InputError
from theory.evidence import Enumeration
from theory.outcome import Outcome
from theory.quantities import Exact, quantities
from theory.rope.index.closest_return import Returns, Rule, by_convergents, delta_min_continued_fraction

PLANE_2 = "rope(base=1e4,d=128,k=2)"


def results(**arguments: object) -> dict[str, Any]:
    found = quantities()["closest-return"].evaluate({key: str(text) for key, text in arguments.items()})
    return {key: result.value if isinstance(result, Exact) else float(result.value) for key, result in found.items()}


@pytest.mark.parametrize(
    ("angle", "n", "t", "gap"),
    [
        ("1", 17, 6, 0.039829713349634),
        ("1", 100, 44, 0.00015669135230878),
        ("1", 850, 710, 1.81736407892341e-9),
        ("1", 5000, 710, 1.81736407892341e-9),
        ("1", 10**6, 312689, 4.20702847364469e-12),
        ("1", 10**9, 411557987, 3.21746416414509e-18),
        ("1", 10**12, 42106686282, 6.14868641336745e-24),
        ("1", 10**18, 430010946591069243, 7.0217996056711e-37),
        (PLANE_2, 17, 7, 0.0244167244559252),
        (PLANE_2, 100, 29, 0.000195535774148691),
        (PLANE_2, 850, 312, 7.60764109575558e-6),
        (PLANE_2, 5000, 1589, 3.7115368940447e-8),
        (PLANE_2, 10**6, 945535, 2.32330220892792e-12),
        (PLANE_2, 10**18, 112188346293791261, 6.81926810294987e-36),
        ("pi*(sqrt(5)-1)", 850, 610, 1.06096184451e-5),
        ("pi*(sqrt(5)-1)", 10**6, 832040, 5.70257920505e-12),
        ("rope(base=5e5,d=128,k=2)", 5000, 887, 3.3940138e-7),
        ("rope(base=5e5,d=128,k=16)", 5000, 2586, 4.1141441e-8),
        ("rope(base=5e5,d=128,k=64)", 5000, 1, 3.0138582e-12),
        ("rope(base=1e6,d=128,k=2)", 5000, 3688, 2.1901053e-7),
        ("rope(base=1e6,d=128,k=8)", 5000, 1566, 2.0267830e-7),
        ("rope(base=1e6,d=128,k=64)", 5000, 1, 7.6996326e-13),
        ("rope(base=1e4,d=128,k=16)", 131072, 49350, 2.1695676e-10),
        ("rope(base=1e4,d=128,k=42)", 131072, 105545, 2.8397804e-10),
        ("rope(base=1e4,d=128,k=64)", 131072, 54410, 1.3659540e-10),
    ],
)
def test_published_numbers(angle: str, n: int, t: int, gap: float) -> None:
    found = results(theta=angle, up_to=n - 1)
    assert found["t"] == t
    assert found["gap"] == pytest.approx(gap, rel=1e-7)
    assert found["distance"] == min(found["distance above"], found["distance below"])


@pytest.mark.parametrize(("angle", "up_to"), [("2", 50), ("0.37", 997), ("sqrt(3)", 2000), ("-5/3", 300)])
def test_both_neighbours_by_exhaustion(angle: str, up_to: int) -> None:
    steps = np.arange(1, up_to + 1)
    parts = (steps * (float(Angle.parse(angle).real) / (2 * np.pi))) % 1
    found = results(theta=angle, up_to=up_to)
    above, below = int(np.argmin(parts)), int(np.argmax(parts))
    assert (found["t above"], found["t below"]) == (above + 1, below + 1)
    assert found["distance above"] == pytest.approx(parts[above], abs=1e-11)
    assert found["distance below"] == pytest.approx(1 - parts[below], abs=1e-11)
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
