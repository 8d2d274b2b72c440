"""How far one rotary plane keeps the target of an Index head apart: Theorem 3.2, refuted and repaired."""

from __future__ import annotations

import sys

import sympy
from sympy import Eq, MatrixSymbol, Symbol

from proofs import index_cases as cases
from proofs.command import run
from proofs.companion import Companion, Table, script
from proofs.index_bounds import limits, proof_of_bounds, theorems
from proofs.typeset import inline
from theory.arithmetic.angle import Angle
from theory.arithmetic.ball import Real, evaluate
from theory.evidence import Enumeration, Identity
from theory.rope.index.discrepancy import PRINTED, index_discrepancy_neighbour, index_discrepancy_printed
from theory.rope.index.head import index_logit, index_logit_closed_form, key_column, query_column
from theory.rope.index.window import competitors, reach
from theory.symbols import j, n, s, t, theta


def setting(proof: Companion) -> None:
    """The head, its logits and its discrepancy."""
    proof.section("1. Setting and definitions")
    proof.say(
        """An input is a sequence of n ≥ 2 tokens, each of them a letter or one of the integers 1, ..., m. The last
        token is the query. An integer s < n as the query asks for the token s places before it; a letter asks for
        itself, as if s were 0. So the target stands at position n - s. The head has one rotary plane, which turns a
        vector at position j by the angle jθ. All tokens have the same key k, and the query with offset s is turned back
        by s positions:""",
        Eq(MatrixSymbol("q_s", 2, 1), query_column(s).as_immutable(), evaluate=False),
        Eq(MatrixSymbol("k", 2, 1), key_column().as_immutable(), evaluate=False),
        """The logit of a key is its inner product with the query after both have been turned. The discrepancy Δ(n,s) is
        the logit of the target minus the largest logit of any other key; over all inputs of length n it has a minimum
        Δ_inf(n) and a maximum Δ_sup(n). If every input of length n is to be decoded, the minimum is what counts: under
        a softmax at inverse temperature β, the worst input gives another key exp(-βΔ_inf(n)) times the weight of the
        target.""",
    )
    proof.step(
        "The logit of the key at position j is",
        Eq(Symbol("λ_j"), index_logit(n, j, s, theta)),
        index_logit_closed_form,
    )
    proof.step(
        """Count the keys from the target. The key t places before the target stands at position j = n - s - t and has
        the logit""",
        index_logit(n, n - s - t, s, theta),
        """The target itself has t = 0 and the logit 1. As j runs from 1 to n, t takes all values from n - 1 - s down to
        -s. The cosine is even, so only |t| counts, and over the keys other than the target |t| takes the values 1, ...,
        T, where T is the larger of s and n - 1 - s. Hence Δ(n,s) is 1 minus the largest of cos(θ), cos(2θ), ...,
        cos(Tθ).""",
        Identity("logit by offset", cases.shifted()),
        Enumeration("offsets of all queries, n ≤ 20", cases.offsets(20)),
    )
    proof.step(
        """Write x = θ/2π, and ‖y‖ for the distance of a number y to the nearest integer. The function 1 - cos(2πy) has
        period 1 and is even, and its derivative 2π sin(2πy) is positive for 0 < y < 1/2. So it is an increasing
        function of ‖y‖, and Δ(n,s) = 1 - cos(2πD), where D is the smallest of ‖x‖, ‖2x‖, ..., ‖Tx‖.""",
        Identity("period, symmetry, derivative", cases.versine_laws()),
        Enumeration("Δ over all keys, n ≤ 6, x = p/q with q ≤ n + 1", cases.in_turns(6)),
    )


