"""How far rotary planes keep positions apart, whatever their frequencies: one plane, m planes, and log n planes."""

from __future__ import annotations

import sys

from sympy import Le, Symbol

from proofs import universal_cases as cases
from proofs.command import run
from proofs.companion import Companion, Table, script
from proofs.index_cases import peaks
from proofs.universal_planes import families, limits, several_planes
from theory.evidence import Enumeration, Identity
from theory.rope.universal_limits.m_frequency_two_sided_gap import m_frequency_two_sided_gap
from theory.rope.universal_limits.one_frequency import Limit, one_frequency_universal_limit
from theory.rope.universal_limits.one_frequency_end_target import arc, one_frequency_end_target, rate, supremum, y
from theory.rope.universal_limits.one_frequency_phase import one_frequency_phase_optimal
from theory.symbols import n

GAP = Symbol("gap")


def setting(proof: Companion) -> None:
    """Heads that know positions only, their logits and gaps."""
    proof.section("1. Setting and definitions")
    proof.say(
        """A head has m rotary planes. Plane k turns the k-th pair of coordinates of a vector at position j by the angle
        jθ_k. All keys are turns of one vector: the head knows where a key stands, and not what it says. The query
        stands at position n, it may be any vector, and its target is the key s places before it, 0 ≤ s ≤ n - 1. The gap
        of the head is the logit of the target minus the largest logit of any other key. It is asked how large a gap
        can be if queries, keys and frequencies may be chosen at will."""
    )
    proof.step(
        """In plane k let query and key have the lengths |q_k| and |k_k|, and let ψ_k be the angle from the key to the
        query. The key r places before the query has the logit

        g(r) = a_1 cos(ψ_1 + rθ_1) + ... + a_m cos(ψ_m + rθ_m), where a_k = |q_k| |k_k|. The a_k are called amplitudes,
        and B is their sum.""",
        Identity("the logit through the rotations, m ≤ 3", cases.heads(3)),
    )
    proof.say(
        """A target has T = min(s, n - 1 - s) keys on its shorter side; it is called interior if T ≥ 1. The head of
        Theorem 3.2 has one plane and a query that is turned back to its target. Such phases, ψ_k + sθ_k = 0, are called
        aligned. With them the target has the logit B, and the key t places from it has less by the sum of all
        a_k(1 - cos(tθ_k)). The least of these sums over t = 1, ..., N - 1 is called G(N)."""
    )


def interior(proof: Companion) -> None:
    """Averaging and the pigeonhole principle."""
    proof.section("2. An interior target")
    proof.step(
        """Lemma 1 (two keys). The logit of the target minus the mean of the logits of the keys t places before and
        after it is the sum of all a_k cos(ψ_k + sθ_k)(1 - cos(tθ_k)), since cos(x + y) + cos(x - y) = 2 cos(x) cos(y).
        This sum is at most that of all a_k(1 - cos(tθ_k)).""",
        Identity("both sides, m ≤ 3", cases.averaging(3)),
    )
    proof.step(
        """The gap of an interior target is at most G(T+1). For if t ≤ T, both keys of Lemma 1 are there, and the better
        one has at least the mean of their logits. So aligned phases are best for the middle of an input: for
        n = 2T + 1 they have exactly the gap G(T+1).""",
        m_frequency_two_sided_gap,
    )
    proof.step(
        """Lemma 2 (pigeonhole). Write ‖x‖ for the distance of x to the nearest integer. For every real x and every
        N ≥ 1 some t among 1, ..., N has ‖tx‖ ≤ 1/(N+1). For the N + 1 points 0, x, ..., Nx cut a circle of length 1
        into N + 1 arcs. One of them is at most 1/(N+1) long, and if it runs between ax and bx, a < b, then t = b - a is
        one of 1, ..., N.""",
        Enumeration("every real x, by the peaks between Farey fractions, N ≤ 24", peaks(24)),
    )
    proof.step(
        """Theorem 1. Whatever frequency, query and key one plane has, the gap of an interior target is at most that of
        the best aligned head:""",
        Le(GAP, Limit().statement.rhs),
        """For 1 - cos(2πx) grows with ‖x‖, and so Lemma 2 with x = θ/2π and N = T gives a t ≤ T with
        1 - cos(tθ) ≤ 1 - cos(2π/(T+1)). The bound is itself at most 2π²B/(T+1)², since 1 - cos(y) ≤ y²/2.""",
        one_frequency_universal_limit,
    )
    proof.step(
        """It is attained for every T, by θ = 2π/(T+1), aligned phases and n = 2T + 1: no t ≤ T makes t/(T+1) an
        integer, so all ‖t/(T+1)‖ are at least 1/(T+1).""",
        Enumeration("the middle of 2T + 1 keys, T ≤ 60", cases.lattice(60)),
    )
    proof.step(
        """Theorem 1 needs its hypotheses. If keys know their letters, a plane of frequency 0 with two opposite letters
        keeps a gap of 2 at every length, if the target alone has its letter. And three planes that make half a turn in
        1, 2 and 4 steps keep 2/3 for T = 7, where one plane keeps less than 0.3.""",
        Enumeration("gaps above the bound of Theorem 1", cases.outside()),
    )


