"""Several planes, and families that keep a gap at all lengths: the second half of proofs.universal_limits."""

from __future__ import annotations

from fractions import Fraction

from sympy import Le, Rational, Symbol, pi

from proofs import universal_plane_cases as cases
from proofs.companion import Companion, Table
from theory.evidence import Enumeration, Identity
from theory.outcome import Outcome
from theory.rope.universal_limits.dyadic_frequencies import dyadic_frequencies
from theory.rope.universal_limits.log_frequencies import log_frequencies
from theory.rope.universal_limits.log_frequencies_suffice import SUFFICIENT, log_frequencies_suffice
from theory.rope.universal_limits.m_frequency_box import m_frequency_box_limit
from theory.rope.universal_limits.m_frequency_dirichlet import m_frequency_dirichlet_limit, rho_squared
from theory.rope.universal_limits.m_frequency_two_sided_gap import m_frequency_two_sided_gap
from theory.rope.universal_limits.one_frequency import one_frequency_universal_limit
from theory.rope.universal_limits.one_frequency_end_target import one_frequency_end_target

FAST = (1, 2, 4, 8)
WEAK = (Fraction(1), Fraction(1, 10**9))


def several_planes(proof: Companion) -> None:
    """Minkowski's theorem, by a box and by an ellipsoid."""
    proof.section("4. Several planes")
    proof.say(
        """By step (3) the question is how large G(n) can be, where n stands for T + 1. Put x_k = θ_k/2π. Minkowski's
        theorem finds an offset at which all planes have nearly returned: a closed convex set in d dimensions that is
        symmetric about 0 and has a volume of at least 2^d contains a point other than 0 with integer coordinates."""
    )
    proof.step(
        """Here are two such sets of the volume 2^(m+1), for d = m + 1 coordinates t, p_1, ..., p_m. The box is given by
        |t| ≤ n and |tx_k - p_k| ≤ n^(-1/m) for all k. The cylinder is given by |t| ≤ n and a_1(tx_1 - p_1)² + ... +
        a_m(tx_m - p_m)² ≤ ρ², where all a_k > 0 and ρ^m = 2^m√P/(nV_m); P is the product of the a_k, and V_m the volume
        of the unit ball in m dimensions. For to replace every p_k by tx_k - p_k does not change a volume.""",
        Identity("both volumes, m ≤ 6", cases.volumes(6)),
    )
    proof.step(
        """Lemma 4 (Dirichlet). For n ≥ 2 some t among 1, ..., n - 1 has ‖tx_k‖ ≤ n^(-1/m) for all k. For let n' lie
        between n - 1/2 and n. The box for n' contains a point other than 0 with integer coordinates, and its |t| is at
        most n - 1. If t were 0, then all |p_k| ≤ n'^(-1/m) < 1, and the point would be 0. By symmetry t may be taken to
        be positive. There are only finitely many such t, so one of them serves a sequence of n' that tends to n.""",
        *(
            Enumeration(f"m = {m}, rational turns, q ≤ {order}, n ≤ {longest}", cases.returns(m, order, longest))
            for m, order, longest in ((1, 24, 40), (2, 14, 30), (3, 9, 24))
        ),
    )
    proof.step(
        """Theorem 4. For n ≥ 2^m, G(n)/B ≤ 1 - cos(2πn^(-1/m)), whatever the frequencies and amplitudes. For
        1 - cos(2πx) grows for 0 ≤ x ≤ 1/2, and n^(-1/m) ≤ 1/2. For m = 1 this is the bound of Theorem 1.""",
        m_frequency_box_limit,
    )
    proof.step(
        """Theorem 5. If ρ² is less than every a_k, then G(n) ≤ 2π²ρ². For one plane and for two planes this is""",
        *(Le(Symbol("G(n)"), 2 * pi**2 * rho_squared(m)) for m in (1, 2)),
        """For as in Lemma 4 the cylinder contains a point other than 0 with integer coordinates and |t| ≤ n - 1. If t
        were 0, some p_k would not be, and a_k ≤ a_k p_k² ≤ ρ². So t may be taken to be positive. Since
        1 - cos(2πx) ≤ 2π²x², the sum of all a_k(1 - cos(tθ_k)) is at most 2π²ρ².""",
        m_frequency_dirichlet_limit,
    )
    proof.step(
        """The condition on ρ² excludes planes that are too weak to count. With the amplitudes 1 and 10^-9 and n = 10
        the formula 2π²ρ² would give less than 10^-4, but with θ_1 = 2π/10 the first plane alone keeps more than
        0.19.""",
        Enumeration("the formula against the first plane", cases.weak(WEAK, 10)),
    )
    rows = cases.fastest(5000, FAST)
    proof.step(
        """So a fixed number m of planes keeps at most a gap of the order n^(-2/m). What given frequencies keep is often
        far less. The m fastest planes of a model with base 10^4 and 128 dimensions, with equal amplitudes of sum 1,
        keep at n = 5000 the following G(n), which the offset t attains:""",
        Table(
            ("m", "t", "G(n)", "Theorem 5", "Theorem 4"),
            [(m, found.t, *(f"{float(value):.4g}" for value in (found.gap, *most))) for m, found, *most in rows],
        ),
        Enumeration("both bounds", ((m, found.gap <= bound) for m, found, *most in rows for bound in most)),
    )


