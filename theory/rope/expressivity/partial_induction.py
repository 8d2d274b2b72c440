"""A head with two frequencies computes partial induction: it finds the latest of the tokens with the query's symbol.

Source: arXiv 2511.11579, Thm 6 (its two angles), with amplitudes and a phase derived here. The keys (s_1, w_1), ...,
(s_{n-1}, w_{n-1}) come before a query symbol s that occurs among the s_j; the output is the value w_j of the latest j
with s_j = s. Plane 1 has frequency 0 and compares symbols on a circle, with amplitude B; plane 2 has frequency theta
and phase psi and prefers small offsets: the logit at offset t is B cos((phi - phi_q) omega) + g(t) with
g(t) = cos(t theta + psi).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import pairwise, product
from typing import Any

import sympy
from sympy import Expr, Matrix, Symbol, sqrt

from theory.arithmetic.ball import Real, cos, minimum
from theory.claims import Hypothesis, Source, claim
from theory.errors import InputError
from theory.evidence import Enumeration, Evidence, Identity
from theory.outcome import Outcome
from theory.quantities import AnyAngle, Enclosure, Length, Letters, Positive, quantity
from theory.rope.head import UP, code
from theory.rope.index.window import angle_of
from theory.rope.rotation import logit, rotation
from theory.symbols import j, n, omega, phi_c, phi_q, theta

SOURCE = Source("2511.11579", "Thm 6", "reconstructed")
PSI = Symbol("psi", real=True)
AMPLITUDE = Symbol("B", positive=True)


def induction_key_column(letter: Expr, step: Expr = omega, amplitude: Expr = AMPLITUDE) -> Matrix:
    """W_K on a token with this symbol, 4 x 1: the symbol in plane 1, one vector for all tokens in plane 2."""
    return Matrix.vstack(sqrt(amplitude) * code(letter * step), UP)


def induction_query_column(letter: Expr, step: Expr = omega, amplitude: Expr = AMPLITUDE, phase: Expr = PSI) -> Matrix:
    """W_Q on a query symbol, 4 x 1, for frequencies (0, theta)."""
    return Matrix.vstack(sqrt(amplitude) * code(letter * step), rotation(phase) * UP)


def induction_logit(turned: Any, offset: Any, amplitude: Any, angle: Any, phase: Any, cosine: Any = sympy.cos) -> Any:
    """The logit of a key whose symbol lies `turned` radians from the query's, at an offset."""
    return amplitude * cosine(turned) + cosine(offset * angle + phase)


@dataclass(frozen=True)
class Recency:
    """The second plane: its frequency and phase, in turns."""

    turns: Fraction
    phase: Fraction = Fraction(0)

    def gain(self, offset: int) -> Real:
        """g(t)."""
        return cos(angle_of(offset * self.turns + self.phase).real)


def aligned(length: int) -> list[Recency]:
    """Frequencies for phase 0: (n - 3/2) theta < pi."""
    return [Recency(share / (length - Fraction(3, 2))) for share in (Fraction(1, 9), Fraction(1, 3), Fraction(12, 25))]


def centred(length: int) -> list[Recency]:
    """Frequencies with the phase that puts offset n/2 at a quarter turn."""
    return [
        Recency(turns, Fraction(1, 4) - length * turns / 2)
        for turns in (Fraction(1, 4 * length), Fraction(1, 9 * length))
    ]


