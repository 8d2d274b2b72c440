"""How the scores of two surveys differ, as maps, layer by head."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from empirical.scores.figure import CELL, LEAST, STYLE
from empirical.scores.records import Row
from theory import drawing

COLOURS = "PuOr"  # two hues that all eyes tell apart, white where nothing differs
SMALL = 0.01  # differences that are surely larger than this are dotted


def draw_differences(rows: Sequence[Row], title: str, folder: Path, name: str = "difference") -> list[Path]:
    """Draw the differences as PNG and SVG; dots where the interval lies beyond SMALL or -SMALL. Returns the files."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    layers, heads = (1 + max(row[axis] for row in rows) for axis in ("layer", "head"))
    height, width = max(LEAST, CELL * layers), 2 * max(LEAST, CELL * heads) + 2.2
    with rc_context(STYLE):
        figure = Figure(figsize=(width, height + 1.0), layout="constrained")
        panels = figure.subplots(1, 2, sharey=True)
        for axes, (kind, column) in zip(panels, (("positional", "s_pos"), ("symbolic", "s_sym")), strict=True):
            values = np.full((layers, heads), np.nan)
            for row in rows:
                values[row["layer"], row["head"]] = row[column]
            image = axes.imshow(values, cmap=COLOURS, vmin=-1, vmax=1, aspect="auto", interpolation="nearest")
            sure = [row for row in rows if row[f"{column}_low"] > SMALL or row[f"{column}_high"] < -SMALL]
            axes.plot([r["head"] for r in sure], [r["layer"] for r in sure], ".", color="black", markersize=1.5)
            axes.set_title(f"{kind} score")
            axes.set_xlabel("head")
            for axis in (axes.xaxis, axes.yaxis):
                axis.set_major_locator(MaxNLocator(16, integer=True))
        panels[0].set_ylabel("layer")
        figure.suptitle(title)
        figure.supxlabel(f"Dots: the interval over prompts lies beyond +{SMALL} or -{SMALL}.", fontsize=7)
        figure.colorbar(image, ax=list(panels), pad=0.01, fraction=0.05).set_label("mean difference")
        return drawing.write(figure, folder, name, "png", "svg")
