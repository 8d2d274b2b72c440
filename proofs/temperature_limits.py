"""What decoding takes of positions and of letters: the second half of proofs.temperature_separation."""

from __future__ import annotations

from sympy import Gt, Symbol

from proofs import temperature_cases as cases
from proofs.companion import Companion, Table
from theory.evidence import Enumeration, Identity
from theory.rope.index.softmax import index_softmax_threshold
from theory.rope.retrieval.repaired_scale import retrieval_repaired_threshold
from theory.rope.universal_limits.bessel_bound import bessel_lower_bound
from theory.rope.universal_limits.positional_temperature import INTEGER
from theory.rope.universal_limits.temperature_best_frequency import temperature_best_frequency
from theory.rope.universal_limits.temperature_separation import temperature_separation
from theory.rope.universal_limits.temperature_several_planes import last_plain, temperature_several_planes
from theory.rope.universal_limits.weight_ceiling import positional_weight_ceiling
from theory.rope.universal_limits.weight_floor import competitor_weight_floor

BETA = Symbol("beta")


def decoding(proof: Companion) -> None:
    """The Index head at length n."""
    proof.section("5. What the Index head needs")
    proof.step(
        """The Index head adds to its query the letters that it attends to, with the factor 2. Let F be the weight of
        all other keys relative to the target. If the query is a letter, it gets 1 + 2/(1 + F), and another letter at
        most 2F/(1 + F): all inputs are decoded if and only if F < 3. If it is an integer, the answer gets at least
        2/(1 + F), the query itself 1, and another letter at most 2F/(1 + F): here they are decoded if and only if
        F < 1.""",
        index_softmax_threshold,
    )
    proof.step(
        """A letter and the integer n - 1 have their target at an end: F_0b with b = n - 1. By Theorem 2 a letter query
        fails for nM ≥ 7, and the offset n - 1 for nM ≥ 3. For other integers F_ab has a + b = n - 1, and they fail for
        (n + 1)M ≥ 4.""",
        Identity("the floors at these M are 3, 1 and 1", cases.levels()),
    )
    proof.step(
        """Theorem 4. For one plane, M is Bes(β). Whatever its angle, all inputs of length n with a given query are
        decoded only if, for the offset n - 1, for the other integers and for letters in this order,""",
        *(Gt(BETA, query.plain_bound) for query in cases.KINDS.values()),
        """For M < 3/n, M < 4/(n + 1) or M < 7/n is needed, and by Theorem 1 M is at least 1/√(1 + 2πβ).""",
        Identity("Theorem 1 at these bounds gives 3/n, 4/(n + 1) and 7/n", cases.plain_bounds()),
    )
    rows = cases.needs([10, 100, 1000, 10**4, 10**5])
    proof.step(
        """The β at which M = 3/n, 4/(n + 1) or 7/n is a little larger. Up to there some input fails at every angle:""",
        Table(
            ("n", *cases.KINDS),
            [(f"{length:,}", *(cases.shown(least) for _, least in found)) for length, found in rows],
        ),
        Enumeration(
            "at least the bounds of Theorem 4",
            (((length, query.level), least >= query.plain(length)) for length, found in rows for query, least in found),
        ),
    )
    spaced = list(cases.spaced([8, 32, 128]))
    proof.step(
        """Some angles come near Theorem 4. At 2π/(T+c) the T keys of a side stand evenly on the circle and leave c
        steps free before the target is reached again. If c grows slowly with T, their weights tend to those of a
        lattice on a line. So the least β over all angles is about n²/(18π) for the offset n - 1, n = T + 1, and
        n²/(32π) in the middle, n = 2T + 1, as in the bounds:""",
        Table(
            ("T", "n", "angle", "Theorem 4", "enough"),
            [(T, length, angle, cases.shown(least), cases.shown(found)) for T, length, angle, least, found in spaced],
        ),
        Enumeration("what is enough, against Theorem 4", ((row[:3], row[3] <= row[4]) for row in spaced)),
        temperature_best_frequency,
    )


def separation(proof: Companion) -> None:
    """The repaired Retrieval head, and heads of several planes."""
    proof.section("6. What letters need, and the separation")
    proof.step(
        """The repaired Retrieval head R1 does not turn at all, θ = 0: its logit compares letters. With A letters on a
        circle, ω = 2π/A, a key with the wanted letter has the logit 1, and every other key at most cos(ω). So n - 1
        keys with another letter weigh at most (n-1)e^(-β(1-cos(ω))) times the one that is right, and the head decodes
        all inputs of length n if β is more than""",
        cases.SYMBOLIC,
        """Queries that ask for themselves are decoded at every β, through the residual stream.""",
        retrieval_repaired_threshold,
    )
    proof.step(
        """This is at most A² log(n-1)/8. For 1 - cos(ω) = 2 sin(π/A)², and sin(y) ≥ 2y/π for 0 ≤ y ≤ π/2, so that
        1 - cos(ω) ≥ 8/A².""",
        Enumeration("1 - cos(2π/A) ≥ 8/A², A ≤ 200", cases.alphabets(200)),
    )
    letters, lengths = 26, [100, 1000, 10**4, 10**6]
    compared = [(length, INTEGER.plain(length), cases.symbolic(letters, length)) for length in lengths]
    proof.step(
        f"""Theorem 5 (separation). A positional head of one plane needs a β of the order of n², and a symbolic one
        with A letters no more than the order of A² log(n). For A = {letters}:""",
        Table(
            ("n", "positions need", "letters need at most"),
            [(f"{length:,}", cases.shown(least), cases.shown(enough)) for length, least, enough in compared],
        ),
        Enumeration(
            "positions need more, n ≥ 1000", ((n, least > enough) for n, least, enough in compared if n >= 1000)
        ),
        temperature_separation,
    )
    planes = cases.many_planes(850, [1, 2, 4, 8])
    proof.step(
        """The n² is a property of few planes. With m planes of amplitude B/m and aligned phases, M is at least
        (1 + 2πβB/m)^(-m/2), and so the offset n - 1 needs, for m = 1 and m = 2,""",
        *(Gt(Symbol("B") * BETA, last_plain(m)) for m in (1, 2)),
        f"""and in general a Bβ of the order m n^(2/m). For n = 850 and m = {", ".join(str(m) for m, _ in planes)} this
        is {", ".join(cases.shown(least) for _, least in planes)}.""",
        Identity("M = 3/n at the bound, m ≤ 8", cases.product_bound(8)),
        temperature_several_planes,
    )


def limits(proof: Companion) -> None:
    """What is not shown."""
    proof.section("7. What this does not show")
    proof.not_shown(
        bessel_lower_bound,
        competitor_weight_floor,
        positional_weight_ceiling,
        temperature_separation,
        temperature_best_frequency,
        temperature_several_planes,
    )
