"""The inverse temperature that decoding takes: of order n² for a positional head, A² log n for a symbolic one."""

from __future__ import annotations

import sys
from fractions import Fraction

from sympy import Function, Ge, Le, Symbol

from proofs import temperature_cases as cases
from proofs.command import run
from proofs.companion import Companion, script
from proofs.temperature_limits import decoding, limits, separation
from theory.evidence import BoxCover, Enumeration, Identity
from theory.rope.universal_limits.bessel_bound import bessel_lower_bound
from theory.rope.universal_limits.m_frequency_two_sided_gap import m_frequency_two_sided_gap
from theory.rope.universal_limits.weight_ceiling import CEILING, positional_weight_ceiling
from theory.rope.universal_limits.weight_floor import competitor_weight_floor


def setting(proof: Companion) -> None:
    """Softmax weights of positional heads."""
    proof.section("1. Setting and definitions")
    proof.say(
        """A positional head is one as in proofs.universal_limits: m rotary planes with the frequencies θ_k, and keys
        that are turns of one vector. The logit of the key r places before the query is the sum of all
        a_k cos(ψ_k + rθ_k). Attention is a softmax at the inverse temperature β > 0: the weight of a key is e^(β logit)
        divided by the sum of these numbers over all keys. It is asked how large β must be for the target to
        prevail at length n."""
    )
    proof.step(
        """Put f(t) = e^(-β(a_1(1 - cos(tθ_1)) + ... + a_m(1 - cos(tθ_m)))). If the phases are aligned, the logit of the
        key t places from the target is lower than that of the target by the sum of all a_k(1 - cos(tθ_k)). So a target
        with a keys on one side and b on the other has the weight 1/(1 + F_ab), where F_ab adds f(t) over t = 1, ..., a
        and over t = 1, ..., b. For the Index head, m = 1 and a_1 = 1.""",
        Identity("logit of a key minus that of the target, m = 1", cases.lowered()),
    )


def mean_weight(proof: Companion) -> None:
    """The mean weight of a key at a random angle."""
    proof.section("2. The weight of a key at a random angle")
    proof.say(
        """Let Bes(x) be the mean of e^(-x(1 - cos(φ))) over all angles φ, x ≥ 0. It is e^(-x) times the Bessel function
        I_0(x), and falls from Bes(0) = 1."""
    )
    proof.step(
        """Lemma 1. Put z = π√(x/2), so that 2πx = 4z²/π. Then Bes(x) ≥ erf(z)/√(2πx). For 1 - cos(φ) ≤ φ²/2, and the
        right side is the mean of e^(-xφ²/2) over 0 ≤ φ ≤ π.""",
        Identity("antiderivative and mean", cases.bell()),
    )
    proof.step(
        """Lemma 2. For z² ≤ 1 the product erf(z)² (1 + 4z²/π) is at least 4z²/π. For e^(-u²) ≥ 1 - u², and so erf(z) is
        at least (2/√π)(z - z³/3). With w = z² it remains to see that (1 - w/3)²(1 + 4w/π) ≥ 1, that is, for w > 0""",
        Ge(cases.EXCESS, 0),
        Identity("the product minus 1, divided by w", cases.excess()),
        BoxCover("0 ≤ w ≤ 1", ((Fraction(0), Fraction(1)),), cases.positive),
    )
    proof.step(
        """Lemma 3. The same holds for z² > 1. With w = z² it says that 1 - erf(z)² ≤ 1/(1 + 4w/π). Now 1 - erf(z)² is
        at most twice 1 - erf(z), which is at most e^(-w)/√(πw), since e^(-u²) ≤ (u/z) e^(-u²) for u ≥ z. So it suffices
        that 2e^(-w)(1 + 4w/π)/√(πw) ≤ 1. That is true at w = 1, and the left side falls: its logarithm has the slope
        -1 - 1/(2w) + 1/(w + π/4), which is negative for w ≥ 1.""",
        Enumeration("the left side at w = 1", cases.tail()),
        Identity("the slope of its logarithm", cases.falling()),
    )
    proof.step(
        "Theorem 1. By these lemmas, for all x ≥ 0",
        Ge(Function("Bes")(cases.x), cases.LEAST),
        bessel_lower_bound,
    )


def floor(proof: Companion) -> None:
    """Fejer's kernel."""
    proof.section("3. What the competitors weigh at least")
    proof.say("Let M be the product of all Bes(βa_k). It is the mean of f if every tθ_k is replaced by a random angle.")
    proof.step(
        """Lemma 4. f(t) is a sum of waves e^(itλ), each λ a sum of integer multiples of the θ_k, with coefficients
        c_λ ≥ 0 of which that of the zero multiples is M. For e^(βa cos(φ)) is a sum of powers of cos(φ) with positive
        coefficients, every power is a sum of waves with positive ones, and products of such sums are such sums. The
        coefficient of the zero multiples is the mean.""",
        Identity("cos(φ)^k as a sum of waves, k ≤ 8", cases.waves(8)),
    )
    proof.step(
        """Lemma 5 (Fejér). The sum of (T + 1 - |t|) e^(itλ) over |t| ≤ T is |1 + e^(iλ) + ... + e^(iTλ)|². So it is
        never negative, and for λ = 0 it is (T+1)².""",
        Identity("both sides, T ≤ 8", cases.kernel(8)),
    )
    proof.step(
        """Theorem 2. For all frequencies and amplitudes, with aligned phases""",
        Ge(Symbol("F_0b"), cases.FLOOR.one),
        Ge(Symbol("F_ab"), cases.FLOOR.two),
        """By Lemmas 4 and 5 the sum of (T + 1 - |t|) f(t) over |t| ≤ T is at least (T+1)² M. Since f is even and
        f(0) = 1, it is at most (T+1)(1 + 2(f(1) + ... + f(T))). So 1 + 2F_0T ≥ (T+1)M, which is the first line for
        T = b, and the second adds it for T = a and for T = b.""",
        Identity("the second line from the first", cases.two_sided()),
        competitor_weight_floor,
    )


def ceiling(proof: Companion) -> None:
    """All phases, by pairs of keys."""
    proof.section("4. The weight of an interior target")
    proof.step(
        """For real u and v, e^u + e^v ≥ 2e^((u+v)/2), since the difference is a square.""",
        Identity("the square", cases.pairing()),
    )
    proof.step(
        """With any phases, let the target have T keys on its shorter side. The mean of the logits of the keys t ≤ T
        places before and after it is lower than its own by at most the sum of all a_k(1 - cos(tθ_k)); this is Lemma 1
        of proofs.universal_limits. By the last step both keys together have at least 2f(t) times its weight.""",
        m_frequency_two_sided_gap,
    )
    proof.step(
        """Theorem 3. Hence the weight of an interior target is at most 1/(1 + 2(f(1) + ... + f(T))), and by the proof
        of Theorem 2""",
        Le(Symbol("weight"), CEILING),
        """By Theorem 1 this is at most the product of all √(1 + 2πβa_k), divided by T + 1. So with one plane β must be
        of the order T² for the target to have a fixed share of the attention.""",
        positional_weight_ceiling,
    )


main = script(
    "temperature_separation",
    __doc__,
    "The inverse temperature that positions take, and that letters take",
    "The sharp form of Theorem 3.2 and of Appendix F.2.1 of arXiv 2605.31558",
    (setting, mean_weight, floor, ceiling, decoding, separation, limits),
)

if __name__ == "__main__":
    sys.exit(run(main))