def ends(proof: Companion) -> None:
    """The best phase, and targets at an end."""
    proof.section("3. The best phase, and targets at an end")
    proof.say(
        """Let m = 1 and B = 1. Seen from the target, the key t places further from the query stands at the angle tθ on
        a circle. Let R be the angle from the target to the nearest such point in the positive direction, and L the same
        in the negative one. Both lie between 0 and 2π, their sum is at most 2π, and both are 0 if some tθ is a multiple
        of 2π."""
    )
    proof.step(
        """Lemma 3. If 0 ≤ c ≤ π/2 and c - π ≤ x ≤ c, then sin(x) ≤ sin(c). For sin(c) - sin(x) is
        2 sin((c - x)/2) cos((c + x)/2). Here (c - x)/2 is between 0 and π/2, and (c + x)/2 between c - π/2 and c, so
        neither factor is negative.""",
        Identity("differences as products", cases.rising()),
    )
    proof.step(
        """Theorem 2. The largest gap over all phases is""",
        cases.BEST_PHASE,
        """Write a = L/2 and b = R/2, and ψ for the phase of the target. The gap is at most the difference to the
        neighbour on either side:""",
        cases.TO_RIGHT,
        cases.TO_LEFT,
        """Let first a and b be at most π/2, and let ψ stand for that one of its values, up to multiples of 2π, which
        has |ψ - (a - b)| ≤ π. If ψ ≤ a - b, Lemma 3 with c = a bounds the first difference by 2 sin(a) sin(b); if
        ψ ≥ a - b, Lemma 3 with c = b so bounds the second. At ψ = a - b this is attained: the other keys have phases
        between a + b and 2π - (a + b), and so logits of at most cos(a + b). If b > π/2, then a < π/2, and the second
        difference is at most 2 sin(a). At ψ = a - π/2 the other keys have phases between a + π/2 and 3π/2 - a, and so
        logits of at most -sin(a), whereas the target has sin(a). The case a > π/2 is the mirror image.""",
        Identity("differences to the neighbours, and what is attained", cases.curves()),
        one_frequency_phase_optimal,
    )
    proof.step(
        """Now let the target stand at an end, with N = n - 1 keys on one side of it, and let θ/2π lie between two
        fractions p/q < p'/q' that are neighbours among all fractions with denominators up to N, so that p'q - pq' = 1
        and q + q' > N. Then R = qθ - 2πp and L = 2πp' - q'θ, and qL + q'R = 2π. For if 1 ≤ r ≤ N and z is an integer,
        there are integers i and k with r = iq + kq' and z = ip + kp', and rθ - 2πz = iR - kL. They are not both
        positive, since q + q' > r, and one of them is, since r > 0. So rθ - 2πz is at least R or at most -L.""",
        Enumeration("R and L among all keys, N ≤ 12", cases.nearest(12)),
    )
    proof.step(
        """The first arc. Let n ≥ 3, q = 1 and q' = N, that is, 0 < θ < 2π/N, and put y = Nθ. Then R = y/N and
        L = 2π - y, and by Theorem 2 the largest gap for y ≥ π is""",
        arc(y, n - 1),
        """For y < π it is 2 sin(θ/2), which grows with θ. Neighbours with q' = 1 are the mirror image. For n = 2 the
        only other key can be opposite, θ = π, and the gap is then 2, the value of this formula at y = π.""",
        Identity("Theorem 2 on the first arc", cases.first_arc()),
    )
    proof.step(
        """All other angles do worse. If θ/2π is a fraction with a denominator up to N, the gap is at most 0. If
        q, q' ≥ 2, Theorem 2 gives at most LR/2, and since qL and q'R add up to 2π, their product is at most π², and the
        gap at most π²/(2qq'). From q + q' ≥ n it follows that qq' ≥ 2(n - 2). For n ≥ 6 the bound π²/(4(n - 2)) is
        below the gap at y = π on the first arc. For n = 4 and n = 5 the product qq' is at least 6, and π²/12 is below
        the maximum of the first arc. For n = 3 there is no such angle.""",
        Enumeration("the bounds of the other arcs, n ≤ 300", cases.other_arcs(300)),
    )
    lengths = [3, 5, 17, 101, 1001, 10**6 + 1]
    proof.step(
        f"""Theorem 3. The largest gap of one plane at an end target is the maximum of the first arc over 0 < y ≤ 2π.
        Multiplied by n - 1, it rises to the maximum of y sin(y/2), which is about {float(rate()):.5f}. So the first and
        the last target can have a gap of the order 1/n. In the middle no plane reaches more than the order 1/n²:""",
        Table(
            ("n", "middle, at most", "end, at most"),
            [
                (f"{length:,}", f"{float(cases.one_plane((length - 1) // 2)):.4g}", f"{float(supremum(length)):.4g}")
                for length in lengths
            ],
        ),
        one_frequency_end_target,
    )


main = script(
    "universal_limits",
    __doc__,
    "How far rotary planes keep positions apart, whatever their frequencies",
    "What Theorem 3.2 of arXiv 2605.31558 becomes for any queries and several planes",
    (setting, interior, ends, several_planes, families, limits),
)

if __name__ == "__main__":
    sys.exit(run(main))
