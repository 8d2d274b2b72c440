"""One row of the classification: an encoding or component, its position data, the verdict and what governs it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from theory.arithmetic.ball import Real
from theory.compact.evasions.factors import LengthFactor


class Verdict(Enum):
    """What continuity and isolation make of an encoding, the best verdict first."""

    BOUNDS = "bounds Delta"
    COMPACT = "COMPACT"
    RECENCY = "RECENCY"
    LOG = "LOG"
    EVADES = "EVADES"
    OUTSIDE = "OUTSIDE"

    @property
    def meaning(self) -> str:
        """In a sentence."""
        return _MEANINGS[self]

    @property
    def rank(self) -> int:
        """0 for the best."""
        return list(Verdict).index(self)


_MEANINGS = {
    Verdict.BOUNDS: "bounds the range Delta of the logits, and leaves the verdict to the rest of the model",
    Verdict.COMPACT: "continuous in the Hamming distance, so that learned words are isolated",
    Verdict.RECENCY: "not continuous in the Hamming distance; isolation holds, by lags or recent tokens",
    Verdict.LOG: "logits grow like ln n: isolation is guaranteed where c + kappa < 1, and can fail otherwise",
    Verdict.EVADES: "can learn 0^w and the powers of two together, which continuity forbids",
    Verdict.OUTSIDE: "the continuity theorem does not apply, though positions may be compact",
}


@dataclass(frozen=True)
class Encoding:
    """A row of the table.

    Args:
        name: as it is asked for.
        what: in a few words.
        models: that have it.
        position: the position data.
        verdict: see `Verdict`.
        holds: what is known of it, or holds instead.
        source: arXiv numbers, or where the formula stands.
        factor: what multiplies its logits and grows with the length, if anything does.
        layers: whether exponents of layers add up (factors of the total length).
        constants: governing constants by what they are.
    """

    name: str
    what: str
    models: str
    position: str
    verdict: Verdict
    holds: str
    source: str
    factor: LengthFactor | None = None
    constants: tuple[tuple[str, Callable[[], Real]], ...] = ()

    @property
    def exponent(self) -> str:
        """The exponent c of its logits, of range Delta at factor 1."""
        if self.factor is None:
            return "0" if self.verdict is Verdict.COMPACT else "-"
        return exponent_text(self.factor)


def exponent_text(factor: LengthFactor) -> str:
    """C as a multiple of Delta: the slope of the factor against ln n."""
    if factor.slope is None:
        return "infinite"
    if (exact := factor.slope.exact) is not None:
        return "Delta" if exact == 1 else f"{decimal(factor.slope)} Delta"
    return f"Delta/{decimal(1 / factor.slope)}"


def decimal(value: Real, digits: int = 7) -> str:
    """An exact fraction as such where it is short, else so many digits of a number."""
    if (exact := value.exact) is not None:
        text = f"{float(exact):.{digits}g}"
        return text if exact == type(exact)(text) else str(exact)
    return str(value.ball(64).str(digits, radius=False))
