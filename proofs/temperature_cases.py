"""The cases by which the steps of proofs.temperature_separation are checked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import comb

import sympy
from flint import arb
from sympy import Expr, I, Integer, Rational, cos, erf, exp, pi, sqrt, symbols

from theory.arithmetic.angle import Angle
from theory.arithmetic.ball import Real, evaluate
from theory.evidence import Case, Equation
from theory.outcome import Outcome
from theory.rope.index.head import index_logit
from theory.rope.index.temperature import beta_threshold
from theory.rope.index.weights import decoding_bound
from theory.rope.universal_limits.bessel_bound import bessel_lower_bound
from theory.rope.universal_limits.log_frequencies import fixed
from theory.rope.universal_limits.positional_temperature import INTEGER, LAST, LETTER, Query
from theory.rope.universal_limits.temperature_best_frequency import spread
from theory.rope.universal_limits.temperature_separation import Separation
from theory.rope.universal_limits.temperature_several_planes import last_plain
from theory.rope.universal_limits.weight_floor import Floor, M, a, b
from theory.symbols import n, omega, s, t, theta

FLOOR, SEPARATION = Floor(), Separation()
LEAST = bessel_lower_bound.variant.statement.rhs
SYMBOLIC = SEPARATION.enough
KINDS = {"offset n - 1": LAST, "other integers": INTEGER, "letters": LETTER}
w, x = symbols("w x", positive=True)
# (1 - w/3)^2 (1 + 4 w/pi) - 1, divided by w.
EXCESS = (4 / pi - Rational(2, 3)) - w * (8 / (3 * pi) - Rational(1, 9)) + w**2 * 4 / (9 * pi)
TAIL = 2 * exp(-w) * (1 + 4 * w / pi) / sqrt(pi * w)


def lowered() -> Iterator[Equation]:
    """The logit of the key t places before the target minus that of the target."""
    yield "aligned", index_logit(n, n - s - t, s, theta) - index_logit(n, n - s, s, theta), -(1 - cos(t * theta))


def bell() -> Iterator[Equation]:
    """An antiderivative of e^(-x phi^2/2), and its mean over 0 <= phi <= pi."""
    phi, z = symbols("phi z", positive=True)
    area = sqrt(pi / (2 * x)) * erf(phi * sqrt(x / 2))
    yield "e^(-x phi^2/2)", area.diff(phi), exp(-x * phi**2 / 2)
    mean = (area.subs(phi, pi) - area.subs(phi, 0)) / pi
    yield "mean", mean, erf(pi * sqrt(x / 2)) / sqrt(2 * pi * x)
    yield "2 pi x = 4 z^2/pi", (2 * pi * x).subs(x, 2 * z**2 / pi**2), 4 * z**2 / pi


def excess() -> Iterator[Equation]:
    """The product of the lower bound on erf^2, over 4 w/pi, with 1 + 4 w/pi."""
    yield "product", sympy.expand((1 - w / 3) ** 2 * (1 + 4 * w / pi)), sympy.expand(1 + w * EXCESS)


def positive(share: arb) -> Outcome:
    """Whether the excess is positive on a part of 0 <= w <= 1."""
    value = evaluate(EXCESS, {w: fixed(share)}).at(64)
    return Outcome.of(True if value > 0 else False if value <= 0 else None)


def tail() -> Iterator[Case]:
    """The bound of Lemma 3 at w = 1."""
    yield "w = 1", evaluate(TAIL.subs(w, 1)) < 1


def falling() -> Iterator[Equation]:
    """The slope of its logarithm."""
    yield "slope", sympy.cancel(TAIL.diff(w) / TAIL), sympy.cancel(-1 - 1 / (2 * w) + 1 / (w + pi / 4))


def waves(most: int) -> Iterator[Equation]:
    """Powers of a cosine as sums of waves with coefficients that are not negative."""
    for power in range(1, most + 1):
        parts = [Rational(comb(power, k), 2**power) * exp(I * (power - 2 * k) * theta) for k in range(power + 1)]
        yield f"k = {power}", cos(theta) ** power, sum(parts)


def kernel(most: int) -> Iterator[Equation]:
    """Fejer's kernel as the square of a modulus."""
    for T in range(1, most + 1):
        root = sum(exp(I * t * theta) for t in range(T + 1))
        triangle = sum((T + 1 - abs(t)) * exp(I * t * theta) for t in range(-T, T + 1))
        yield f"T = {T}", triangle, root * root.subs(theta, -theta)