def printed(proof: Companion) -> None:
    """What the theorem says, and how it is argued."""
    proof.section("2. The printed statement")
    proof.say(
        "The theorem bounds the discrepancy of every input, and so their maximum: for all n ≥ 2 and 0 < θ < 2π",
        PRINTED.statement(),
        """Its proof puts the n + 1 points 0, θ, 2θ, ..., nθ on a circle. Two of them are at most 2π/n apart, say aθ and
        bθ with a < b. Then t = b - a lies between 1 and n, and tθ is within 2π/n of a multiple of 2π. It is concluded
        that for any input the key t places from the target has a logit of at least cos(2π/n) ≥ 1 - 2π²/n². The other
        term of the bound comes from a key beside the target, t = 1 or t = -1.""",
    )


def refutation(proof: Companion) -> None:
    """Where the argument fails, and the smallest counterexample."""
    proof.section("3. Why it is false")
    row = "{:2}  {:2}  {:2}".format
    proof.step(
        """The pigeonhole argument yields some t between 1 and n, and then needs a key at that offset. But the keys have
        the offsets -s, ..., n - 1 - s. No key has the offset n or -n, and all of 1, ..., n - 1 occur, up to their
        sign, only if the target stands at an end of the input: s = 0 or s = n - 1. For n = 4:""",
        Table(
            ("s", "offsets of the other keys", "T"),
            [
                *((offset, row(*competitors(4, offset)) + "    ", reach(4, offset)) for offset in range(4)),
                ("as printed", row(1, 2, 3) + "   4", 4),
            ],
        ),
        Enumeration("all queries, n ≤ 20", cases.ends_only(20)),
    )
    length, offset, angle = 4, 1, Angle.turn(1, 3)
    values, target = cases.logits(length, angle, offset), length - offset
    rival = max(value for at, value in enumerate(values, 1) if at != target)
    gap, at_angle = values[target - 1] - rival, {n: length, theta: angle.expr}
    bound = PRINTED.expression.subs(at_angle)
    proof.step(
        f"""The smallest counterexample. Let n = {length} and θ = {inline(angle.expr)}, and let the query be the integer
        s = {offset}, so that the target stands at position {target}:""",
        Table(
            ("position j", *range(1, length + 1)),
            [("offset t", *(target - at for at in range(1, length + 1))), ("logit", *map(inline, values))],
        ),
        f"""The discrepancy is {values[target - 1]} - ({rival}) = {gap}. The terms of the printed bound are
        {inline(1 - sympy.cos(angle.expr))} and {inline(PRINTED.decay.subs(at_angle))}. The second is smaller: it is
        about {float(evaluate(bound)):.4f}, and less than {gap} because π² < 3.2² < 12. The offset that the pigeonhole
        argument finds is t = 3, since 3θ is a full turn. But 3 places before the target is position {target - 3}, and 3
        places after it is position {target + 3}, and the input has neither.""",
        Enumeration("logits through the query and key maps against step (3)", cases.worked(length, angle, offset, gap)),
        Enumeration(f"{gap} exceeds {inline(bound)}", [(gap, Real.of(gap) > evaluate(bound))]),
    )
    terms = {short: PRINTED.decay.subs(n, short) for short in (2, 3)}
    shorter = " and ".join(
        f"{inline(term)} ≈ {float(evaluate(term)):.3f} for n = {short}" for short, term in terms.items()
    )
    proof.step(
        f"""There is no shorter one. Cosines are at least -1, so a discrepancy is at most 2, and the second term of the
        bound is larger: {shorter}. The first term is a true bound at every length: for n ≥ 2 some key stands beside the
        target and has the logit cos(θ).""",
        Enumeration("second term above 2, n = 2, 3", cases.beyond_two()),
        index_discrepancy_neighbour,
    )
    proof.step(
        """So the statement is refuted as it is printed. With Δ_inf(n) in place of Δ_sup(n) it becomes true, as the next
        two sections show.""",
        index_discrepancy_printed,
    )


main = script(
    "index_discrepancy",
    __doc__,
    "How far one rotary plane keeps the target of an Index head apart",
    "On Theorem 3.2 and Appendix F.2.1 of arXiv 2605.31558",
    (setting, printed, refutation, theorems, proof_of_bounds, limits),
)

if __name__ == "__main__":
    sys.exit(run(main))
