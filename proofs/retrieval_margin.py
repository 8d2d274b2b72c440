"""What keeps the answer of a Retrieval head apart, and for how long: Theorem 3.2, refuted and repaired."""

from __future__ import annotations

import sys

from sympy import Eq, MatrixSymbol, Rational, Symbol, cos

from proofs import retrieval_cases as cases
from proofs.command import run
from proofs.companion import Companion, Table, script
from proofs.retrieval_bounds import consequences, proof_of_theorem, theorem
from proofs.retrieval_integers import integers, limits, repairs
from proofs.typeset import inline
from theory.arithmetic.angle import Angle
from theory.evidence import Enumeration, Identity
from theory.rope.retrieval.discrepancy_printed import (
    FORMULA,
    MAXIMUM,
    MINIMUM,
    retrieval_discrepancy_largest_printed,
    retrieval_discrepancy_printed,
    retrieval_discrepancy_smallest_printed,
)
from theory.rope.retrieval.head import key_column, query_column, retrieval_logit, retrieval_phase
from theory.symbols import j, n, omega, phi_c, phi_q, r, s, theta


def setting(proof: Companion) -> None:
    """Tokens, the head, its logits and its discrepancy."""
    proof.section("1. Setting and definitions")
    proof.say(
        """A token is a pair of a left letter and a right half, which is a letter or an integer; a3 has the left letter
        a and the integer 3, and ab has the right letter b. Tokens of the first kind are called LI, of the second LL.
        There are A ≥ 2 letters, numbered from 0. The last token of
        an input is the query. If it has a right letter, it asks for the token that has this letter on its left, which
        may be the query itself; if it has an integer, it asks for itself. Inputs are proper: if the token at some
        position has a right letter, then the tokens up to there that have this letter on their left are one or several
        copies of one token, and at least one is there.""",
        """The head has one rotary plane, in which the letters stand on a circle with steps of ω = 2π/A. A token whose
        left letter has the number φ_c has the key k; a token that wants the letter of number φ_q has the query q:""",
        Eq(MatrixSymbol("k", 2, 1), key_column(phi_c).as_immutable(), evaluate=False),
        Eq(MatrixSymbol("q", 2, 1), query_column(phi_q).as_immutable(), evaluate=False),
        """The wanted letter is the right letter of the query, or its own left letter if its right half is an integer.
        The plane turns a vector at position j by the angle jθ, where θ ≥ 0. Sections 1 to 6 treat queries with a right
        letter, LL. The discrepancy of such an input is the largest logit of a key with the wanted letter minus the
        largest logit of a key with another letter; inputs without another letter have none and are left out. If it is
        positive, the largest logit belongs to the answer.""",
    )
    proof.step(
        "The logit of the key at position j is",
        Eq(Symbol("λ_j"), cos(retrieval_phase(phi_c, phi_q, n - j, omega, theta))),
        retrieval_logit,
    )
    proof.step(
        """A match (a key with the wanted letter) s places before the query and a rival (a key with a letter κ steps
        further on the circle) r places before the query have logits that differ by the gap""",
        cases.gap(s, r, cases.kappa),
        """Here 0 ≤ s, r ≤ n - 1 and 1 ≤ κ ≤ A - 1, and r is not s, since a position holds one token. The discrepancy of
        an input is the gap of its best match and its best rival.""",
        Identity("the gap, through the query and key maps", cases.gap_from_maps()),
        Enumeration("proper inputs, A = 2, n ≤ 4", cases.places(2, 4)),
        Enumeration("proper inputs, A = 3, n ≤ 3", cases.places(3, 3)),
    )


def printed(proof: Companion) -> None:
    """What the theorem says, in three readings."""
    proof.section("2. The printed statement")
    proof.say(
        """The theorem bounds "the" discrepancy of inputs of length n, as long as no letter is turned into its
        neighbour, (n - 1)θ ≤ ω. It can be read in three ways:""",
        FORMULA.statement,
        MINIMUM.statement,
        MAXIMUM.statement,
        """Δ_displayed(n) is the formula displayed in the appendix: the gap of a match at the query itself, s = 0, to
        the largest logit that another letter could have at any of the n positions. Δ_smallest(n) and Δ_sup(n) are the
        minimum and the maximum of the discrepancy over the inputs of length n; the former is called Δ_inf(n) below.""",
    )


def refutation(proof: Companion) -> None:
    """Where the bound fails, and the smallest counterexample."""
    proof.section("3. Why it is false")
    proof.step(
        """The bound is the gap that a match at the query would have to a letter n places before it. But the keys stand
        0, 1, ..., n - 1 places before the query. So the phase κω + rθ of another letter comes no nearer to a multiple
        of 2π than ω - (n-1)θ. Hence Δ_displayed(n) is 1 - cos(ω - (n-1)θ), and for θ > 0 and nθ ≤ ω this is more than
        the bound.""",
        Enumeration("all letters and offsets, A ≤ 9, n ≤ 12", cases.last_offset(range(2, 10), 12)),
    )
    angle = Angle(Rational(1, 10))
    inputs = list(cases.two_token_inputs(angle))
    bound = cases.printed_value(2, angle, 2)
    proof.step(
        f"""The smallest counterexample. Take the smallest alphabet, A = 2, whose letters a and b are opposite, ω = π;
        the smallest length, n = 2; and θ = {inline(angle.expr)}. With one integer there are {len(inputs)} inputs that
        have a discrepancy, and all of them have the same:""",
        Table(
            ("input", "offset of match", "offset of rival", "discrepancy"),
            [(tokens, match, rival, f"{float(value):.6f}") for tokens, match, rival, value in inputs],
        ),
        f"""It is 1 + cos(θ), whether the match stands at the query or before it, and so all three readings agree. The
        printed bound is 1 + cos(2θ) = {float(bound):.6f}. It is smaller, since the cosine falls on [0, π]; and so it
        is for every θ with 0 < θ ≤ π/2.""",
        Identity("both gaps and the bound, for every θ", cases.two_tokens()),
        Enumeration("discrepancies above the bound", ((tokens, value > bound) for tokens, *_, value in inputs)),
        Enumeration("the three readings fail", cases.exceeded((FORMULA, MINIMUM, MAXIMUM), angle)),
    )
    proof.step(
        """So the statement is refuted as it is printed, in each reading. With n - 1 in place of n the first two become
        true. For the maximum no bound below 2 holds, since for even A a rival may be opposite to the match.""",
        retrieval_discrepancy_printed,
        retrieval_discrepancy_smallest_printed,
        retrieval_discrepancy_largest_printed,
    )
    proof.say(
        """Even a true upper bound on a discrepancy would not show that a head is robust. For that one needs a lower
        bound, and the exact minimum is better still."""
    )


main = script(
    "retrieval_margin",
    __doc__,
    "What keeps the answer of a Retrieval head apart, and for how long",
    "On Theorems 3.1 and 3.2, Remark 3.2 and Appendix F.2.2 of arXiv 2605.31558",
    (setting, printed, refutation, theorem, proof_of_theorem, consequences, integers, repairs, limits),
)

if __name__ == "__main__":
    sys.exit(run(main))
