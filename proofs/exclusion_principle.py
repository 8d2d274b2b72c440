"""Why a head with unequal logits is not positional and symbolic at once, and what its two scores fail to see."""

from __future__ import annotations

import sys

import sympy
from sympy import Le, Symbol

from proofs import exclusion_cases as cases
from proofs.command import run
from proofs.companion import Companion, Table, script
from proofs.exclusion_blind_spot import blind_spot, limits
from proofs.exclusion_scores import scores
from theory.evidence import Enumeration, Identity
from theory.rope.rotation import rope_relative_logit
from theory.rope.scores.acting import acting_by_swaps, deviations
from theory.rope.scores.any_logits import rope_realises_any_logits
from theory.rope.scores.exclusion import VARIANCE, rope_exclusion_principle, variance

EXAMPLES = ([[0, 1], [2, 3]], [[0, 1], [0, 1]], [[0, 1], [1, 2]], [[0, 1], [1, 0]])


def setting(proof: Companion) -> None:
    """Logit matrices, and the two ways to act."""
    proof.section("1. Setting and definitions")
    proof.say(
        """An input has n ≥ 2 tokens. The last one is the query; it keeps its place. Let N = n - 1 be the number of
        earlier tokens, and let M[c,p] be the logit of content c, one of these tokens, when it is put at position p. The
        diagonal holds the logits λ_j = M[j,j] of the input itself. The head acts positionally on the input if no
        permutation of the contents changes the logit of a position, so that M[c,p] = λ_p for all c and p: what counts
        is the place. It acts symbolically if no permutation changes the logit of a content, so that M[c,p] = λ_c: what
        counts is the content. How far a head is from either is measured by P, the sum of (M[c,p] - λ_p)² over all c and
        p, and by S, the sum of (M[c,p] - λ_c)².""",
    )
    proof.step(
        """The matrix says all there is to say, and a matrix can be anything. For the rotation R of a rotary head and
        the vectors q of the query and k of a key, the logit is the inner product of k, turned p times, and of q, turned
        n times, and so that of k and q turned n - p times. Let the head have m planes with distinct frequencies between
        0 and π, and let q vanish in none of them. Row c of the matrix is the image of k under the linear map whose rows
        are q turned N, ..., 2, 1 times. The entries of these rows are combinations of the powers of 2m distinct complex
        numbers, so that by Vandermonde's determinant the map has rank N if 2m ≥ N. Then every row is the image of some
        key, and every N × N matrix is the matrix of some head on an input of distinct tokens. So what follows is about
        matrices.""",
        rope_relative_logit,
        rope_realises_any_logits,
    )
    proof.step(
        """Permutations reduce to P and S. The content c is put at position p by (N-1)! of the N! permutations. So the
        squared changes (M[π(j),j] - λ_j)², added up over all permutations and positions, give (N-1)! P, and likewise
        (N-1)! S for the symbolic ones. For c ≠ p exactly one swap of two contents puts c at p, so over the swaps alone
        the sums are P and S. Hence a head acts positionally if and only if P = 0, symbolically if and only if S = 0,
        and in both cases it is enough to look at swaps.""",
        acting_by_swaps,
    )


def principle(proof: Companion) -> None:
    """The theorem and its proof."""
    sharp, loose = cases.EXCLUSION.bounds().values()
    proof.section("2. The exclusion principle")
    proof.say(
        """Theorem 1 [rope-exclusion-principle]. Let Var be the variance of the logits λ_1, ..., λ_N, that is, the mean
        of their squared distances from their mean. For all N ≥ 1 and all real N × N matrices""",
        Le(VARIANCE, sharp),
        Le(sharp, loose),
        """In particular, a head that acts positionally and symbolically on an input gives all earlier tokens the same
        logit: P = S = 0 implies Var = 0.""",
    )
    proof.step(
        """Proof. First, the variance is a matter of pairs: 2N² Var is the sum of (λ_c - λ_p)² over all c and p, since
        the squares give 2N times the sum of the λ_j², and the products -2 times the square of the sum of the λ_j.""",
        Identity("all logits, N ≤ 6", cases.spread(6), reduce=sympy.expand),
    )
    proof.step(
        """Second, each entry of the matrix splits such a difference in two: λ_c - λ_p = (M[c,p] - λ_p) - (M[c,p] -
        λ_c). Regard the three terms as vectors with N² coordinates. Their lengths are the square roots of 2N² Var, of P
        and of S, and the triangle inequality is the first line of the theorem. For the second line, (√P + √S)² ≤ 2(P +
        S), because the difference of the two sides is (√P - √S)².""",
        rope_exclusion_principle,
    )


def sharpness(proof: Companion) -> None:
    """Where the bounds are attained, and what is not true."""
    proof.section("3. Sharpness, and what is not true")
    proof.step(
        """The first bound is attained by every head that acts positionally, where P = 0 and Var = S/(2N²), and by every
        head that acts symbolically. The second bound is attained if each entry is the mean of two logits, M[c,p] = (λ_c
        + λ_p)/2. So neither constant can be improved, but for pure heads the second is twice as large as it needs to
        be.""",
        Identity("the three families, N ≤ 4", cases.tight(4), reduce=sympy.expand),
    )
    proof.step(
        """No other matrix attains the second bound, for P + S - N² Var is half the sum of (2M[c,p] - λ_c - λ_p)² over
        all c and p: write x for M[c,p] - λ_p and y for M[c,p] - λ_c; then x² + y² - (x - y)²/2 = (x + y)²/2.""",
        Enumeration("integer matrices of size 2 and 3", cases.means_only()),
    )
    rows = {str(M): cases.example(M) for M in EXAMPLES}
    (both, positional, means, flat) = rows.values()
    proof.step(
        """Four matrices of size 2, written by their rows, with the two bounds:""",
        Table(("M", "Var", "P", "S", *map(Symbol, ("first", "second"))), [(name, *row) for name, row in rows.items()]),
        """The second one acts positionally, and the third consists of means. The last shows that the theorem has no
        converse: all logits agree, and yet the head acts in neither way.""",
        Enumeration(
            "what the table is said to show",
            [
                (EXAMPLES[0], both[0] == both[3] < both[4]),
                (EXAMPLES[1], positional[1] == 0 and positional[0] == positional[3]),
                (EXAMPLES[2], means[0] == means[3] == means[4]),
                (EXAMPLES[3], flat[0] == 0 and min(flat[1:3]) > 0),
            ],
        ),
    )
    own = 9
    proof.step(
        f"""The query's own token must be left out. It takes part in no permutation, and nothing in P and S knows its
        logit. With two earlier tokens of logit 0 wherever they stand, and with the logit {own} for the query itself, P
        = S = 0, but the variance of the three logits is {variance([0, 0, own])}.""",
        Enumeration(
            "the matrix 0 of size 2", [(own, deviations([[0, 0], [0, 0]]) == (0, 0) and variance([0, 0, own]) > 0)]
        ),
    )


main = script(
    "exclusion_principle",
    __doc__,
    "Why a head is not positional and symbolic at once",
    "On Theorem 1 of arXiv 2511.11579 and Appendix D of arXiv 2605.31558",
    (setting, principle, sharpness, scores, blind_spot, limits),
)

if __name__ == "__main__":
    sys.exit(run(main))
