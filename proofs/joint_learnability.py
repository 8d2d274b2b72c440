"""Which words one continuous decoder learns: finitely many, iff any two are eventually equal or stay apart."""

from __future__ import annotations

import sys

from proofs import joint_cases as cases
from proofs import joint_detector_cases as detector
from proofs import joint_family_cases as families
from proofs.command import run
from proofs.companion import Companion, Table, script
from proofs.layer_cases import cancelled, expanded
from theory.compact.isolation.sparse_words import sparse_words
from theory.compact.learnability.doubt import doubt_or_dilemma
from theory.compact.learnability.joint import joint_learnability
from theory.compact.learnability.separation import margin_separation
from theory.evidence import Enumeration, Identity


def setting(proof: Companion) -> None:
    """Decoders, their modulus and learned words."""
    proof.section("1. Setting and definitions")
    proof.say(
        """As in proofs.isolation, T gives each finite word w a distribution T(w) of the next letter, ω(x) bounds the
        difference of probabilities for two words of one length that share the last letter and differ in a share of at
        most x, and T is continuous if ω(x) → 0 as x → 0. T learns an infinite word α with margin ε if from some n on
        α_{n+1} leads in T(α_1...α_n) by ε or more. For two infinite words K(n) is the number of positions up to n at
        which they differ, and d(n) = K(n)/n. They stay apart if liminf d(n) > 0. Again 0^w = 000..., the word
        per_m = (0^m 1)^w has a 1 at each multiple of m + 1, and chi one at each power of two.""",
        """For a margin ε let δ* be the supremum of all x with ω(x) < ε/2.""",
    )


def separation(proof: Companion) -> None:
    """Words that are learned with one margin."""
    proof.section("2. Words that are learned with one margin")
    proof.step(
        """Lemma 1. If T prefers the letter a by ε and T' prefers another letter b by ε, some probability differs by at
        least ε in T and T'. For the two margins add up to (T_a - T'_a) + (T'_b - T_b), so that one of the two is ε or
        more.""",
        Identity("the sum of the margins", cases.added(), expanded),
        Enumeration("all pairs of distributions on three letters in steps of 1/10", cases.outputs(10)),
    )
    proof.step(
        """Theorem 1. Two words that are learned with margin ε and are not eventually equal have liminf d(n) ≥
        min(1, 2δ*). For if not, then by the steps back and forth of proofs.isolation there are arbitrarily large n at
        which they agree and have different next letters, with ⌈k/2⌉/n < δ* for k = K(n). Go from the one prefix to the
        other in two halves of the k changes. The outputs differ by at most ω(⌈k/2⌉/n) + ω(⌊k/2⌋/n), which is below ε.
        That contradicts Lemma 1. Going through the middle doubles what isolation gives.""",
        Enumeration("the halves, all words of length n ≤ 10 that end in 0", cases.halves(10)),
    )
    proof.step(
        """Distances of periodic words. Up to l = lcm(p, q) there are l/p multiples of p and l/q of q, of which one is a
        multiple of both. So per_{p-1} and per_{q-1} differ in the share""",
        cases.SHARE,
        """of the positions, and d(n) tends to it:""",
        Table(("p", "q", "distance"), cases.distance_rows()),
        Identity("p = ga and q = gb with coprime a, b", cases.coprime(), cancelled),
        Enumeration("counted over a period, p, q ≤ 16", cases.distances(16)),
    )
    proof.step(
        """Lemma 2. The words of two different p, q ≥ 1/δ are at a distance below 1, and below 1/p + 1/q ≤ 2δ. So of the
        words per_m with m + 1 ≥ 1/δ* at most one is learned with margin ε. The others have m + 1 = 2, ..., ⌈1/δ*⌉ - 1.
        In all these are at most max(1, ⌈1/δ*⌉ - 1), which is no more than ⌊1/δ*⌋.""",
        Enumeration("δ* = 1/2, 2/5, 1/3, ..., 1/20, 2/41, p, q ≤ 40", cases.few(40)),
    )
    proof.step(
        """Theorem 2. With one margin ε at most ⌊1/δ*⌋ of the words per_m, m ≥ 1, are learned. So no continuous T learns
        all eventually periodic words with one margin.""",
        margin_separation,
    )


