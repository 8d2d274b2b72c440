"""The cases by which the steps of proofs.index_discrepancy are checked, from the definitions of the Index head."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import sympy
from sympy import Expr, Matrix, Symbol, cos, pi, sin

from theory.arithmetic.angle import Angle
from theory.arithmetic.ball import evaluate, versine
from theory.arithmetic.continued_fraction import closest_return, gap
from theory.arithmetic.cosine_sums import smallest_is
from theory.outcome import Outcome
from theory.rope.head import Head
from theory.rope.index.best_case import BestCase
from theory.rope.index.discrepancy import PRINTED, TURN
from theory.rope.index.head import index_logit, key_column, query_column
from theory.rope.index.window import angle_of, competitors, farey_peaks, query_distance, rational_turns, reach
from theory.symbols import n, s, t, theta

Case = tuple[object, object]
Equation = tuple[str, Expr, Expr]
y = Symbol("y", real=True)
p = Symbol("p", integer=True, positive=True)
q = Symbol("q", integer=True, positive=True)


def offsets(longest: int) -> Iterator[Case]:
    """Positions turned into offsets from the target, and their sizes."""
    for length in range(2, longest + 1):
        for offset in range(length):
            seen = [length - offset - position for position in range(1, length + 1) if position != length - offset]
            sizes = set(range(1, reach(length, offset) + 1))
            yield (length, offset), sorted(seen) == competitors(length, offset) and set(map(abs, seen)) == sizes


def in_turns(longest: int) -> Iterator[Case]:
    """The discrepancy over all keys, from the logit, against 1 - cos(2 pi D)."""
    for length in range(2, longest + 1):
        for turns in rational_turns(1, length + 1):
            angle = angle_of(turns)
            for offset in range(length):
                keys = (position for position in range(1, length + 1) if position != length - offset)
                gaps = [1 - evaluate(index_logit(length, position, offset, angle.expr)) for position in keys]
                said = versine(TURN * query_distance(length, offset, turns))
                yield (length, turns, offset), smallest_is(gaps, said, turns.denominator)


def versine_laws() -> Iterator[Equation]:
    """Period, symmetry and derivative of 1 - cos(2 pi y)."""
    turn = versine(2 * pi * y)
    yield "half angle", turn, 1 - cos(2 * pi * y)
    yield "period", turn.subs(y, y + p), turn
    yield "even", turn.subs(y, -y), turn
    yield "derivative", turn.diff(y), 2 * pi * sin(2 * pi * y)


def ends_only(longest: int) -> Iterator[Case]:
    """The offset n never occurs, and all smaller ones occur only for a target at an end."""
    for length in range(2, longest + 1):
        for offset in range(length):
            sizes = set(map(abs, competitors(length, offset)))
            all_smaller = sizes >= set(range(1, length))
            yield (length, offset), length not in sizes and all_smaller == (offset in (0, length - 1))


def logits(length: int, angle: Angle, offset: int) -> list[Expr]:
    """The logits of the keys at positions 1, 2, ..., through the query and key maps."""
    head, one = Head((theta,), query_column(s), key_column(), Matrix()), Matrix([1])
    place = Symbol("j", integer=True)
    logit = head.logit(one, n, one, place)
    values = [logit.subs({n: length, s: offset, place: at, theta: angle.expr}) for at in range(1, length + 1)]
    return [sympy.expand(value) for value in values]


def worked(length: int, angle: Angle, offset: int, gap_: Expr) -> Iterator[Case]:
    """A discrepancy read off the maps against 1 - cos(2 pi D)."""
    assert angle.turns is not None
    yield offset, versine(TURN * query_distance(length, offset, angle.turns)).exact == gap_


def parabola() -> Iterator[Equation]:
    """Two derivatives of the distance between y^2/2 and 1 - cos y, and the values at 0."""
    between = y**2 / 2 - (1 - cos(y))
    yield "value at 0", between.subs(y, 0), sympy.S.Zero
    yield "first derivative", between.diff(y), y - sin(y)
    yield "its value at 0", between.diff(y).subs(y, 0), sympy.S.Zero
    yield "second derivative", between.diff(y, 2), versine(y)


def peaks(most: int) -> Iterator[Case]:
    """The largest values of min ||t x|| over all real x, one between each pair of neighbouring fractions."""
    for steps in range(1, most + 1):
        for peak, height in farey_peaks(steps):
            yield (steps, peak), height <= Fraction(1, steps + 1)


def equal_peaks(most: int) -> Iterator[Case]:
    """The peaks of height 1/(N+1) stand at the fractions with denominator N + 1 in lowest terms."""
    for steps in range(1, most + 1):
        for peak, height in farey_peaks(steps):
            yield (steps, peak), (height == Fraction(1, steps + 1)) == (peak.denominator == steps + 1)


def widest(longest: int) -> Iterator[Case]:
    """No query of a length has a smaller distance than a letter query or the offset n - 1."""
    for length in range(2, longest + 1):
        for turns in rational_turns(1, length + 2):
            distances = [query_distance(length, offset, turns) for offset in range(length)]
            yield (length, turns), min(distances) == distances[0] == distances[-1]


def narrowest(longest: int) -> Iterator[Case]:
    """T* is the least reach over all offsets up to m that have a target."""
    for length in range(2, longest + 1):
        for integers in range(1, length + 2):
            least = min(reach(length, offset) for offset in range(min(integers, length - 1) + 1))
            simpler = 2 * (least + 1) >= length + 1 and least + 1 >= length - integers
            yield (length, integers), least == BestCase().reach(length, integers) and simpler


def returning() -> Iterator[Equation]:
    """At theta = 2 pi p/q the key q places from the target has its logit."""
    angle = 2 * pi * p / q
    yield "q places before", index_logit(n, n - s - q, s, angle), sympy.S.One
    yield "q places after", index_logit(n, n - s + q, s, angle), sympy.S.One


def below(angle: Angle, lengths: list[int], bound: Expr) -> Iterator[Case]:
    """The least discrepancy at these lengths against a bound in n."""
    for length in lengths:
        yield f"n = {length}", gap(angle, length) <= evaluate(bound, {n: length})


def beyond_two() -> Iterator[tuple[object, Outcome]]:
    """At lengths 2 and 3 the second term of the printed bound exceeds every discrepancy."""
    for length in (2, 3):
        yield f"n = {length}", evaluate(PRINTED.decay, {n: length}) > 2


def returns(angle: Angle, lengths: list[int], bound: Expr) -> Iterator[tuple[object, ...]]:
    """Length, closest offset, least discrepancy, bound."""
    for length in lengths:
        found = closest_return(angle, length - 1)
        yield (
            length if length < 10**4 else f"10^{len(str(length)) - 1}",
            found.t,
            f"{float(gap(angle, length)):.4g}",
            f"{float(evaluate(bound, {n: length})):.4g}",
        )


def shifted() -> Iterator[Equation]:
    """The logit of the key t places before the target."""
    yield "key at n - s - t", index_logit(n, n - s - t, s, theta), cos(t * theta)
