"""The true bounds on the discrepancy of an Index head, their proof and their sharpness: proofs.index_discrepancy."""

from __future__ import annotations

import sympy
from sympy import Eq, Integer, Le, Symbol, pi

from proofs import index_cases as cases
from proofs.companion import Companion, Table
from theory.arithmetic.angle import Angle
from theory.evidence import Enumeration, Identity
from theory.rope.index.best_case import BestCase, index_discrepancy_best_case
from theory.rope.index.closest_return import delta_min_continued_fraction
from theory.rope.index.discrepancy import PRINTED
from theory.rope.index.positivity import index_positivity_condition, index_positivity_printed
from theory.rope.index.worst_case import WorstCase, index_discrepancy_worst_case

LEAST, LARGEST, LAST = Symbol("Delta_inf(n)"), Symbol("Delta_sup(n)"), Symbol("T*")
BEST = BestCase()
CIRCLE = WorstCase().statement().rhs


def theorems(proof: Companion) -> None:
    """The two true statements."""
    proof.section("4. What is true")
    proof.say(
        "Theorem 1 [index-discrepancy-worst-case]. For all n ≥ 2 and all θ",
        Le(LEAST, CIRCLE),
        Le(CIRCLE, PRINTED.decay),
        "In the first line equality holds exactly if θ = 2πa/n for an integer a that has no divisor in common with n.",
        "Theorem 2 [index-discrepancy-best-case]. For n ≥ 2 and integer tokens 1, ..., m put",
        Eq(LAST, BEST.seen),
        "Then for all θ",
        Le(LARGEST, 1 - sympy.cos(2 * pi / (LAST + 1))),
        "with equality if θ = 2π/(T* + 1). The right side is at most",
        BEST.decay,
        "and, if n > m, it is also at most",
        BEST.few,
        """So a bound of the order 1/n² does hold for every input; if the integers reach the middle of the input, it is
        nearly four times the printed one. For robust decoding the theorem that matters is the first: whatever the
        angle, some input of length n keeps its target no further apart than that.""",
    )


def proof_of_bounds(proof: Companion) -> None:
    """Both theorems, from the pigeonhole principle on a circle."""
    proof.section("5. Proof")
    proof.step(
        """Lemma 1 (parabola). 1 - cos(y) ≤ y²/2 for all real y. Indeed y²/2 - (1 - cos(y)) and its derivative
        y - sin(y) vanish at y = 0, and its second derivative 1 - cos(y) is nowhere negative. So it does not fall for
        y ≥ 0, and it is even.""",
        Identity("values at 0 and derivatives", cases.parabola()),
    )
    proof.step(
        """Lemma 2 (pigeonhole). For every real x and every N ≥ 1 some t among 1, ..., N has ‖tx‖ ≤ 1/(N+1). For take
        the N + 1 points 0, x, 2x, ..., Nx on a circle of length 1. They cut it into N + 1 arcs, some of them perhaps of
        length 0, whose lengths add up to 1. So one arc is at most 1/(N+1) long. If it runs between ax and bx, where
        a < b, then t = b - a is one of 1, ..., N.""",
        Enumeration("every real x, by the peaks between Farey fractions, N ≤ 24", cases.peaks(24)),
    )
    proof.step(
        """Equality in Lemma 2. Suppose that none of ‖x‖, ..., ‖Nx‖ is below 1/(N+1). Then no arc is shorter than that,
        so all arcs are equally long, and the N + 1 points are the multiples of 1/(N+1). One of them is x. So up to an
        integer x is a fraction a/(N+1), and in lowest terms, since the points are distinct. Conversely, for such an x
        and t ≤ N the number tx is a multiple of 1/(N+1), but not an integer.""",
        Enumeration("every real x, by the same peaks, N ≤ 24", cases.equal_peaks(24)),
    )
    proof.step(
        """The worst inputs. D can only become smaller when more offsets compete. T is largest, namely n - 1, for a
        letter as the query, s = 0, and for s = n - 1. So Δ_inf(n) = 1 - cos(2πd), where d is the smallest of ‖x‖,
        ‖2x‖, ..., ‖(n-1)x‖.""",
        Enumeration("all queries, n ≤ 9, x = p/q with q ≤ n + 2", cases.widest(9)),
    )
    proof.step(
        """Theorem 1 follows. Lemma 2 with N = n - 1 gives d ≤ 1/n, and then step (3) gives the first line, with
        equality exactly where Lemma 2 has it. Lemma 1 with y = 2π/n gives the second line. Leaving out the point nθ has
        cost nothing, since the n points 0, θ, ..., (n-1)θ suffice. But what they bound is the discrepancy of the worst
        input, not that of any input.""",
        index_discrepancy_worst_case,
    )
    proof.step(
        """The best inputs. T is the larger of s and n - 1 - s. Among the offsets s ≤ m with s < n it is smallest for a
        target in the middle of the input, where it is (n-1)/2, rounded up; or, if m does not reach so far, for s = m,
        where it is n - 1 - m. So its least value is T*. In particular T* + 1 ≥ (n+1)/2, and T* + 1 ≥ n - m.""",
        Enumeration("all queries, n ≤ 24, m ≤ n + 1", cases.narrowest(24)),
    )
    proof.step(
        """Theorem 2 follows. D is largest for the input with the fewest competitors. Lemma 2 with N = T* gives
        D ≤ 1/(T*+1), with equality for x = 1/(T*+1). Lemma 1 with y = 2π/(T*+1) gives the bound 2π²/(T*+1)², which the
        two estimates of step (13) turn into the simpler bounds.""",
        index_discrepancy_best_case,
    )


