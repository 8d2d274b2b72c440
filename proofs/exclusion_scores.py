"""The two scores of a head, in closed form, and their exclusion principle: proofs.exclusion_principle."""

from __future__ import annotations

from fractions import Fraction

from sympy import Eq, Le, Symbol, cosh, sech

from proofs import exclusion_cases as cases
from proofs.companion import Companion, Table
from theory.evidence import Enumeration, Identity
from theory.rope.scores.closed_form import G, H, cosines, score_logit_closed_form
from theory.rope.scores.floor import RetrievalFloor, score_retrieval_floor, score_robustness
from theory.rope.scores.heads import score_hand_built_heads
from theory.rope.scores.sum import Flat, Sum, score_sum_bounds, score_uniform_attention
from theory.rope.scores.symbolic_iff_nope import one_plane_symbolic_iff_nope
from theory.symbols import beta, n, theta

EPS = Symbol("ε", positive=True)


def scores(proof: Companion) -> None:
    """Definition, closed form, and the exclusion principle of the scores."""
    positional, symbolic = cosines()
    proof.section("4. The scores")
    proof.say(
        """The papers measure how a trained head acts by two scores. Let n ≥ 3, and let D_j be the attention that the
        query pays to position j: a softmax of the logits of all n tokens at an inverse temperature β. For a swap of the
        contents at i and j, where i < j < n, let v = (D_i, D_j) before and u = (D_i, D_j) after it. A positional head
        should keep these two weights in place, and a symbolic head should exchange them. So the score s_POS is the mean
        of cos(u, v), the cosine of the angle between u and v, over all swaps, and s_SYM is that of cos(u, reversed v),
        for v with its entries exchanged. Both means weight a swap in proportion to exp(|D_i - D_j|/τ), D before the
        swap, for some τ > 0; as τ falls to 0, only the swap of the most and the least attended token counts. All
        weights are positive, so the cosines are positive and at most 1.""",
    )
    proof.step(
        """Only two differences of logits count. Put g = β(λ_i - λ_j) and h = β(M[j,i] - M[i,j]). Then""",
        Eq(Symbol("cos(u, v)"), positional),
        Eq(Symbol("cos(u, reversed v)"), symbolic),
        """For a cosine does not depend on lengths, and divided by the root of the product of their entries v becomes
        (exp(g/2), exp(-g/2)), and u becomes (exp(h/2), exp(-h/2)). The squared lengths are now 2cosh(g) and 2cosh(h),
        and the inner products 2cosh((g + h)/2) and 2cosh((g - h)/2). The other tokens, and n, have dropped out.""",
        Identity("weights and inner products", cases.weights_of_a_swap()),
        score_logit_closed_form,
    )
    proof.step(
        """Pure heads have a score of 1. If a head acts positionally, then M[j,i] = λ_i and M[i,j] = λ_j, so that h = g:
        its s_POS is 1, and its s_SYM is a mean of 1/cosh(g). If it acts symbolically, then h = -g, and the scores
        change places.""",
        Enumeration("integer matrices of size 2 and 3 that act in one of the ways", cases.pure()),
    )
    proof.step(
        """The heads of Theorem 3.1 of arXiv 2605.31558 are of this kind: the Index head acts positionally, since all
        its keys are equal, and the Retrieval head acts symbolically if its frequency is 0.""",
        score_hand_built_heads,
    )
    proof.step(
        """At a frequency between 0 and π it does not, once there are three earlier tokens. More generally, let a head
        with one plane of frequency θ act symbolically on an input with N ≥ 3, a query q that is not 0 and a key that is
        not 0. The key has the same logit C at three positions in a row, and as cos(x - θ) + cos(x + θ) = 2cos(x)cos(θ),
        this gives 2C = 2C cos(θ). So θ is a multiple of 2π, or C = 0. In the second case the key is orthogonal to q
        turned by two angles that are θ apart, so sin(θ) = 0; and if θ is an odd multiple of π, logits change their sign
        from one position to the next, so that all of them must be 0. Conversely, in both cases the head acts
        symbolically.""",
        one_plane_symbolic_iff_nope,
    )
    proof.step(
        """Nearly pure heads have high scores. The term of s_POS is at least 1/cosh((g - h)/2), and that of s_SYM at
        least 1/cosh((g + h)/2). For the second, put d = g + h and z = cosh(g - h) ≥ 1. By 2cosh(a)cosh(b) = cosh(a+b) +
        cosh(a-b) the square of the cosine is (1 + z)/(cosh(d) + z). This grows with z, and at z = 1 it is 1/cosh(d/2)².
        The first is the same with -h for h.""",
        score_robustness,
    )
    proof.step(
        """So the Retrieval head looks symbolic for a while at a small frequency. Let a_i and a_j be the angles between
        the letters of two tokens and the wanted one, and r_i and r_j their offsets from the query. Then g + h is""",
        cases.sum_of_differences()[1],
        """by two applications of the sum-to-product formula. The offsets lie between 1 and n - 1, so |g + h| is at most
        2β(n - 2)θ, and s_SYM is at least""",
        sech(beta * RetrievalFloor().phase(n, theta)),
        Identity("g + h of the Retrieval head", [("swap of i and j", *cases.sum_of_differences())]),
        score_retrieval_floor,
    )
    proof.step(
        "The scores cannot both be low. A swap adds to the sum s_POS + s_SYM",
        Sum().closed(G, H),
        """since the two inner products add up to (u_1 + u_2)(v_1 + v_2), and (v_1 + v_2)²/|v|² = 1 + 1/cosh(g). As 0 <
        1/cosh ≤ 1, this is more than 1 and at most 2, and so is s_POS + s_SYM. A head with s_SYM ≤ γ therefore has
        s_POS > 1 - γ: a test for purity that asks for both asks for one thing twice.""",
        score_sum_bounds,
    )
    allowed = [Fraction(1, 4), Fraction(1, 10), Fraction(1, 20), Fraction(1, 100)]
    proof.step(
        """Nor can both be high, unless the earlier tokens get nearly equal attention. In the limit of small τ let g
        belong to the swap of the most and the least attended token, so that |g| is the range of all the βλ_j. If both
        scores are at least 1 - ε, where ε < 1 - 1/√2, their sum and step (15) give 2(1 - ε) ≤ √(2(1 + 1/cosh(g))), and
        so""",
        Le(cosh(G), Flat().bound((1 - EPS) ** 2)),
        "This is the exclusion principle for the scores. The largest ranges that are left:",
        Table(("both scores at least", "range at most"), cases.ranges(allowed)),
        score_uniform_attention,
    )
