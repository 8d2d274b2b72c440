"""In log-linear models the gradient at u is the log-likelihood up to offsets, and one step is exact iff they agree."""

from __future__ import annotations

import sys

from sympy import expand

from proofs import master_cases as cases
from proofs import offset_cases as offsets
from proofs.command import run
from proofs.companion import Companion, Table, script
from theory.evidence import Enumeration, Identity
from theory.inference.log_linear.bias_corrected import bias_corrected_equals_lli
from theory.inference.log_linear.exactness import exactness_iff_equal_offsets
from theory.inference.log_linear.master import log_linear_master_identity


def setting(proof: Companion) -> None:
    """Log-linear models, gradients and offsets."""
    proof.section("1. Setting and definitions")
    proof.say(
        """There are K ≥ 2 tasks. In a log-linear model a datum x has under z = (z_1, ..., z_K) the log-likelihood
        ℓ(z) = log h(x) + η(z)·t(x) - A(η(z)), with η(z) = z_1 η_1 + ... + z_K η_K. Here A is convex, and its
        gradient at η is the mean of t. Examples are Gaussian tasks of one variance whose mean is linear in z, counts
        with Poisson tasks, and letters with logits linear in z. Task k has the log-likelihood ℓ_k, that of the k-th
        unit vector.""",
        """Let u have all entries 1/K, η_0 = η(u) the mean of all η_k, p_0 the distribution there, and μ_0 the mean of t
        under it. Write g for the gradient of ℓ in z at u, as a free vector, and m for the mean of its entries. One-step
        inference takes softmax(g) for the posterior, or the largest g_k for the most likely task.""",
        """Hypotheses: η is linear in z, the gradient is taken at u, A is finite at all η_k and differentiable at
        η_0.""",
    )
    proof.step(
        """By the chain rule g_k = η_k·(t - μ_0).""",
        Identity("Gaussian, Poisson and Bernoulli tasks, at any z", cases.derivatives(), cases.reduced),
    )
    proof.step(
        """The offset of a task is B_k = A(η_k) - A(η_0) - μ_0·(η_k - η_0). It is KL(p_0||p_k), and so never negative:
        log p_0 - log p_k is (η_0 - η_k)·t - A(η_0) + A(η_k), and under p_0 the mean of t is μ_0.""",
        Enumeration("divergences as sums over letters, to 10^-30", cases.divergences()),
    )
    proof.step(
        """Of Gaussian tasks with the variance σ² it is the squared distance of the mean of the task from the mean of
        all means, over 2σ².""",
        Identity("three tasks in the plane", cases.radii(), expand),
    )


def identity(proof: Companion) -> None:
    """The master identity."""
    proof.section("2. The identity")
    proof.step(
        """Lemma 1. g_k - m = (η_k - η_0)·(t - μ_0), as η_0 is the mean of all η_k.""",
        Identity("any A, K = 3", cases.centres(), cases.reduced),
    )
    proof.step(
        """Theorem 1. For every datum, ℓ_k = ℓ(u) + (g_k - m) - B_k. For ℓ_k - ℓ(u) is (η_k - η_0)·t - A(η_k) + A(η_0).
        Take Lemma 1 from it: μ_0·(η_k - η_0) - A(η_k) + A(η_0) is left, which is -B_k.""",
        Identity("any A, K = 2, 3, 4", cases.identity(), cases.reduced),
        log_linear_master_identity,
    )
    proof.step(
        """Three Poisson tasks, rates 1, 2 and 6, at the count 3, where log 3! is left out of ℓ:""",
        Table(("task", "g", "B", "ℓ", "g - B - ℓ", "posterior", "softmax(g)"), cases.counts()),
        """The third column from the right is constant. The most likely task is 2, the largest gradient that of 3.""",
        Enumeration("counts 0 to 6, and what is preferred at 3", cases.counted()),
    )
    proof.step(
        """For several data that are independent given z, both g and ℓ are sums, and so are offsets: for n data of the
        same tasks nB_k, and if tasks depend on a context, the sum of the offsets in each context.""",
        Enumeration("two and three data, two contexts", cases.several()),
    )
    proof.step(
        """Any other start z_0 whose entries add up to 1 will do: with g taken at z_0, m the sum of all z_0k g_k, and
        offsets from η(z_0).""",
        Identity("any A and z_0, K = 3", cases.other_starts(), cases.reduced),
    )


