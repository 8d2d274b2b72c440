"""A content match that keeps a fixed margin at every length needs a plane that does not turn.

Source: derived here; it says why partial rotation (arXiv 2410.06205, Sec. 6) and layers without RoPE help. Over h
consecutive offsets the logits of a turning plane average out to |c|/(h |sin(theta/2)|) at most; the target is averaged
over the first h = floor(n/2) offsets, the distractor over the next h.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import numpy as np
import sympy
from sympy import Expr, I, exp

from theory.arithmetic.angle import Angle
from theory.arithmetic.ball import Real, cos, maximum, minimum, sin
from theory.claims import Hypothesis, Source, claim
from theory.errors import InputError
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.outcome import Outcome
from theory.quantities import Bound, Length2, Vector, quantity
from theory.rope.index.discrepancy import TURN
from theory.rope.index.window import rational_turns
from theory.rope.neighbours.barbero_basics import BARBERO
from theory.symbols import theta
from theory.wording import counted

CLAIM = "symbolic-margin-needs-zero-frequency"
SEED = 6
Waves = Sequence[tuple[Fraction, Fraction]]  # amplitude, and phase in turns, of each plane


@dataclass(frozen=True)
class Margin:
    """target(r1) - distractor(r2) <= sum_k (a |c_k| + b |c'_k|)/(h^power |sin(theta_k/2)|) for some r1 != r2 below n.

    Args:
        weights: a and b.
        power: of h = floor(n/2).
        turning: all planes turn; otherwise those that do not are left out of the sum.
    """

    weights: tuple[Fraction, Fraction] = (Fraction(1), Fraction(1))
    power: int = 1
    turning: bool = True

    def __str__(self) -> str:
        a, b = self.weights
        return (
            f"some r1 != r2 below n have target(r1) - distractor(r2) <= "
            f"sum_k ({a} |c_k| + {b} |c'_k|)/(h^{self.power} |sin(theta_k/2)|), h = floor(n/2)"
            f"{'' if self.turning else ', the sum over the planes that turn'}"
        )

    def averaged(self, n: int, target: Iterable[Any], other: Iterable[Any], half_sines: Iterable[Any]) -> Any:
        """The bound from |c_k|, |c'_k| and |sin(theta_k/2)|, generic over the arithmetic."""
        a, b = self.weights
        terms = ((a * c + b * d) / half for c, d, half in zip(target, other, half_sines, strict=True))
        return sum(terms) * Fraction(1, (n // 2) ** self.power)

    def bound(self, n: int, angles: Sequence[Real], target: Waves, other: Waves) -> Real:
        turning = [k for k, angle in enumerate(angles) if angle.exact != 0]
        matched, distracted = ([abs(waves[k][0]) for k in turning] for waves in (target, other))
        return Real.of(self.averaged(n, matched, distracted, [abs(sin(angles[k] / 2)) for k in turning]))


@claim(
    CLAIM,
    source=Source(BARBERO, "Sec. 6", "derived"),
    quantifiers="for all n >= 2, numbers of planes, complex c_k, c'_k and theta_k that are no multiples of 2 pi",
    statement=str,
    variant=Margin(),
    controls={
        "1/h^2": Margin(power=2),
        "the target's amplitudes only": Margin(weights=(Fraction(1), Fraction(0))),
        "the distractor's amplitudes only": Margin(weights=(Fraction(0), Fraction(1))),
        "a quarter": Margin(weights=(Fraction(1, 4), Fraction(1, 4))),
    },
    hypotheses=(Hypothesis("no plane at rest", "no theta_k is a multiple of 2 pi", Margin(turning=False)),),
    does_not_show="how large the margin is: it may be lost long before the bound falls below it",
)
def symbolic_margin_needs_zero_frequency(margin: Margin, thorough: bool) -> Iterator[Evidence]:
    """Rational turns and slow planes, with certified comparisons; the geometric sum; random planes in float64."""
    yield Enumeration("one and two planes", _cases(margin, 9 if thorough else 5))
    yield Identity("the sum over h offsets", (_geometric(h) for h in range(1, 7)))
    yield Search("random planes", _random(margin, 3_000 if thorough else 300), seed=SEED)


def _cases(margin: Margin, order: int) -> Iterator[Case]:
    """A target near its maximum against a distractor near its minimum, where the margin is kept for longest."""
    one, tiny, half = Fraction(1), Fraction(1, 1000), Fraction(1, 2)
    for turns in [Fraction(1, 40), Fraction(1, 90), *(x for x in rational_turns(2, order) if x)]:
        angle = TURN * turns
        for n, (c, d) in product((2, 5, 12, 24, 50), ((one, one), (tiny, one), (one, tiny))):
            # The middle of the window is in phase.
            phase = -turns * (n - 1) / 2 % 1
            target, other = [(c, phase)], [(d, phase + half)]
            yield {"turns": str(turns), "n": n, "|c|, |c'|": f"{c}, {d}"}, _holds(margin, n, [angle], target, other)
    if not margin.turning:
        angles = [Real.of(0), TURN / 3]
        for n in (2, 6, 12, 24):
            outcome = _holds(margin, n, angles, [(one, Fraction(0)), (one, Fraction(0))], [(one, half), (one, half)])
            yield {"turns": "0, 1/3", "n": n}, outcome


def _holds(margin: Margin, n: int, angles: Sequence[Real], target: Waves, other: Waves) -> Outcome:
    matched, distracted = (
        [
            Real.total(c * cos(r * x + TURN * phase) for x, (c, phase) in zip(angles, waves, strict=True))
            for r in range(n)
        ]
        for waves in (target, other)
    )
    least = minimum(matched[r] - maximum(distracted[:r] + distracted[r + 1 :]) for r in range(n))
    return least <= margin.bound(n, angles, target, other)


def _geometric(h: int) -> Equation:
    """(1 - e^(i theta)) sum e^(i r theta) = 1 - e^(i h theta), of modulus 2 at most, and |1 - e^(i theta)|."""
    total: Expr = sum((exp(I * r * theta) for r in range(h)), sympy.Integer(0))
    square = sympy.expand(total * total.subs(I, -I) * 4 * sympy.sin(theta / 2) ** 2)
    return f"h = {h}", square, 4 * sympy.sin(h * theta / 2) ** 2


def _random(margin: Margin, count: int) -> Iterator[Trial]:
    random = Random(SEED)
    for _ in range(count):
        m, n = random.randint(1, 5), random.randint(2, 400)
        theta_k = np.array([6 * 10 ** random.uniform(-3, 0) for _ in range(m)])
        sizes = np.array([[random.random() for _ in range(m)] for _ in range(2)])
        # Near the phases that keep the margin longest.
        middle = np.array([[random.gauss(side, 0.3) for _ in range(m)] for side in (0, np.pi)])
        shifts = middle - theta_k * (n - 1) / 2
        waves = (sizes[:, :, None] * np.cos(theta_k[:, None] * np.arange(n) + shifts[:, :, None])).sum(axis=1)
        pairs = waves[0][:, None] - waves[1][None]
        np.fill_diagonal(pairs, np.inf)
        bound = float(margin.averaged(n, sizes[0], sizes[1], np.abs(np.sin(theta_k / 2))))
        # Phases are off by (2 n theta + 2 pi) 2^-52, and the bound by as much in sin(theta/2).
        error = float(sizes.sum() * (2 * n * theta_k.max() + 7) * 2.0**-52) + bound * 2.0**-30
        yield Trial({"m": m, "n": n}, float(pairs.min()), bound, error)


@quantity("symbolic-margin-limit", unit="logit", claim=CLAIM)
def symbolic_margin_limit(n: Length2, frequencies: Vector, target: Vector, distractor: Vector) -> Bound:
    """A bound for target - distractor at some offsets below n; |c_k| and |c'_k| are the amplitudes of the planes."""
    if not len(frequencies) == len(target) == len(distractor):
        sizes = f"{counted(len(frequencies), 'frequencies')}, {len(target)} and {len(distractor)} amplitudes"
        raise InputError(f"{sizes} do not match; give one amplitude of target and distractor for each plane")
    angles = [Angle(expr).rotating() for expr in frequencies]
    sizes_of = [abs(Real.of(c)) + abs(Real.of(d)) for c, d in zip(target, distractor, strict=True)]
    terms = (size / abs(sin(angle.real / 2)) for size, angle in zip(sizes_of, angles, strict=True))
    return Bound("upper", Real.total(terms) / (n // 2))
