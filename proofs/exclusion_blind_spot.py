"""The printed argument for swaps, its counterexample, and all that the scores overlook: proofs.exclusion_principle."""

from __future__ import annotations

from proofs import exclusion_cases as cases
from proofs.companion import Companion, Table
from theory.evidence import Enumeration
from theory.rope.scores.acting import deviations
from theory.rope.scores.blind_spot import full_scores, score_blind_spot, score_swaps_printed
from theory.rope.scores.closed_form import score_logit_closed_form
from theory.rope.scores.exclusion import rope_exclusion_principle
from theory.rope.scores.floor import score_robustness
from theory.rope.scores.sum import score_sum_bounds, score_uniform_attention

SMALLEST = [[0, 1], [1, 0]]
LEAVING = [[p - 3 * (c != p) for p in range(3)] for c in range(3)]


def blind_spot(proof: Companion) -> None:
    """The printed argument for swaps, its counterexample, and all matrices that it overlooks."""
    proof.section("5. The printed statement, and why it is false")
    proof.say(
        """The definition of acting speaks of all permutations, the scores of swaps alone. Appendix D of arXiv
        2605.31558 holds that this is no loss of generality, since every permutation is a product of swaps. For the
        logits it is none, by step (2). But a score does not look at logits. It compares the ratio of two weights before
        and after the swap, and is 1 if the ratio has remained, however much of their sum has gone to other tokens.""",
    )
    before, after = cases.shares(SMALLEST, 1, 2)
    proof.step(
        f"""The smallest counterexample. Let n = 3 and M = {SMALLEST}, so that each of the two earlier tokens has the
        logit 0 in its own place and 1 in the other's. Then g = h = 0, and s_POS = s_SYM = 1 for every τ. But P = S = 2:
        the head acts in neither way. With the logit 0 for the query itself, and log(2) as the unit of logits, the
        attention is""",
        Table(("", "position 1", "2", "query"), [("before the swap", *before), ("after the swap", *after)]),
        Enumeration(
            "scores and deviations of this matrix",
            [(SMALLEST, full_scores(SMALLEST) == (True, True) and deviations(SMALLEST) == (2, 2) and before != after)],
        ),
    )
    proof.step(
        """So the statement is refuted as it is printed. It becomes true if it speaks of logits instead of scores: if no
        swap changes the logits at its two positions, the head acts positionally.""",
        score_swaps_printed,
    )
    proof.section("6. All that the scores overlook")
    proof.step(
        """Theorem 2 [score-blind-spot]. For every τ > 0, s_POS = 1 if and only if M[j,i] - M[i,j] = λ_i - λ_j for all i
        and j, and s_SYM = 1 if and only if M[i,j] - M[j,i] = λ_i - λ_j. For a mean of cosines is 1 only if each of them
        is; cos(u, v) = 1 only if u and v are parallel, and by step (9) they are if and only if g = h. For the other
        score it is g = -h.""",
        score_blind_spot,
    )
    proof.step(
        """In other words: s_POS = 1 if and only if the deviations M[c,p] - λ_p form a symmetric matrix, and the head
        acts positionally if and only if they are all 0. Their N(N-1)/2 values above the diagonal may be anything, and
        the score does not see them. The same holds of s_SYM and the deviations M[c,p] - λ_c.""",
        Enumeration("integer matrices of size 2 and 3", cases.symmetric_part()),
    )
    proof.step(
        f"""Logits need not agree for this. Let M[c,p] be 0, 1, 2 for p = 1, 2, 3, less 3 wherever c ≠ p. At β = 1, and
        with the logit 0 for the query itself, s_POS = 1, and in the limit of small τ the other score is 1/cosh(2) ≈
        {cases.least_symbolic(LEAVING):.4f}: the head looks positional. But the swap of positions 1 and 3 takes more
        than five sixths of its attention from position 3:""",
        Table(("", "position 1", "2", "3", "query"), cases.swapped(LEAVING, 1, 3)),
        Enumeration("ratios, and attention to position 3", cases.leaves(LEAVING)),
    )
    steps = (1, 2, 5, 10)
    proof.step(
        """Nearly all attention can move unseen. Let n = 3, and give each of the two earlier tokens the logit K in its
        own place and -K in the other's, in units of log(2), and the query itself the logit 0. Both scores are 1 for
        every K and τ. Before the swap the query's own token has less than 1/2^K of the attention, and after it the two
        tokens together have less than 2/2^K:""",
        Table(
            ("K", "both tokens before the swap", "after the swap"),
            [(step, f"{float(full):.5f}", f"{float(rest):.5f}") for step, full, rest in cases.moved(steps)],
        ),
        Enumeration("both scores 1, K ≤ 40", cases.unseen(range(1, 41))),
    )
    proof.step(
        """The exclusion principle does hold for scores of 1. If both are 1, then h = g and h = -g for every swap, so
        that g = h = 0: all logits agree, and M is symmetric. Conversely, for such a matrix both scores are 1. But
        unless all entries of M agree, the head acts in neither way.""",
        Enumeration("integer matrices of size 2 and 3", cases.both_full()),
    )


def limits(proof: Companion) -> None:
    """What is not shown."""
    proof.section("7. What this does not show")
    proof.not_shown(
        rope_exclusion_principle,
        score_logit_closed_form,
        score_sum_bounds,
        score_uniform_attention,
        score_robustness,
        score_blind_spot,
    )
