"""What a head on one plane of a published model can still tell apart at the model's own context length.

A *positional* head (Index) has to tell n offsets apart. On a plane with angle theta its logit gap is that of the
closest return of t theta to a full turn, t < n; the plane with the largest gap is taken. A *symbolic* head (Retrieval)
has to tell A letters apart, which positions turn: it takes the slowest plane, and fails beyond a hard length limit.

Source: arXiv 2605.31558, Thm 3.2 with the repaired bounds. All numbers are enclosed in balls; closest returns come from
continued fractions in O(log n), so that no length is scanned.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from theory.arithmetic.angle import Angle
from theory.arithmetic.ball import Real, log
from theory.arithmetic.continued_fraction import gap
from theory.errors import InputError
from theory.limits.symbolic import angle_reach
from theory.printing import as_json
from theory.quantities import Enclosure
from theory.rope.models.config import EVERY_LAYER, ModelRope
from theory.rope.retrieval.letter_scale import smallest_gap

SLIDING = "sliding_attention"


@dataclass(frozen=True)
class Row:
    """One kind of attention layer of one model.

    Attributes:
        model: its name.
        planes: the angles of the planes, radians per position.
        length: tokens that a query sees, its own included; at least 2.
        letters: size A of the alphabet of the symbolic head.
        sliding: whether `length` is that of a sliding window.
    """

    model: str
    planes: tuple[Angle, ...]
    length: int
    letters: int
    sliding: bool = False

    @cached_property
    def gaps(self) -> Sequence[Real]:
        """The logit gap of a positional head on each plane."""
        return [gap(angle, self.length) for angle in self.planes]

    @cached_property
    def best(self) -> int:
        """The number, from 1, of the plane on which a positional head has its largest gap."""
        return max(range(len(self.planes)), key=lambda plane: float(self.gaps[plane])) + 1

    @property
    def positional_gap(self) -> Real:
        """The largest gap of a positional head on one plane."""
        return self.gaps[self.best - 1]

    @property
    def positional_beta(self) -> Real:
        """An inverse temperature above which that head decodes every query: by claim index-circle-bound, ln 3/gap."""
        return log(3) / self.positional_gap

    @cached_property
    def slowest(self) -> Angle:
        """The angle of the slowest plane."""
        return min(self.planes, key=lambda angle: float(angle.real))

    @cached_property
    def limit(self) -> int:
        """The longest length at which a symbolic head on the slowest plane has a positive gap on all inputs."""
        return angle_reach(self.letters, self.slowest)

    @cached_property
    def symbolic_gap(self) -> Real | None:
        """The smallest gap of that head over all inputs of this length; None beyond its limit."""
        return smallest_gap(self.letters, self.length, self.slowest) if self.length <= self.limit else None

    @property
    def symbolic_beta(self) -> Real | None:
        """An inverse temperature above which it decodes every query that wants a letter: ln(n - 1)/gap."""
        return None if self.symbolic_gap is None else log(self.length - 1) / self.symbolic_gap

    def name(self, width: int) -> str:
        """The model, and whether the row is about its sliding window; the name of a file is cut on the left."""
        ending = ", sliding window" if self.sliding else ""
        room = width - len(ending)
        return (self.model if len(self.model) <= room else f"...{self.model[3 - room :]}") + ending

    def as_json(self) -> dict[str, Any]:
        """The row as plain data: lengths in tokens, gaps in logits; decimal bounds are rounded outward."""
        positional = {
            "plane": self.best,
            "planes": len(self.planes),
            "wavelength": _enclosed(self.planes[self.best - 1].wavelength),
            "gap": _enclosed(self.positional_gap),
            "sufficient inverse temperature": _enclosed(self.positional_beta),
        }
        symbolic = {
            "wavelength": _enclosed(self.slowest.wavelength),
            "letters": self.letters,
            "length limit": self.limit,
            "gap": _enclosed(self.symbolic_gap),
            "sufficient inverse temperature": _enclosed(self.symbolic_beta),
        }
        return {
            "model": self.model,
            "length": self.length,
            "sliding": self.sliding,
            "positional": positional,
            "symbolic": symbolic,
        }


def _enclosed(value: Real | None) -> dict[str, Any] | None:
    return None if value is None else as_json(Enclosure(value))


def rows(model: ModelRope, letters: int, length: int | None = None) -> Iterator[Row]:
    """A row for each kind of layer, at the context length or at `length` tokens; sliding layers see their window only.

    Where the configuration leaves open which layers slide, those that do have a row of their own. InputError for a
    length below 2.
    """
    seen = model.context_length if length is None else length
    if seen < 2:
        raise InputError(f"length {seen} is below 2: a query needs a token to be told from; give 2 or more")
    for kind, settings in model.layers.items():
        planes, window = settings.at(seen).planes, model.sliding_window or seen
        if kind != SLIDING:
            yield Row(model.name, planes, seen, letters)
        if window < seen and kind in (SLIDING, EVERY_LAYER):
            yield Row(model.name, planes, max(2, window), letters, sliding=True)