@dataclass(frozen=True)
class TwoAngles:
    """That the only maximiser is the latest match.

    Args:
        recency: second planes at a length.
        amplitude: B, from g(1) - g(n - 1) and 1 - cos omega.
        letters: A.
        drift: the frequency of plane 1, in turns.
        latest: the latest match is meant, rather than the first.
    """

    recency: Callable[[int], list[Recency]] = lambda length: aligned(length) + centred(length)
    amplitude: Callable[[Any, Any], Any] = lambda reach, notch: Fraction(101, 100) * reach / notch
    letters: int = 4
    drift: Fraction = Fraction(0)
    latest: bool = True

    def __str__(self) -> str:
        amplitude = self.amplitude(Symbol("(g(1) - g(n - 1))"), 1 - sympy.cos(omega))
        which = "latest" if self.latest else "first"
        return (
            f"with frequencies ({angle_of(self.drift)}, theta) and amplitude {amplitude} at A = {self.letters} the "
            f"only maximiser is the {which} match"
        )

    def cases(self, longest: int) -> Iterator[tuple[object, Outcome]]:
        notch = 1 - cos(angle_of(Fraction(1, self.letters)).real)
        for length in range(3, longest + 1):
            for plane in self.recency(length):
                amplitude = Real.of(self.amplitude(plane.gain(1) - plane.gain(length - 1), notch))
                above = cache(lambda a, b, plane=plane, amplitude=amplitude: self._above(a, b, plane, amplitude))
                for kappas in product(range(self.letters), repeat=length - 1):
                    if 0 in kappas:
                        case = {"kappa": kappas, "theta": str(angle_of(plane.turns)), "psi": str(angle_of(plane.phase))}
                        yield case, self._finds(kappas, above)

    def _finds(self, kappas: Sequence[int], above: Callable[..., Outcome]) -> Outcome:
        keys = [(kappa, len(kappas) - at) for at, kappa in enumerate(kappas)]
        matches = [key for key in keys if key[0] == 0]
        target = matches[-1 if self.latest else 0]
        return Outcome.every([Outcome.HOLDS, *(above(target, key) for key in keys if key != target)])

    def _above(self, one: tuple[int, int], other: tuple[int, int], plane: Recency, amplitude: Real) -> Outcome:
        values = [
            amplitude * cos(angle_of(Fraction(kappa, self.letters) + offset * self.drift).real) + plane.gain(offset)
            for kappa, offset in (one, other)
        ]
        return values[0] > values[1]


@claim(
    "partial-induction-two-angles",
    source=SOURCE,
    quantifiers="for all n >= 3, inputs of length n in which the query's symbol occurs, alphabets, theta, psi and B",
    statement=str,
    variant=TwoAngles(),
    controls={
        "B = 2.1 for eight letters": TwoAngles(amplitude=lambda reach, notch: Fraction(21, 10), letters=8),
        "plane 1 rotates too": TwoAngles(drift=Fraction(1, 16)),
        "the first match": TwoAngles(latest=False),
    },
    hypotheses=(
        Hypothesis(
            "recency",
            "g falls strictly on 1..n-1",
            TwoAngles(
                recency=lambda length: [Recency(Fraction(1, 3))],
                amplitude=lambda reach, notch: Fraction(21, 10) / notch,
            ),
        ),
        Hypothesis(
            "amplitude",
            "B (1 - cos omega) > g(1) - g(n - 1)",
            TwoAngles(amplitude=lambda reach, notch: Fraction(99, 100) * reach / notch),
            "above 2 is always enough; 2 itself ties where g runs from 1 to -1",
        ),
    ),
    does_not_show="how far the target stands out: partial-induction-recency-aligned and -phase",
)
def partial_induction_two_angles(head: TwoAngles, thorough: bool) -> Iterator[Evidence]:
    """All symbols of up to n - 1 earlier tokens, relative to the query's; the logit from W_Q and W_K."""
    longest = 7 if thorough else 5
    yield Enumeration(f"every input, n <= {longest}, rational turns", head.cases(longest))
    columns = induction_query_column(phi_q), induction_key_column(phi_c)
    found = logit(columns[0], n, columns[1], j, [Fraction(0), theta])
    claimed = induction_logit((phi_c - phi_q) * omega, n - j, AMPLITUDE, theta, PSI)
    yield Identity("logit", [("two planes", found, claimed)])


@quantity("induction-gaps", unit="logit", claim="partial-induction-two-angles")
def induction_gaps(
    n: Length, letters: Letters, amplitude: Positive, theta: AnyAngle, psi: AnyAngle
) -> dict[str, Enclosure]:
    """B (1 - cos omega), the range g(1) - g(n - 1) that it must exceed, and the least g(t) - g(t + 1)."""
    if n < 3:
        raise InputError(f"n={n} leaves no two earlier tokens to tell apart; give n >= 3")
    gains = [cos(t * theta.real + psi.real) for t in range(1, n)]
    return {
        "symbol": Enclosure(amplitude * (1 - cos(angle_of(Fraction(1, letters)).real))),
        "range": Enclosure(gains[0] - gains[-1]),
        "recency": Enclosure(minimum(near - far for near, far in pairwise(gains))),
    }
