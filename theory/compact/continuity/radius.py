"""How few letters may change, and how long words must be, before the explicit modulus of continuity meets a level.

Source: derived here. The lengths are those of a network whose constants are all 1, as one that only averages.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import factorial

from theory.arithmetic.ball import Real, log
from theory.arithmetic.real import RealLike
from theory.compact.averaging.averages import poisson_tail_radius, tail_radius, tail_sum
from theory.compact.averaging.poisson_tail import few
from theory.compact.continuity.constants import polynomial
from theory.compact.continuity.single_head import within_unit
from theory.errors import InputError
from theory.outcome import Outcome
from theory.quantities import Bound, Count, Enclosure, Exact, Number, Optimum, Positive, quantity
from theory.rope.scale import ceiling

CLAIM = "continuity-explicit"
MOST_LAYERS = 200


def asymptotic_radius(layers: int, level: RealLike) -> Real:
    """(L-1)! eps/ln(1/eps)^(L-1), to which the radius of g_L is asymptotic as eps falls to 0; no bound at any eps."""
    return Real.of(factorial(layers - 1)) * level / log(1 / Real.of(level)) ** (layers - 1)


def agreement_length_on_powers(coefficients: Sequence[RealLike], level: RealLike) -> int:
    """The least N such that c_1 g_1(d) + ... + c_L g_L(d) <= `level` from length N on, for 0^w and the powers of two.

    These differ at K(n) = 1 + floor(log2 n) of the first n places. Where K is constant the bound falls with n.
    """
    radius = tail_radius(coefficients, level)
    if radius.exact == 0:
        raise InputError(f"no length meets the level {level!r}; give one > 0")
    # K places change little enough from length K/radius on. Lengths with that K begin at 2^(K-1), and K/2^(K-1) falls.
    found, changed = 1, 1
    while (needed := ceiling(changed / radius)) > 2 ** (changed - 1):
        found = min(needed, 2**changed)
        changed += 1
    return found


@quantity("continuity-bound", unit="distance of outputs", claim=CLAIM)
def continuity_bound(layers: Count, own: Number, mean: Number, share: Number) -> Bound:
    """Lambda D_0 (c_1 g_1(d) + ... + c_L g_L(d)) for Lambda D_0 = 1 and layers of one a = `own` and b = `mean`."""
    if Outcome.every((own >= 0, mean >= 0)) is not Outcome.HOLDS:
        raise InputError(f"a = {own!r} and b = {mean!r} bound distances; give numbers >= 0")
    coefficients = polynomial([(own, mean)] * _some(layers))
    return Bound("upper", Real.of(tail_sum(coefficients[1:], within_unit(share))))


@quantity("continuity-radius", unit="share of changed letters", claim=CLAIM)
def continuity_radius(layers: Count, eps: Positive) -> dict[str, Enclosure | Bound | Optimum]:
    """The largest share with g_L <= eps; (eps/2^(L-1))^2, which is always below it; and the asymptotic share.

    `eps` is the level over Lambda D_0 Gamma_L, below 1.
    """
    if (eps < 1) is not Outcome.HOLDS:
        raise InputError(f"eps = {eps!r} is not below 1, which no tail exceeds; give a number between 0 and 1")
    return {
        "radius": Enclosure(poisson_tail_radius(_some(layers), eps)),
        "always": Bound("lower", (eps / 2 ** (layers - 1)) ** 2),
        "asymptotic": Optimum(float(asymptotic_radius(layers, eps)), "the limit of small eps, no bound"),
    }


@quantity("agreement-length", unit="positions", claim=CLAIM)
def agreement_length(layers: Count, eps: Positive) -> Exact:
    """From which length on g_L(K(n)/n) <= eps for 0^w and the powers of two: outputs of an averaging network agree."""
    return Exact(agreement_length_on_powers([0] * (_some(layers) - 1) + [1], eps))


def _some(layers: int) -> int:
    if layers > MOST_LAYERS:
        raise InputError(f"layers = {layers} take too long; give at most {MOST_LAYERS}")
    return few(layers)
