"""Continuity in the one-sided density M_D, for every attention whose bias does not rise with the lag.

M_D(n) is the largest share of changed letters in a window that ends at n. Slopes, windows, chunks and compact encodings
obey one theorem, layer by layer and head by head. Source: derived here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Annotated, Any

import numpy as np
import sympy

from theory.arithmetic.ball import Real, sqrt
from theory.arithmetic.grammar import parse_vector
from theory.claims import Hypothesis, Source, claim
from theory.compact.averaging.averages import averaged_enclosed, poisson_tail
from theory.compact.continuity.constants import polynomial
from theory.compact.lag_kernels.kernels import FALLING, RISING, UNIFORM, Kernel, random_biases, sink_and_window
from theory.compact.lag_kernels.nets import READOUT, Pair
from theory.compact.words import one_sided_density, running_distance
from theory.errors import InputError
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.outcome import Outcome
from theory.quantities import Count, Enclosure, Exact, Parameter, quantity

CLAIM = "lag-kernel-continuity"
SEED = 10606
Factors = tuple[tuple[int, int], ...]
Y = sympy.Symbol("y", positive=True)
M, MASS, T = sympy.symbols("m M_D t")


@dataclass(frozen=True)
class LagBound:
    """|T(u) - T(w)| <= Lambda D_0 (c_1 g_1(mu) + ... + c_L g_L(mu)), mu the density of the changed positions at n.

    Args:
        density: mu, of the changed positions and n.
        tail: which g stands beside c_m.
        lemma: c in M_E <= c M_D / t for the set E of the positions at which M_D exceeds t.
        kernels: what the layers may use.
        last: whether the last letters agree.
        rough: a readout sqrt(a), which has no Lipschitz constant, in place of a linear one.
    """

    density: Callable[[Sequence[int], int], Fraction] = one_sided_density
    tail: Callable[[Any], Any] = lambda m: m
    lemma: Fraction = Fraction(1)
    kernels: tuple[Kernel, ...] = FALLING
    last: bool = True
    rough: bool = False

    def __str__(self) -> str:
        mu = "M_D(n)" if self.density is one_sided_density else "d_H(n)"
        kernels = "that do not rise with the lag" if self.kernels is FALLING else ", ".join(map(str, self.kernels))
        given = [f"kernels {kernels}", f"{'any' if self.rough else 'a Lipschitz'} readout", *["u_n = w_n"] * self.last]
        return (
            f"{', '.join(given)}: |T(u) - T(w)| <= Lambda D_0 sum of c_m g_({self.tail(M)})({mu}); where M_D exceeds t "
            f"in a set E, M_E <= {self.lemma * MASS / T}"
        )

    def modulus(self, coefficients: Sequence[Any], share: Any) -> Any:
        """Sum of c_m g_tail(m) for c_0, c_1, ..., c_L; exact at one layer, as g_1 is."""
        terms = enumerate(coefficients[1:], start=1)
        return sum((c * poisson_tail(self.tail(m), share) for m, c in terms if c), 0)


@claim(
    CLAIM,
    source=Source("2505.10606", "continuity, for encodings that are not compact", "derived"),
    quantifiers="for all n, all D that leave out n, any kernels that do not rise with the lag, a layer and head each",
    statement=str,
    variant=LagBound(),
    controls={
        "d_H in place of M_D": LagBound(density=running_distance),
        "g_(m-1) in place of g_m": LagBound(tail=lambda m: m - 1),
        "M_E <= M_D/(2t)": LagBound(lemma=Fraction(1, 2)),
        "a sink beside the window": LagBound(kernels=(sink_and_window(2),)),
    },
    hypotheses=(
        Hypothesis("kernels that do not rise", "never more weight to an earlier key", LagBound(kernels=(RISING,))),
        Hypothesis("the last letters agree", "n is not in D, so that M_D(n) < 1", LagBound(last=False)),
        Hypothesis("Lipschitz maps", "finite constants; else outputs still converge, but slower", LagBound(rough=True)),
    ),
    does_not_show="continuity in the Hamming distance: one letter beside the last may change the output by a constant",
)
def lag_kernel_continuity(bound: LagBound, thorough: bool) -> Iterator[Evidence]:
    """A readout; the set lemma; chains of exact kernels; the layer-cake integral; random nets; that it is sharp."""
    yield Enumeration("one average and its readout", _readouts(bound))
    longest = 13 if thorough else 7
    yield Enumeration(f"set lemma, all D in 1..{longest}", _lemma(bound, longest))
    yield Enumeration("chains (a + b A_kappa)", _chains(bound, 6 if thorough else 5))
    yield Identity("g_(m+1) from g_m", _layer_cake(bound), sympy.expand)
    yield Search("random nets", _nets(bound, 4000 if thorough else 150), seed=SEED)
    yield Enumeration("uniform kernels come within 3 %", _sharp(bound))


def _lemma(bound: LagBound, longest: int) -> Iterator[Case]:
    """Between two values of M_D the set E_t is one; the lemma asks most of it at the upper one."""
    pending: list[tuple[list[int], list[Fraction]]] = [([], [])]
    while pending:
        chosen, densities = pending.pop()
        i = len(densities)
        if chosen:
            levels = {x for x in densities if x}
            worst = (
                one_sided_density([j + 1 for j, x in enumerate(densities) if x >= t], i) * t
                <= bound.lemma * densities[-1]
                for t in levels
            )
            yield {"D": chosen, "i": i}, all(worst)
        if i < longest:
            for grown in (chosen, [*chosen, i + 1]):
                pending.append((grown, [*densities, one_sided_density(grown, i + 1)]))


def _chains(bound: LagBound, n: int) -> Iterator[Case]:
    """Layers e -> (a + b A_kappa) e, exactly: what the induction makes of any net."""

    @cache
    def allowed(factors: Factors, share: Fraction) -> Real:
        return Real.of(bound.modulus(polynomial(factors), share))

    for bits in product((0, 1), repeat=n):
        changed = [i for i, bit in enumerate(bits, start=1) if bit]
        if not changed or (bound.last and bits[-1]):
            continue
        share = bound.density(changed, n)
        start = [Fraction(bit) for bit in bits]
        for kernels in ((kernel,) for kernel in bound.kernels):
            for factors in (((0, 1),), ((1, 1),)):
                yield _chain(changed, start, kernels, factors, allowed, share)
        for pair in product(bound.kernels, repeat=2):
            for both in (((0, 1), (0, 1)), ((1, 1), (2, 3))):
                yield _chain(changed, start, pair, both, allowed, share)


def _chain(
    changed: list[int],
    values: list[Fraction],
    kernels: Sequence[Kernel],
    factors: Factors,
    allowed: Callable[[Factors, Fraction], Real],
    share: Fraction,
) -> Case:
    for kernel, (a, b) in zip(kernels, factors, strict=True):
        values = [a * old + b * new for old, new in zip(values, kernel.means(values), strict=True)]
    case = {"D": changed, "kernels": [*map(str, kernels)], "factors": factors}
    return case, values[-1] <= allowed(factors, share)


def _readouts(bound: LagBound) -> Iterator[Case]:
    """T(1) = a, or sqrt(a), of the mean a of the letters, on 0^n against 1 0^(n-1); Lambda = 10."""
    for n in (2, 10, 100, 1000):
        share = UNIFORM.mean([1] + [0] * (n - 1), n)
        change = sqrt(share) if bound.rough else Real.of(share)
        yield {"n": n}, change <= 10 * Real.of(bound.modulus([0, 1], bound.density([1], n)))


def _layer_cake(bound: LagBound) -> Iterator[Equation]:
    """With t = e^-y: g_m' = y^(m-1)/(m-1)!, and what lies beyond mu adds mu times its integral over dt/t."""
    mu = sympy.exp(-Y)
    for m in range(1, 6):
        density = Y ** (m - 1) / sympy.factorial(m - 1)
        grown = poisson_tail(bound.tail(m + 1), mu)
        integral = Y**m / sympy.factorial(m)
        yield f"integral of the slope, m = {m}", sympy.diff(integral, Y), density
        yield f"m = {m}", poisson_tail(bound.tail(m), mu) + mu * integral, grown
        yield f"slope of g_{m}", sympy.diff(poisson_tail(bound.tail(m), mu), Y), -density * mu


