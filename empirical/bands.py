"""Numbers over seeds beside the bands in which they have to lie."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from empirical.intervals import over_seeds


@dataclass(frozen=True)
class Row:
    """One number over seeds beside its band.

    Attributes:
        name: what it is; differences are taken seed by seed.
        value: the mean over seeds.
        low, high: ends of Student's 95 % interval, None for one seed. Of `median` rows: the least and largest value.
        least, most: ends of the band, which are in it; where one is None, the other is not in it.
        median: whether `value` is a median instead.
    """

    name: str
    value: float
    low: float | None
    high: float | None
    least: float | None = None
    most: float | None = None
    median: bool = False

    @property
    def met(self) -> bool:
        """Whether the value is in the band."""
        return self._inside(self.value)

    @property
    def clear(self) -> bool | None:
        """Whether the whole interval is on the side that the value is on; None without one."""
        if self.low is None or self.high is None:
            return None
        if self.met:
            return self._inside(self.low) and self._inside(self.high)
        below = self.least is not None and self.high < self.least
        return below or (self.most is not None and self.low > self.most)

    def _inside(self, value: float) -> bool:
        if self.least is not None and self.most is not None:
            return self.least <= value <= self.most
        # A difference that is exactly 0 is no order.
        return (self.least is None or value > self.least) and (self.most is None or value < self.most)

    @property
    def band(self) -> str:
        """The band in signs."""
        if self.least is not None and self.most is not None:
            return f"{self.least:g} to {self.most:g}"
        return f"> {self.least:g}" if self.least is not None else f"< {self.most:g}"

    def as_json(self) -> dict[str, Any]:
        """Its fields, with `met` and `clear`; `listed` reads them."""
        return {**vars(self), "met": self.met, "clear": self.clear}


def row(name: str, values: Sequence[float], *, least: float | None = None, most: float | None = None) -> Row:
    """A mean over seeds."""
    found = over_seeds(values)
    return Row(name, found.mean, found.low, found.high, least, most)


def minus(a: Sequence[float], b: Sequence[float]) -> list[float]:
    """Differences, seed by seed."""
    return [x - y for x, y in zip(a, b, strict=True)]


def listed(bands: Iterable[Mapping[str, Any]], *, quick: bool = False) -> list[str]:
    """The bands of a results file as lines of text, how many are met first; of a quick tier, a warning."""
    rows = [Row(**{name: value for name, value in each.items() if name not in ("met", "clear")}) for each in bands]
    met = sum(row.met for row in rows)
    if not rows:
        return ["0 of 0 bands met: none is set for this request"]
    lines = [f"{met} of {len(rows)} bands met; mean [interval], band; ? where the interval is on both sides"]
    if quick:
        lines.append("of trainings this short nothing follows, whether a band is met or missed")
    for row in rows:
        ends = "" if row.low is None else f" [{row.low:.4g}, {row.high:.4g}]"
        doubt = "?" if row.clear is False else " "
        lines.append(f"  {'met' if row.met else 'MISSED':6}{doubt} {row.name}: {row.value:.4g}{ends}, {row.band}")
    return lines
