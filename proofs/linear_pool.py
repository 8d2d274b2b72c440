"""Where a task variable mixes likelihoods, its gradient is the likelihood of the tasks, and one step the posterior."""

from __future__ import annotations

import sys

from sympy import Eq, Symbol, cancel

from proofs import linear_pool_cases as cases
from proofs.command import run
from proofs.companion import Companion, Table, script
from theory.evidence import Enumeration, Identity
from theory.inference.linear_pool.calibration import softmax_calibration_error
from theory.inference.linear_pool.likelihood import gradient_is_likelihood
from theory.inference.linear_pool.natural import natural_gradient_unit_step


def setting(proof: Companion) -> None:
    """Pools, and their gradient."""
    proof.section("1. Setting and definitions")
    proof.say(
        """There are K ≥ 2 tasks. Task k gives the datum the likelihood p_k > 0. A linear pool gives it
        z_1 p_1 + ... + z_K p_K, where z is a point of the simplex: its entries are positive and add up to 1. Write
        ℓ(z) for the logarithm of that, g(z) for the gradient of ℓ in z as a free vector, and u for the point with all
        entries 1/K. The posterior of a prior π is π_k p_k/(π_1 p_1 + ... + π_K p_K). That of the prior z is r(z).""",
        """All hypotheses are these: the pool is linear, and z is interior. One statement needs z = u besides.""",
    )
    proof.step(
        """By the chain rule""",
        Eq(Symbol("g_1"), cases.FIRST),
        """for K = 2, and in general g_k(z) is p_k over the likelihood of the pool.""",
        Identity("derivatives, K = 2, 3", cases.derivatives(), cancel),
    )
    proof.step(
        """Hence z_k g_k(z) = r_k(z), the sum of all z_k g_k is 1, and that of all g_k(u) is K.""",
        Identity("both sums, K = 2, 3, 4", cases.sums(), cancel),
    )


def reading(proof: Companion) -> None:
    """The posterior of any prior, from the gradient anywhere."""
    proof.section("2. The gradient is the likelihood")
    proof.step(
        """Theorem 1. At any z, and for any prior π, the posterior is proportional to π_k g_k(z). For the likelihood of
        the pool, by which p_k is divided, is the same for all k, and cancels.""",
        Identity("posteriors, K = 2, 3", cases.posteriors(), cancel),
        gradient_is_likelihood,
    )
    proof.step(
        """An example with four tasks, at u and at z = (1, 2, 3, 4)/10; the last column is read off g(z).""",
        Table(("task", "p", "g(u)", "g(z)", "π", "posterior"), cases.example()),
        """Bayes' rule gives the same.""",
        Enumeration("Bayes' rule, from both starts", cases.anywhere()),
    )


def steps(proof: Companion) -> None:
    """Multiplicative and additive steps."""
    proof.section("3. Steps")
    proof.step(
        """The multiplicative step from z to the z_k g_k(z) lands on r(z), the posterior of the prior z. By induction t
        steps on one datum lead to shares proportional to z_k times the power t of p_k.""",
        Enumeration("p and weights of z up to 3, four steps", cases.multiplicative(3)),
    )
    proof.step(
        """So repeating it on one datum does not converge to the posterior but to a vertex. If c is the only most likely
        task, and no other has more than q times its likelihood, the share of all others after t steps is at most
        q^t (1 - z_c)/z_c.""",
        Enumeration("p and weights of z up to 3, t = 1, 5, 20", cases.to_a_vertex(3)),
    )
    proof.step(
        """Theorem 2. From u one additive step with the learning rate 1/K, the mean 1 of g removed, lands on the
        posterior as well: u + (g(u) - 1)/K = r(u), since g_k(u) = K r_k(u).""",
        Identity("steps, K = 2, 3, 4", cases.additive(), cancel),
    )


def natural(proof: Companion) -> None:
    """The natural gradient, and logits."""
    proof.section("4. The natural gradient")
    proof.step(
        """On the simplex let <a, b> be the sum of all a_k b_k/z_k, Fisher's metric. The natural gradient is the tangent
        vector whose product with any tangent vector v is the sum of all g_k v_k. It has the entries z_k(g_k - m), with
        m the sum of all z_j g_j.""",
        Identity("products and sums, K = 2, 3", cases.steepest(), cancel),
    )
    proof.step(
        """Theorem 3. In a linear pool m = 1, so it is r(z) - z, and a natural step of length 1 is the multiplicative
        step.""",
        Enumeration("p and weights of z up to 3", cases.unit_steps(3)),
        natural_gradient_unit_step,
    )
    proof.step(
        """At u it is 1/K times the centred gradient, and for K = 2 it is 2 z_1 z_2 times that. For K ≥ 3 no other
        interior z has both in one direction for every datum. For if all but one p_k are equal, the directions are
        e_k - z and e_k - u, which are parallel only if z has equal entries apart from z_k. For two such k all entries
        are equal.""",
        Identity("factors, and data that one task explains best", cases.directions(), cancel),
    )
    proof.step(
        """Let z be a softmax of a/T. The derivative of ℓ in a_k is then z_k(g_k - m)/T, whatever the model, and
        (r_k - z_k)/T in a linear pool.""",
        Identity("chain rule, K = 2, 3", cases.chain(), cancel),
    )
    proof.step(
        """Away from u the largest entry of r - z says little. For p = (1, 3/2, 8/5) and z = (6, 3, 1)/10 it is that of
        task 2. The posterior of the prior z is largest at task 1, and the likelihood at task 3.""",
        Enumeration("three ways to pick", cases.misleading()),
    )


def needed(proof: Companion) -> None:
    """Hypotheses, and false readings."""
    proof.section("5. What is needed")
    proof.step(
        """The pool. A Gaussian whose mean is the mixture z_1·0 + z_2·1 + z_3·2 has at u and x = 0 the gradient
        (0, -1, -2): no likelihood is negative. The interior: at a vertex r(z) is that vertex, whatever the datum. The
        start u in Theorem 2: from z = (9, 1)/10, p = (1, 2), the step leaves the simplex.""",
        Enumeration("one model, one vertex, one start", cases.needs()),
    )
    proof.step(
        """Four false readings: the learning rates 1 and 1/(K - 1), the posterior from π_k z_k g_k, and that repeats
        on one datum stay at the posterior. All fail in the example.""",
        Enumeration("false readings", cases.wrong_readings()),
    )
    proof.step(
        """Nor is a softmax of g(u) the posterior. If δ is the largest |K r_k - 1|, the two agree to first order in δ:
        for δ < 1 the total variation between them is at most δ²/(8(1 - δ)).""",
        softmax_calibration_error,
    )


def limits(proof: Companion) -> None:
    """What is not shown."""
    proof.section("6. What this does not show")
    proof.not_shown(gradient_is_likelihood, natural_gradient_unit_step, softmax_calibration_error)
    proof.say("""Nor is it shown that a network that is trained with z as an input is a linear pool.""")


main = script(
    "linear_pool",
    __doc__,
    "In a linear pool the gradient is the likelihood",
    "The idea is that of arXiv 2407.17356; statements and proofs are derived here",
    (setting, reading, steps, natural, needed, limits),
)

if __name__ == "__main__":
    sys.exit(run(main))
