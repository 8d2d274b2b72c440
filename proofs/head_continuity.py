"""What one attention head makes of changed letters: at most e^Δ d/(1 + (e^Δ - 1)d) of its values, d their share."""

from __future__ import annotations

import sys

import sympy
from sympy import Eq, Le, Symbol, symbols

from proofs import head_cases as cases
from proofs import head_change_cases as changes
from proofs.command import run
from proofs.companion import Companion, Table, script
from theory.compact.continuity.single_head import single_head
from theory.compact.continuity.weights_bound import weights_bound
from theory.evidence import Enumeration, Identity


def setting(proof: Companion) -> None:
    """Heads, logits, weights and the two words."""
    proof.section("1. Setting and definitions")
    proof.say(
        """A word w has n letters. A head at position n sees one key for each position j ≤ n. Key j has a logit s_j,
        which may depend on the states at n and at j and on their positions, and a value v_j, a vector. By a softmax
        the key has the weight p_j = e^(s_j)/(e^(s_1) + ... + e^(s_n)), and the output of the head is
        a = p_1 v_1 + ... + p_n v_n. Write Δ for the largest difference of two logits of one query, its range, and D_v
        for the largest distance of two values. Both are finite if states and position data stay in compact sets and
        the maps are continuous; nothing else of the encoding is used.""",
        """Let u and w be two words of one length n that differ at k of the positions. The share d = k/n is their
        distance. It is asked how far the outputs of the head on u and on w can be from each other. Throughout, the last
        letters are equal.""",
    )
    proof.step(
        """The weight of a key depends on differences of logits only: it is 1 divided by the sum of all e^(s_i - s_j),
        of which the one for i = j is 1. A number that is added to all logits drops out.""",
        Identity("both forms, and moved logits, 2 to 4 keys", cases.quotients(), sympy.cancel),
    )


def weights(proof: Companion) -> None:
    """Every weight is of the order 1/n."""
    proof.section("2. Every weight is of the order 1/n")
    proof.step(
        """Lemma 1. The n - 1 terms of that sum other than the 1 lie between e^(-Δ) and e^Δ. Hence""",
        Le(Symbol("p_j"), cases.LARGEST),
        Le(cases.LEAST, Symbol("p_j")),
        """So p_j is at most e^Δ/n, and at least e^(-Δ)/n.""",
        Identity("sums of equal terms, and the plain bounds", cases.bounds(), sympy.cancel),
    )
    proof.step(
        """Both are attained: by a key whose logit is Δ above those of all others, which are equal, and by a key that is
        Δ below.""",
        Enumeration("n ≤ 12, e^Δ = 1, 2, 4, 8", cases.extremes(12)),
    )
    proof.step(
        """A key that belongs to no position, such as a sink or a first token that is always the same, takes part in the
        softmax. With v such keys the least weight is that among n + v keys. The upper bound stays as it is.""",
        Identity("v keys more", cases.virtual(), sympy.cancel),
    )
    proof.step(
        """The lemma holds for rows between two rows as well: if s and s' have the range Δ at most, then so has
        (1 - t)s + ts' for 0 ≤ t ≤ 1, since a mean of two numbers of modulus at most Δ is one. Several layers will
        need this.""",
        Identity("differences between two rows", cases.between()),
        weights_bound,
    )
    lengths = (10, 100, 1000, 10000, 131072)
    proof.step(
        """How long is long? A key can have half of the attention up to n = 1 + e^Δ, and the lemma says little at
        shorter lengths. The largest weights:""",
        Table(("Δ", *(f"n = {length:,}" for length in lengths)), cases.largest((1, 2, 5, 10), lengths)),
        Identity("the largest weight at n = 1 + e^Δ", cases.half(), sympy.cancel),
    )


def mass(proof: Companion) -> None:
    """What changed letters weigh together."""
    proof.section("3. What changed letters weigh together")
    proof.step(
        """Let m be the sum of the weights of the keys in a set. It grows with each logit inside the set, and falls with
        each outside: the slopes are p_j(1 - m) and -p_j m. So it is largest if all logits inside are Δ above all
        outside.""",
        Identity("slopes, two keys of four", cases.slopes(), sympy.cancel),
    )
    proof.step(
        """Lemma 2. So k of n keys have at most the mass""",
        Eq(Symbol("rho"), cases.MASS),
        """with d = k/n. It is at most 1, and at most e^Δ d.""",
        Identity("k keys of weight e^Δ, and both bounds", cases.shapes(), sympy.cancel),
        Enumeration("logits 0, ln 2, ln 4, all sets of keys, n ≤ 5", cases.masses(5)),
    )
    counts = (1, 10, 50, 100, 250)
    proof.say(
        """In a word of a thousand letters, for 1 to 250 changed ones:""",
        Table(("Δ", *(f"k = {count}" for count in counts)), cases.of_masses((0, 1, 2, 5, 8), counts)),
    )


