"""A symbolic head over several planes: a gap bounded below by the fastest plane that its letter codes use.

The query is the unit code of the wanted letter. A rotation by r positions moves it by an angle of at most r theta_max
on the sphere, and other codes stand at least alpha_0 away.

Source: derived here for arXiv 2605.31558, Thm 3.2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import sympy
from numpy.typing import NDArray
from sympy import cos, sin

from theory.arithmetic.angle import Angle
from theory.arithmetic.ball import Real, acos, maximum, pi
from theory.arithmetic.ball import cos as cosine
from theory.claims import Hypothesis, Source, claim
from theory.errors import InputError
from theory.evidence import Enumeration, Evidence, Identity, Search, Trial
from theory.outcome import Outcome
from theory.quantities import AnyAngle, Bound, Exact, Length2, NonzeroAngle, quantity
from theory.rope.retrieval.decoding import TURN
from theory.rope.retrieval.head import key_column, query_column, retrieval_phase
from theory.rope.rotation import PAPER, logit
from theory.rope.scale import ceiling
from theory.symbols import n, omega, phi_q, theta

SEED = 64
ALPHA_0 = sympy.Symbol("alpha_0", positive=True)


def gap_bound(n: Any, fastest: Any, separation: Any, cosine: Callable[[Any], Any]) -> Any:
    """cos((n - 1) theta_max) - cos(alpha_0 - (n - 1) theta_max)."""
    moved = (n - 1) * fastest
    return cosine(moved) - cosine(separation - moved)


@dataclass(frozen=True)
class Family:
    """Codes of `letters` letters: in plane k, letter l has length sqrt(weights[k]) and phase l * turns[k].

    `speeds` are the frequencies relative to the fastest plane.
    """

    letters: int
    weights: tuple[Fraction, ...]
    turns: tuple[Fraction, ...]
    speeds: tuple[Fraction, ...]

    def product(self, kappa: int, moved: Real) -> Real:
        """The logit of a letter kappa steps away, where the fastest plane has moved by an angle."""
        planes = zip(self.weights, self.turns, self.speeds, strict=True)
        return Real.total(
            weight * cosine(retrieval_phase(kappa, 0, speed, turn * TURN, moved)) for weight, turn, speed in planes
        )

    def separation(self) -> Real:
        """alpha_0, the smallest angle between two codes."""
        return acos(maximum(self.product(kappa, Real.of(0)) for kappa in range(1, self.letters)))


HALF = Fraction(1, 2)
FAMILIES = (
    Family(4, (Fraction(1),), (Fraction(1, 4),), (Fraction(1),)),
    Family(5, (Fraction(9, 25), Fraction(16, 25)), (Fraction(1, 5), Fraction(2, 5)), (Fraction(1, 3), Fraction(1))),
    Family(8, (HALF, HALF), (Fraction(1, 8), Fraction(3, 8)), (Fraction(1), Fraction(1, 10))),
)


@dataclass(frozen=True)
class LowerBound:
    """A lower bound on the gap where (n - 1) theta_max <= reach alpha_0.

    `value` is a function of length, fastest and slowest frequency, alpha_0, and the cosine to use; `norm` is the length
    of the competing codes.
    """

    value: Callable[..., Any] = lambda n, fastest, slowest, alpha, cosine: gap_bound(n, fastest, alpha, cosine)
    reach: Fraction = Fraction(1)
    norm: Fraction = Fraction(1)

    @property
    def statement(self) -> sympy.Expr:
        fastest, slowest = sympy.symbols("theta_max theta_min", positive=True)
        return sympy.Ge(sympy.Symbol("Delta_inf(n)"), self.value(n, fastest, slowest, ALPHA_0, cos))


@claim(
    "retrieval-multi-plane",
    source=Source(PAPER, "Thm 3.2", "derived"),
    quantifiers="for all unit codes at least alpha_0 in (0, pi] apart, planes of frequencies in [0, theta_max] with "
    "(n - 1) theta_max <= alpha_0, LL queries; a lower bound, positive if 2 (n - 1) theta_max < alpha_0",
    statement=lambda bound: bound.statement,
    variant=LowerBound(),
    controls={
        "the slowest plane": LowerBound(
            lambda n, fastest, slowest, alpha, cosine: gap_bound(n, slowest, alpha, cosine)
        ),
        "only the competitor moves": LowerBound(
            lambda n, fastest, slowest, alpha, cosine: gap_bound(1, fastest, alpha - (n - 1) * fastest, cosine)
        ),
        "only the target moves": LowerBound(
            lambda n, fastest, slowest, alpha, cosine: cosine((n - 1) * fastest) - cosine(alpha)
        ),
    },
    hypotheses=(
        Hypothesis(
            "(n - 1) theta_max <= alpha_0", "a rotation does not reach another code", LowerBound(reach=Fraction(2))
        ),
        Hypothesis("unit codes", "a longer code wins from afar", LowerBound(norm=Fraction(5, 4))),
    ),
    does_not_show="that trained letter codes are aligned, or that the bound is attained by several planes",
)
def retrieval_multi_plane(bound: LowerBound, thorough: bool) -> Iterator[Evidence]:
    """One plane, from the maps; families of codes in one and two planes, in balls; random and adversarial codes."""
    yield Enumeration("families of codes", _families(bound, (2, 3, 5, 9) if thorough else (2, 3, 5)))
    one_plane = bound.value(n, theta, theta, omega, cos)
    match, rival = (
        logit(query_column(phi_q), n, key_column(phi_q - kappa), sympy.Integer(1), [theta]) for kappa in (0, 1)
    )
    yield Identity("one plane, match and rival at the first position", [("gap", match - rival, one_plane)])
    product_form = 2 * sin(omega / 2) * sin((omega - 2 * (n - 1) * theta) / 2)
    yield Identity("its sign is that of omega - 2 (n - 1) theta", [("product", one_plane, product_form)])
    yield Search(
        "random codes, half of them beside each other in the fastest plane",
        _random(bound, 2000 if thorough else 300),
        seed=SEED,
    )


def _families(bound: LowerBound, lengths: Sequence[int]) -> Iterator[tuple[object, Outcome]]:
    for family, length, share in product(FAMILIES, lengths, (Fraction(1, 4), HALF, Fraction(1))):
        separation = family.separation()
        fastest = share * bound.reach * separation / (length - 1)
        said = bound.value(length, fastest, min(family.speeds) * fastest, separation, cosine)
        for match, rival in product(range(length), repeat=2):
            if match == rival:
                continue
            targets = family.product(0, match * fastest)
            rivals = maximum(family.product(kappa, rival * fastest) for kappa in range(1, family.letters))
            yield (
                f"{family}, n = {length}, share {share}, match {match}, rival {rival}",
                targets - bound.norm * rivals >= said,
            )


def _random(bound: LowerBound, count: int) -> Iterator[Trial]:
    rng = np.random.default_rng(SEED)
    for trial in range(count):
        planes, length = int(rng.integers(1, 9)), int(rng.integers(2, 33))
        size = int(rng.integers(2, 12)), planes
        codes = rng.normal(size=size) + 1j * rng.normal(size=size)
        if trial % 2:
            codes[1] = codes[0] * np.exp(1j * rng.uniform(0.05, 1) * (np.arange(planes) == 0))
        codes = codes / np.linalg.norm(codes, axis=1, keepdims=True)
        separation = np.arccos(np.delete((codes @ codes[0].conj()).real, 0).max())
        speeds = np.concatenate(([1.0], rng.random(planes - 1)))
        fastest = float(bound.reach) * rng.random() * separation / (length - 1)
        # A rotation by r positions multiplies plane k of the query by e^(i r theta_k).
        moved = codes[0] * np.exp(1j * np.outer(np.arange(length), speeds * fastest))
        gap = _gap((moved @ codes.conj().T).real, float(bound.norm))
        said = float(bound.value(length, fastest, speeds.min() * fastest, separation, np.cos))
        # Sums of 2m products, and an angle whose rounding error grows as 1/sin(alpha_0).
        allowance = 32 * (planes + 1 / np.sin(separation)) * float(np.finfo(float).eps)
        yield Trial((trial, planes, length), said, gap, allowance)


def _gap(logits: NDArray[np.float64], norm: float) -> float:
    """The least difference of the target (column 0) and another code in another row."""
    differences = logits[:, None, 0] - norm * logits[None, :, 1:].max(axis=2)
    return float(differences[~np.eye(len(logits), dtype=bool)].min())


@quantity("retrieval-multi-plane-gap", unit="logit", claim="retrieval-multi-plane")
def multi_plane_gap(n: Length2, theta_max: AnyAngle, alpha0: NonzeroAngle) -> Bound:
    """A lower bound on the gap of unit codes alpha0 or more apart in planes up to theta_max, LL queries of length n."""
    _check_separation(theta_max, alpha0)
    if ((n - 1) * theta_max.real <= alpha0.real) is not Outcome.HOLDS:
        raise InputError(f"n={n} breaks (n - 1) theta_max <= alpha0={alpha0}; shorten n or use slower planes")
    return Bound("lower", gap_bound(n, theta_max.real, alpha0.real, cosine))


@quantity("retrieval-multi-plane-length", unit="tokens", claim="retrieval-multi-plane")
def multi_plane_length(theta_max: NonzeroAngle, alpha0: NonzeroAngle) -> Exact:
    """The longest n for which this lower bound is positive, 2 (n - 1) theta_max < alpha0."""
    _check_separation(theta_max, alpha0)
    if (theta_max.real > 0) is not Outcome.HOLDS:
        raise InputError(f"theta_max={theta_max} is not positive; give the frequency of the fastest plane in use")
    return Exact(ceiling(alpha0.real / (2 * theta_max.real)))


def _check_separation(theta_max: Angle, alpha0: Angle) -> None:
    if (theta_max.real >= 0) is not Outcome.HOLDS:
        raise InputError(f"theta_max={theta_max} is negative; give the largest absolute frequency")
    if Outcome.every((alpha0.real > 0, alpha0.real <= pi)) is not Outcome.HOLDS:
        raise InputError(f"alpha0={alpha0} is no angle between codes; give 0 < alpha0 <= pi")
