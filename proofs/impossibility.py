"""Symbolic heads cannot index; that positional heads cannot retrieve, as printed, is refuted and repaired."""

from __future__ import annotations

import sys

from proofs import impossibility_cases as cases
from proofs.command import run
from proofs.companion import Companion, Table, script
from proofs.impossibility_retrieval import limits, margin, printed, refutation, repair
from theory.evidence import Enumeration
from theory.rope.expressivity.symbolic_cannot_index import index_at_end, symbolic_cannot_index
from theory.rope.index.feasibility import index_feasibility
from theory.rope.sequences import show


def setting(proof: Companion) -> None:
    """Heads, the two ways to act, and the two tasks."""
    proof.section("1. Setting and definitions")
    proof.say(
        """An input has n tokens; the last one is the query. A head gives the token x_j at position j a logit and, by a
        softmax of the logits, a weight w_j > 0; the weights add up to 1. The attention output is a = w_1 VAL(x_1) + ...
        + w_n VAL(x_n), and the output of the layer is F(x_n, a). Unless something else is said, VAL and F may be any
        functions. An output vector has one coordinate for each token, and it is decoded as the token whose coordinate
        exceeds all others; the difference from the largest other one is the margin.""",
        """The query keeps its place while the earlier tokens are permuted. The head acts symbolically on the input if
        the logits go along with the tokens, and positionally if they stay with the positions. The head is positional if
        its weights depend on the query and on positions only.""",
        """Index. Tokens are letters and integers. An integer s < n as the query asks for the token s places before it.
        If that is a letter, it is the answer; in all other cases the answer is the query itself.""",
        """Retrieval. A token is a pair of a left letter and a right half, which is a letter (LL) or an integer (LI); ab
        has the right letter b, and b1 the integer 1. There are A ≥ 2 letters and at least one integer. A query with a
        right letter asks for the token that has this letter on its left, and an LI query for itself. Inputs are proper:
        at each position with a right letter, the tokens up to there that have this letter on their left are one or
        several copies of one token.""",
    )


def symbolic(proof: Companion) -> None:
    """Symbolic heads cannot index."""
    proof.section("2. Symbolic heads cannot index")
    proof.say(
        """Theorem 1 [symbolic-cannot-index]. Let n ≥ 3, and consider an input whose query is an integer and whose
        earlier tokens include a letter and a token that differs from it. No head that acts symbolically on this input
        computes Index for all inputs of length n, whatever VAL and F are.""",
    )
    proof.step(
        """Proof. First, the output does not depend on the order of the earlier tokens. For each token takes its logit
        along, and the logit of the query's own token does not change. So the sum of exp(λ_j) and that of exp(λ_j)
        VAL(x_j) over all j have the same terms in another order, and a, their ratio, is the same; so is F(x_n, a).""",
        Enumeration("letters a, b, integers 1, 2, n ≤ 4, all logits 0 or 1, all orders", cases.order_free(4)),
    )
    proof.step(
        """Second, the answer does depend on the order. Let s be the query. If the letter is put at position n - s, it
        is the answer. If the other token is put there, the answer is that token, if it is a letter, and s, if it is an
        integer. So the output is wrong for one of the two orders.""",
        symbolic_cannot_index,
    )
    proof.step(
        """The smallest case has n = 3. A head that acts symbolically on one of these inputs has the same output on
        both:""",
        Table(("input", "answer"), [(show(tokens), index_at_end(tokens)) for tokens in cases.SMALLEST]),
        "For n = 2 there is only one earlier token, and only one order.",
        Enumeration("answers, and what the output can depend on", cases.smallest()),
    )
    proof.step(
        """Each hypothesis is needed. If values may depend on positions, or if the query may move, then the output can
        change with the order. If the query is a letter, if all earlier tokens are alike, or if none of them is a
        letter, then the answer does not change.""",
        Enumeration("one input for each hypothesis", cases.needed()),
    )
    proof.step(
        """Positional heads do compute Index: the one-plane head of Theorem 3.1 of arXiv 2605.31558 gives its largest
        logit to position n - s, whatever stands there.""",
        index_feasibility,
    )
    proof.step(
        """Nothing of this kind keeps symbolic heads from Retrieval. Its answer is found by its left letter, and is the
        same for all orders of the earlier tokens.""",
        Enumeration("two letters and one integer, LL queries, n ≤ 4", cases.retrieval_orders(4)),
    )


main = script(
    "impossibility",
    __doc__,
    "What symbolic heads and what positional heads cannot compute",
    "On Theorems 2 and 4 of arXiv 2511.11579 and Remark 3.1 of arXiv 2605.31558",
    (setting, symbolic, printed, refutation, repair, margin, limits),
)

if __name__ == "__main__":
    sys.exit(run(main))