def construction(proof: Companion) -> None:
    """One layer that learns given words."""
    proof.section("3. The converse: one layer that learns given words")
    proof.say(
        """Let α^1, ..., α^r stay apart, with liminf d(n) ≥ 2d_0 > 0 for any two, over an alphabet of V letters. The
        position data at i are the letters of all α^k at i and i + 1: finitely many values, so they are compact. All
        logits of the one head are 0, and its value at j says for each k whether w_j is the letter of α^k there."""
    )
    proof.step(
        """The head finds f_k = 1 - d(w, α^k), d the share of positions up to n that differ.""",
        Enumeration("0^w, per_1, per_2, all words of length n ≤ 8", detector.agreement(8)),
    )
    proof.step(
        """The logit of the letter s is C times the sum of max(0, f_k - 1 + d_0) over those k whose word has s next.
        After a prefix of α^k, so long that all others are at distance d_0 or more, f_k = 1 and all other terms are 0.
        So the next letter of α^k has the logit Cd_0, and all others 0.""",
        Enumeration("four families, n ≤ 100", detector.learned(100)),
    )
    proof.step(
        """If one of V letters leads by z in logit and the others are equal, it leads in probability by the following,
        with z = Cd_0; for V = 2 this is tanh(z/2).""",
        detector.LED,
        Identity("V = 2, 3, 5", detector.softmaxes(), cancelled),
    )
    proof.step(
        """It takes a while until the words are d_0 apart. From which length on is it right?""",
        Table(("words", "distance", "from n ="), detector.starts()),
        """Before, gates of several words are open: for 0^w, per_1 and per_2 some letter is wrong or tied at n = 1 and
        at n = 2.""",
        Enumeration("0^w, per_1, per_2, n ≤ 60", detector.early()),
    )
    proof.step(
        """The basin. If a share r < d_0 of α^k is changed, and the result is more than d_0 from the others, then f_k is
        1 - r, all other gates are closed, and the lead in logit is""",
        detector.LOGIT,
        """For 0^w beside per_1 and per_2, with d_0 = 1/6, C = 30 and n = 300, the first letters being changed:""",
        Table(("changed", "r", "margin"), detector.flip_rows()),
        Enumeration("all of these leads", detector.flipped(300)),
    )
    proof.step(
        """The gate has to follow the distance. With d_0 = 1/2 for 0^w, per_7 and per_9 all gates are open on each of
        the words, and the two others outvote per_9 at its ones, unless per_7 has a 1 there too.""",
        Enumeration("n + 1 a multiple of 10 up to 400", detector.wide_gate(400)),
    )
    proof.step(
        """Nothing but sums and ReLUs is needed. Let the codes of letter and position be added, one coordinate for each
        letter. Whether w_j matches is the sum of ReLU(w_j + α^k_j - 1) over these coordinates; and after the head, the
        logit of s is C times the sum of ReLU(f_k - 2 + d_0 + [s is next in α^k]).""",
        Enumeration("0^w, per_1, per_2, all words of length n ≤ 9", detector.additive(9)),
    )


def theorem(proof: Companion) -> None:
    """Finitely many words."""
    proof.section("4. Finitely many words")
    proof.step(
        """If two words have liminf d(n) = 0 and are not eventually equal, no continuous T learns both
        [isolation]. So section 3 must fail on 0^w and chi, whatever the gate. If n + 1 is a power of two, then on one
        of the two words the right letter leads by no more than CK(n)/n.""",
        Enumeration("0^w with chi or sq, also beside per_1, three gates, n = 1023", families.close(10)),
    )
    proof.step(
        """Theorem 3. Finitely many words are all learned by one transformer with compact position data if and only if
        any two of them are eventually equal or stay apart. One layer with one uniform head is enough. For take one word
        of each class of eventually equal ones; they stay apart, and finitely many positive numbers have a positive
        minimum, which gives d_0. The construction learns them, and so all words of their classes [tail-invariance].
        The last step is the converse.""",
        joint_learnability,
    )


def finite(proof: Companion) -> None:
    """What finite means."""
    proof.section("5. What finite means")
    proof.step(
        """Any number of words is learned, but with less and less margin. The words 0^w, per_1, ..., per_r are at least
        1/(r+1) apart, and 0^w and per_r are just that. With C = 30 the construction has these margins:""",
        Table(("r", "distance", "margin"), families.growing_rows()),
        Enumeration("distances over a common period, r ≤ 5", families.shrinking()),
    )
    proof.step(
        """For infinitely many words, to stay apart pairwise is not enough: no continuous T learns 0^w and all per_m,
        although any two of them stay apart. If it learns 0^w with margin ε, it learns no per_m with m + 1 ≥ 1/x, where
        ω(x) < ε/2 (proofs.isolation).""",
        sparse_words,
    )
    proof.step(
        """Nor is it necessary that all distances have a positive lower bound: one T learns all per_m, m ≥ 1, which come
        as near to each other as one likes. Uniform attention finds the share f of ones, and position data, as the
        digits of a number in a Cantor set, say for each m whether m + 1 divides n + 1. The logit of 1 adds up for all m
        the number 8/2^m times ±1/2 times a tent over f at 1/(m+1); the tents do not overlap. At f = 0 all tents are 0,
        and on 0^w nothing is said at all.""",
        Enumeration("m ≤ 8, sixty lengths from 2(m + 1)(m + 2) on", families.dilemma(8)),
        doubt_or_dilemma,
    )
    proof.step(
        """The margin on per_m then tends to""",
        families.TANH,
        """as n grows, and this to 0 as m does: by Theorem 2 infinitely many of them cannot share a margin. So there is
        a choice between fading margins and words that are not learned.""",
        Enumeration("at most 2/2^m, m ≤ 40", families.vanishing(40)),
    )


def limits(proof: Companion) -> None:
    """What is not shown."""
    proof.section("6. What this does not show")
    proof.not_shown(margin_separation, joint_learnability, doubt_or_dilemma)
    proof.say(
        """Which infinite sets of words are learned by one T is not settled. Nor does the construction say what
        training finds: it stores the words in its position data, and a position table can store any one word."""
    )


main = script(
    "joint_learnability",
    __doc__,
    "Which words one continuous decoder learns",
    "A converse to the isolation theorem of arXiv 2505.10606, derived here",
    (setting, separation, construction, theorem, finite, limits),
)

if __name__ == "__main__":
    sys.exit(run(main))
