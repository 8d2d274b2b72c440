"""What many layers make of changed letters: an explicit modulus of continuity, with a Poisson tail for each depth."""

from __future__ import annotations

import sys

from sympy import Eq, Le, Symbol

from proofs import layer_cases as cases
from proofs.command import run
from proofs.companion import Companion, Table, script
from proofs.layer_lags import lag_kernels
from proofs.layer_tails import limits, sharpness, tails
from theory.compact.continuity.explicit import continuity_explicit
from theory.compact.continuity.perturbation import attention_perturbation
from theory.evidence import Enumeration, Identity


def setting(proof: Companion) -> None:
    """Networks with compact position data, and the constants of their maps."""
    proof.section("1. Setting and definitions")
    proof.say(
        """A network has L layers. The state x_i at position i first comes from the letter w_i and from i. In a layer
        each head has for the query i and each key j ≤ i a logit, which depends on x_i, x_j and on position data, and a
        value, which depends on x_j and on position data. Its output a_i is the mean of the values under the softmax of
        the logits. The next state at i is a function of x_i, of the outputs of the heads, and of position data. A
        distribution over letters is read from the last state of the word. All maps are continuous, and position data
        lie in compact sets, are blind to the letters, and are arbitrary otherwise. Then all states lie in compact sets.
        Residuals, norms, gated layers, biases and sinks fit in.""",
        """A head has these constants on the states that some word reaches: the range Δ of the logits of one query; the
        diameter D_v of its values; Lipschitz constants λ_q and λ_k of the logit in the state of the query and in that
        of the key, and λ_v of the value. The rest of the layer moves by at most φ_0 times its own state and φ_h times
        the output of head h. Let Λ be the Lipschitz constant of the readout in the largest difference of
        probabilities, and D_0 the diameter of the first states of one position.""",
        """Two runs, on words u and w of one length n, have states at a distance e_i at position i. Write D for the set
        of positions where the letters differ, d = |D|/n, 1_D for its indicator, and (Ae)_i for the mean of
        e_1, ..., e_i. The last letters are equal.""",
    )


def one_head(proof: Companion) -> None:
    """A head whose states have moved a little."""
    proof.section("2. One head when states have moved")
    proof.step(
        """Go from the logits s of one run to those s' of the other along (1 - t)s + ts', and put X = s' - s. A weight
        moves at the speed p_j(X_j - EX), where E is the mean under the weights at t. So the total variation TV between
        the weights is at most the largest value on the way of half the mean of |X - EX|.""",
        Identity("the speed, 2 and 3 keys", cases.velocities(), cases.cancelled),
    )
    proof.step(
        """X = Y + Z, where Y is what the query contributes and Z what the keys do: |Y_j| ≤ λ_q e_i, |Z_j| ≤ λ_k e_j.
        The mean of |Y - EY| is at most the standard deviation of Y, and that is at most l if all |Y_j| ≤ l. So the
        query contributes at most λ_q e_i/2 to TV.""",
        Identity("variances as sums that are not negative, three keys", cases.spreads(), cases.expanded),
    )
    proof.step(
        """Half the mean of |Z - EZ| is at most that of |Z|, since |Z - EZ| ≤ |Z| + E|Z|. The rows on the way have the
        range Δ, so each weight is at most e^Δ/i [weights-bound], and the keys contribute at most λ_k e^Δ (Ae)_i.""",
        Enumeration("logits 0, ln 2, ln 4, moves -1, 0, 1, up to 3 keys", cases.means(3)),
    )
    proof.step(
        """The output changes because values move, by at most λ_v times the mean of the e_j, and because weights do:
        the sum of all (p_j - p'_j)v'_j is TV times the difference of two means of values, under the positive and under
        the negative parts of p - p', and so at most D_v TV.""",
        Identity("the change in two parts, and the second of them, three keys", cases.outputs(), cases.cancelled),
    )
    proof.step(
        "Theorem 1. Hence",
        Le(Symbol("|a_i - a'_i|"), cases.HEAD.own * cases.E + cases.HEAD.mean * cases.MEAN),
        """A query's own distance counts once, all others through their mean.""",
        attention_perturbation,
    )
    proof.step(
        """The half is right: two equal keys whose logits the query moves in opposite directions start at that speed.
        And e^Δ is needed: if one of ten keys is 3 above the others and rises by 1/10, TV exceeds 1/100, which is what
        the mean alone would give.""",
        Identity("the speed of two keys", cases.halves(), cases.cancelled),
        Enumeration("ten keys", cases.boosted()),
    )


