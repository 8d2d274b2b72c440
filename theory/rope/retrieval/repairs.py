"""The three repaired Retrieval heads with their smallest gaps, and the scale at which softmax decodes them.

Letters stand omega apart, the integers of R2 omega_I apart, and the sub-sectors of R3 are omega' = omega/(I + 1) wide.

Source: derived here for arXiv 2605.31558, Thm 3.1; see the claim retrieval-repaired.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sympy import Integer, cos, sin

from theory.arithmetic.ball import Real, evaluate, exp, log, minimum
from theory.errors import InputError
from theory.quantities import Count, Enclosure, Exact, Length, Letters, Positive, Rational, Result, quantity
from theory.rope.retrieval.decoding import Design, r1, r2, r3
from theory.rope.retrieval.head import letter_step
from theory.rope.retrieval.repaired import integer_step
from theory.rope.scale import InverseTemperature, ceiling, lost_odds

CLAIM = "retrieval-repaired"
THRESHOLD = "retrieval-repaired-threshold"

# A gap as the candidates of which it is the least: of omega, omega_I and I.
Candidates = Callable[[Any, Any, Any], list[Any]]


def next_letter(step: Any, integer: Any, integers: Any) -> list[Any]:
    """LL queries of R1 and R2: the next letter."""
    return [1 - cos(step)]


def r2_integer(step: Any, integer: Any, integers: Any) -> list[Any]:
    """LI queries of R2: the same letter with a right letter, the next letter, and the next integer if there is one."""
    return [Integer(1), 1 - cos(step)] + ([] if integers == 1 else [1 - cos(integer)])


def r3_letter(step: Any, integer: Any, integers: Any) -> list[Any]:
    """LL queries of R3: a match at the rim of its sector against the first slot beyond it."""
    return [2 * sin(step / 2) * sin(step / (integers + 1) / 2)]


def r3_integer(step: Any, integer: Any, integers: Any) -> list[Any]:
    """LI queries of R3: the next slot."""
    return [1 - cos(step / (integers + 1))]


@dataclass(frozen=True)
class Repair:
    """A head and what its smallest gaps are said to be, for LL queries and for LI queries.

    `integer_gap` is None where not a gap but the residual decodes LI queries.
    """

    design: Callable[[int, int], Design]
    letter_gap: Candidates = next_letter
    integer_gap: Candidates | None = None

    def gap(self, letters: int, integers: int, integer_query: bool) -> Real | None:
        """The smallest gap of a kind of query at every length n >= 2; None where the residual decodes it."""
        if (candidates := self.integer_gap if integer_query else self.letter_gap) is None:
            return None
        steps = letter_step(letters), integer_step(integers)
        return minimum(evaluate(candidate) for candidate in candidates(*steps, integers))


Repairs = Mapping[str, Repair]
R1 = Repair(lambda letters, integers: r1(letters))
R2 = Repair(r2, next_letter, r2_integer)
R3 = Repair(r3, r3_letter, r3_integer)
REPAIRS: Repairs = {"R1": R1, "R2": R2, "R3": R3}


def repaired_gap(name: str, letters: int, integers: int) -> Real:
    """The least gap of a repaired head ("R1", "R2" or "R3") over both kinds of query; for R1 that of LL queries.

    Raises InputError for an unknown head, fewer than two letters or no integer.
    """
    if name not in REPAIRS:
        raise InputError(f"{name!r} is no repaired Retrieval head; give one of {', '.join(REPAIRS)}")
    gaps = (REPAIRS[name].gap(letters, integers, integer_query) for integer_query in (False, True))
    return minimum(gap for gap in gaps if gap is not None)


def retrieval_beta_for(name: str, letters: int, integers: int, n: int, epsilon: Fraction) -> InverseTemperature:
    """What it takes for the target token to have weight at least 1 - `epsilon`, on all proper inputs up to length `n`.

    The infimum ln((n - 1)(1 - epsilon)/epsilon)/gap is attained, so it is the least such scale; a `sufficient` double
    is at least as large. R1: LL queries only, since on LI queries its attention may be shared and its residual
    decodes. Raises InputError as `repaired_gap`, for n < 1, and unless 0 < epsilon < 1.
    """
    if n < 1:
        raise InputError(f"n={n} is no length: an input has at least one token; give n >= 1")
    odds, gap = lost_odds(epsilon), repaired_gap(name, letters, integers)
    if n - 1 <= odds:
        return InverseTemperature(Real.of(0))
    return InverseTemperature(log((n - 1) / odds) / gap)


def _by_query(letters: int, integers: int, value: Callable[[Real], Result], otherwise: Result) -> dict[str, Result]:
    return {
        f"{name} {kind}": otherwise if (gap := repair.gap(letters, integers, kind == "LI")) is None else value(gap)
        for name, repair in REPAIRS.items()
        for kind in ("LL", "LI")
    }


@quantity("retrieval-repaired-gap", unit="logit", claim=CLAIM)
def repaired_gaps(letters: Letters, integers: Count) -> dict[str, Result]:
    """The smallest gap of R1, R2 and R3 at every length n >= 2; R1 LI: 0, since its residual decodes without a gap."""
    return _by_query(letters, integers, Enclosure, Exact(0))


@quantity("retrieval-repaired-beta-threshold", unit="inverse temperature", claim=THRESHOLD)
def repaired_beta_threshold(letters: Letters, integers: Count, n: Length) -> dict[str, Result]:
    """ln(n - 1)/gap, above which R1, R2 and R3 decode all proper inputs of length n, and below which they do not."""
    return _by_query(letters, integers, lambda gap: Enclosure(log(max(n - 1, 1)) / gap), Exact(0))


@quantity("retrieval-repaired-length-limit", unit="tokens", claim=THRESHOLD)
def repaired_length_limit(letters: Letters, integers: Count, beta: Positive) -> dict[str, Result]:
    """ceil(e^(beta gap)): the longest n at which all proper inputs decode; none for R1 LI, written 0."""
    return _by_query(letters, integers, lambda gap: Exact(ceiling(exp(beta * gap))), Exact(0))


@quantity("retrieval-repaired-beta-for", unit="inverse temperature", claim=THRESHOLD)
def repaired_beta_for(letters: Letters, integers: Count, n: Length, epsilon: Rational) -> dict[str, Result]:
    """The least scale that leaves the target the weight 1 - epsilon on all proper inputs to length n; R1: LL only."""
    return {name: Enclosure(retrieval_beta_for(name, letters, integers, n, epsilon).infimum) for name in REPAIRS}