def families(proof: Companion) -> None:
    """Dyadic frequencies, and how many planes a gap takes that does not shrink."""
    proof.section("5. Families of log n planes")
    proof.step(
        """Plane k, k = 0, ..., m - 1, may make half a turn in 2^k steps, θ_k = π/2^k. Let 1 ≤ t < 2^m, and write t as
        2^j times an odd number. Then plane j makes an odd number of half turns, and 1 - cos(tθ_j) = 2; the planes
        before it make whole turns and add nothing; those after it add nothing negative.""",
        Enumeration("plane j and those before it, t < 2^10", cases.odd_steps(10)),
    )
    proof.step(
        """Theorem 6. With these frequencies and equal amplitudes, G(n) = 2B/m for 2^(m-1) < n ≤ 2^m. By the last step
        no t has less, and t = 2^(m-1), which is less than n, has j = m - 1: there is no plane after it. So a gap of
        the order 1/log n is kept with log2 n planes, rounded up.""",
        dyadic_frequencies,
    )
    proof.step(
        """Not further: t = 2^m turns all planes back, so that G(n) = 0 for all n > 2^m.""",
        Enumeration("the sum at t = 2^m, m ≤ 12", cases.back(12)),
    )
    proof.step(
        """Theorem 7 (so many are needed). Let 0 < c < 2. If m planes have G(n) ≥ cB, then""",
        log_frequencies.variant.statement,
        """Put D = acos(1 - c)/2π, so that c = 1 - cos(2πD) and 0 < D < 1/2. If n ≥ 2^m, Theorem 4 gives
        cos(2πD) ≥ cos(2πn^(-1/m)), and so D ≤ n^(-1/m), that is, m ≥ log(n)/log(1/D). If n < 2^m, m is more than
        log(n)/log(2), which is larger still.""",
        log_frequencies,
    )
    proof.step(
        """Lemma 5. For an evenly distributed random angle φ and real x the mean of e^(x cos(φ)) is at most e^(x²/4).
        Expand both: odd powers of the cosine have mean 0, and cos(φ)^(2k) has the mean (1/2)(3/4)...((2k-1)/2k),
        which is (2k)!/(4^k k! k!). So the term of x^(2k) is 1/(4^k k! k!) on the left, and 1/(4^k k!) on the right.""",
        Identity("mean of cos(φ)^(2k), k ≤ 12", cases.powers(12)),
    )
    proof.step(
        """Theorem 8 (so many suffice). Let 0 < ε < 1, and let m be more than""",
        SUFFICIENT,
        """Then some m frequencies have G(n) ≥ (1 - ε)B at equal amplitudes. Draw them evenly and independently from the
        circle. For an integer t ≥ 1 the angles tθ_k are then distributed in the same way. By Lemma 5 the mean of
        e^(x(cos(tθ_1) + ... + cos(tθ_m))) is at most e^(mx²/4). So with x = 2ε the probability that the mean of the m
        cosines exceeds ε is at most e^(mx²/4 - xmε) = e^(-mε²). For all t < n together it is at most (n-1)e^(-mε²),
        which is less than 1. So some draw has no such t.""",
        log_frequencies_suffice,
    )
    lengths = [17, 850, 10**5, 10**9, 10**18]
    rows = list(cases.numbers(lengths))
    proof.step(
        """So a gap that does not shrink with the length takes planes in the order of log n, no less and no more. For
        half of B, c = ε = 1/2, beside the dyadic planes and their shrinking gap:""",
        Table(
            ("n", "needed", "sufficient", "dyadic planes", "gap/B"),
            [
                (
                    f"{length:,}" if length < 10**6 else f"10^{len(str(length)) - 1}",
                    f"{float(least):.2f}",
                    f"{float(enough):.2f}",
                    m,
                    Rational(gap),
                )
                for length, least, m, gap, _, enough in rows
            ],
        ),
        Enumeration(
            "needed ≤ sufficient, and the dyadic planes are as many as their gap needs",
            ((length, Outcome.every((least <= enough, kept <= m))) for length, least, m, _, kept, enough in rows),
        ),
    )


def limits(proof: Companion) -> None:
    """What is not shown."""
    proof.section("6. What this does not show")
    proof.not_shown(
        one_frequency_universal_limit,
        one_frequency_end_target,
        m_frequency_two_sided_gap,
        m_frequency_dirichlet_limit,
        dyadic_frequencies,
        log_frequencies,
        log_frequencies_suffice,
    )
