"""The answers of a quiz as text and as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from empirical.ask.run import LEVEL, Answer, Share, by_length
from theory.drawing import BLUE, GREY, ORANGE, STYLE, write

PLACES = 5  # into which the places of the answer are divided


def render(shares: Sequence[Share]) -> str:
    """A row a task and length."""
    lines = [f"task       length  right         share [{LEVEL:.0%}]        a random token"]
    lines += [
        f"{share.task:9}  {share.length:6}  {share.right:4} of {share.asked:<4}  "
        f"{share.accuracy:.3f} [{share.low:.3f}, {share.high:.3f}]  {share.guess:.3f}"
        for share in shares
    ]
    return "\n".join(lines)


def draw(answers: list[Answer], title: str, folder: Path) -> list[Path]:
    """Accuracy against length with intervals, and against the place of the answer."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    shares = by_length(answers)
    with rc_context(STYLE):
        figure = Figure(figsize=(6.4, 2.8), layout="constrained")
        left, right = figure.subplots(1, 2, sharey=True)
        for task, colour in (("index", BLUE), ("retrieval", ORANGE)):
            found = [share for share in shares if share.task == task]
            if not found:
                continue
            lengths, accuracy = [share.length for share in found], np.array([share.accuracy for share in found])
            ends = np.array([[share.low, share.high] for share in found]).T
            left.errorbar(
                lengths, accuracy, np.abs(ends - accuracy), color=colour, marker="o", ms=3, capsize=2, label=task
            )
            left.plot(lengths, [share.guess for share in found], color=colour, ls=":", lw=1)
            places = [answer.question.offset / (answer.question.length - 1) for answer in answers if _is(answer, task)]
            rights = [answer.right for answer in answers if _is(answer, task)]
            bins = np.minimum((np.array(places) * PLACES).astype(int), PLACES - 1)
            means = [np.mean(np.array(rights)[bins == at]) if (bins == at).any() else np.nan for at in range(PLACES)]
            right.plot((np.arange(PLACES) + 0.5) / PLACES, means, color=colour, marker="o", ms=3)
        left.plot([], [], color=GREY, ls=":", lw=1, label="a random token")
        left.set_xscale("log", base=2)
        ticks = sorted({share.length for share in shares})
        left.set_xticks(ticks, labels=list(map(str, ticks)))
        left.minorticks_off()
        left.set(xlabel="length of the sequence, tokens", ylabel="right answers", ylim=(-0.03, 1.03))
        right.set(xlabel="offset of the answer / (length - 1)", xlim=(0, 1))
        left.legend(loc="upper right", fontsize=7)
        figure.suptitle(title, fontsize=9)
        return write(figure, folder, "accuracy", "png", "svg")


def _is(answer: Answer, task: str) -> bool:
    return answer.question.task == task
