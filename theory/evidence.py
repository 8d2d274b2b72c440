"""What a check hands in: objects that carry what they looked at, count it, and reach one of three outcomes.

A kind is a class, so the ledger reads it off the object. Nothing here can be told that it holds: every outcome and
every size comes from the cases that were consumed, and an empty domain is undecided.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from math import isfinite, prod
from typing import Any, ClassVar
from zlib import crc32

import sympy
from flint import arb, fmpq

from theory.arithmetic.ball import evaluate
from theory.outcome import Outcome
from theory.wording import counted

Case = tuple[Any, object]  # a witness, and an Outcome or truth value: anything else is undecided
Interval = tuple[Fraction, Fraction]
Box = tuple[Interval, ...]
Decide = Callable[..., Outcome]
_DECIMAL = re.compile(r"\d+\.\d*(e[+-]?\d+)?")


class Evidence:
    """One piece of evidence: its kind, its outcome, its size and, where it refutes, the first witness."""

    kind: ClassVar[str]
    unit: ClassVar[str]

    def __init__(self, name: str, count: int, outcome: Outcome, witness: Any = None, fingerprint: int = 0) -> None:
        self.name, self.count, self.outcome, self.witness = name, count, outcome, witness
        self.fingerprint = fingerprint

    @property
    def size(self) -> str:
        return counted(self.count, self.unit)

    def as_json(self) -> dict[str, Any]:
        """The evidence as plain data (witnesses as text), for reports between processes and for the JSON ledger."""
        return {
            "kind": self.kind,
            "name": self.name,
            "outcome": self.outcome.name.lower(),
            "count": self.count,
            "size": self.size,
            "fingerprint": f"{self.fingerprint:08x}",
            "witness": None if self.witness is None else str(self.witness),
        }


def _tally(cases: Iterable[Case]) -> tuple[int, Outcome, Any, int]:
    """Count the cases up to the first refutation; an undecided case is kept, an empty domain is undecided.

    The last of the four is a checksum of the cases as text: two runs that share it looked at the same ones. Decimals
    are left out of it, since floats may differ by a rounding from one machine to another.
    """
    count, undecided, checksum = 0, None, 0
    for case, verdict in cases:
        count += 1
        checksum = crc32(_DECIMAL.sub("~", str(case)).encode(), checksum)
        outcome = Outcome.of(verdict)
        if outcome is Outcome.REFUTED:
            return count, outcome, case, checksum
        if outcome is Outcome.UNDECIDED and undecided is None:
            undecided = case
    if count == 0 or undecided is not None:
        return count, Outcome.UNDECIDED, undecided, checksum
    return count, Outcome.HOLDS, None, checksum


class Enumeration(Evidence):
    """Every input up to a stated bound, each decided exactly (integers, rationals, or certified comparisons)."""

    kind = "exact"
    unit = "cases"

    def __init__(self, name: str, cases: Iterable[Case]) -> None:
        super().__init__(name, *_tally(cases))


class Constructed(Evidence):
    """Inputs run through a hand-built torch model; shows the claim, proves nothing."""

    kind = "constructed"
    unit = "inputs"

    def __init__(self, name: str, cases: Iterable[Case]) -> None:
        super().__init__(name, *_tally(cases))


class Trained(Evidence):
    """Inputs run through a trained torch model, named by the SHA-256 of its weights and the seeds of its training."""

    kind = "trained"
    unit = "inputs"

    def __init__(self, name: str, cases: Iterable[Case], *, checkpoint: str, seeds: tuple[int, ...]) -> None:
        if not re.fullmatch("[0-9a-f]{64}", checkpoint) or not seeds:
            raise ValueError(f"{name}: trained evidence names the SHA-256 of its weights and the seeds of its training")
        self.checkpoint, self.seeds = checkpoint, seeds
        super().__init__(name, *_tally(cases))

    @property
    def size(self) -> str:
        return f"{super().size}, weights {self.checkpoint[:12]}, seeds {', '.join(map(str, self.seeds))}"


Equation = tuple[str, "sympy.Expr | sympy.MatrixBase", "sympy.Expr | sympy.MatrixBase"]


def trigonometric(expression: sympy.Expr) -> sympy.Expr:
    """Rewrite through exponentials and expand: an identity between trigonometric polynomials becomes literal 0."""
    return sympy.expand(expression.rewrite(sympy.exp))


def rational(expression: sympy.Expr) -> sympy.Expr:
    """Put over one denominator and cancel: an identity between rational functions becomes literal 0."""
    return sympy.cancel(sympy.together(expression))


class Identity(Evidence):
    """Equations reduced to literal 0 for all their symbols; refuted by a ball that excludes 0 at a rational point."""

    kind = "symbolic"
    unit = "identities"

    def __init__(
        self,
        name: str,
        equations: Iterable[Equation],
        reduce: Callable[[sympy.Expr], sympy.Expr] = trigonometric,
    ) -> None:
        self._looked_at: list[str] = []
        count, outcome, witness, checksum = _tally(self._cases(equations, reduce))
        super().__init__(name, count, outcome, witness, crc32("".join(self._looked_at).encode(), checksum))

    def _cases(self, equations: Iterable[Equation], reduce: Callable[[sympy.Expr], sympy.Expr]) -> Iterator[Case]:
        for label, left, right in equations:
            difference = sympy.Matrix([left - right]) if not hasattr(left, "shape") else sympy.Matrix(left - right)
            # Both sides in full: else an equation of one side with itself would pass for this one.
            symbols = sorted(sympy.Matrix([left, right]).free_symbols, key=str)
            assumed = [f"{symbol} {symbol.is_integer} {symbol.is_real} {symbol.is_positive}" for symbol in symbols]
            self._looked_at.append(f"{_text(left)} = {_text(right)} for {assumed}; ")
            outcomes = [_vanishes(entry, reduce) for entry in difference]
            yield label, Outcome.every(outcomes)


# The variants of a claim share most of their equations: each is written out and reduced once.
def _text(side: sympy.Expr | sympy.MatrixBase) -> str:
    return _written(side.as_immutable() if isinstance(side, sympy.MatrixBase) else side)


@lru_cache(maxsize=None, typed=True)  # a 1 and a 1.0 are equal
def _written(side: sympy.Basic) -> str:
    return str(side)


@cache
def _vanishes(expression: sympy.Expr, reduce: Callable[[sympy.Expr], sympy.Expr]) -> Outcome:
    if expression == 0 and expression.is_zero is True:
        return Outcome.HOLDS
    if reduce(expression) == 0:
        return Outcome.HOLDS
    symbols = sorted(expression.free_symbols, key=str)
    # Distinct small values that respect integer and positive assumptions, away from any symmetry.
    point = {
        symbol: sympy.Integer(sympy.prime(index + 2)) if symbol.is_integer else sympy.Rational(2 * index + 3, 7)
        for index, symbol in enumerate(symbols)
    }
    value = evaluate(expression.subs(point)).ball()
    return Outcome.UNDECIDED if value.contains(0) or not value.is_finite() else Outcome.REFUTED


class BoxCover(Evidence):
    """Ball arithmetic over boxes that cover a stated domain; the cover is checked by exact volume."""

    kind = "certified"
    unit = "boxes"

    def __init__(self, name: str, domain: Box, decide: Decide, *, limit: int = 20_000) -> None:
        if not domain or any(low >= high for low, high in domain):
            raise ValueError(f"{name}: the domain {domain} has no volume to cover")
        settled, outcome = Fraction(0), Outcome.HOLDS
        witness: Box | None = None
        pending, count, visits = deque([domain]), 0, 0
        while pending and visits < limit:
            visits += 1
            box = pending.popleft()
            verdict = Outcome.of(decide(*(_hull(interval) for interval in box)))
            if verdict is Outcome.UNDECIDED:
                pending.extend(_halves(box))
                continue
            count += 1
            settled += _volume(box)
            if verdict is Outcome.REFUTED:
                outcome, witness = verdict, box
                break
        if outcome is Outcome.HOLDS and settled != _volume(domain):
            outcome, witness = Outcome.UNDECIDED, pending[0] if pending else domain
        self.undecided_share = float(1 - settled / _volume(domain))
        super().__init__(name, count, outcome, witness, crc32(str(domain).encode()))


def _hull(interval: Interval) -> arb:
    low, high = (arb(fmpq(end.numerator, end.denominator)) for end in interval)
    return low.union(high)


def _volume(box: Box) -> Fraction:
    return prod((high - low for low, high in box), start=Fraction(1))


def _halves(box: Box) -> list[Box]:
    axis = max(range(len(box)), key=lambda index: box[index][1] - box[index][0])
    low, high = box[axis]
    middle = (low + high) / 2
    return [(*box[:axis], half, *box[axis + 1 :]) for half in ((low, middle), (middle, high))]


@dataclass(frozen=True)
class Trial:
    """One evaluation of an adversary: `observed` must not exceed `bound` by more than a derived float `allowance`."""

    case: Any
    observed: float
    bound: float
    allowance: float = 0.0
    vacuous: bool = False

    @property
    def outcome(self) -> Outcome:
        if not all(isfinite(value) for value in (self.observed, self.bound, self.allowance)):
            return Outcome.UNDECIDED
        return Outcome.of(self.observed <= self.bound + self.allowance)


class Search(Evidence):
    """Random or adversarial evaluations; only those whose bound is not vacuous count.

    `largest_ratio` and `mean_ratio` are of observed to bound, where the bound is positive; `allowance` is the largest.
    """

    kind = "sampled"
    unit = "examples"

    def __init__(self, name: str, trials: Iterable[Trial], *, seed: int) -> None:
        self.seed, self.allowance = seed, 0.0
        self._ratios: list[float] = []
        super().__init__(name, *_tally(self._counted(trials)))
        self.largest_ratio = max([0.0, *self._ratios])
        self.mean_ratio = sum(self._ratios) / max(1, len(self._ratios))

    @classmethod
    def decided(cls, name: str, cases: Iterable[tuple[Any, bool]], *, seed: int) -> Search:
        """A search whose cases are right or wrong, without a bound to come near."""
        return cls(name, (Trial(case, float(not right), 0.0) for case, right in cases), seed=seed)

    def _counted(self, trials: Iterable[Trial]) -> Iterator[Case]:
        for trial in trials:
            if trial.vacuous:
                continue
            if trial.bound > 0:
                self._ratios.append(trial.observed / trial.bound)
            self.allowance = max(self.allowance, trial.allowance)
            yield trial.case, trial.outcome

    @property
    def size(self) -> str:
        return f"{super().size}, seed {self.seed}, largest ratio {self.largest_ratio:.4g}"
