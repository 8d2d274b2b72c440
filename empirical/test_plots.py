"""What stands in a figure of several seeds, read from its lines, bands and bars."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.collections import PolyCollection
from matplotlib.container import BarContainer
from matplotlib.figure import Figure

from empirical.intervals import over_seeds
from empirical.plots import band, bar


def test_a_band_has_the_mean_and_all_seeds() -> None:
    axes = Figure().subplots()
    curves = [np.array([1.0, 2.0, np.nan, 7.0]), np.array([3.0, 2.0, 5.0, 1.0]), np.array([2.0, 5.0, 6.0, 1.0])]
    band(axes, np.array([10.0, 20.0, 30.0, 40.0]), curves, "red", "a name")
    (line,) = axes.lines
    assert line.get_label() == "a name"
    assert np.array(line.get_xydata()).tolist() == [[10, 2], [20, 3], [40, 3]]  # one seed lacks the third step
    (area,) = (each for each in axes.collections if isinstance(each, PolyCollection))
    corners = {tuple(corner) for corner in np.array(area.get_paths()[0].vertices).tolist()}
    assert corners == {(10, 1), (10, 3), (20, 2), (20, 5), (40, 1), (40, 7)}


@pytest.mark.parametrize("values", [[0.5], [0.5, 0.75, 0.25]])
def test_a_bar_has_the_interval(values: list[float]) -> None:
    axes, found = Figure().subplots(), over_seeds(values)
    bar(axes, 3, values, "red", None, 0.5)
    (drawn,) = (each for each in axes.containers if isinstance(each, BarContainer))
    assert drawn[0].get_bbox().bounds == (2.75, 0, 0.5, 0.5)
    assert drawn.errorbar is not None
    (segment,) = drawn.errorbar[2][0].get_segments()
    ends = (found.mean, found.mean) if found.low is None else (found.low, found.high)
    assert segment[:, 1].tolist() == pytest.approx(ends)
