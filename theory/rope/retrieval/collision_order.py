"""The printed Retrieval head needs a scale of order n0^2 A^2 as soon as queries with an integer are admitted.

From 1 - cos y <= y^2/2 and theta < omega/(2 n0), the threshold of the worst input exceeds 2 x n0^2 A^2/pi^2, where
x = x_{n0} solves sum_{t=1}^{n0-1} e^(-x t^2) = 1. These constants rise to a limit less than 10^-12 beside pi/9.

Source: derived here for arXiv 2605.31558, Thm 3.1 and App. F.2.2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import product

from flint import arb, fmpq

from theory.arithmetic.angle import Angle
from theory.arithmetic.ball import Real, log, pi, versine
from theory.claims import Hypothesis, claim
from theory.errors import InputError
from theory.evidence import BoxCover, Enumeration, Evidence
from theory.outcome import Outcome
from theory.quantities import Bound, Enclosure, Exact, Length2, Letters, NonzeroAngle, Positive, Result, quantity
from theory.rope.index.window import angle_of
from theory.rope.retrieval.collision import SOURCE
from theory.rope.retrieval.collision_scale import same_letter_gaps
from theory.rope.retrieval.head import letter_step
from theory.rope.scale import scale_threshold, weight_sum


def collision_constant(n: int) -> Real:
    """The x >= 0 with sum_{t=1}^{n-1} e^(-x t^2) = 1, 0 for n = 2. Raises InputError for n < 2."""
    if n < 2:
        raise InputError(f"n={n} leaves no competitor; give n >= 2")
    return scale_threshold([Real.of(t * t) for t in range(1, n)])


@dataclass(frozen=True)
class Order:
    """A lower bound 2 x n0^2 A^2/pi^2 on the scales that decode all LI queries of length n0, theta < reach omega/n0."""

    constant: Callable[[int], Real] = collision_constant
    reach: Fraction = Fraction(1, 2)
    shortest: int = 3
    text: str = "x_{n0}"

    def __str__(self) -> str:
        return (
            f"if 0 < theta < {self.reach} omega/n0 and all LI queries of length n0 decode at beta, then "
            f"beta > 2 x n0^2 A^2/pi^2, x = {self.text}; and x rises with n0"
        )

    def bound(self, letters: int, n: int) -> Real:
        return 2 * self.constant(n) * (n * letters) ** 2 / pi**2


@claim(
    "retrieval-collision-order",
    source=SOURCE,
    quantifiers="for all A >= 2, I >= 1, n0 >= 3 and such theta; proper inputs, softmax; a lower bound",
    statement=str,
    variant=Order(),
    controls={
        "constant of one token more": Order(lambda n: collision_constant(n + 1), text="x_{n0 + 1}"),
        "the limit of the constants": Order(lambda n: pi / 9, text="pi/9"),
        "twice the constant": Order(lambda n: 2 * collision_constant(n), text="2 x_{n0}"),
    },
    hypotheses=(
        Hypothesis("theta < omega/(2 n0)", "the frequencies of the printed theorem", Order(reach=Fraction(1))),
        Hypothesis(
            "n0 >= 3", "with x_3 in place of x_{n0}", Order(lambda n: collision_constant(max(n, 3)), shortest=2)
        ),
    ),
    does_not_show="that this scale suffices; the exact threshold is retrieval-collision-threshold",
)
def retrieval_collision_order(order: Order, thorough: bool) -> Iterator[Evidence]:
    """Thresholds of the worst input against the bound; at the bound its weight is above 1, in balls for all theta."""
    lengths = range(order.shortest, 24 if thorough else 8)
    yield Enumeration("thresholds of (a,1)^(n-1) (a,2)", _thresholds(order, lengths))
    yield Enumeration("the constants rise", ((n, order.constant(n) < order.constant(n + 1)) for n in lengths))
    for letters, n in product((2, 8, 26), (3, 17)):
        domain = ((Fraction(0), Fraction(1)),)
        yield BoxCover(f"weight at the bound, A = {letters}, n0 = {n}", domain, partial(_weight, order, letters, n))


def _thresholds(order: Order, lengths: range) -> Iterator[tuple[object, Outcome]]:
    for letters, n, share in product((2, 3, 8, 26), lengths, (Fraction(1, 3), Fraction(99, 100), Fraction(1))):
        turns = share * order.reach / letters / n
        yield (
            {"A": letters, "n0": n, "turns": turns},
            scale_threshold(same_letter_gaps(n, angle_of(turns))) > order.bound(letters, n),
        )


def _weight(order: Order, letters: int, n: int, share: arb) -> Outcome:
    top = order.reach / letters / n
    turn = share * fmpq(top.numerator, top.denominator)
    beta = order.bound(letters, n).at(64)
    weight = sum(((-2 * beta * (t * turn).sin_pi() ** 2).exp() for t in range(1, n)), arb(0))
    return Outcome.settled(weight > 1, weight < 1)


def check_integer_query(letters: int, n: int, theta: Angle) -> None:
    """InputError unless 0 < theta and (n - 1) theta <= omega/2, where LI queries compete with their letter."""
    if (theta.real > 0) is not Outcome.HOLDS:
        raise InputError(f"theta={theta} is not positive, so LI queries collide at every scale; give theta > 0")
    if ((n - 1) * theta.real <= pi / letters) is not Outcome.HOLDS:
        raise InputError(
            f"n={n} breaks (n - 1) theta <= omega/2 = pi/{letters} at theta={theta}; shorten n or lower theta"
        )


def integer_length_limit(letters: int, beta: Real, theta: Angle) -> int:
    """The longest n with (n - 1) theta <= omega/2 at which all LI queries of the printed head decode."""
    check_integer_query(letters, 1, theta)
    low, high = 1, 2

    def decodes(n: int) -> bool:
        inside = (n - 1) * theta.real <= pi / letters
        return Outcome.every((inside, weight_sum(same_letter_gaps(n, theta), beta) < 1)) is Outcome.HOLDS

    while decodes(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if decodes(middle) else (low, middle)
    return low


@quantity("retrieval-collision-constant", unit="1", claim="retrieval-collision-order")
def collision_constant_value(n: Length2) -> Enclosure:
    """x_n, the root of sum_{t=1}^{n-1} e^(-x t^2) = 1: a scale times theta^2/2."""
    return Enclosure(collision_constant(n))


@quantity("retrieval-collision-beta", unit="inverse temperature", claim="retrieval-collision-order")
def collision_beta(letters: Letters, n: Length2) -> dict[str, Result]:
    """What every scale that decodes all LI queries of length n exceeds, for all 0 < theta < omega/(2 n); n >= 3."""
    if n < 3:
        raise InputError(f"n={n} has one competitor, whose gap every positive scale decodes; give n >= 3")
    bounds = {"with x_n": Order().bound(letters, n), "with x_3": 2 * collision_constant(3) * (n * letters) ** 2 / pi**2}
    return {name: Bound("lower", value) for name, value in bounds.items()}


@quantity("retrieval-integer-gap", unit="logit", claim="retrieval-collision-order")
def integer_gap(letters: Letters, n: Length2, theta: NonzeroAngle) -> dict[str, Result]:
    """1 - cos theta, by which an LI query beats the next token of its letter, and omega^2/(8 n^2), its bound."""
    check_integer_query(letters, n, theta)
    return {
        "gap": Enclosure(versine(theta.real)),
        "bound for theta < omega/(2 n)": Bound("upper", Real.of(letter_step(letters)) ** 2 / (8 * n * n)),
    }


@quantity("retrieval-integer-beta-threshold", unit="inverse temperature", claim="retrieval-collision-threshold")
def integer_beta_threshold(letters: Letters, n: Length2, theta: NonzeroAngle) -> dict[str, Result]:
    """The scale above which the printed head decodes all LI queries of length n, and the sufficient one."""
    check_integer_query(letters, n, theta)
    return {
        "threshold": Enclosure(scale_threshold(same_letter_gaps(n, theta))),
        "sufficient": Enclosure(log(n - 1) / versine(theta.real)),
    }


@quantity("retrieval-integer-length-limit", unit="tokens", claim="retrieval-collision-threshold")
def integer_length(letters: Letters, beta: Positive, theta: NonzeroAngle) -> Exact:
    """The longest n, (n - 1) theta <= omega/2, at which the printed head decodes all LI queries at this scale."""
    return Exact(integer_length_limit(letters, beta, theta))
