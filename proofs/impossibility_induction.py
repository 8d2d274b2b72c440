"""Partial induction needs a head that is positional and symbolic at once, and two planes: proofs.impossibility."""

from __future__ import annotations

from sympy import Eq, Symbol

from proofs import impossibility_cases as cases
from proofs.companion import Companion, Table
from theory.evidence import Enumeration
from theory.rope.expressivity.partial_induction import (
    AMPLITUDE,
    PSI,
    induction_logit,
    partial_induction_two_angles,
)
from theory.rope.expressivity.partial_induction_needs_both import partial_induction_needs_both
from theory.rope.expressivity.positional_cannot_retrieve import positional_cannot_retrieve_identity
from theory.rope.expressivity.positional_margin import positional_retrieve_margin
from theory.rope.expressivity.positional_retrieval import positional_retrieves_with_residual
from theory.rope.expressivity.recency_gap import Aligned, gap, recency_aligned
from theory.rope.expressivity.recency_phase import recency_phase
from theory.rope.expressivity.symbolic_cannot_index import symbolic_cannot_index
from theory.symbols import n, omega, phi_c, phi_q, t, theta


def induction(proof: Companion) -> None:
    """Neither kind of head computes partial induction."""
    proof.section("7. Partial induction needs both")
    proof.say(
        """In partial induction the earlier tokens are pairs of a symbol and a value, and the query is a symbol that
        occurs in one of them. The answer is the value of the latest pair with that symbol, so both the content and the
        place count.""",
        """Theorem 4 [partial-induction-needs-both]. No head computes partial induction that acts symbolically on an
        input which has two pairs with the symbol of the query and different values, whatever VAL and F are. And for n ≥
        3 no positional head computes it for which VAL is the one-hot value of a pair, 0 for the query, and F(x, a) =
        a.""",
    )
    proof.step(
        """Proof. For a symbolic head the output is the same for all orders, as in step (1). But if the latest match
        changes places with a match of another value, the answer changes. For a positional head let one earlier position
        j hold a pair with the symbol of the query and the value 1, and all others pairs with another symbol and the
        value 2. Then w_j must exceed the sum of all other earlier weights, which is impossible for two different j, as
        in step (12).""",
        partial_induction_needs_both,
    )
    proof.step(
        """The second half does depend on VAL and F. With weights in the ratio 1 : 2 : 4 on three earlier tokens, and
        the one-hot pair as a value, the attention output tells which pair stands where, and some function F returns the
        answer.""",
        Enumeration("two symbols and two values, n = 4", cases.told_apart()),
    )


def two_planes(proof: Companion) -> None:
    """A head with two frequencies computes it, and how far it sets the answer apart."""
    proof.section("8. One head that is both")
    proof.say(
        """Let a head have two planes. The first has the frequency 0, and compares symbols, which stand on a circle with
        steps of ω = 2π/A for A symbols. The second has the frequency θ and treats all pairs alike. A pair t places
        before the query, with the symbol of number φ_c, has for the query symbol φ_q the logit""",
        Eq(Symbol("λ"), induction_logit((phi_c - phi_q) * omega, t, AMPLITUDE, theta, PSI)),
        "with an amplitude B and a phase ψ. Write g(t) for the second term.",
    )
    proof.step(
        """If g falls strictly on 1, ..., n - 1 and B(1 - cos(ω)) > g(1) - g(n-1), then the largest logit is that of the
        latest match, and of it alone. For the first term is B for a match and at most B cos(ω) for any other pair. So a
        match loses at most g(1) - g(n-1) to such a pair, which is less than its lead. Among the matches the first term
        is the same, and g decides for the smallest t. Since g lies between -1 and 1, an amplitude with B(1 - cos(ω)) >
        2 is always enough.""",
        partial_induction_two_angles,
    )
    proof.step(
        """How far the latest match stands out from an earlier one is a matter of the steps""",
        Eq(Symbol("g(t) - g(t + 1)"), gap(t, PSI)),
        """At ψ = 0 they are all positive, for t up to n - 2 and 0 < θ ≤ π, if and only if (n - 3/2)θ < π. A step is
        2sin((t + 1/2)θ)sin(θ/2), so the smallest one is the first or the last. For n ≥ 5 the frequency π/n makes the
        smallest as large as it can be, and the two are then equal to""",
        Aligned().optimum(n),
        recency_aligned,
    )
    proof.step(
        """With the best phase the steps are larger, but not of another order than 1/n. The n - 2 steps add up to g(1) -
        g(n-1) ≤ 2, so that the smallest is at most 2/(n-2). The largest least step without a phase, with the best
        phase, and this bound:""",
        Table(("n", "ψ = 0", "best ψ", "2/(n-2)"), cases.recency((5, 17, 100, 1000))),
        recency_phase,
    )


def limits(proof: Companion) -> None:
    """What is not shown."""
    proof.section("9. What this does not show")
    proof.not_shown(
        symbolic_cannot_index,
        positional_cannot_retrieve_identity,
        positional_retrieves_with_residual,
        positional_retrieve_margin,
        partial_induction_needs_both,
        partial_induction_two_angles,
        recency_phase,
    )
