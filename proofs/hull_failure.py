"""A task that lies among others is never the one that a single gradient picks, and more data make it worse."""

from __future__ import annotations

import sys

from sympy import expand

from proofs import hull_cases as cases
from proofs.command import run
from proofs.companion import Companion, Table, script
from theory.evidence import Enumeration, Identity
from theory.inference.gaussian.consistency import large_sample_consistency
from theory.inference.gaussian.hull import hull_failure


def setting(proof: Companion) -> None:
    """Log-linear models, and what a mixture of parameters has as its gradient."""
    proof.section("1. Setting and definitions")
    proof.say(
        """As in proofs.master_identity there are tasks with parameters η_1, ..., η_K of a log-linear model. There z
        enters by η(z) = z_1 η_1 + ... + z_K η_K. At z = u = (1/K, ..., 1/K) the parameter is η_0, and the mean of the
        statistic t is μ_0. The gradient there has the entries g_k = η_k·(t - μ_0). Gaussian tasks with means m_k and
        one variance σ² have η_k = m_k/σ² and t = x. One-step inference picks the task with the largest g_k. The
        log-likelihoods of the tasks are ℓ_k, and B_k = KL(p_0||p_k) are the offsets: ℓ_k and g_k - B_k differ by the
        same number for all k.""",
        """Let c be a task. The hull of the others is the set of all convex combinations of the other η_j.""",
    )
    proof.step(
        """Lemma 1. For a given datum, g_k is linear in η_k. So if η_c is a combination of the other η_j with weights
        λ_j, then g_c is the same combination of the other g_j.""",
        Identity("of two and of three tasks, any A", cases.mixtures(), expand),
    )


def failure(proof: Companion) -> None:
    """The theorem, and the line."""
    proof.section("2. The failure")
    proof.step(
        """Theorem 1. If η_c lies in the hull of the others, then g_c ≤ g_j for some other j, whatever the datum. Task c
        is never the only one that is picked. For a convex combination is at most the largest of what it combines.""",
        hull_failure,
    )
    proof.step(
        """A tie can occur: the middle of two tasks ties with both where they tie, and is between them elsewhere.""",
        Enumeration("t - μ_0 in a grid", cases.ties()),
    )
    proof.step(
        """In one dimension every task but the two extreme ones lies in the hull. However many there are, only these two
        are ever picked. At t = μ_0 all tie.""",
        Enumeration("three or four means up to 5", cases.line(5)),
    )
    proof.step(
        """Likelihoods are not blind to c. For Gaussian tasks with distinct means c is the most likely task at x = m_c,
        and g - B picks it, too.""",
        Enumeration("four means of a grid", cases.likelihoods(4)),
    )
    proof.step(
        """The means 0, 1, 5 with variance 1, and which of them is picked:""",
        Table(("x", "g_1", "g_2", "g_3", "by g", "by g - B", "by ℓ"), cases.line_rows((-1, 0, 1, 2, 3, 5))),
        Enumeration("log-likelihoods at the three means, and ties", cases.line_picks()),
    )


def sharp(proof: Companion) -> None:
    """Vertices are picked; the affine hull is not what matters."""
    proof.section("3. Only the hull matters")
    proof.step(
        """Theorem 2. If η_c does not lie in the hull of the others and t may take any value, c is the only one that is
        picked for some datum. Let v lead to η_c from the nearest point of the hull. No point of the hull has a larger
        product with v than that one, and η_c has a product that is larger by the square of the length of v. So
        t = μ_0 + v will do.""",
        Enumeration("all sets of four points of a grid, all c", cases.vertices()),
    )
    proof.step(
        """Hence of three tasks in a plane that are not on one line each is picked for some datum, and of three on a
        line one is not.""",
        Enumeration("all triples of points of a grid", cases.triangles()),
    )
    proof.step(
        """Combinations with negative weights do no harm: each corner of a square is one of the others, and each is
        picked.""",
        Enumeration("four corners", cases.corners()),
    )
    proof.step(
        """If t takes few values, likelihoods can miss c as well. Of three coins that fall on 1 with the chances 1/5,
        1/2 and 4/5 the parameters are equally spaced, and no single outcome has the second one as its most likely.""",
        Enumeration("both outcomes", cases.coins()),
    )


def samples(proof: Companion) -> None:
    """More data."""
    proof.section("4. More data")
    proof.say(
        """Let n independent data come from task c, and let μ_c be the mean of t under it. Gradients add up. Write s_cj
        for the mean of g_c - g_j for one datum, and let the variance of that difference be positive and finite."""
    )
    proof.step(
        """Lemma 2. s_cj = (η_c - η_j)·(μ_c - μ_0) = KL(p_c||p_j) + B_c - B_j.""",
        Identity("any A, and Gaussian tasks in the plane", cases.drifts(), expand),
    )
    proof.step(
        """Theorem 3. As n grows, the probability of g_c > g_j tends to 1 if s_cj > 0, to 1/2 if it is 0, and to 0 if
        s_cj < 0, by the law of large numbers and, at 0, the central limit theorem.""",
        large_sample_consistency,
    )
    proof.step(
        """Theorem 4. If η_c lies in the hull of the others, s_cj ≤ 0 for one of them. For the sum of all λ_j s_cj is
        the product of η_c - η_c with μ_c - μ_0. So one-step inference does not become right with more data.""",
        Enumeration("four means of a grid, one in the hull", cases.never()),
    )
    proof.step(
        """For the means 0, 1, 5 and variance 1 the task with mean 1 has s = -1 against that with mean 0. The chances
        that its gradient is the larger after n data:""",
        Table(("n", "than that of 0", "than that of 5"), cases.sample_rows((1, 4, 10, 100))),
        Enumeration("s, and chances that fall with n", cases.worse()),
    )
    proof.step(
        """Two tasks are no problem: η_1 - η_2 is twice η_1 - η_0, and if A is strictly convex, the mean of t rises
        along it. So s > 0 both ways. Of Gaussian tasks it is the squared distance of the means over 2σ².""",
        Identity("two tasks in the plane", cases.two_tasks(), expand),
        Enumeration("pairs of coins", cases.two_coins()),
    )
    proof.step(
        """A positive variance is needed: if task 3 is task 1, then s = 0, and g_1 > g_3 never, not half of the
        time.""",
        Enumeration("means 0, 1, 0", cases.twins()),
    )


def limits(proof: Companion) -> None:
    """What is not shown."""
    proof.section("5. What this does not show")
    proof.not_shown(hull_failure, large_sample_consistency)
    proof.say(
        """Nor does it show anything of several steps, nor that the parameters of trained networks lie in one another's
        hulls."""
    )


main = script(
    "hull_failure",
    __doc__,
    "Tasks among others are not picked",
    "For one-step inference, arXiv 2407.17356; all proofs are derived here",
    (setting, failure, sharp, samples, limits),
)

if __name__ == "__main__":
    sys.exit(run(main))
