"""The bases that suit a length need not be an interval: a larger base can be worse.

Source: arXiv 2405.14591, whose lower bound b*(L) is the least base with B_m >= 0 for all 0 <= m < L. That b >= b*(L) is
necessary does not make it sufficient: at d = 8 and L = 16 the admissible bases are two intervals, which can be covered
by balls; at d = 128 and L = 1024 there are three.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial

from flint import arb, fmpq

from theory.arithmetic.ball import Real
from theory.claims import Hypothesis, Source, claim
from theory.errors import InputError
from theory.evidence import BoxCover, Case, Enumeration, Evidence, Interval
from theory.outcome import Outcome
from theory.quantities import Bound, Count, Positive, quantity
from theory.rope.neighbours.base_sums import MEN, BaseSums, ScanLength

CLAIM = "men-base-set-not-interval"
WIDEST_EXACT = 500  # integer bases below this are tried at small widths


@cache
def kept_for(base: int, d: int, longest: int) -> int:
    """The longest length up to `longest` for which the base is admissible, certified by balls for every m."""
    sums = BaseSums(base, d)
    for m in range(longest):
        kept = sums.at(m) >= 0
        if kept is not Outcome.HOLDS:
            assert kept is Outcome.REFUTED, "the balls decide at these bases"
            return m
    return longest


@dataclass(frozen=True)
class AnyLarger:
    """At these widths and lengths, with one base of at least `least` all larger ones are admissible."""

    widths: tuple[int, ...] = (4, 6, 8)
    lengths: range = range(2, 25)
    least: int = 2

    def __str__(self) -> str:
        lengths = f"{self.lengths[0]}..{self.lengths[-1]}"
        return f"d in {self.widths}, L in {lengths}: if a base b >= {self.least} is admissible, so is every larger one"


@claim(
    "men-any-larger-base",
    source=Source(MEN, "lower bound of the base", "reconstructed"),
    quantifiers="for all even d, lengths L and bases b < b'; admissible if B_m >= 0 for 0 <= m < L",
    statement=str,
    variant=AnyLarger(),
    controls={
        "at d = 8 and L = 16 only": AnyLarger(widths=(8,), lengths=range(16, 17)),
        "bases from 200 on": AnyLarger(least=200),
    },
    expected=Outcome.REFUTED,
    counterexample="d=8, L=16: base 194 is admissible, base 230 is not",
    near_miss=("d = 4 and 6", AnyLarger(widths=(4, 6))),
    repaired_by=CLAIM,
    printed="a base at least as large as b*(L) is needed for length L, read as: any such base will do",
    does_not_show="that published bases are inadmissible for the lengths of their models",
)
def men_any_larger_base(larger: AnyLarger, thorough: bool) -> Iterator[Evidence]:
    """All integer bases by width, length and base; all real ones above the first that is admissible, in balls."""
    kept = {
        d: {base: kept_for(base, d, larger.lengths[-1]) for base in range(larger.least, WIDEST_EXACT)}
        for d in larger.widths
    }
    yield Enumeration("integer bases", _integers(larger, kept))
    for d, lengths in kept.items():
        # The longest length that has its first admissible base here says most.
        firsts = {_first(lengths, length): length for length in larger.lengths}
        for first, length in firsts.items():
            if first < WIDEST_EXACT:
                domain = ((Fraction(first), Fraction(10**4 if thorough else WIDEST_EXACT)),)
                yield BoxCover(
                    f"d = {d}, L = {length}, all bases >= {first}", domain, partial(_verdict, d, length, True)
                )


def _first(lengths: Mapping[int, int], length: int) -> int:
    return next((base for base, most in lengths.items() if most >= length), WIDEST_EXACT)


def _integers(larger: AnyLarger, kept: Mapping[int, Mapping[int, int]]) -> Iterator[Case]:
    for d, lengths in kept.items():
        for length in larger.lengths:
            first = _first(lengths, length)
            for base in range(first, WIDEST_EXACT):
                yield f"d={d}, L={length}: base {first} is admissible, base {base} is not", lengths[base] >= length


@dataclass(frozen=True)
class Pattern:
    """Which bases are admissible for a length at a width: ranges of bases, each with the verdict."""

    ranges: tuple[tuple[Interval, bool], ...]
    d: int = 8
    length: int = 16
    triple: tuple[int, int, int] = (4310, 5300, 6800)

    def __str__(self) -> str:
        text = ", ".join(f"{'all' if good else 'none'} of [{low}, {high}]" for (low, high), good in self.ranges)
        return (
            f"d = {self.d}, L = {self.length}: {text} are admissible; d = 128, L = 1024: bases {self.triple[0]} and "
            f"{self.triple[2]} are, {self.triple[1]} is not"
        )


def _range(low: int, high: int, good: bool) -> tuple[Interval, bool]:
    return (Fraction(low), Fraction(high)), good


_BELOW, _GOOD, _BAD, _ABOVE = (
    _range(2, 193, False),
    _range(194, 229, True),
    _range(230, 463, False),
    _range(464, 10**4, True),
)


@claim(
    CLAIM,
    source=Source(MEN, "lower bound of the base", "derived"),
    quantifiers="for all real bases of these ranges; B_m >= 0 for 0 <= m < L",
    statement=str,
    variant=Pattern((_BELOW, _GOOD, _BAD, _ABOVE)),
    controls={
        "any larger base": Pattern((_BELOW, _range(194, 10**4, True))),
        "what bisection from 2 to 300 finds": Pattern((_BELOW, _GOOD, _range(230, 300, True))),
        "one length less": Pattern((_BELOW, _GOOD, _BAD, _ABOVE), length=15),
        "one length more": Pattern((_BELOW, _GOOD, _BAD, _ABOVE), length=17),
        "the middle base of three": Pattern((_BELOW, _GOOD, _BAD, _ABOVE), triple=(4310, 6800, 5300)),
    },
    hypotheses=(
        Hypothesis("m < L", "distances of an input run from 0 to L - 1", remark="the controls on the length show it"),
    ),
    does_not_show="where the ends of the intervals lie: the ranges leave gaps of 1 around them",
)
def men_base_set_not_interval(pattern: Pattern, thorough: bool) -> Iterator[Evidence]:
    """Integer bases; all real ones in balls, in which one distance refutes or all agree; three bases at d = 128."""
    yield Enumeration("integer bases up to 500", _points(pattern))
    yield Enumeration("d = 128, L = 1024", _triple(pattern))
    for interval, good in pattern.ranges:
        decide = partial(_verdict, pattern.d, pattern.length, good)
        yield BoxCover(f"all bases of {'..'.join(map(str, interval))}", (interval,), decide)


def _points(pattern: Pattern) -> Iterator[Case]:
    for (low, high), good in pattern.ranges:
        for base in range(int(low), min(int(high), WIDEST_EXACT) + 1):
            yield {"base": base}, (kept_for(base, pattern.d, 24) >= pattern.length) is good


def _triple(pattern: Pattern) -> Iterator[Case]:
    for base, good in zip(pattern.triple, (True, False, True), strict=True):
        yield {"base": base}, BaseSums(base, 128).admissible(1024) is good


def _verdict(d: int, length: int, good: bool, base: arb) -> Outcome:
    """Whether all bases of a ball are admissible, or none is because of one and the same distance."""
    logarithm = base.log()
    angles = [(logarithm * fmpq(-2 * j, d)).exp() for j in range(d // 2)]
    sums = [sum(((m * angle).cos() for angle in angles), arb(0)) for m in range(1, length)]
    if any(each < 0 for each in sums):
        return Outcome.of(not good)
    return Outcome.of(good if all(each >= 0 for each in sums) else None)


@quantity("admissible-base-change", unit="base", claim=CLAIM)
def admissible_base_change(low: Positive, high: Positive, d: Count, length: ScanLength) -> dict[str, Bound]:
    """A base between two, only one of which is admissible, at which that changes; there may be more than one."""
    ends = [low.exact, high.exact]
    if ends[0] is None or ends[1] is None or ends[0] >= ends[1]:
        raise InputError(f"low={float(low):.6g} and high={float(high):.6g} are no rational range; give low < high")
    below, above = ends[0], ends[1]
    start, end = (BaseSums(base, d).admissible(length) for base in (below, above))
    if start is end:
        verdict = "admissible" if start else "inadmissible"
        raise InputError(f"both {below} and {above} are {verdict} for length {length}; give bases that differ in that")
    for _ in range(48):
        middle = (below + above) / 2
        below, above = (middle, above) if BaseSums(middle, d).admissible(length) is start else (below, middle)
    return {"above": Bound("lower", Real.of(below)), "below": Bound("upper", Real.of(above))}
