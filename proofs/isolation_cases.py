"""The cases by which the steps of proofs.isolation are checked, from decoders whose modulus is known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import isqrt
from typing import Any

import sympy
from sympy import Expr, exp, symbols

from theory.arithmetic import ball
from theory.arithmetic.ball import Real, evaluate
from theory.compact.isolation.basin import THIRD
from theory.compact.isolation.detector import (
    THRESHOLD,
    BoundedDetector,
    errors,
    logit,
    right,
    rightly,
    share,
    sigma,
)
from theory.compact.isolation.isolation import HALF, JOINT
from theory.compact.isolation.models import REPEAT, averaging, constant_decoder, greedy, matching
from theory.compact.isolation.situations import fading_logit, growing_share
from theory.compact.isolation.tail_invariance import GAIN, LEAST, SLOPE
from theory.compact.symbols import Delta, k, n
from theory.compact.words import (
    POWERS,
    SQUARES,
    ZEROS,
    altered,
    one_sided_density,
    periodic,
    power_of_two,
    running_distance,
)
from theory.evidence import Case, Equation
from theory.outcome import Outcome
from theory.rope.scale import ceiling

RADIUS: Any = 1 / (1 + (1 / sympy.Rational(THRESHOLD.numerator, THRESHOLD.denominator) - 1) * exp(Delta))
LOST = 2  # how often the change of an output is taken off the margin
DENSITIES = (running_distance, one_sided_density)


def sets(longest: int) -> Iterator[tuple[int, list[int]]]:
    """All sets of positions up to each length."""
    for length in range(1, longest + 1):
        for bits in product((0, 1), repeat=length):
            yield length, [i for i, bit in enumerate(bits, start=1) if bit]


def worst() -> Iterator[Equation]:
    """The learned letter loses omega, another one gains it."""
    own, other, omega = symbols("T_a T_s omega", positive=True)
    yield "margin", own - omega - (other + omega), own - other - LOST * omega


def pairs(parts: int) -> Iterator[Case]:
    """All pairs of distributions on three letters in steps of 1/parts, the first of which prefers letter 0."""
    grid = [(a, b, parts - a - b) for a in range(parts + 1) for b in range(parts + 1 - a)]
    for p, q in product(grid, repeat=2):
        before, after = (each[0] - max(each[1:]) for each in (p, q))
        if before > 0:
            moved = max(abs(x - y) for x, y in zip(p, q, strict=True))
            yield {"T(alpha)": p, "T(u)": q}, after >= before - LOST * moved


def agreeing(longest: int) -> Iterator[Case]:
    """One more letter that agrees: no distance grows."""
    for length, changed in sets(longest):
        shares = ((density(changed, length + 1), density(changed, length)) for density in DENSITIES)
        yield {"n": length, "D": changed}, all(after <= before for after, before in shares)


def detector_margins() -> Iterator[Case]:
    """On 0^w, and on chi with a feature of at least 1/2: the right letter has the logit 1/2 or more over the other."""
    for flag, feature in ((1, Fraction(0)), (0, Fraction(0)), (1, HALF), (1, Fraction(1)), (0, HALF), (0, Fraction(1))):
        z = logit(feature, flag)
        letter = flag if feature else 0
        yield {"flag": flag, "a": str(feature)}, (z if letter else -z) >= HALF


def logistic() -> Iterator[Equation]:
    """The lead of a letter with the logit z."""
    z = symbols("z", real=True)
    yield "2 sigma - 1", 2 / (1 + exp(-z)) - 1, sympy.tanh(z / 2).rewrite(exp)


def radius() -> Iterator[Equation]:
    """The feature at the radius is the threshold."""
    ones = n * RADIUS
    yield "a", share(exp(Delta), ones, n), sympy.Rational(THRESHOLD.numerator, THRESHOLD.denominator)
    yield "logit", logit(share(exp(Delta), ones, n), 1), sympy.Integer(0)


def radii() -> Iterator[tuple[int, Real, Real]]:
    """Delta, the share of ones below which 0 is predicted at flagged lengths, and the one that is certified."""
    for spread in (0, 1, 2, 5, 8):
        detector = BoundedDetector(ball.exp(spread))
        yield spread, Real.of(detector.radius), detector.certified_radius


def radius_rows() -> Iterator[tuple[object, ...]]:
    """The same as text, with the number of letters at two lengths."""
    for spread, exact, certified in radii():
        letters = (f"{ceiling(exact * length) - 1:,}" for length in (63, 1023, 2**20 - 1))
        yield spread, f"{float(exact):.6f}", f"{float(certified):.6f}", *letters


def near() -> Iterator[Case]:
    """What is certified is 97 to 100 % of the radius, which is the printed one."""
    for spread, exact, certified in radii():
        same = abs(exact - evaluate(RADIUS, {Delta: spread})) < Fraction(1, 10**30)
        yield {"Delta": spread}, Outcome.every([certified < exact, certified > Fraction(97, 100) * exact, same])


def basin_needs() -> Iterator[Case]:
    """One prompt where each hypothesis is missing."""
    yield "last letter", [letter for letter, _ in greedy(REPEAT, (0, 0, 1), 5)] == [1] * 5
    yield "n >= n0", matching(ZEROS, HALF, THIRD, start=3).lead((0,), 0) < 0
    yield "omega(d) < eps/2", matching(ZEROS, HALF, HALF).lead((1, 1, 0), 0) < 0
    for power in range(7, 40):
        length = 2**power - 1
        fading = right(fading_logit(0, length, 1), 0), ~right(fading_logit(1, length, 1), 0)
        yield f"margin that fades, n = 2^{power} - 1", Outcome.every(fading)


def blind(longest: int) -> Iterator[Case]:
    """T(1) = 1/10 on 0^w and on 1 0^w."""
    decoder = constant_decoder(Fraction(1, 10))
    for length in range(1, longest + 1):
        for word in (ZEROS, altered((1,), ZEROS)):
            lead = decoder.lead(word.prefix(length), word.letter(length + 1))
            yield {"word": str(word), "n": length}, lead == Fraction(4, 5)


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


def lost_margin() -> Iterator[Equation]:
    """The margin of 0 after k ones and zeros, T(1) = 1/10 + 2/5 a."""
    least, slope = (sympy.Rational(part.numerator, part.denominator) for part in (LEAST, SLOPE))
    one: Expr = least + slope * k / n
    yield "margin", 1 - 2 * one, sympy.Rational(4, 5) * (1 - k / n)


def never_regained(longest: int) -> Iterator[Case]:
    """The same on 1 0^w: 4/5 less 4/5 n."""
    decoder, word = averaging(LEAST, SLOPE), altered((1,), ZEROS)
    for length in range(1, longest):
        lead = decoder.lead(word.prefix(length), 0)
        yield {"n": length}, lead == decoder.margin - Fraction(4, 5 * length) < decoder.margin


def later_start(longest: int) -> Iterator[Case]:
    """T(1) = sigma(8 (a - 1/4)): right on 0^w at once, on 1 0^w from n = 5 on."""
    for length in range(1, longest):
        both = (GAIN * (Fraction(ones, length) - THRESHOLD) for ones in (0, 1))
        found = [right(z, 0) is Outcome.HOLDS for z in both]
        yield {"n": length}, found == [True, length > 4]


def kept_feature(powers: int) -> Iterator[Case]:
    """Logits ln(n) 1[w_j = 1] on 1 0^w: more than half of the weight for ever, and 1 at flagged lengths."""
    word = altered((1,), ZEROS)
    for power in range(2, powers):
        length = 2**power - 1
        feature = growing_share(word, length)
        right_ = rightly(growing_share, word, length)
        kept = feature == Fraction(length, 2 * length - 1) > HALF
        yield {"n": f"2^{power} - 1"}, kept and right_ is Outcome.REFUTED


def periodic_share() -> Iterator[Equation]:
    """Positions up to n = p q + r that are multiples of p: (n - r)/p."""
    p, q, r = symbols("p q r", integer=True, positive=True)
    yield "count", q, (p * q + r - r) / p


def counts(longest: int) -> Iterator[Case]:
    """How many ones are among the first n letters, by letters and in closed form."""
    words = {
        POWERS: lambda length: length.bit_length(),
        SQUARES: isqrt,
        periodic(2): lambda length: length // 3,
        periodic(9): lambda length: length // 10,
    }
    for word, closed in words.items():
        ones = 0
        for length in range(1, longest):
            ones += word.letter(length)
            yield {"word": str(word), "n": length}, ones == closed(length) == word.nonzero(length)


def sparse_rows() -> Iterator[tuple[object, ...]]:
    """Delta, x, 1/x and the least m such that no per_m from there on is learned beside 0^w."""
    for spread, _, certified in radii():
        yield spread, f"{float(certified):.6f}", f"{float(1 / certified):,.2f}", f"{ceiling(1 / certified) - 1:,}"


def from_there() -> Iterator[Case]:
    """Ones at the multiples of m + 1 have a share of at most x, and at those of m more."""
    for spread, _, certified in radii():
        m = ceiling(1 / certified) - 1
        yield {"Delta": spread}, Outcome.every([Fraction(1, m + 1) <= certified, Fraction(1, m) > certified])


def one_of_both(longest: int) -> Iterator[Case]:
    """Decoders that have learned a sparse word fail on 0^w late; the one that always says 0 has learned 0^w."""
    for word in (POWERS, SQUARES):
        decoder = matching(word, HALF, HALF)
        flagged = [m for m in range(longest // 2, longest) if word.letter(m + 1)]
        late = [decoder.lead(ZEROS.prefix(m), 0) < 0 for m in flagged]
        yield {"learned": str(word), "errors": len(late)}, bool(late) and all(late)
    decoder = constant_decoder(Fraction(0))
    yield "always 0", all(decoder.lead(ZEROS.prefix(m), 0) > 0 for m in range(1, longest))
