"""Partial induction takes a head that is positional and symbolic at once; one with two planes computes it."""

from __future__ import annotations

import sys

from sympy import Eq, Integer, Symbol, sin

from proofs import partial_induction_cases as cases
from proofs.command import run
from proofs.companion import Companion, Table, script
from theory.evidence import Enumeration, Identity
from theory.rope.expressivity.partial_induction import AMPLITUDE, PSI, induction_logit, partial_induction_two_angles
from theory.rope.expressivity.partial_induction_needs_both import latest_match, partial_induction_needs_both
from theory.rope.expressivity.recency_gap import Aligned, gap, recency_aligned, sine_gap
from theory.rope.expressivity.recency_phase import recency_phase
from theory.rope.sequences import show
from theory.symbols import n, omega, phi_c, phi_q, t, theta


def setting(proof: Companion) -> None:
    """The task, heads, and the two ways to act."""
    proof.section("1. Setting and definitions")
    proof.say(
        """Partial induction. The first n - 1 tokens are pairs of a symbol and a value, and the last one, the query, is
        a symbol that occurs in one of the pairs. The answer is the value of the latest pair with that symbol. A pair
        with the symbol of the query is called a match.""",
        """A head gives the token x_j at position j a logit λ_j and, by a softmax of the logits, a weight w_j > 0. The
        attention output is a = w_1 VAL(x_1) + ... + w_n VAL(x_n), and the output of the layer is F(x_n, a). The query
        keeps its place while the earlier tokens are permuted. The head acts symbolically on the input if the logits go
        along with the tokens. It is positional if its weights depend on the query and on positions only.""",
    )
    proof.step(
        """The answer depends on the content of the tokens and on their order. The smallest inputs that show the latter
        have n = 3:""",
        Table(("input", "answer"), [(show(tokens), latest_match(tokens)) for tokens in cases.SMALLEST]),
        Enumeration("answers, and what the output of a symbolic head can depend on", cases.smallest()),
    )


def needs_both(proof: Companion) -> None:
    """Neither kind of head computes partial induction."""
    proof.section("2. Neither kind of head is enough")
    proof.say(
        """Theorem 1 [partial-induction-needs-both]. No head computes partial induction that acts symbolically on an
        input which has two matches of different values, whatever VAL and F are. And for n ≥ 3 no positional head
        computes it for which VAL is the one-hot value of a pair, 0 for the query, and F(x, a) = a.""",
    )
    proof.step(
        """Proof. Let a head act symbolically on the input. If the earlier tokens are permuted, each takes its logit
        along, and the logit of the query does not change. So the sum of exp(λ_j) and that of exp(λ_j) VAL(x_j) over all
        j have the same terms in another order. Then a, their ratio, is the same, and so is F(x_n, a).""",
        Enumeration("two symbols and two values, n ≤ 4, all logits 0 or 1, all orders", cases.order_free(4)),
    )
    proof.step(
        """But if the latest match changes places with a match of another value, the answer changes. So the output is
        wrong for one of the two orders.""",
        Enumeration("two symbols and two values, n ≤ 5", cases.exchanged(5)),
    )
    proof.step(
        """Now let the head be positional. One of the earlier positions, j, holds a match with the value 1, and all
        others hold pairs with another symbol and the value 2. The output has w_j at the answer and the sum of the other
        earlier weights at the value 2; their difference must be positive. If j = 1 and j = 2 are tried in turn, these
        two differences add up to -2 (w_3 + ... + w_{n-1}), which is not positive. So one of them is not.""",
        Identity("sum of the two differences, n ≤ 7", cases.two_margins(7)),
    )
    proof.step("This proves both halves of the theorem.", partial_induction_needs_both)
    proof.step(
        "The second half asks for n ≥ 3: with one pair there is nothing to tell it from.",
        Enumeration("n = 2", cases.one_pair()),
    )
    proof.step(
        """It also depends on VAL and F. With weights in the ratio 1 : 2 : 4 on three earlier tokens, and the one-hot
        pair as a value, the attention output tells which pair stands where, and some function F returns the answer.""",
        Enumeration("two symbols and two values, n = 4", cases.told_apart()),
    )


