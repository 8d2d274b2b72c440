"""The cases by which the steps of proofs.isolation on errors are checked, from decoders whose modulus is known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from sympy import symbols

from proofs.isolation_cases import sets
from theory.arithmetic import ball
from theory.arithmetic.ball import Real
from theory.compact.isolation.detector import (
    BoundedDetector,
    errors,
    logit,
    right,
    rightly,
    share,
    sigma,
)
from theory.compact.isolation.isolation import JOINT
from theory.compact.isolation.models import constant_decoder
from theory.compact.isolation.situations import fading_logit, growing_share
from theory.compact.symbols import k, n
from theory.compact.words import (
    POWERS,
    ZEROS,
    one_sided_density,
    periodic,
    power_of_two,
    running_distance,
)
from theory.evidence import Case, Equation
from theory.outcome import Outcome


def shorter() -> Iterator[Equation]:
    """The distance without t disagreements at the end."""
    t = symbols("t", integer=True, positive=True)
    yield "k/n", k / n - (k - t) / (n - t), t * (n - k) / (n * (n - t))


def back_and_forth(longest: int) -> Iterator[Case]:
    """From n back to an agreement, and on to the last position before the words part again."""
    for length, changed in sets(longest):
        share_ = running_distance(changed, length)
        if 0 < share_ < 1:
            back = max(set(range(1, length + 1)) - set(changed))
            parting = next((i - 1 for i in changed if i > back), None)
            found = back >= (1 - share_) * length and running_distance(changed, back) <= share_
            if parting is not None:
                found &= parting not in changed and running_distance(changed, parting) <= share_
            yield {"n": length, "D": changed}, found


def few_dense(longest: int) -> Iterator[Case]:
    """Fewer than k/x positions have a one-sided density above x, for each x that is attained."""
    for length, changed in sets(longest):
        densities = [one_sided_density(changed, i) for i in range(1, length + 1)]
        few = all(sum(found > x for found in densities) * x < len(changed) for x in {*densities} if x)
        yield {"n": length, "D": changed}, few


def listed(powers: Sequence[int]) -> Iterator[tuple[object, ...]]:
    """N, ones, feature, logit, probability of 1, and what is predicted, on the powers of two at Delta = 1."""
    for power in powers:
        length = 2**power - 1
        a = share(ball.exp(1), POWERS.nonzero(length), length)
        z = logit(a, 1)
        numbers = (f"{float(Real.of(value)):.6f}" for value in (a, z, sigma(z)))
        said = 1 if right(z, 1) is Outcome.HOLDS else 0
        yield length, POWERS.nonzero(length), *numbers, said


def wrong(longest: int, powers: int) -> Iterator[Case]:
    """The errors up to a length are the flagged lengths from 63 on, and far out all flagged lengths."""
    detector = BoundedDetector(ball.exp(1))
    found = {*errors(detector, POWERS, range(1, longest))}
    for length in range(1, longest):
        yield {"n": length}, (length in found) is (power_of_two(length + 1) and length >= 63)
    for power in range(6, powers):
        yield {"n": f"2^{power} - 1"}, detector.wrong_on_powers(power)


def first_errors() -> Iterator[tuple[int, int]]:
    """Delta and the least j such that 2^j - 1 is an error on the powers of two."""
    for spread in (0, 1, 2, 5, 10, 20, 40):
        detector = BoundedDetector(ball.exp(spread))
        yield spread, next(j for j in range(1, 400) if detector.wrong_on_powers(j) is Outcome.HOLDS)


def first_rows() -> Iterator[tuple[object, ...]]:
    """The same as text, with e^Delta."""
    for spread, power in first_errors():
        yield spread, f"{float(ball.exp(spread)):.3g}", f"2^{power} - 1", f"{2**power - 1:,}"


def later() -> Iterator[Case]:
    """The first errors lie beyond e^Delta."""
    for spread, power in first_errors():
        yield {"Delta": spread}, ball.exp(spread) < 2**power - 1


def only_where_they_part(longest: int) -> Iterator[Case]:
    """The decoder that always says 0 errs on the powers of two at the flagged lengths only."""
    decoder = constant_decoder(Fraction(0))
    for length in range(1, longest):
        lead = decoder.lead(POWERS.prefix(length), POWERS.letter(length + 1))
        yield {"n": length}, (lead < 0) is power_of_two(length + 1)


def isolation_needs(longest: int) -> Iterator[Case]:
    """Two words learned together where a hypothesis is missing."""
    for length in range(2, longest):
        both = (JOINT.lead(word.prefix(length), word.letter(length + 1)) > 0 for word in (ZEROS, periodic(1)))
        yield {"near": "distance 1/2", "n": length}, all(both)
        grown = (rightly(growing_share, word, length) for word in (ZEROS, POWERS))
        yield {"continuity": "logits ln n", "n": length}, Outcome.every(grown)
        flag = POWERS.letter(length + 1)
        faint = right(fading_logit(0, length, flag), 0), right(fading_logit(POWERS.nonzero(length), length, flag), flag)
        yield {"margin": "fades", "n": length}, Outcome.every(faint)
