"""Near a learned word prompts are continued by it, and no other word is learned, up to eventual equality."""

from __future__ import annotations

import sys

from sympy import Eq, Symbol

from proofs import isolation_cases as cases
from proofs import isolation_error_cases as errors
from proofs.command import run
from proofs.companion import Companion, Table, script
from proofs.isolation_words import limits, sparse, tails
from proofs.layer_cases import cancelled, expanded
from theory.compact.isolation.basin import basin
from theory.compact.isolation.isolation import isolation
from theory.compact.isolation.isolation_printed import isolation_printed
from theory.evidence import Enumeration, Identity


def setting(proof: Companion) -> None:
    """Decoders, their modulus, learned words, and one detector."""
    proof.section("1. Setting and definitions")
    proof.say(
        """A decoder T gives each finite word w over an alphabet a distribution T(w) of the next letter. Its modulus is
        the largest difference ω(x) of probabilities in T(u) and T(w), over all words u, w of one length that share the
        last letter and differ in a share of at most x of their letters. T is continuous if ω(x) → 0 as x → 0. By
        proofs.layer_continuity this is so for transformers with compact position data; here nothing but ω is used.""",
        """T learns an infinite word α with margin ε > 0 from n_0 on if for all n ≥ n_0 the letter α_{n+1} has in
        T(α_1...α_n) a probability that exceeds all others by ε or more. Let K(n) be the number of positions up to n at
        which α and β differ; their distance at n is d(n) = K(n)/n. They are eventually equal if K stays bounded.""",
        """Some words over 0 and 1: v^w repeats v for ever, as in 0^w; per_m = (0^m 1)^w has a 1 at each multiple of
        m + 1; chi has a 1 at 1, 2, 4, 8, ..., and sq at 1, 4, 9, 16, ...""",
    )
    proof.step(
        """An example. A head has the logit Δ at ones and 0 at zeros, so its weight a on the ones is 0 on 0^w. Call n
        flagged if n + 1 is a power of two, and let p be 1 then and else 0. The detector gives the letter 1 the
        probability σ(4p + 2a - 9/2). The letter with the logit z leads by tanh(z/2). If a = 0 on 0^w, as here, the
        detector learns 0^w with margin tanh(1/4). If also a ≥ 1/2 on chi, it would learn chi with this margin.""",
        Identity("the lead", cases.logistic(), cancelled),
        Enumeration("flagged or not, a = 0, 1/2, 1", cases.detector_margins()),
    )


def basins(proof: Companion) -> None:
    """Prompts near a learned word."""
    proof.section("2. The basin of a learned word")
    proof.step(
        """Lemma 1. Let u have length n ≥ n_0, the last letter of α_1...α_n, and the distance d from it. Then
        T(u) prefers α_{n+1} by at least ε - 2ω(d): this letter loses at most ω(d), and another gains at most that.""",
        Identity("the worst case", cases.worst(), expanded),
        Enumeration("all pairs of distributions on three letters in steps of 1/8", cases.pairs(8)),
    )
    proof.step(
        """Lemma 2. A further letter that agrees makes the distance smaller: k/(n+1) ≤ k/n. Nor does it raise the
        one-sided density M_D, the largest share of the set D of changed positions in a window that ends at n.""",
        Enumeration("all sets of positions, n ≤ 9", cases.agreeing(9)),
    )
    proof.step(
        """Theorem 1. If also ω(d) < ε/2, greedy decoding from u goes on with α_{n+1}, α_{n+2}, ... for ever, each step
        with margin ε - 2ω(d) at least. For the longer word has the last letter of α again, and by Lemma 2 it is no
        farther away. The same holds with M_D for models whose biases fall with the lag.""",
        basin,
    )
    proof.step(
        """The basin of the detector. At flagged n it keeps to 0 as long as a < 1/4, that is, for a share of ones
        below""",
        Eq(Symbol("k") / Symbol("n"), cases.RADIUS),
        """By proofs.head_continuity T changes by at most half the mass of the changed letters, so Theorem 1 needs a
        mass below r = tanh(1/4), a share below r/(r + e^Δ(1 - r)). Both shares, and how many of n ones are borne:""",
        Table(("Δ", "share", "certified", "n = 63", "n = 1,023", "n = 1,048,575"), cases.radius_rows()),
        Identity("the feature and the logit at this share", cases.radius(), cancelled),
        Enumeration("the certified share is 97 % of it", cases.near()),
    )
    proof.step(
        """Each hypothesis is needed. A decoder that repeats the last letter has learned 0^w and goes on with 1 after
        001. Before n_0 anything may be said. At ω(d) ≥ ε/2 another letter may lead. And if the margin fades with n,
        then so does the basin: with the logit 4(p - 1) + (k - 1/2)/n after k ones, 0^w is always right, and a single
        one is enough to be wrong at each flagged n.""",
        Enumeration("one decoder each, flagged n < 2^40", cases.basin_needs()),
    )


