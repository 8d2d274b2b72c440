"""How far a symbolic head of one plane reaches: the longest length at which softmax decodes every letter query.

With E(a, b) = sum_{r=a}^b f(r), f(r) = e^(beta (cos(omega - r theta) - 1)), the two worst inputs of claim
retrieval-softmax-threshold decode iff E(1, n-1) < 1 and E(0, n-2) < e^(beta (cos((n-1) theta) - 1)). For slow planes
these sums are long. Euler and Maclaurin give one as an integral, both ends, and a rest:

    sum_{r=a}^b f(r) = int_a^b f + (f(a) + f(b))/2 + (f'(b) - f'(a))/12 + R,    |R| <= int_a^b |f''''| / 384,

since 0 <= B_4(x) - B_4 = x^2 (1 - x)^2 <= 1/16 on [0, 1]. All derivatives of beta cos are at most beta, so |f''''| <=
theta^4 (beta + 7 beta^2 + 6 beta^3 + beta^4) f, the Touchard polynomial of degree 4. Balls enclose all of it.
"""

from __future__ import annotations

import numpy as np
from flint import acb, arb, ctx

from theory.arithmetic.angle import Angle
from theory.arithmetic.ball import Real, exp, pi, versine
from theory.arithmetic.real import PRECISION_LIMIT, precisions
from theory.errors import Undecided
from theory.limits.search import largest
from theory.outcome import Outcome
from theory.rope.retrieval.letter_scale import check_letter_query, hard_length_limit
from theory.rope.scale import ceiling

LONGEST = 10**18  # what reaches further is reported as this
_DIRECT = 1000  # sums of fewer terms are added one by one
_SAMPLES = 4096


def angle_reach(letters: int, angle: Angle) -> int:
    """The longest n with (2n - 3) theta < omega = 2 pi/`letters`, 1 if n = 2 breaks it; LONGEST at most.

    Raises InputError for a negative angle and for fewer than two letters.
    """
    if angle.real.exact == 0:
        return LONGEST
    if (angle.real > 2 * pi / letters) is Outcome.HOLDS:
        return 1
    return min(hard_length_limit(letters, angle), LONGEST)


def symbolic_reach(letters: int, beta: Real, angle: Angle) -> int:
    """The longest n within `angle_reach` at which softmax at `beta` > 0 decodes all letter queries; LONGEST at most."""
    hard = angle_reach(letters, angle)
    if hard == 1:
        return 1
    check_letter_query(letters, 2, angle)
    if angle.real.exact == 0:
        still = exp(beta * versine(2 * pi / letters))
        return LONGEST if (still > LONGEST) is Outcome.HOLDS else ceiling(still)
    guess = _estimate(letters, float(beta), float(angle.real), hard)
    return largest(lambda n: decodes(letters, n, beta, angle), guess, hard)


def decodes(letters: int, n: int, beta: Real, angle: Angle) -> bool:
    """Whether softmax decodes all letter queries of length n >= 2, for 0 < (n - 1) theta <= omega; certified.

    Raises Undecided where the precision limit leaves it open.
    """
    for precision in precisions(64, PRECISION_LIMIT):
        with ctx.workprec(precision):
            scale, step, width = beta.enclose(), angle.real.enclose(), 2 * arb.pi() / letters
            inside = _total(scale, step, width, 1, n - 2)  # E(1, n-2), shared by both inputs
            near = inside + _term(scale, step, width, n - 1) - 1
            far = inside + _term(scale, step, width, 0) - (scale * (((n - 1) * step).cos() - 1)).exp()
            if near < 0 and far < 0:
                return True
            if near >= 0 or far >= 0:
                return False
    raise Undecided(f"whether all letter queries of length {n} decode is undecided for theta={angle}")


def _term(scale: arb, step: arb, width: arb, r: arb | int) -> arb:
    return (scale * ((width - r * step).cos() - 1)).exp()


def _total(scale: arb, step: arb, width: arb, first: int, last: int) -> arb:
    """E(first, last), by Euler and Maclaurin where that is shorter and its rest small."""
    rest = step**4 * scale * (1 + scale * (7 + scale * (6 + scale))) / 384
    if last - first < _DIRECT or not rest < arb(2) ** -20:
        return sum((_term(scale, step, width, r) for r in range(first, last + 1)), arb(0))

    def integrand(r: acb, _analytic: bool) -> acb:  # entire, so analytic wherever it is asked to be
        return (scale * ((width - r * step).cos() - 1)).exp()

    integral = acb.integral(integrand, first, last).real
    ends = [_term(scale, step, width, r) for r in (first, last)]
    slopes = [scale * step * (width - r * step).sin() * end for r, end in zip((first, last), ends, strict=True)]
    return integral * (1 + rest * arb(0, 1)) + (ends[0] + ends[1]) / 2 + (slopes[1] - slopes[0]) / 12


def _estimate(letters: int, beta: float, theta: float, hard: int) -> int:
    """The reach in float64, where the search for the certified one begins."""
    width = 2 * np.pi / letters

    def holds(n: int) -> bool:
        r = np.linspace(0, n - 1, min(n, _SAMPLES))
        terms = np.exp(beta * (np.cos(width - r * theta) - 1))
        total = np.trapezoid(terms, r) + (terms[0] + terms[-1]) / 2
        return bool(total - terms[0] < 1 and total - terms[-1] < np.exp(beta * (np.cos((n - 1) * theta) - 1)))

    return largest(holds, 1, hard)