def exactness(proof: Companion) -> None:
    """When one step is exact."""
    proof.section("3. When one step is exact")
    proof.step(
        """Theorem 2. softmax(g) is the posterior of the uniform prior for one datum iff it is for all, and iff all B_k
        are equal. For two softmaxes are equal iff the difference of their arguments is constant, and g - ℓ is B but for
        a constant.""",
        Enumeration("coins, counts and Gaussian tasks, to 10^-30", offsets.posteriors()),
    )
    proof.step(
        """Otherwise g_k - g_j exceeds ℓ_k - ℓ_j by B_k - B_j. So one step leans to tasks that are far from p_0. Of two
        coins that fall on 1 with chances 1/2 and 99/100 the first is farther. The second one's posterior:""",
        Table(("outcome", "posterior", "softmax(g)"), offsets.coin_rows()),
        Identity("any A, K = 3", offsets.lean(), cases.reduced),
    )
    proof.step(
        """Theorem 3. Let the η_k be distinct, A strictly convex, and let t take all values in R^d. Then the largest g_k
        is that of the most likely task, off ties, iff all B_k are equal. Suppose that they are not. The sets of all t
        where task k is most likely are polyhedra with interior, and cover R^d. Those that share a facet are a connected
        graph. So some facet has B_k > B_j on its two sides. On it ℓ_k = ℓ_j are largest, thus g_k > g_j, and this is
        still so just inside the set of j.""",
        Enumeration("a datum that misleads, found iff offsets differ", offsets.wrong_data()),
        exactness_iff_equal_offsets,
    )
    proof.step(
        """That t takes all values is needed: the offsets of the two coins differ, and yet the larger gradient is right
        for both outcomes. Equal norms of the η_k are not what matters: means (1, 0), (0, 1), (-1, 0) have them, and
        unequal offsets.""",
        Enumeration("both coins, and norms", offsets.needs()),
    )


def correction(proof: Companion) -> None:
    """Offsets subtracted."""
    proof.section("4. Offsets subtracted")
    proof.step(
        """Theorem 4. For every datum and every prior π the posterior is softmax(g - B + log π), by Theorem 1 and Bayes'
        rule.""",
        Enumeration("Gaussian tasks, counts and coins, to 10^-30", offsets.correction()),
        bias_corrected_equals_lli,
    )
    proof.step(
        """Gaussian tasks with means (0, 0), (2, 0), (0, 1) and variance 1/4, at x = (7, 2)/10. The last three columns
        are softmaxes: of g, of g - B, and of g - B + log π for the prior π = (2, 3, 5)/10.""",
        Table(("task", "g", "B", "ℓ", "of g", "of g - B", "with π"), offsets.triangle_rows()),
        """For an output Jz the offset is half the squared length of J(e_k - u) over the variance.""",
        Identity("offsets from columns of J", offsets.jacobians(), expand),
    )
    proof.step(
        """If the η_k do not depend on a context, B is K numbers that are computed once. If they do, so does B. Its mean
        over contexts, subtracted instead, removes the mean error only.""",
        Enumeration("three contexts", offsets.contexts()),
    )


def needed(proof: Companion) -> None:
    """Hypotheses and false forms."""
    proof.section("5. What is needed")
    proof.step(
        """Linear η: with the cube of z_1·0 + z_2·1 + z_3·3 as the mean no constants B_k fit two data. The start: B is
        that of the z at which the gradient is taken.""",
        Enumeration("a cube, and another start", cases.needs()),
    )
    proof.step(
        """Four false forms: the divergence the other way round, +B for -B, g that is not centred, and B once for n
        data. All are wrong for the count 3, twice.""",
        Enumeration("false forms, rates 1, 2 and 6", cases.false_forms()),
    )


def limits(proof: Companion) -> None:
    """What is not shown."""
    proof.section("6. What this does not show")
    proof.not_shown(log_linear_master_identity, exactness_iff_equal_offsets, bias_corrected_equals_lli)
    proof.say("""Nor is anything shown of networks whose parameter is not linear in z.""")


main = script(
    "master_identity",
    __doc__,
    "One gradient, log-likelihoods, and the offsets between them",
    "For one-step inference, arXiv 2407.17356; all proofs are derived here",
    (setting, identity, exactness, correction, needed, limits),
)

if __name__ == "__main__":
    sys.exit(run(main))
