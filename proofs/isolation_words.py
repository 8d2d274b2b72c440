"""Sections of proofs.isolation: words that are eventually equal, and words with few ones."""

from __future__ import annotations

from proofs import isolation_word_cases as cases
from proofs.companion import Companion, Table
from proofs.layer_cases import cancelled, expanded
from theory.compact.isolation.basin import basin
from theory.compact.isolation.isolation import isolation
from theory.compact.isolation.isolation_printed import isolation_printed
from theory.compact.isolation.sparse_words import sparse_words
from theory.compact.isolation.tail_invariance import tail_invariance
from theory.evidence import Enumeration, Identity


def tails(proof: Companion) -> None:
    """Words that are eventually equal."""
    proof.section("5. Words that are eventually equal")
    proof.step(
        """Theorem 3. If T is continuous, learns α with margin ε, and β is eventually equal to α, then T learns β with
        every margin below ε. For K(n) is bounded, so d(n) → 0, and ω(d(n)) → 0. From some n on the last letters and the
        next letters agree, and Lemma 1 gives the margin ε - 2ω(d(n)).""",
        tail_invariance,
    )
    proof.step(
        """The margin ε itself may never be regained. Let T(1) = 1/10 + 2a/5, a the share of ones. Then 0^w is learned
        with margin 4/5, and on 1 0^w the margin is 4/5 - 4/(5n).""",
        Identity("margin after k ones and zeros", cases.lost_margin(), expanded),
        Enumeration("1 0^w, n < 200", cases.never_regained(200)),
    )
    proof.step(
        """Nor the start. With T(1) = σ(8(a - 1/4)) all of 0^w is right from n = 1 on; on 1 0^w the letter 1 leads for
        n < 4, there is a tie at 4, and all is right from 5 on.""",
        Enumeration("n < 100", cases.later_start(100)),
    )
    proof.step(
        """Continuity is needed. With logits ln(n) at ones, the single one of 1 0^w has the weight n/(2n - 1) > 1/2 at
        every n, and the detector says 1 at all flagged lengths.""",
        Enumeration("flagged n < 2^60", cases.kept_feature(60)),
    )


def sparse(proof: Companion) -> None:
    """Words with few ones, beside 0^w."""
    proof.section("6. Sparse words")
    proof.step(
        """How many ones are there? In chi, 1 plus the integer part of log_2 n up to n; in sq, that of √n; in per_m with
        p = m + 1, that of n/p, which is at most n/p at every n. So chi and sq have the density 0, and per_m is at
        distance at most 1/p from 0^w at every n.""",
        Identity("multiples of p up to n = pq + r", cases.periodic_share(), cancelled),
        Enumeration("chi, sq, per_2, per_9, n < 1000", cases.counts(1000)),
    )
    proof.step(
        """Theorem 4. Let T be continuous and learn 0^w with margin ε, and let ω(x) < ε/2. Then T learns no word with
        infinitely many ones whose share of ones is at most x infinitely often: not chi, sq, the indicator of the
        primes, nor any per_m with m + 1 ≥ 1/x. This is Theorem 2 with α = 0^w.""",
        sparse_words,
    )
    proof.step(
        """For the detector and what is certified of it, per_m is not learned beside 0^w from this m on, whatever the
        flags:""",
        Table(("Δ", "x", "1/x", "m"), cases.sparse_rows()),
        Enumeration("1/(m + 1) ≤ x < 1/m", cases.from_there()),
    )
    proof.step(
        """The other way round, a continuous T that learns one word of density 0 with infinitely many ones does not
        learn 0^w: Theorem 2 with that word as α. But "neither is learned" would be false: the decoder that always says
        0 has learned 0^w.""",
        Enumeration("decoders that have learned chi, sq and 0^w, n < 300", cases.one_of_both(300)),
    )
    proof.say(
        """Words that stay apart from 0^w are another matter: 0^w and per_1 are learned together in section 4, and
        proofs.joint_learnability says which words are."""
    )


def limits(proof: Companion) -> None:
    """What is not shown."""
    proof.section("7. What this does not show")
    proof.not_shown(basin, isolation, isolation_printed, tail_invariance, sparse_words)
    proof.say(
        """All this is about fixed weights and all lengths. It is not about what training finds, and no test of finitely
        many lengths can refute that a word is learned."""
    )
