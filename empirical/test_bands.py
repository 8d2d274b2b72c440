"""Numbers beside their bands."""

from __future__ import annotations

import pytest

from empirical.bands import Row, listed, minus, row


@pytest.mark.parametrize(
    ("value", "ends", "met", "band"),
    [
        (0.0, {"most": 0.0}, False, "< 0"),  # no difference is no order
        (-1e-9, {"most": 0.0}, True, "< 0"),
        (0.97, {"least": 0.97}, False, "> 0.97"),
        (0.9701, {"least": 0.97}, True, "> 0.97"),
        (10.0, {"least": 10, "most": 10}, True, "10 to 10"),
        (1.1001, {"least": 0.8, "most": 1.1}, False, "0.8 to 1.1"),
    ],
)
def test_ends(value: float, ends: dict[str, float], met: bool, band: str) -> None:
    found = row("a number", [value], **ends)
    assert (found.met, found.band, found.clear) == (met, band, None)


@pytest.mark.parametrize(
    ("values", "met", "clear"),
    [
        ([-2.0, -1.0, -1.5], True, True),
        ([-2.0, 1.0], True, False),
        ([2.0, -1.0], False, False),
        ([2, 2.1], False, True),
    ],
)
def test_seeds_on_both_sides(values: list[float], met: bool, clear: bool) -> None:
    found = row("a difference", values, most=0)
    assert (found.met, found.clear) == (met, clear)


def test_an_interval_beside_a_band_of_two_ends() -> None:
    assert Row("a", 0.5, 0.4, 0.6, least=0.7, most=1).clear and Row("a", 1.2, 1.1, 1.3, least=0.7, most=1).clear
    assert Row("a", 0.8, 0.75, 0.9, least=0.7, most=1).clear
    assert Row("a", 0.5, 0.4, 0.8, least=0.7, most=1).clear is False


def test_as_text() -> None:
    rows = [row("a", [0.5], least=0.4), row("b", minus([1.0, 2.0], [1.0, 1.0]), most=0)]
    text = listed([each.as_json() for each in rows])
    assert text[0].startswith("1 of 2 bands met")
    assert text[1] == "  met     a: 0.5, > 0.4"
    assert text[2].startswith("  MISSED? b: 0.5 [") and text[2].endswith("], < 0")
    assert Row("c", 1.0, None, None).met
    hurried = listed([each.as_json() for each in rows], quick=True)
    assert hurried == [text[0], "of trainings this short nothing follows, whether a band is met or missed", *text[1:]]
    assert listed([]) == ["0 of 0 bands met: none is set for this request"]
