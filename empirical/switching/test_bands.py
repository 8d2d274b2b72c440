"""Bands, and what is proved of new means."""

from __future__ import annotations

from empirical.switching.bands import earlier, theory


def test_proved_errors() -> None:
    rounded = [round(theory(mean), 4) for mean in (-0.2, 0.1, 0.2, 0.3, 0.5, 0.8, 1.1)]
    assert rounded == [0.17, 0.02, 0.0107, 0.0114, 0.0114, 0.0107, 0.1]


def test_medians_of_first_steps() -> None:
    assert earlier([100], [10], 400).low is None
    late = earlier([100, None, 40], [10, 20, 0], 400)
    assert (late.value, late.low, late.high, late.met) == (10, 10, 40, True)