def two_planes(proof: Companion) -> None:
    """A head with two frequencies computes it."""
    proof.section("3. One head that is both")
    proof.step(
        """Let a head have two planes. The first has the frequency 0, and compares symbols, which stand on a circle with
        steps of ω = 2π/A for A symbols. The second has the frequency θ and treats all pairs alike. A pair t places
        before the query, with the symbol of number φ_c, has for the query symbol φ_q the logit""",
        Eq(Symbol("λ"), induction_logit((phi_c - phi_q) * omega, t, AMPLITUDE, theta, PSI)),
        "with an amplitude B > 0 and a phase ψ. Write g(t) for the second term.",
        Identity("the logit, through the query and key maps", cases.through_maps()),
    )
    proof.say(
        """Theorem 2 [partial-induction-two-angles]. If g falls strictly on 1, ..., n - 1 and B(1 - cos(ω)) > g(1) -
        g(n-1), then the largest logit is that of the latest match, and of it alone.""",
    )
    proof.step(
        """Proof. Among the matches the first term is B, and g decides for the smallest t. The first term is at most
        B cos(ω) for any other pair, so that it falls behind a match by B(1 - cos(ω)) at least; and g makes up for at
        most g(1) - g(n-1) of that, which is less.""",
        partial_induction_two_angles,
    )
    proof.step(
        """The condition on B is sharp. Let the only match stand first, n - 1 places before the query, and a pair with a
        neighbouring symbol directly before the query. The logit of the match then leads by""",
        cases.lead(Integer(1), n - 1),
        """which is B(1 - cos(ω)) - (g(1) - g(n-1)). On the other hand, g lies between -1 and 1, so that B(1 - cos(ω)) >
        2 is enough for every θ and ψ.""",
        Identity("the lead", cases.leads()),
    )


def recency(proof: Companion) -> None:
    """How far the second plane sets the answer apart from an earlier match."""
    proof.section("4. How far the latest match stands out")
    proof.step(
        "The latest match leads an earlier one by a step of g, or by several. A step is",
        Eq(Symbol("g(t) - g(t + 1)"), gap(t, PSI)),
        "and as a product",
        sine_gap(t, theta, PSI, sin),
        Identity("a step as a product", [("step", gap(t, PSI), sine_gap(t, theta, PSI, sin))]),
    )
    proof.step(
        """At ψ = 0 the steps are all positive, for t up to n - 2 and 0 < θ ≤ π, if and only if (n - 3/2)θ < π. Since
        the sine rises up to π/2 and falls from there, the smallest step is the first or the last. For n ≥ 5 the
        frequency π/n makes the smallest as large as it can be, and the two are then equal to""",
        Aligned().optimum(n),
        recency_aligned,
    )
    proof.step(
        """A phase helps, but not beyond the order of 1/n. The n - 2 steps add up to g(1) - g(n-1), which is at most 2,
        so that the smallest of them is at most 2/(n-2).""",
        Identity("the sum of the steps, n ≤ 8", cases.telescope(8)),
    )
    proof.step(
        """The best phase centres the window 1, ..., n - 1 at a quarter turn, so that the first and the last step are
        the smallest, and equal. The largest least step without a phase, with the best phase, and the bound:""",
        Table(("n", "ψ = 0", "best ψ", "2/(n-2)"), cases.recency((5, 17, 100, 1000))),
        recency_phase,
    )


def limits(proof: Companion) -> None:
    """What is not shown."""
    proof.section("5. What this does not show")
    proof.not_shown(partial_induction_needs_both, partial_induction_two_angles, recency_phase)


main = script(
    "partial_induction",
    __doc__,
    "Partial induction takes a head that is positional and symbolic at once",
    "On Corollary 1 and Theorem 6 of arXiv 2511.11579",
    (setting, needs_both, two_planes, recency, limits),
)

if __name__ == "__main__":
    sys.exit(run(main))
