"""What one gradient chooses and what the likelihoods choose, on a line and in a plane, as a figure."""

from __future__ import annotations

import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from torch import Tensor

from constructions.demo.inference import LINE, OBSERVATIONS, PLANE, tensor
from constructions.inference import gaussian, gradient, likelihood_of_every_task, linear, one_step
from theory.drawing import BLUE, GREEN, ORANGE
from theory.inference.embeddings import Gaussian

COLORS = (BLUE, ORANGE, GREEN)
SIDE = 181  # points along each side of the plane


def inference_figure() -> Figure:
    """Posterior and step against the observation, for means on a line; and where the step is wrong, in a plane."""
    figure = Figure(figsize=(9.4, 4.2))
    left, right = (figure.add_axes((start, 0.12, 0.405, 0.77)) for start in (0.07, 0.58))
    _line(left)
    _plane(right)
    return figure


def _evidence(model: Gaussian, x: Tensor) -> tuple[Tensor, Tensor]:
    """The gradient at u and the log-likelihoods, (observations, K)."""
    ell = gaussian(linear(tensor(model.means).T), x, float(model.variance) ** 0.5)
    of = (ell, len(x), model.tasks)
    return gradient(*of, dtype=torch.float64), likelihood_of_every_task(*of, dtype=torch.float64)


def _line(axis: Axes) -> None:
    x = tensor([(each,) for each in OBSERVATIONS])
    g, likelihoods = _evidence(LINE, x)
    for task, color in enumerate(COLORS):
        (mean,) = LINE.means[task]
        axis.plot(x[:, 0], one_step(likelihoods)[:, task], color=color, label=f"mean {mean}")
        axis.plot(x[:, 0], one_step(g)[:, task], "--", color=color)
        axis.plot([mean], [-0.03], "^", color=color, markersize=5, clip_on=False)
    axis.set_xlabel("observation x")
    axis.set_ylabel("share of the task")
    axis.set_title("Posterior (solid) and softmax(g) (dashed), variance 1")
    axis.legend(loc="center right", bbox_to_anchor=(1, 0.6))


def _plane(axis: Axes) -> None:
    across, up = np.linspace(-1.5, 3.5, SIDE), np.linspace(-2, 3, SIDE)
    grid = np.stack(np.meshgrid(across, up), axis=-1)
    g, likelihoods = _evidence(PLANE, torch.tensor(grid.reshape(-1, 2)))
    likeliest, chosen = (scores.argmax(-1).reshape(SIDE, SIDE).numpy() for scores in (likelihoods, g))
    levels = [-0.5, 0.5, 1.5, 2.5]
    axis.contourf(across, up, likeliest, levels=levels, colors=COLORS, alpha=0.25)
    wrong = np.where(likeliest != chosen, 1.0, np.nan)
    axis.contourf(across, up, wrong, levels=[0.5, 1.5], colors="none", hatches=["////"])
    for mean, color in zip(PLANE.means, COLORS, strict=True):
        axis.plot(*mean, "o", color=color, markeredgecolor="white", markersize=8)
    axis.plot(*map(float, PLANE.output()), "x", color="black", markersize=7, label="mean of all")
    axis.legend(loc="lower right")
    axis.set_aspect("equal")
    axis.set_xlabel("$x_1$")
    axis.set_ylabel("$x_2$")
    axis.set_title("Likeliest mean (colour), and where g chooses another (hatched)")
