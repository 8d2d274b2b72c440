"""A section of proofs.layer_continuity: biases that fall with the lag, and the one-sided density in place of d."""

from __future__ import annotations

from sympy import Function, Le, Symbol

from proofs import layer_lag_cases as cases
from proofs.companion import Companion
from proofs.layer_cases import expanded
from theory.compact.lag_kernels.lag_kernel_continuity import lag_kernel_continuity
from theory.evidence import Enumeration, Identity


def lag_kernels(proof: Companion) -> None:
    """Slopes, windows and chunks."""
    proof.section("7. Biases that fall with the lag")
    proof.say(
        """Slopes on the logits, sliding windows and chunks are not compact: a bias may be as low as one likes. Let each
        query, head and layer have its own bias that does not rise with the lag, and let Δ be the range without it. A
        weight is then at most e^Δ κ(r), where r = i - j is the lag and κ the weights that the bias alone would give.
        For a set D let M_D(i) be the largest share of D in a window (i - r, i], 1 ≤ r ≤ i. It is at least d_i, the
        share in all of 1, ..., i, and it is 1 if i is in D."""
    )
    proof.step(
        """Lemma 5. κ is a mixture of uniform weights: those on the last r keys have the share r(κ(r-1) - κ(r)), with 0
        for κ(i), and no share is negative. So D weighs at most M_D(i).""",
        Enumeration("six kinds of kernels, i ≤ 12", cases.mixtures(12)),
        Enumeration("weights of all sets, n ≤ 7", cases.weighed(7)),
    )
    proof.step(
        """Lemma 6. Let 0 < t < 1, and let E be the set of all j with M_D(j) > t. Then M_E(i) ≤ M_D(i)/t. Write M for
        M_D(i), and let M ≤ t, as there is nothing to show otherwise. From right to left choose disjoint windows, each
        ending at the last point of E in (i - r, i] that is not covered yet, with a share of D above t, until all these
        points are covered. Only the last of the windows may reach beyond i - r. If it does, let it be open at i - R,
        else put R = r; R - r of its points lie outside. Their lengths add up to less than 1/t times the number of
        points of D in (i - R, i], so to at most MR/t. So at most MR/t - (R - r) = r - R(1 - M/t) points of E lie in
        (i - r, i], and this is at most rM/t.""",
        Enumeration("all sets D and all t, n ≤ 7", cases.dense(7)),
    )
    proof.step(
        """Lemma 7. However kernels κ_1, ..., κ_m follow each other, they leave at most g_m(M_D(i)) of 1_D. For m = 1
        this is Lemma 5. For the step, g_m(M_D(j)) is the integral of g_m'(t) over all t < M_D(j). So its mean under κ
        is at most the integral over 0 < t < 1 of g_m'(t) times the weight of E, and by Lemmas 5 and 6 this weight is at
        most the smaller of 1 and M/t. That makes g_m(M) plus M times the integral of g_m'(t)/t from M to 1, which is
        g_{m+1}(M).""",
        Identity("the integral, m ≤ 5", cases.layer_cake(5), expanded),
    )
    proof.step(
        """Theorem 4. So Theorem 3 holds with M_D(n) in place of d, if M_D(n) < 1, which is so if the last letters
        agree:""",
        Le(
            Symbol("|T(u) - T(w)|"),
            Symbol("Lambda") * Symbol("D_0") * Symbol("Gamma_L") * Function("g_L")(Symbol("M_D")),
        ),
        """For compact position data κ is uniform, and Theorem 3 itself says more.""",
        lag_kernel_continuity,
    )
    proof.step(
        """The share d will not do. If each place further back halves the weight, changing the last letter but one moves
        a mean of letters by more than 1/4 at all lengths, with d = 1/n; M_D(n) is 1/2.""",
        Enumeration("n = 2, 5, 20, 60", cases.beside()),
    )
    proof.step(
        """Nor may the weights rise with the lag: if each place further back doubles them, the first letter has more
        than half of all the weight, with M_D(n) = 1/n.""",
        Enumeration("n = 3, 5, 20, 60", cases.rising()),
    )
