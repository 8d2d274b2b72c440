"""What a configuration has that the theorems speak of, and the verdict on all of it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from theory.arithmetic.ball import Real
from theory.compact.encodings.encoding import Encoding, Verdict
from theory.compact.encodings.table import ENCODINGS
from theory.compact.evasions.factors import LengthFactor


@dataclass(frozen=True)
class Component:
    """One thing that a configuration has: its row of the table, and what its numbers come to."""

    encoding: Encoding
    detail: str = ""
    factor: LengthFactor | None = None


@dataclass(frozen=True)
class Classification:
    """All components of a configuration, and the verdict: that of the worst one."""

    components: tuple[Component, ...]

    @property
    def verdict(self) -> Verdict:
        return max((component.encoding.verdict for component in self.components), key=lambda verdict: verdict.rank)

    @property
    def deciding(self) -> tuple[Component, ...]:
        """The components that the verdict comes from."""
        return tuple(c for c in self.components if c.encoding.verdict is self.verdict)

    def exponent(self, spread: Fraction) -> Real | None:
        """The largest exponent c of a component, where logits range over `spread` at factor 1; None for infinity."""
        found = [component.factor.exponent(spread) for component in self.components if component.factor is not None]
        if None in [value if value is None else 0 for value in found]:
            return None
        return max((value for value in found if value is not None), key=float, default=Real.of(0))


def component(name: str, detail: str = "", factor: LengthFactor | None = None) -> Component:
    """The component of a row of the table."""
    return Component(ENCODINGS[name], detail, factor)