def theorem(proof: Companion) -> None:
    """The bound on one head, and that it is attained."""
    proof.section("4. The change of one head")
    proof.say(
        """Suppose that the head reads the first layer. Then states at positions where the letters agree are equal in
        both runs, and so are their keys' logits, as the query is the same, and their values."""
    )
    proof.step(
        """Lemma 3. Let C be the mean of the values under the weights of the agreeing keys alone. It is the same in both
        runs. If R and R' are the means over the changed keys, and m and m' their masses, the two outputs are
        (1 - m)C + mR and (1 - m')C + m'R'. Let m ≥ m' and m > 0. The difference of the outputs is m times that of R and
        the mean (m'R' + (m - m')C)/m.""",
        Identity("the difference", changes.mixtures(), sympy.cancel),
    )
    proof.step(
        """Lemma 4. Two means of values are no farther apart than two of the values: their difference is a mean of
        differences of values, whatever the norm.""",
        Identity("three values each", changes.hulls(), sympy.expand),
    )
    rho, D_v = symbols("rho D_v", positive=True)
    proof.step(
        """Theorem 1. Let Δ bound the range of the logits in both runs, and let D_v be the diameter of the values of
        both together. Then""",
        Le(Symbol("|a(u) - a(w)|"), D_v * rho),
        """For the difference in Lemma 3 is at most mD_v by Lemma 4, and m ≤ ρ by Lemma 2. Continuity of the maps is not
        used.""",
        single_head,
    )
    proof.step(
        """It is attained at every k, n and Δ, wherever the changed letters stand: for letters 0 and 1, the logit Δ for
        the letter 1 and 0 for the letter 0, and the letters as values. On zeros alone the output is 0, and on a word
        with k ones that ends in 0 it is ρ.""",
        Enumeration("all words that end in 0, n ≤ 8, e^Δ = 2, 4, 8", changes.attained(8)),
    )
    proof.step(
        """Read backwards: before a head can change by the part r of its diameter, the share of changed letters must
        be""",
        Eq(Symbol("d"), changes.SHARE),
        """Out of a thousand letters, for a tenth and for a half:""",
        Table(("Δ", "r = 1/10", "r = 1/2"), changes.shares((0, 1, 2, 5, 8))),
        Identity("ρ at this share", changes.inverse(), sympy.cancel),
    )
    proof.step(
        """A model of one layer. Let the layer move by at most φ_h times what its head h moves, and the distribution
        that is read from it by Λ times what the layer moves. The outputs then differ by at most Λ times the sum of
        all φ_h D_h ρ_h, with the diameter and the mass of each head. So if the probability of one of two letters is
        σ(2a + const), read from the head that attains Theorem 1, it moves by at most ρ/2: the slope of σ is at most
        1/4.""",
        Identity("the slope of σ", changes.slope(), sympy.cancel),
        Enumeration("changes of σ, Δ = 0, 1, 2, 5", changes.readouts()),
    )


def needed(proof: Companion) -> None:
    """Each hypothesis, and each factor, is needed."""
    proof.section("5. What is needed")
    proof.step(
        """The first layer. Let two heads with Δ = 0 average one after the other. If the first of n letters is changed,
        the result changes by (1 + 1/2 + ... + 1/n)/n, and Theorem 1 would allow 1/n. The second head sees states that
        differ where the letters agree.""",
        Enumeration("two averages, n ≤ 60", changes.two_layers(60)),
    )
    proof.step(
        """The last letter. Let the logit be Δ for odd positions if the last letter is 1, and else 0, and the value 1
        at odd positions. For even n, changing the last letter changes the output by σ(Δ) - 1/2, at any length.""",
        Enumeration("e^Δ = 4, even n ≤ 60; the bound is exceeded from n = 12 on", changes.other_query(60)),
    )
    proof.step(
        """Both runs, both value sets. If Δ bounds the range in one run only, a changed key may have more. If D_v is the
        larger of the two diameters, a changed value may go from -1 to 1 among zeros, and the output by 2/n.""",
        Enumeration("e^Δ = 4 against 16, and values -1 and 1, n ≤ 30", changes.other_sets(30)),
    )
    proof.step(
        """Nothing smaller will do: with Δ/2 for Δ, with e^Δ d/(1 + e^Δ d), or with k/(n + 1) for the share, the bound
        is exceeded by the head that attains Theorem 1.""",
        Enumeration("Δ = 2, three letters of ten", changes.smaller()),
    )


def limits(proof: Companion) -> None:
    """What is not shown."""
    proof.section("6. What this does not show")
    proof.not_shown(weights_bound, single_head)
    proof.say(
        """Nor does it show that a trained head comes near the bound. At Δ = 12 it says nothing of one changed letter
        below a hundred thousand letters: it is true there, and empty. Several layers are the subject of
        proofs.layer_continuity."""
    )


main = script(
    "head_continuity",
    __doc__,
    "What one attention head makes of changed letters",
    "One layer of the continuity theorem of arXiv 2505.10606, with constants",
    (setting, weights, mass, theorem, needed, limits),
)

if __name__ == "__main__":
    sys.exit(run(main))