def _nets(bound: LagBound, count: int) -> Iterator[Trial]:
    random = np.random.default_rng(SEED)
    for number in range(count):
        n = int(random.integers(2, 13))
        flips = random.random(n) < random.choice([0.1, 0.4])
        flips[-1] &= not bound.last
        pair = Pair.drawn(random, n, lambda: random_biases(random, n), flips)  # noqa: B023
        allowed = READOUT * float(bound.modulus(pair.coefficients, float(bound.density(pair.changed, n))))
        case = {"net": number, "D": pair.changed}
        yield Trial(case, pair.difference, allowed, pair.allowance, not pair.changed)


def _sharp(bound: LagBound) -> Iterator[Case]:
    """The uniform kernel at a prefix of 10 %: (A^m 1_D)(n) over g_m."""
    n, k = 600, 60
    changed = range(1, k + 1)
    for m in (2, 3):
        attained = averaged_enclosed(changed, n, m)
        limit = Real.of(bound.modulus([0] * m + [1], bound.density(changed, n)))
        yield {"m": m}, Outcome.every([attained <= limit, attained >= Fraction(97, 100) * limit])


def _positions(text: str) -> list[int]:
    numbers = parse_vector(text)
    if not all(number.is_Integer and number >= 1 for number in numbers):
        raise InputError(f"{text} has an entry that is no position; give a JSON list of integers >= 1")
    return sorted({int(number) for number in numbers})


Positions = Annotated[list[int], Parameter("positions as a JSON list (vector of integers >= 1)", _positions)]


@quantity("one-sided-density", unit="share of letters; bound of m layers", claim=CLAIM)
def density(positions: Positions, n: Count, m: Count = 1) -> dict[str, Exact | Enclosure]:
    """M_D(n), the largest share of changed letters in a window that ends at n, d_H, and g_m(M_D(n))."""
    mu = one_sided_density(positions, n)
    return {
        "density": Exact(mu),
        "distance": Exact(running_distance(positions, n)),
        "bound": Enclosure(Real.of(poisson_tail(m, mu))),
    }
