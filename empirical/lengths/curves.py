"""How far the theory's heads of one plane keep a target apart at each length, for logits of norm 1."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from empirical.decoder_config import GPTJ_BASE
from theory.arithmetic.angle import Angle
from theory.rope.index.discrepancy import float_gap, index_printed_bound
from theory.rope.index.worst_case import index_worst_case_bound
from theory.rope.retrieval.letter_scale import hard_length_limit, smallest_gap

LETTERS, INDEX, RETRIEVAL = 8, 2, 42  # of arXiv 2605.31558, Fig. 5A: letters, and planes, from 1

# Read off Fig. 5B of the same paper, by eye: accuracy at some lengths, of the models that Subject.kind calls so.
REPORTED: dict[str, tuple[tuple[int, float], ...]] = {
    "number task, 12 layers": ((100, 0.75), (300, 0.5), (5000, 0.04)),
    "letter task, 12 layers": ((850, 0.9),),
}

Curve = list[tuple[int, float]]


def curves(lengths: Sequence[int]) -> dict[str, Curve]:
    """The least discrepancy of Index and of Retrieval on the planes of the paper, and the bound for any one plane.

    Retrieval ends where its theorem does, or where no target is safe.
    """
    index, retrieval = (Angle.rope(Fraction(GPTJ_BASE), 128, plane) for plane in (INDEX, RETRIEVAL))
    limit = hard_length_limit(LETTERS, retrieval)
    known = [n for n in lengths if n >= 2]
    return {
        f"Index, plane {INDEX}": [(n, float_gap(n, 0, float(index.real))) for n in known],
        "Index, best angle at each length": [(n, float(index_worst_case_bound(n).value)) for n in known],
        f"Index, plane {INDEX}, printed": [(n, float(index_printed_bound(n, index).value)) for n in known],
        f"Retrieval, plane {RETRIEVAL}": [(n, float(smallest_gap(LETTERS, n, retrieval))) for n in known if n <= limit],
    }