def as_printed(proof: Companion) -> None:
    """No other distinct word: false."""
    proof.section("3. What is often said, and is false")
    proof.say(
        """In abstracts and captions isolation reads: around a learned word no other, distinct word is learned. Read as
        it stands this is false."""
    )
    proof.step(
        """Let T give 0 the probability 9/10 and 1 the probability 1/10, whatever the word. It is continuous, ω = 0. It
        learns 0^w with margin 4/5, and it learns 1 0^w = 1000... with the same margin. The two words are distinct, and
        their distance 1/n tends to 0.""",
        Enumeration("both words, n ≤ 60", cases.blind(60)),
    )
    proof.step(
        """Nor is at most one word of each class learned, if all words whose distance tends to 0 make a class: both
        words are in one. What has to be said instead of "distinct" is "not eventually equal". In the variant with this
        the same search finds no counterexample, and Theorem 2 proves it.""",
        isolation_printed,
    )


def isolated(proof: Companion) -> None:
    """The theorem."""
    proof.section("4. Isolation")
    proof.say(
        """Let T learn α with margin ε, let ω(x) < ε/2 for some 0 < x < 1, let β not be eventually equal to α, and let
        d(n) ≤ x for infinitely many n."""
    )
    proof.step(
        """Lemma 3. Let d(n) = k/n ≤ x, and go back from n over the t last positions, at which the words differ, to an
        agreement at n - t. There the distance is no larger, and n - t ≥ n - k ≥ (1 - x)n. So there are agreements at
        distance at most x beyond every bound.""",
        Identity("k/n - (k - t)/(n - t)", errors.shorter(), cancelled),
    )
    proof.step(
        """Lemma 4. From such an agreement go on to the last position m before the words differ again; they do, as they
        are not eventually equal. The words agree at m, and d(m) ≤ x by Lemma 2.""",
        Enumeration("back and forth for all sets of positions, n ≤ 11", errors.back_and_forth(11)),
    )
    proof.step(
        """Theorem 2. For infinitely many m, T(β_1...β_m) prefers α_{m+1}, which is not β_{m+1}, by at least ε - 2ω(x).
        So β is not learned, with whatever margin, and not even by its most probable letters. For Lemma 1 applies to the
        prefix of β at each m of Lemma 4, and these lie beyond every bound. Nothing is assumed of T on β.""",
        isolation,
    )
    proof.step(
        """Where biases fall with the lag, ω is a modulus in M_D. Let liminf d(n) < x. Fewer than K(n)/x positions up to
        n have M_D > x, by the covering argument of proofs.layer_continuity. If K(n) ≤ θxn with θ < 1, some j > (1 - θ)n
        - 1 has M_D(j) ≤ x < 1, so that the words agree at j. Go on from there; M_D does not grow, by Lemma 2.""",
        Enumeration("positions of large M_D for all sets, n ≤ 9", errors.few_dense(9)),
    )
    proof.step(
        """The detector with Δ = 1 on chi. Flagged lengths, and what is predicted there, where chi has a 1:""",
        Table(("n", "ones", "a", "logit", "T(1)", "predicted"), errors.listed(range(3, 11))),
        """All flagged lengths from 63 on are errors, and there are no others.""",
        Enumeration("n < 1024, and flagged n < 2^200", errors.wrong(1024, 200)),
    )
    proof.step(
        """The errors may come late. The first of them for a larger Δ:""",
        Table(("Δ", "e^Δ", "first error", "that is"), errors.first_rows()),
        """Up to there every test on chi is passed.""",
        Enumeration("first errors lie beyond e^Δ", errors.later()),
    )
    proof.step(
        """The errors are where the words part, not at all large n: the decoder that always says 0 is right on chi but
        at flagged lengths.""",
        Enumeration("n < 300", errors.only_where_they_part(300)),
    )
    proof.step(
        """The hypotheses are needed. T(1) = 2a at odd n and 0 at even n, a the share of ones, is continuous and learns
        both 0^w and per_1, which stay apart by 1/2. With logits ln(n) at ones, T is not continuous and the detector
        learns both 0^w and chi. With the margin that fades of section 2, both are right for ever.""",
        Enumeration("three decoders, n < 200", errors.isolation_needs(200)),
    )


main = script(
    "isolation",
    __doc__,
    "Around a learned word: its basin, and isolation",
    "The isolation theorem of arXiv 2505.10606, reconstructed",
    (setting, basins, as_printed, isolated, tails, sparse, limits),
)

if __name__ == "__main__":
    sys.exit(run(main))
