"""Sections of proofs.layer_continuity: repeated averages, and that their Poisson tails are needed."""

from __future__ import annotations

from fractions import Fraction

from sympy import Eq, Function, Le, Symbol

from proofs import layer_tail_cases as cases
from proofs.companion import Companion, Table
from proofs.layer_cases import cancelled, expanded
from theory.compact.averaging.poisson_tail import poisson_tail_averaging
from theory.compact.continuity.explicit import continuity_explicit
from theory.compact.continuity.logs_necessary import logs_necessary
from theory.compact.continuity.perturbation import attention_perturbation
from theory.compact.lag_kernels.lag_kernel_continuity import lag_kernel_continuity
from theory.compact.symbols import x
from theory.evidence import BoxCover, Enumeration, Identity


def tails(proof: Companion) -> None:
    """What repeated averages leave of a set of positions."""
    proof.section("4. What repeated averages leave of a set")
    proof.step(
        """Let (A^m f)(n) give f(i) the weight K_m(n, i). It does not rise with i: K_1(n, i) = 1/n for all i ≤ n, and
        K_{m+1}(n, i) is the sum of K_m(n, t)/t over t = i, ..., n, which has fewer terms for later i.""",
        Enumeration("weights by definition, n ≤ 12, m ≤ 4", cases.falling(12, 4)),
    )
    proof.step(
        """So among all sets of k positions the earliest, {1, ..., k}, leaves most.""",
        Enumeration("all sets, n ≤ 7, m ≤ 3", cases.earliest(7, 3)),
    )
    proof.step(
        """Definition. For 0 < x ≤ 1 let g_m(x) be the probability that a Poisson variable of mean ln(1/x) is below m.
        So g_1(x) = x, and""",
        Eq(Function("g_3")(x), cases.THREE),
        """In general g_m(x) = x(1 + y + ... + y^(m-1)/(m-1)!) with y = ln(1/x). Its slope is y^(m-1)/(m-1)!, so it
        rises with x, and g_{m+1} exceeds g_m by the probability of m.""",
        Identity("slopes and differences, m ≤ 5", cases.tails(5), expanded),
    )
    proof.step(
        """After one more average, n(A^{m+1} 1)(n) is k, and the sum of (A^m 1)(t) over t = k + 1, ..., n, where 1 is
        the indicator of the first k positions: up to k all averages are 1.""",
        Enumeration("n ≤ 8, m ≤ 3", cases.recursion(8, 3)),
    )
    proof.step(
        """Suppose that (A^m 1)(t) ≤ g_m(k/t). This falls as t grows, so the sum is at most the integral of g_m(k/t)
        from k to n. Its terms integrate to those of the next tail, and k plus the integral is n g_{m+1}(k/n).""",
        Identity("slopes and the total, m ≤ 5", cases.integrals(5), expanded),
    )
    proof.step(
        """Theorem 2. For every set D of k of the positions 1, ..., n""",
        Le(Symbol("(A^m 1_D)(n)"), Function("g_m")(Symbol("k") / Symbol("n"))),
        """with equality in the limit of long words for D = {1, ..., k}. What a prefix leaves, and the bound:""",
        Table(("m", "k", "n", "left", "g_m(k/n)"), cases.close_rows()),
        poisson_tail_averaging,
    )
    proof.step(
        """A rougher bound. For 0 < s < 1, s^(m-1) times each term y^r/r! with r < m is at most (sy)^r/r!, and these add
        up to less than e^(sy). So g_m(x) ≤ x^(1-s)/s^(m-1); with s = 1/2 it is at most 2^(m-1) √x.""",
        Identity("terms, m ≤ 6", cases.powers(6), expanded),
        BoxCover("s = 1/2, m ≤ 4, 1/1000 ≤ x ≤ 9/10", ((Fraction(1, 1000), Fraction(9, 10)),), cases.below_root),
    )


def sharpness(proof: Companion) -> None:
    """Networks that average, and networks without a mask."""
    proof.section("6. The logarithms are needed")
    proof.step(
        """Let all logits be 0, all values the states, and let each layer keep its head's output alone. All constants
        are then 1, Γ_L = 1, and on 0...0 against a word with ones at D the last states differ by exactly (A^L 1_D)(n).
        For L = 2 and one changed letter this is (1 + 1/2 + ... + 1/n)/n. No C with the bound Cd exists for L = 2.""",
        Enumeration("harmonic numbers, n ≤ 60", cases.ratios(60)),
        logs_necessary,
    )
    proof.step(
        """By Theorem 2 the network comes as near to g_L(k/n) as one likes. As L grows this tends to 1 for each share
        x > 0, so no radius serves all depths. g_L at some shares:""",
        Table(("L", "x = 1/10", "1/100", "1/1000", "1/10000"), cases.depth_rows()),
        Enumeration("above 9/10 at 32 layers", cases.passing()),
    )
    proof.step(
        """They come from causality. Without the mask, in place of A stands the mean J over all positions, JJ = J, and
        the product of all a_l + b_l J is a_1...a_L + Γ_L J. At an agreeing position this gives Γ_L d: no logarithm.""",
        Identity("one letter of three changed, L ≤ 3", cases.without_mask(), cancelled),
    )


def limits(proof: Companion) -> None:
    """What is not shown."""
    proof.section("8. What this does not show")
    proof.not_shown(
        attention_perturbation,
        poisson_tail_averaging,
        continuity_explicit,
        logs_necessary,
        lag_kernel_continuity,
    )
    proof.say(
        """Nor does it cover words of different lengths or with different last letters, position data that depend on
        the letters, logits that grow with the length, or maps that jump, such as a choice of experts or of keys. For
        each of these there are networks whose outputs do not approach each other."""
    )