def layers(proof: Companion) -> None:
    """Layers as operators on the distances."""
    proof.section("3. Layers one after the other")
    proof.step(
        """By Theorem 1 a layer turns e into at most ae + bAe. With one head""",
        Eq(Symbol("a"), cases.LAYER.a),
        Eq(Symbol("b"), cases.LAYER.b),
        """and with more of them their terms add up.""",
        Identity("a layer of two heads", cases.layers(), cases.expanded),
    )
    proof.step(
        """A does not turn non-negative numbers into negative ones, so that these bounds may be put into each other. The
        first states have e ≤ D_0 1_D. Let c_m be the coefficient of z^m in the product of all a_l + b_l z. The last
        state then moves by at most D_0 times the sum of all c_m (A^m 1_D)(n). The term m = 0 is 0, as n is not in D. So
        what counts is the sum of c_1, ..., c_L, that is""",
        Eq(Symbol("Gamma_L"), Symbol("(a_1 + b_1)...(a_L + b_L)") - Symbol("a_1...a_L")),
        Identity("products, L ≤ 3", cases.products(), cases.expanded),
    )


def theorem(proof: Companion) -> None:
    """The explicit modulus."""
    proof.section("5. The modulus of continuity")
    proof.step(
        """Theorem 3. Two words of one length that share the last letter and differ in a share d of their letters have
        outputs at a distance of at most""",
        Symbol("Lambda") * Symbol("D_0") * cases.TAILS,
        """for L = 2. For L layers the last factor is the sum of all c_m g_m(d), which is at most Γ_L g_L(d). This falls
        to 0 with d, whatever n is. For a known set D, (A^m 1_D)(n) may stand for g_m(d).""",
        continuity_explicit,
    )
    proof.step(
        """One changed letter. With y = ln n, g_L(1/n) is 1 + y + ... + y^(L-1)/(L-1)!, divided by n. So the outputs
        differ by O((ln n)^(L-1)/n): each layer after the first costs a logarithm.""",
        Identity("n times g_L(1/n), L ≤ 5", cases.single(), cases.expanded),
    )
    proof.step(
        """How many letters may change? The radius is the largest share with g_L ≤ ε. The share (ε/2^(L-1))² is always
        allowed. As ε falls to 0, the radius is asymptotic to (L-1)! ε/ln(1/ε)^(L-1). This is larger than the radius at
        each ε here, and must not be used as a bound:""",
        Table(("L", "ε", "radius", "always", "asymptotic"), cases.radius_rows()),
        Enumeration("g_L at these shares, and within 1 in 10^6 of the radius", cases.safe()),
    )
    proof.step(
        """A first layer does better: the states at agreeing positions are equal before it, so that it moves by at most
        Bd_i there. B adds up the smaller of φ_h e^Δ D_v [single-head-continuity-sharp] and D_0 times the part of b_1.
        Where letters differ, two bounds are known, P = φ_0 D_0 + φ_1 D_v + ... and Q + Rd_i with Q = D_0 a_1 and
        R = D_0 b_1. Both are respected if (a_1 + b_1 A)D_0 1_D is replaced by (P_0 + BA)1_D with""",
        Eq(Symbol("P_0"), cases.FIRST),
        """The least of each coefficient, min(P, Q) and B, would be too small: with P = 50, Q = 1, R = 100 and B = 10 a
        distance of 41 is possible at d_i = 2/5, and it would allow 5.""",
        Enumeration("both bounds, at 108 sets of constants", cases.first_layers()),
        Enumeration("the example", cases.too_small()),
    )
    proof.step(
        """The hypotheses are needed for this rate. A readout √a of one average has no Lipschitz constant, and
        moves by 1/√n. And the constants need e^Δ: a layer that boosts a changed tenth of the letters by e² moves by
        more than λ_v + D_v λ_k = 3 times 1/10.""",
        Enumeration("√a at n = r², 10 < r ≤ 40", cases.roots(40)),
        Enumeration("one boosting layer", cases.growths()),
    )


main = script(
    "layer_continuity",
    __doc__,
    "What many layers make of changed letters",
    "The continuity theorem of arXiv 2505.10606, with constants",
    (setting, one_head, layers, tails, theorem, sharpness, lag_kernels, limits),
)

if __name__ == "__main__":
    sys.exit(run(main))
