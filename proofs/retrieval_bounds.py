"""The exact least discrepancy of a Retrieval head for queries with a right letter: proofs.retrieval_margin."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sympy import Eq, Integer, cos

from proofs import retrieval_cases as cases
from proofs.companion import Companion, Table
from proofs.typeset import inline
from theory.arithmetic.angle import Angle
from theory.arithmetic.ball import Real
from theory.evidence import Enumeration, Identity
from theory.outcome import Outcome
from theory.rope.retrieval.discrepancy import length_limit, retrieval_discrepancy_worst_case
from theory.rope.retrieval.head import letter_step
from theory.rope.retrieval.nope import retrieval_nope_gap
from theory.rope.retrieval.softmax import rival_gap
from theory.rope.scale import ceiling as rounded_up
from theory.rope.sequences import show
from theory.symbols import omega, r, s, theta

LETTERS, BASE, PLANES, PLANE = 8, 10**4, 64, 42
ANGLE = Angle.rope(BASE, 2 * PLANES, PLANE)


def theorem(proof: Companion) -> None:
    """The true statement."""
    proof.section("4. What is true")
    longest, gap = cases.WORST.statement.args
    proof.say(
        """Theorem 1 [retrieval-discrepancy-worst-case]. For all A ≥ 2, n ≥ 2 and θ ≥ 0 with (n - 1)θ ≤ ω""",
        gap,
        """This is positive if and only if (2n - 3)θ < ω. So for 0 < θ ≤ ω the greatest length at which every input has
        a positive discrepancy is""",
        longest,
    )


def proof_of_theorem(proof: Companion) -> None:
    """The worst letter, the worst places, the sign, and inputs that attain it."""
    proof.section("5. Proof")
    proof.step(
        """Lemma 1 (cosine). The cosine falls on [0, π], since its derivative -sin(y) is negative between the zeros 0
        and π of the sine. And since the sine is odd, it has the sign of y for -π < y < π.""",
        Identity("derivative, and odd", cases.cosine_laws()),
    )
    proof.step(
        """The worst letter is the one below, κ = A - 1, which amounts to κ = -1. By how much its gap is smaller than
        that of another letter at the same place is a product:""",
        Eq(
            cases.gap(s, r, cases.kappa) - cases.gap(s, r, Integer(-1)),
            cases.other_letter_product(),
            evaluate=False,
        ),
        """For 1 ≤ κ ≤ A - 2 the first sine is of an angle between ω and (A-1)ω/2, the second, because 0 ≤ rθ ≤ ω, of an
        angle between 0 and (A-1)ω/2. As (A-1)ω/2 = π - ω/2, neither sine is negative.""",
        Identity("sum to product", cases.other_letters()),
        Enumeration("both angles lie in [0, π], A ≤ 26, rθ = 0 and rθ = ω", cases.letter_below(range(2, 27))),
    )
    proof.step(
        f"""The worst places are the last two. The gap of the letter below, {inline(cases.gap(s, r, Integer(-1)))},
        falls in s and in r by Lemma 1 (or is constant, if θ = 0), since sθ and ω - rθ both lie in [0, ω], and ω ≤ π.
        Let s and r differ. If s < r,
        then s ≤ n - 2 and r ≤ n - 1, and the gap is at least that of s = n - 2 and r = n - 1. If s > r, it is at least
        that of s = n - 1 and r = n - 2.""",
        Enumeration("phases in order and in [0, ω], A ≤ 9, n ≤ 12", cases.monotone(range(2, 10), 12)),
    )
    first, second = cases.candidates()
    proof.step(
        "Of these two places the first, s = n - 2, has the gap",
        first,
        "and the second, s = n - 1, has the gap",
        second,
        "The second minus the first is",
        cases.candidate_difference(),
        """where cos(ω/2) and sin(θ/2) are not negative, as 0 ≤ θ ≤ ω ≤ π. The angle of the last sine lies between -ω/2
        and ω/2, since 0 ≤ (2n-3)θ ≤ 2(n-1)θ ≤ 2ω. So by Lemma 1 the first gap is the smaller one if (2n-3)θ ≤ ω, and
        the second if (2n-3)θ ≥ ω. This is the formula of Theorem 1, as a lower bound on every discrepancy.""",
        Identity("both gaps, and their difference", cases.candidate_products()),
    )
    proof.step(
        """The sign. The last sine is positive, 0 or negative as (2n-3)θ is less than ω, equal to it, or greater. If it
        is less, then 0 ≤ θ < ω, and sin((ω-θ)/2) is positive. If it is greater, then n ≥ 3, so θ ≤ ω/2, and
        sin((ω+θ)/2) is positive, because its angle is at most 3ω/4 < π. So the formula is positive exactly if
        (2n-3)θ < ω, that is, if n < (ω/θ + 3)/2. The largest such integer is n*.""",
        Enumeration("signs of the first sines, A ≤ 9, n ≤ 12", cases.first_factors(range(2, 10), 12)),
    )
    inputs = [show(tokens) for tokens in cases.worst_inputs(5)]
    proof.step(
        f"""The formula is attained. Let b be the wanted letter and a the letter below. For n = 5 the input {inputs[0]}
        has its only match at s = n - 2 and its best rival at r = n - 1, and {inputs[1]} has its only match at s = n - 1
        and its best rival at r = n - 2. Both are proper, because b1 is the only token with b on its left. More or fewer
        copies of ab give the other lengths; for n = 2 the first input becomes a1 bb.""",
        Enumeration("these inputs, A ≤ 9, n ≤ 12", cases.attained(range(2, 10), 12)),
    )
    proof.step(
        """Beyond n* some inputs fail, also where (n-1)θ exceeds ω. For n = n* + 1 the second product of step (9) is
        still a gap of the second input. As 0 < θ ≤ ω, its first angle lies in [0, π]. As (2n-5)θ < ω ≤ (2n-3)θ, its
        second angle is above -ω ≥ -π and not positive. So the gap is not positive. Longer inputs are no better: put
        copies of a1 in front, which only adds rivals.""",
        Enumeration("the second input and up to two a1 in front, A ≤ 9", cases.too_long(range(2, 10))),
    )
    proof.step("So Theorem 1 is proved.", retrieval_discrepancy_worst_case)


def consequences(proof: Companion) -> None:
    """How wrong the printed bound is at a published model's frequency, and frequency 0."""
    proof.section("6. What follows")
    quotient = Real.of(letter_step(LETTERS)) / ANGLE.real
    longest = rounded_up(length_limit(quotient)) - 1
    vanishing = rounded_up(quotient)  # the printed bound is positive as long as n θ < ω
    wrong = [length for length in range(2, vanishing) if _exceeds(length) is Outcome.HOLDS]
    lengths = sorted({2, 8, wrong[-1], wrong[-1] + 1, longest, longest + 1, 2 * longest - 1})
    proof.step(
        f"""An example: A = {LETTERS} letters and θ = {BASE}^(-{PLANE - 1}/{PLANES}) ≈ {float(ANGLE.real):.6f}, the
        angle of plane {PLANE} of {PLANES} at the base {BASE}.""",
        Table(
            ("n", "Δ_inf(n)", "printed bound"),
            [
                (
                    length,
                    f"{float(_least(length)):.6f}",
                    f"{float(cases.printed_value(LETTERS, ANGLE, length)):.6f}",
                )
                for length in lengths
            ],
        ),
        f"""The printed bound, read as one on the minimum, fails at every length up to {wrong[-1]} and holds from then
        on. It suggests that the head works as long as nθ < ω, up to n = {vanishing - 1}. But
        already at n = {longest + 1} some input has a rival above its match: n* = {longest} is about half of that.""",
        Enumeration(f"bound below Δ_inf exactly for n ≤ {wrong[-1]}", _switches(_exceeds, wrong[-1], vanishing)),
        Enumeration(f"Δ_inf positive exactly for n ≤ {longest}", _switches(_positive, longest, vanishing)),
    )
    proof.step(
        """Theorem 2 [retrieval-nope-gap]. At θ = 0 the least discrepancy is 1 - cos(ω) at every length n ≥ 2: this is
        Theorem 1 at θ = 0. Remark 3.2 concludes from the upper bound that at θ = 0 the discrepancy stays away from 0.
        That is no proof, but for queries with a right letter it is true. With orthonormal vectors as the codes of the
        letters, in place of points on a circle, the least discrepancy would be 1, and with the corners of a regular
        simplex A/(A-1).""",
        Identity("Theorem 1 at θ = 0", [("θ = 0", cases.candidates()[0].subs(theta, 0), 1 - cos(omega))]),
        retrieval_nope_gap,
    )


def _least(length: int) -> Real:
    """The least discrepancy of the example, where (n - 1) theta <= omega."""
    positive = ((2 * length - 3) * ANGLE.real <= letter_step(LETTERS)) is Outcome.HOLDS
    match = length - 2 if positive else length - 1
    return rival_gap(LETTERS, ANGLE, match, 2 * length - 3 - match)


def _exceeds(length: int) -> Outcome:
    """Whether the least discrepancy exceeds the printed bound."""
    return _least(length) > cases.printed_value(LETTERS, ANGLE, length)


def _positive(length: int) -> Outcome:
    return _least(length) > 0


def _switches(holds: Callable[[int], Outcome], last: int, end: int) -> Iterator[tuple[object, Outcome]]:
    """That a condition holds at all lengths up to `last` and at none from there to `end`."""
    return ((length, holds(length) if length <= last else ~holds(length)) for length in range(2, end))