def two_sided() -> Iterator[Equation]:
    """Both floors: the second is the sum of the first at a and at b."""
    yield "F_ab", FLOOR.one.subs(b, a) + FLOOR.one, FLOOR.two


def pairing() -> Iterator[Equation]:
    """Two keys against their mean."""
    u, v = symbols("u v", real=True)
    yield "two keys", exp(u) + exp(v) - 2 * exp((u + v) / 2), (exp(u / 2) - exp(v / 2)) ** 2


def levels() -> Iterator[Equation]:
    """The floors at the mass at which each kind of query is said to fail are the bounds of the decoder."""
    for name, query, floor, offset in (
        ("letter", LETTER, FLOOR.one.subs(b, n - 1), 0),
        ("last", LAST, FLOOR.one.subs(b, n - 1), 1),
        ("other", INTEGER, FLOOR.two.subs(b, n - 1 - a), 1),
    ):
        yield name, floor.subs(M, query.level / (n + query.more)), Integer(decoding_bound(offset))


def plain_bounds() -> Iterator[Equation]:
    """At the plain bound the lower bound of Theorem 1 meets the level of each kind."""
    (argument,) = LEAST.free_symbols
    for name, query in KINDS.items():
        yield name, query.level**2 / LEAST.subs(argument, query.plain_bound) ** 2, (n + query.more) ** 2


def needs(lengths: Sequence[int]) -> list[tuple[int, list[tuple[Query, Real]]]]:
    """What each kind of query needs at some lengths."""
    return [(length, [(query, query.needed(length)) for query in KINDS.values()]) for length in lengths]


def spaced(sizes: Sequence[int]) -> Iterator[tuple[int, int, str, Real, Real]]:
    """Keys on one side or both: T, the length, the angle, what all angles need, and what 2 pi/(T + c) needs."""
    for sides, kind in ((1, LAST), (2, INTEGER)):
        for T in sizes:
            length, steps = sides * T + 1, T + spread(T)
            yield T, length, f"2π/{steps}", kind.plain(length), beta_threshold(length, Angle.turn(1, steps), T)


def symbolic(letters: int, length: int) -> Real:
    """What is enough for the repaired Retrieval head."""
    return evaluate(SYMBOLIC, {n: length, omega: 2 * pi / letters})


def alphabets(most: int) -> Iterator[Case]:
    """1 - cos(2 pi/A) is at least 8/A^2."""
    gap: Expr = 1 / SYMBOLIC * sympy.log(n - 1)
    for letters in range(2, most + 1):
        yield f"A = {letters}", evaluate(gap.subs(omega, 2 * pi / letters)) >= Fraction(8, letters**2)


def many_planes(length: int, numbers: Sequence[int]) -> list[tuple[int, Real]]:
    """What m equal planes need at the offset n - 1."""
    return [(m, evaluate(last_plain(m), {n: length})) for m in numbers]


def product_bound(most: int) -> Iterator[Equation]:
    """M = (1 + 2 pi beta B/m)^(-m/2) falls to 3/n at the bound for m planes."""
    for m in range(1, most + 1):
        yield f"m = {m}", (1 + 2 * pi * last_plain(m) / m) ** Rational(m, 2), n / Integer(3)


def shown(value: Real) -> str:
    """A positive number with two decimals, or as a whole number if it is large."""
    number = float(value)
    return f"{number:,.2f}" if number < 1000 else f"{number:,.0f}"
