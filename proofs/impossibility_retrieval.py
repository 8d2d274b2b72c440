"""Retrieval by positional heads: the printed impossibility, refuted and repaired: proofs.impossibility."""

from __future__ import annotations

from fractions import Fraction

from proofs import impossibility_cases as cases
from proofs.companion import Companion, Table
from theory.evidence import Enumeration
from theory.rope.expressivity.positional_cannot_retrieve import (
    positional_cannot_retrieve_identity,
    positional_cannot_retrieve_printed,
)
from theory.rope.expressivity.positional_margin import positional_retrieve_margin
from theory.rope.expressivity.positional_retrieval import (
    GATED,
    HINTED,
    positional_retrieves_with_residual,
    positional_retrieves_with_values,
)
from theory.rope.expressivity.symbolic_cannot_index import symbolic_cannot_index
from theory.rope.sequences import show


def printed(proof: Companion) -> None:
    """What the remark says."""
    proof.section("3. The printed statement on positional heads")
    proof.say(
        """Remark 3.1 says that Retrieval cannot be computed by a purely positional head. It refers to Theorem 4 of
        arXiv 2511.11579. But the heads of its own Definition C.1 have linear values and a linear residual: on one-hot
        tokens VAL(x) = W_V x and F(x, a) = W_R x + a, for any matrices W_V and W_R. Write W_V = 1 for the identity.""",
    )


def refutation(proof: Companion) -> None:
    """Two positional heads that retrieve."""
    proof.section("4. Why it is false")
    head = ("token", "residual", "attention", "output")
    proof.step(
        f"""First counterexample. Let all logits be 0, so that all weights are 1/n. Let W_V = 1, and let W_R x have the
        coordinate 2 at every token that x may be looking for: at all tokens with the right letter of x on their left,
        or at x itself if x is LI. All other coordinates are 0. For the input {show(cases.WORKED)} this gives""",
        Table(head, cases.outputs(GATED)),
        """The answer b1 is decoded, with the margin 1/3.""",
        Enumeration("this input", cases.worked(GATED, Fraction(1, 3))),
    )
    proof.step(
        """It is so for every proper input. The answer occurs in it, and has at least 2 + 1/n. The other tokens that the
        query may be looking for do not occur, since the input is proper, and have 2. All others have at most 1. So the
        margin is at least 1/n, and it is no more if the query is LL and the answer occurs once.""",
        positional_retrieves_with_residual,
    )
    proof.step(
        f"""Second counterexample, with W_R = 0. Give the query itself the weight 9/10, and let the earlier tokens share
        the rest. Let W_V x be x if x is LI; if x is LL, let it have besides the coordinate 4 at every token that x may
        be looking for. For the input {show(cases.WORKED)} this gives""",
        Table(head, cases.outputs(HINTED)),
        """The answer is decoded with the margin 1/20.""",
        Enumeration("this input", cases.worked(HINTED, Fraction(1, 20))),
    )
    proof.step(
        """Again it is so for every proper input with n ≥ 2: the margin is at least 1/(10(n-1)). If the query is LL,
        each LL token adds the same, 4 times its weight or nothing, to all tokens that the query may be looking for, and
        the query itself adds 4 · 9/10. Of these tokens only the answer occurs, and has at least 1/(10(n-1)) more. Any
        other token has at most 9/10 from the query and 5/10 from the rest. If the query is LI, it has 9/10, and any
        other token at most 5/10.""",
        positional_retrieves_with_values,
    )
    proof.step(
        """So the statement is refuted as it is printed. It becomes true for heads with W_V = 1 and F(x, a) = a, as the
        next section shows.""",
        positional_cannot_retrieve_printed,
    )


def repair(proof: Companion) -> None:
    """Heads that copy one-hot tokens and add nothing."""
    proof.section("5. What is true")
    proof.say(
        """Theorem 2 [positional-cannot-retrieve-identity]. Let n ≥ 3 and A ≥ 2. A positional head on one-hot tokens
        with W_V = 1 and F(x, a) = a decodes some proper input of length n wrongly.""",
    )
    proof.step(
        """Proof. Take the query ab, and before it tokens a1, but at one position j the token b1. Such an input is
        proper, and b1 is the answer. Its coordinate is w_j; that of a1 is W - w_j, for W the sum of the earlier
        weights. So the answer is decoded only if 2w_j > W. If the head decodes these inputs for all j, this holds for
        two different positions j < n, since n ≥ 3, and adding up gives more than W for these two weights alone. But all
        the earlier weights together are W.""",
        positional_cannot_retrieve_identity,
    )
    proof.step(
        """For n = 2 such a head can decode all. The answer is either the query itself or the only earlier token, and
        the query alone says which, as the weights may: w_2 > w_1 if the query is LI or its two letters agree, and w_1 >
        w_2 otherwise.""",
        Enumeration("all proper inputs over two letters and one integer, weights 1/3 and 2/3", cases.two_tokens()),
    )


def margin(proof: Companion) -> None:
    """No positional head has a margin that long inputs keep."""
    proof.section("6. The margin of a positional head")
    proof.say(
        """The counterexamples retrieve, but their margins fall like 1/n. No choice of values, residual and read-out
        does better.""",
        """Theorem 3 [positional-retrieve-margin]. Let a positional head have the output coordinates r_c(x_n) + w_1
        M[c,x_1] + ... + w_n M[c,x_n], where the function r and the matrix M are arbitrary, and let C be the largest
        |M[c,x]|. If it decodes all proper inputs of length n ≥ 2 with a margin of at least δ, then δ ≤ 2C/(n-1).""",
    )
    proof.step(
        """Proof. Some earlier position j has w_j ≤ 1/(n-1). Take the query ab, and before it tokens a1, but at position
        j either b1 or bb. Both inputs are proper, and that token is the answer. Add the lead of b1 over bb in the first
        input and that of bb over b1 in the second. The residual and all positions but j drop out, and what remains is
        w_j (M[b1,b1] - M[bb,b1] + M[bb,bb] - M[b1,bb]) ≤ 4C w_j. Each lead is at least δ, so 2δ ≤ 4C/(n-1).""",
        positional_retrieve_margin,
    )
    lengths = (3, 6, 12, 24)
    proof.step(
        """The order 1/n is right, and so is the constant for long inputs: with the values 1 at the token itself and -1
        at all others, with equal weights, and with the residual 4 at what the query may be looking for, C = 1, and the
        answer leads the other tokens that the query may be looking for by 2/n, and all else by at least 2. Least
        margins over the inputs of the proof, each beside its bound 2C/(n-1), where C = 1, 5 and 1:""",
        Table(("n", "first", "bound", "second", "bound", "signed", "bound"), cases.margins(lengths)),
        Enumeration("margins and bounds, n ≤ 24", cases.below(lengths)),
    )
    proof.step(
        """Positional is the word that matters. A head whose weights follow the contents keeps its margin at all
        lengths: if all of the weight is on the answer, with values and residual of the first counterexample, it is
        1.""",
        Enumeration("inputs of the proof, n ≤ 24", cases.kept(24)),
    )


def limits(proof: Companion) -> None:
    """What is not shown."""
    proof.section("7. What this does not show")
    proof.not_shown(
        symbolic_cannot_index,
        positional_cannot_retrieve_identity,
        positional_retrieves_with_residual,
        positional_retrieve_margin,
    )
