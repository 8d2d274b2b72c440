"""The cases by which the steps of proofs.layer_continuity on lag kernels are checked."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import sympy

from theory.compact.averaging.averages import poisson_tail
from theory.compact.lag_kernels.kernels import FALLING, RISING, Kernel, geometric
from theory.compact.symbols import y
from theory.compact.words import one_sided_density, running_distance
from theory.evidence import Case, Equation


def mixtures(longest: int) -> Iterator[Case]:
    """Shares of uniform kernels on the last r keys: none is negative, and together they are the kernel."""
    for kernel in FALLING:
        for i in range(1, longest + 1):
            weights = [*kernel.at(i), Fraction(0)]
            shares = [r * (weights[r - 1] - weights[r]) for r in range(1, i + 1)]
            rebuilt = [sum((shares[r - 1] / r for r in range(lag + 1, i + 1)), Fraction(0)) for lag in range(i)]
            yield {"kernel": str(kernel), "i": i}, min(shares) >= 0 and rebuilt == weights[:-1] and sum(shares) == 1


def _sets(longest: int) -> Iterator[tuple[int, list[int]]]:
    for length in range(1, longest + 1):
        for bits in product((0, 1), repeat=length):
            yield length, [i for i, bit in enumerate(bits, start=1) if bit]


def weighed(longest: int) -> Iterator[Case]:
    """The weight of a set is at most its one-sided density."""
    for length, changed in _sets(longest):
        values = [Fraction(i in changed) for i in range(1, length + 1)]
        most = max(kernel.mean(values, length) for kernel in FALLING)
        yield {"n": length, "D": changed}, most <= one_sided_density(changed, length)


def dense(longest: int) -> Iterator[Case]:
    """Where M_D is at least t, in a set E: M_E <= M_D/t, for every t that is attained."""
    for length, changed in _sets(longest):
        densities = [one_sided_density(changed, i) for i in range(1, length + 1)]
        worst = (
            one_sided_density([i for i, found in enumerate(densities, start=1) if found >= t], length) * t
            <= densities[-1]
            for t in {found for found in densities if found}
        )
        yield {"n": length, "D": changed}, all(worst)


def layer_cake(most: int) -> Iterator[Equation]:
    """g_m(mu) plus mu times the integral of g_m'(t)/t from mu to 1, at mu = e^-y."""
    mu = sympy.exp(-y)
    for m in range(1, most + 1):
        slope = y ** (m - 1) / sympy.factorial(m - 1)
        tail, larger = (sympy.expand_log(poisson_tail(order, mu), force=True) for order in (m, m + 1))
        yield f"m = {m}", tail + mu * sympy.integrate(slope, (y, 0, y)), larger


def gaps(kernel: Kernel, place: int, lengths: tuple[int, ...]) -> Iterator[tuple[int, Fraction, Fraction, Fraction]]:
    """N, d_H, M_D and the change of a mean if the letter at `place` changes, counted from the end if negative."""
    for length in lengths:
        changed = place if place > 0 else length + 1 + place
        values = [Fraction(i == changed) for i in range(1, length + 1)]
        densities = running_distance([changed], length), one_sided_density([changed], length)
        yield length, *densities, kernel.mean(values, length)


def beside() -> Iterator[Case]:
    """With half the weight at each place further back, the last letter but one keeps at least a quarter."""
    for length, share, density, gap in gaps(geometric(Fraction(1, 2)), -2, (2, 5, 20, 60)):
        yield {"n": length}, share == Fraction(1, length) and Fraction(1, 4) < gap <= density == Fraction(1, 2)


def rising() -> Iterator[Case]:
    """With twice the weight at each place further back, the first letter keeps half, and M_D is 1/n."""
    for length, _, density, gap in gaps(RISING, 1, (3, 5, 20, 60)):
        yield {"n": length}, density == Fraction(1, length) and gap > Fraction(1, 2)