def limits(proof: Companion) -> None:
    """Sharpness, angles that fail, one angle at all lengths, and what is not shown."""
    proof.section("6. Sharpness, and angles that fail")
    proof.step(
        """Both theorems are attained at every length, but not by one angle at all lengths. If θ = 2πp/q, the key q
        places from the target has the logit 1 of the target, so that Δ_inf(n) = 0 for all n > q. In particular the
        angle 2π/n, best possible at length n, fails at length n + 1.""",
        Identity("logits of the keys q places before and after the target", cases.returning()),
    )
    proof.step(
        """No other angles fail. Δ_inf(n) = 0 means that tx is an integer for some t among 1, ..., n - 1, that is, that
        x is a fraction whose denominator in lowest terms is less than n. So Δ_inf(n) > 0 if and only if θ/2π is
        irrational or has in lowest terms a denominator of at least n.""",
        index_positivity_condition,
    )
    proof.step(
        """The appendix takes it to be enough that θ is irrational. But θ = π is irrational, and for n = 3 and a letter
        as the query the key at position 1 has the logit cos(2π) = 1 of the target. The rational angle θ = 1, on the
        other hand, never fails, since π is irrational.""",
        index_positivity_printed,
    )
    proof.section("7. One angle at all lengths")
    proof.step(
        """Lemma 3 (two neighbours). Let t and u be positive integers up to N with t + u > N. Let tx = v + a and
        ux = w - b for integers v and w and numbers a, b ≥ 0, and let tw - uv = 1. Then the smallest of ‖x‖, ..., ‖Nx‖
        is the smaller of a and b. It is not larger, since t, u ≤ N. Now let 1 ≤ r ≤ N and let z be any integer. Because
        tw - uv = 1, there are integers i and k with r = it + ku and z = iv + kw, and so rx - z = ia - kb. They are not
        both positive, since t + u > N ≥ r, and one of them is positive, since r > 0. If it is i, then rx - z ≥ a; if it
        is k, then rx - z ≤ -b. So no integer z is closer to rx than a or b.""",
        delta_min_continued_fraction,
    )
    angle, lengths = Angle(Integer(1)), [10, 100, 1000, 10**6, 10**12, 10**18]
    proof.step(
        """The continued fraction of x yields such a pair in about log N steps, so that Δ_inf(n) is known at any length.
        For θ = 1, the fastest plane of the usual frequencies, the closest t and the discrepancy beside its bound
        are:""",
        Table(("n", "t", "Δ_inf(n)", "1 - cos(2π/n)"), cases.returns(angle, lengths, CIRCLE)),
        Enumeration("the bound of Theorem 1 at these lengths", cases.below(angle, lengths, CIRCLE)),
    )
    proof.section("8. What this does not show")
    proof.not_shown(
        index_discrepancy_worst_case,
        index_discrepancy_best_case,
        index_positivity_condition,
        delta_min_continued_fraction,
    )
