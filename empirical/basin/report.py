"""What is asked of a basin, and the answer."""

from __future__ import annotations

from dataclasses import dataclass

from empirical.basin.measured import Measured, Plan
from empirical.basin.pair import Pair
from empirical.basin.subject import Subject
from theory.arithmetic.ball import Real
from theory.compact.certificate.certificate import Bounds, Reach
from theory.compact.certificate.estimate import Sight


@dataclass(frozen=True)
class Request:
    """What is asked: a model, two words, the letters 0 and 1 as tokens, a distance of outputs, and what to measure."""

    model: str
    words: str
    letters: tuple[int, int] | None
    epsilon: Real
    plan: Plan


@dataclass(frozen=True, eq=False)
class Report:
    """The answer.

    Args:
        longest: of the words that were run, so that ln n is comparable with the oscillations of logits.
        at: of two finite words, their bound, the estimate of it, and the distance that was measured.
        spread: of the outputs on words of one letter.
    """

    subject: Subject
    request: Request
    pair: Pair
    letters: tuple[int, int]
    certificate: Bounds
    guess: Bounds
    sight: Sight
    measured: list[Measured]
    longest: int
    spread: float
    at: tuple[float, float, float] | None

    def reaches(self, bounds: Bounds) -> dict[str, Reach]:
        """The sufficient lengths of one changed letter and of the pair."""
        found = {"one letter": bounds.sufficient_length(1, self.request.epsilon)}
        if (words := self.pair.infinite) is not None:
            found["pair"] = bounds.sufficient_length_of(*words, self.request.epsilon)
        else:
            found["pair"] = bounds.sufficient_length(len(self.pair.places), self.request.epsilon)
        return found
