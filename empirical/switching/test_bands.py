"""Bands, and what is proved of new means."""

from __future__ import annotations

from typing import Any

from empirical.bands import Row, listed, row
from empirical.switching.bands import earlier, theory


def test_proved_errors() -> None:
    rounded = [round(theory(mean), 4) for mean in (-0.2, 0.1, 0.2, 0.3, 0.5, 0.8, 1.1)]
    assert rounded == [0.17, 0.02, 0.0107, 0.0114, 0.0114, 0.0107, 0.1]


def test_rows() -> None:
    inside = Row("a", 0.5, 0.4, 0.6, most=1)
    assert inside.met and inside.clear and inside.band == "< 1"
    assert Row("a", 0.5, 0.4, 1.1, most=1).clear is False
    outside: Any = Row("a", 0.5, 0.4, 0.6, least=0.7, most=1)
    assert not outside.met and outside.clear and outside.band == "0.7 to 1"
    assert Row("a", 0.5, None, None, least=0).clear is None
    alone = row("a", [0.5], most=1)
    assert alone.met and alone.low is None and alone.clear is None and "[" not in listed([alone.as_json()])[1]
    assert earlier([100], [10], 400).low is None
    late = earlier([100, None, 40], [10, 20, 0], 400)
    assert (late.value, late.low, late.high, late.met) == (10, 10, 40, True)
