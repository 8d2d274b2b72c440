"""The cases by which the steps of proofs.retrieval_margin are checked, from the definitions of the Retrieval heads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise, product

import sympy
from sympy import Expr, Symbol, cos, sin

from theory.arithmetic.angle import Angle
from theory.arithmetic.ball import Real, evaluate, versine
from theory.evidence import Equation
from theory.rope.index.window import fold
from theory.rope.retrieval.decoding import letter, number, wanted
from theory.rope.retrieval.discrepancy import Worst
from theory.rope.retrieval.discrepancy_printed import FORMULA, UpperBound
from theory.rope.retrieval.head import key_column, letter_step, query_column, retrieval_phase
from theory.rope.rotation import logit
from theory.rope.sequences import Pair, is_proper, proper_sequences, show
from theory.symbols import n, omega, phi_q, r, s, theta

Case = tuple[object, object]
kappa = Symbol("kappa", integer=True)
WORST = Worst()
SHARES = (Fraction(0), Fraction(1, 3), Fraction(1, 2), Fraction(4, 5), Fraction(1))


def gap(match: Expr, rival: Expr, steps: Expr) -> Expr:
    """The logit of a match minus that of a rival some letter steps away, by their offsets."""
    return cos(retrieval_phase(0, 0, match, omega, theta)) - cos(retrieval_phase(steps, 0, rival, omega, theta))


def gap_from_maps() -> Iterator[Equation]:
    """The gap as the difference of two logits of one query."""
    query, wanted_key, other = query_column(phi_q), key_column(phi_q), key_column(phi_q + kappa)
    match, rival = logit(query, n, wanted_key, n - s, [theta]), logit(query, n, other, n - r, [theta])
    yield "match at n - s, rival at n - r", match - rival, gap(s, r, kappa)


def frequencies(letters: int, length: int) -> list[Fraction]:
    """Some angles in turns with 0 <= (n - 1) theta <= omega, the ends among them."""
    return [share / letters / (length - 1) for share in SHARES]


def letter_queries(letters: int, longest: int) -> list[tuple[Pair, ...]]:
    """The proper inputs over one integer, of length 2 or more, whose query has a right letter."""
    inputs = proper_sequences(letters, 1, longest)
    return [tokens for tokens in inputs if len(tokens) > 1 and number(tokens[-1]) is None]


def nearest(tokens: Sequence[Pair], letters: int, turns: Fraction) -> tuple[Fraction, Fraction] | None:
    """How near, in turns, keys with the wanted letter and keys with another come to phase 0; None without the latter.

    The nearer the phase, the larger the logit.
    """
    step, asked = Fraction(1, letters), wanted(tokens[-1])
    phases = [
        (letter(key[0]), retrieval_phase(letter(key[0]), asked, len(tokens) - place, step, turns))
        for place, key in enumerate(tokens, 1)
    ]
    others = [fold(phase) for left, phase in phases if left != asked]
    return (min(fold(phase) for left, phase in phases if left == asked), min(others)) if others else None


def places(letters: int, longest: int) -> Iterator[Case]:
    """The discrepancy of every proper input is the gap of a match and a rival in different places."""
    inputs = letter_queries(letters, longest)
    for length in range(2, longest + 1):
        for turns in frequencies(letters, length):
            folds = WORST.folds(letters, length, turns)
            for tokens in inputs:
                if len(tokens) == length and (found := nearest(tokens, letters, turns)) is not None:
                    yield f"{show(tokens)} at {turns} turns", found in folds


def last_offset(alphabets: Sequence[int], longest: int) -> Iterator[Case]:
    """The phase of another letter comes no nearer to 0 than omega - (n - 1) theta."""
    for letters, length in product(alphabets, range(2, longest + 1)):
        for turns in frequencies(letters, length):
            phases = (
                fold(retrieval_phase(steps, 0, offset, Fraction(1, letters), turns))
                for steps, offset in product(range(1, letters), range(length))
            )
            yield (letters, length, turns), min(phases) == Fraction(1, letters) - (length - 1) * turns


def two_tokens() -> Iterator[Equation]:
    """Two letters and two tokens: the gap for both places of the match, and the printed bound."""
    step = letter_step(2)
    for match, rival in ((0, 1), (1, 0)):
        yield f"match at {match}", gap(match, rival, sympy.Integer(1)).subs(omega, step), 1 + cos(theta)
    bound = 1 - cos(FORMULA.phase(2, theta, step, 2))
    yield "printed bound", bound, 1 + cos(2 * theta)


def exceeded(readings: Sequence[UpperBound], angle: Angle) -> Iterator[Case]:
    """All readings of the printed bound fail for two letters and two tokens."""
    for reading in readings:
        yield str(reading.statement), ~reading.holds(2, 2, angle.real)


def two_token_inputs(angle: Angle) -> Iterator[tuple[str, int, int, Real]]:
    """The proper inputs of two tokens and two letters with a rival: offsets of match and rival, and discrepancy."""
    step = Real.of(letter_step(2))
    for tokens in letter_queries(2, 2):
        match = next(offset for offset in (0, 1) if letter(tokens[1 - offset][0]) == wanted(tokens[-1]))
        rival = 1 - match
        if letter(tokens[1 - rival][0]) == wanted(tokens[-1]):
            continue
        values = [evaluate(cos(theta), {theta: x}) for x in (match * angle.real, step + rival * angle.real)]
        yield show(tokens), match, rival, values[0] - values[1]


def letter_below(alphabets: Sequence[int]) -> Iterator[Case]:
    """Both sines are of angles from 0 to pi; linear in r theta/omega, so the ends 0 and 1 decide."""
    for letters in alphabets:
        for steps, share in product(range(1, letters - 1), (0, 1)):
            halves = Fraction(steps + 1, letters), Fraction(steps - 1 + 2 * share, letters)
            yield (letters, steps, share), all(0 <= half <= 1 for half in halves)


def other_letter_product() -> Expr:
    """How much larger the gap of a letter kappa steps on is than that of the letter below."""
    return 2 * sin((kappa + 1) * omega / 2) * sin(((kappa - 1) * omega + 2 * r * theta) / 2)


def other_letters() -> Iterator[Equation]:
    """The product against the two gaps."""
    yield "difference", gap(s, r, kappa) - gap(s, r, sympy.Integer(-1)), other_letter_product()


def cosine_laws() -> Iterator[Equation]:
    """The derivative of the cosine, and the symmetry of the sine."""
    yield "derivative", cos(theta).diff(theta), -sin(theta)
    yield "odd", sin(-theta), -sin(theta)


def monotone(alphabets: Sequence[int], longest: int) -> Iterator[Case]:
    """A later match has a larger phase, and a later rival a smaller one, all of them between 0 and omega."""
    for letters, length in product(alphabets, range(2, longest + 1)):
        for turns in frequencies(letters, length):
            matches = [retrieval_phase(0, 0, offset, Fraction(1, letters), turns) for offset in range(length)]
            below = [-retrieval_phase(-1, 0, offset, Fraction(1, letters), turns) for offset in range(length)]
            ordered = all(x <= y for x, y in pairwise(matches)) and all(x >= y for x, y in pairwise(below))
            yield (letters, length, turns), ordered and all(0 <= x <= Fraction(1, letters) for x in matches + below)


def candidates() -> tuple[Expr, Expr]:
    """The gaps at (s, r) = (n - 2, n - 1) and at (n - 1, n - 2), as the theorem has them."""
    first, second = (
        2 * sin(x) * sin(y) for x, y in (WORST.halves(n, theta, omega, positive) for positive in (True, False))
    )
    return first, second


def candidate_difference() -> Expr:
    """The second of them minus the first."""
    return 4 * cos(omega / 2) * sin(theta / 2) * sin(WORST.halves(n, theta, omega, True)[1])


def candidate_products() -> Iterator[Equation]:
    """Both as differences of cosines, and how much they differ."""
    first, second = candidates()
    yield "s = n - 2, r = n - 1", gap(n - 2, n - 1, sympy.Integer(-1)), first
    yield "s = n - 1, r = n - 2", gap(n - 1, n - 2, sympy.Integer(-1)), second
    yield "difference", second - first, candidate_difference()


def first_factors(alphabets: Sequence[int], longest: int) -> Iterator[Case]:
    """The half angle of the first sine is in (0, pi), wherever (2n - 3) theta is not omega."""
    for letters, length in product(alphabets, range(2, longest + 1)):
        step = Fraction(1, letters)
        for turns in frequencies(letters, length):
            if (2 * length - 3) * turns != step:
                half, last = WORST.halves(length, turns, step, (2 * length - 3) * turns < step)
                yield (letters, length, turns), 0 < half < Fraction(1, 2) and abs(last) <= step / 2


def worst_inputs(length: int) -> list[tuple[Pair, ...]]:
    """The inputs with match and rival at the offsets n - 2 and n - 1, and the other way round; b is wanted."""
    target, below, filler = ("b", 1), ("a", 1), ("a", "b")
    if length == 2:
        return [(below, ("b", "b")), (target, filler)]
    return [(below, target, *[filler] * (length - 2)), (target, *[filler] * (length - 1))]


def attained(alphabets: Sequence[int], longest: int) -> Iterator[Case]:
    """These inputs are proper, and their match and rival stand where they should."""
    for letters, length in product(alphabets, range(2, longest + 1)):
        for turns in frequencies(letters, length):
            for tokens, match in zip(worst_inputs(length), (length - 2, length - 1), strict=True):
                rival = 2 * length - 3 - match
                phases = fold(match * turns), fold(Fraction(-1, letters) + rival * turns)
                yield (
                    f"{show(tokens)} at {turns} turns",
                    is_proper(tokens) and nearest(tokens, letters, turns) == phases,
                )


def too_long(alphabets: Sequence[int]) -> Iterator[Case]:
    """At length n* + 1 and beyond a rival comes as near as the match, for 1 <= omega/theta <= 7."""
    for letters, fifths, copies in product(alphabets, range(5, 36), range(3)):
        quotient = Fraction(fifths, 5)
        tokens = (*[("a", 1)] * copies, *worst_inputs(WORST.limit(quotient) + 1)[1])
        found = nearest(tokens, letters, 1 / (letters * quotient))
        yield f"{show(tokens)} at omega/theta = {quotient}", found is not None and found[0] >= found[1]


def printed_value(letters: int, angle: Angle, length: int) -> Real:
    """The printed bound."""
    return versine(Real.of(FORMULA.phase(length, angle.real, Real.of(letter_step(letters)), letters)))
