"""Three outcomes, never two."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import NoReturn

import numpy as np
from sympy.logic.boolalg import BooleanAtom


class Outcome(Enum):
    """What a check found; undecided is neither a pass nor a refutation."""

    HOLDS = "holds"
    REFUTED = "refuted"
    UNDECIDED = "undecided"

    @classmethod
    def of(cls, value: object) -> Outcome:
        """The outcome of a truth value of Python, NumPy or SymPy; anything else (None, NaN) is undecided."""
        if isinstance(value, Outcome):
            return value
        if isinstance(value, bool | np.bool_ | BooleanAtom):
            return cls.HOLDS if bool(value) else cls.REFUTED
        return cls.UNDECIDED

    @classmethod
    def every(cls, outcomes: Iterable[Outcome]) -> Outcome:
        """Conjunction: any refuted refutes, then any undecided; nothing to check is undecided."""
        seen = set(outcomes)
        if cls.REFUTED in seen:
            return cls.REFUTED
        return cls.HOLDS if seen == {cls.HOLDS} else cls.UNDECIDED

    @classmethod
    def settled(cls, holds: object, refuted: object) -> Outcome:
        """Of two opposite conditions on balls, each true only when certain, the one that is; undecided if neither."""
        return cls.HOLDS if holds else cls.REFUTED if refuted else cls.UNDECIDED

    def iff(self, other: Outcome) -> Outcome:
        """Equivalence, undecided where either side is."""
        return Outcome.UNDECIDED if Outcome.UNDECIDED in (self, other) else Outcome.of(self is other)

    def __invert__(self) -> Outcome:
        opposite = {Outcome.HOLDS: Outcome.REFUTED, Outcome.REFUTED: Outcome.HOLDS}
        return opposite.get(self, self)

    def __bool__(self) -> NoReturn:
        raise TypeError(f"the outcome {self.value!r} is no truth value; compare it: outcome is Outcome.HOLDS")

    def __str__(self) -> str:
        return self.value
