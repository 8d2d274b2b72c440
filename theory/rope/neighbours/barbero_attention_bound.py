"""How long an aligned query and key must be for the target to take almost all attention at every length up to N.

Source: arXiv 2410.06205, Thm 5.3, which asserts that they exist; the length is derived here. The target has weight at
least 1/(1 + (N - 1) e^-G) if all other logits lie G below its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Annotated

import numpy as np
import sympy

from theory.arithmetic.angle import Angle
from theory.arithmetic.ball import Real, cos, exp, log
from theory.arithmetic.grammar import parse_number
from theory.claims import Hypothesis, Source, claim
from theory.errors import InputError
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity, Search, Trial, rational
from theory.outcome import Outcome
from theory.quantities import Enclosure, Length2, Parameter, Vector, quantity
from theory.rope.index.window import angle_of
from theory.rope.neighbours.barbero_basics import BARBERO
from theory.rope.universal_limits.worst_gap import worst_gap

CLAIM = "barbero-attention-bound"
SEED = 641
EXCESS = Fraction(1001, 1000)  # the statement is strict


@dataclass(frozen=True)
class Weight:
    """The target has weight above 1 - eps at all lengths up to N if the worst gap of length N exceeds `log odds`.

    Args:
        odds: a function of N and eps, rational or symbolic.
        length: the length whose worst gap is meant, from N.
        phase: by which the key is off its alignment, in radians.
    """

    odds: Callable[..., sympy.Expr] = lambda N, eps: (N - 1) * (1 - eps) / eps
    length: Callable[[int], int] = lambda N: N
    phase: Fraction = Fraction(0)

    def __str__(self) -> str:
        odds = self.odds(sympy.Symbol("N"), sympy.Symbol("eps"))
        return f"G({self.length(9)}; a, theta) > log({odds}) with N = 9 implies weights > 1 - eps for all n <= N"


@claim(
    CLAIM,
    source=Source(BARBERO, "Thm 5.3", "derived"),
    quantifiers="for all frequencies, amplitudes, 0 < eps < 1, N >= 2, n <= N and targets at any offset below n",
    statement=str,
    variant=Weight(),
    controls={
        "one competitor": Weight(lambda N, eps: (1 - eps) / eps),
        "one competitor too few": Weight(lambda N, eps: (N - 2) * (1 - eps) / eps),
        "the gap of length N - 1": Weight(length=lambda N: max(N - 1, 2)),
    },
    hypotheses=(Hypothesis("aligned", "the key is the query turned by the offset", Weight(phase=Fraction(1, 2))),),
    does_not_show="that a model reaches such norms: with one plane they grow like n^2",
)
def barbero_attention_bound(claimed: Weight, thorough: bool) -> Iterator[Evidence]:
    """Rational turns, where the bound is attained; the odds at equal logits; random planes of RoPE in float64."""
    yield Enumeration("rational turns, all n <= N and targets", _cases(claimed, 9 if thorough else 5))
    yield Identity("equal gaps", [_odds(claimed)], rational)
    yield Search("random planes of RoPE", _random(claimed, 200 if thorough else 25), seed=SEED)


def _cases(claimed: Weight, longest: int) -> Iterator[Case]:
    sets = [(Fraction(1, 3),), (Fraction(1, 7),), (Fraction(1, 8), Fraction(3, 8)), (Fraction(1, 5), Fraction(2, 5))]
    for turns in sets:
        angles = [angle_of(x) for x in turns]
        for most in range(2, longest + 1):
            gap = worst_gap(claimed.length(most), angles).gap
            if (gap > 0) is not Outcome.HOLDS:
                continue
            for eps in (Fraction(1, 100), Fraction(1, 3)):
                if (odds := claimed.odds(most, eps)) <= 0:
                    continue
                scale = abs(log(odds)) / gap * EXCESS
                case = {"turns": [*map(str, turns)], "N": most, "eps": str(eps)}
                weights = (w for n in range(2, most + 1) for w in _weights(claimed, n, angles, scale))
                yield case, Outcome.every(weight > 1 - eps for weight in weights)


def _weights(claimed: Weight, n: int, angles: Sequence[Angle], scale: Real) -> Iterator[Real]:
    """The weight of each target r = 0..n-1 among n keys, equal amplitudes of sum 1."""
    level = [Real.total(cos(angle.real * t + claimed.phase) for angle in angles) / len(angles) for t in range(1 - n, n)]
    for r in range(n):
        yield 1 / Real.total(exp(scale * (level[t - r + n - 1] - level[n - 1])) for t in range(n))


def _odds(claimed: Weight) -> Equation:
    count, eps = sympy.symbols("N eps", positive=True)
    return "1/(1 + (N - 1) e^-G) = 1 - eps", 1 / (1 + (count - 1) / claimed.odds(count, eps)), 1 - eps


def _random(claimed: Weight, sets: int) -> Iterator[Trial]:
    random = Random(SEED)
    for _ in range(sets):
        chosen = sorted(random.sample(range(1, 33), random.randint(2, 8)))
        angles = [Angle.rope(10**4, 64, k) for k in chosen]
        most, eps = random.randint(5, 200), Fraction(1, random.randint(2, 1000))
        scale = float(log(claimed.odds(most, eps)) / worst_gap(claimed.length(most), angles).gap * EXCESS)
        n = random.randint(2, most)
        t = np.arange(n) - random.randrange(n)
        theta = np.array([float(angle.real) for angle in angles])
        gaps = (2 * np.sin(np.outer(t, theta) / 2) ** 2).mean(axis=1)
        rest = 1 - 1 / np.exp(-scale * gaps).sum()
        # Phases are off by n 2^-52, gaps by as much and eight roundings, and exp multiplies that by the scale.
        allowance = float(eps) * scale * (n + 8) * 2.0**-52 + n * 2.0**-52
        yield Trial({"planes": chosen, "N": most, "n": n}, float(rest), float(eps), allowance)


def _share(text: str) -> Fraction:
    value = Real.of(parse_number(text)).exact
    if value is None or not 0 < value < 1:
        raise InputError(f"{text} is no rational number between 0 and 1; give the weight left to others, such as 1/100")
    return value


Share = Annotated[Fraction, Parameter("weight that others may take (rational, between 0 and 1)", _share)]


@quantity("aligned-norm", unit="logit", claim=CLAIM)
def aligned_norm(n: Length2, eps: Share, frequencies: Vector, amplitudes: Vector | None = None) -> dict[str, Enclosure]:
    """The squared norm of query and key above which the target takes all but eps at all lengths up to n."""
    angles = [Angle(expr) for expr in frequencies]
    gap = worst_gap(n, angles, amplitudes).gap
    if (gap > 0) is not Outcome.HOLDS:
        raise InputError(f"the planes {[*map(str, angles)]} return within n={n} steps: no norm suffices; change one")
    needed = log(Fraction(n - 1) * (1 - eps) / eps)
    total = Real.of(1) if amplitudes is None else Real.total(amplitudes)
    return {"squared norm": Enclosure(needed * total / gap), "logit gap": Enclosure(needed)}
