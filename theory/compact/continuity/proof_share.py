"""The share of changed letters that the proof of continuity allows, from moduli of continuity of the maps alone.

Source: arXiv 2505.10606 (the proof is reconstructed here). Beside it, networks whose largest gap is known.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from theory.arithmetic.ball import Real, log, sqrt
from theory.compact.averaging.averages import poisson_tail
from theory.compact.continuity.single_head import changed_mass

Inverse = Callable[[Fraction], Fraction]


@dataclass(frozen=True)
class Maps:
    """How far arguments may move before the maps of a layer move by eps, and the bounds of the layer.

    Args:
        logit, value, outer: from eps to how far states (for the last, states and the head's output) may move.
        growth: an upper bound of e^Delta.
        value_bound: V_max.
    """

    logit: Inverse
    value: Inverse
    outer: Inverse
    growth: Fraction
    value_bound: Fraction


def lipschitz(constant: Fraction | int) -> Inverse:
    """The inverse modulus of a Lipschitz map; a constant one lets arguments move by 1."""
    return lambda eps: eps / constant if constant else Fraction(1)


def proof_share(layers: tuple[Maps, ...], readout: Inverse, eps: Fraction) -> Fraction:
    """The share of changed letters that the proof allows, for a distance eps of the outputs."""
    return _share(layers, readout(eps))


def _share(layers: tuple[Maps, ...], eps: Fraction) -> Fraction:
    """The same for a distance eps of the states behind these layers, at a place where the letters agree."""
    if not layers:
        return Fraction(1)
    *earlier, last = layers
    eta = last.outer(eps)
    # eta'' + V_max (e^(2 eta') - 1) <= eta/2, by e^z - 1 <= 2 z on [0, 1].
    logit_moves = min(Fraction(1, 2), eta / (16 * last.value_bound))
    moves = min(eta, last.logit(logit_moves), last.value(eta / 4))
    good = min(_share(tuple(earlier), moves), Fraction(1, 2))
    # Bad places, changed or with many changes before them, weigh e^Delta delta (1 + 1/delta').
    return min(good, eta / (8 * last.value_bound * last.growth * (1 + 1 / good)))


@dataclass(frozen=True)
class Compact:
    """A network inside the theorem whose largest gap at a share of changed letters is known, or bounded."""

    name: str
    layers: tuple[Maps, ...]
    readout: Inverse
    gap: Callable[[Fraction], Real]


AVERAGE = Maps(lipschitz(0), lipschitz(1), lipschitz(1), Fraction(1), Fraction(1))


def averaging(layers: int) -> Compact:
    """The L-th average of letters 0 and 1."""
    return Compact(
        f"{layers} averages", (AVERAGE,) * layers, lipschitz(1), lambda share: Real.of(poisson_tail(layers, share))
    )


def boosted(growth: int) -> Compact:
    """Logits ln(growth) w_j: the output is the mass on letters 1."""
    spread = log(growth)
    maps = Maps(lipschitz(growth), lipschitz(1), lipschitz(1), Fraction(growth), Fraction(1))
    return Compact(f"e^Delta = {growth}", (maps,), lipschitz(1), lambda share: Real.of(changed_mass(spread, share)))


ROOT = Compact("square root of an average", (AVERAGE,), lambda eps: eps**2, sqrt)
COMPACT = (averaging(1), averaging(2), averaging(3), averaging(8), boosted(4), boosted(50), ROOT)
