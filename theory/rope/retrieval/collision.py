"""At frequency 0 the printed Retrieval head confuses a query that has an integer with other tokens of its letter.

Retrieval leaves an LI token (a letter with an integer) as it is, and properness does not forbid other tokens with its
left letter, which have its logit at frequency 0. So hard attention decodes an LI query iff its token is the strict
plurality among them.

Source: arXiv 2605.31558, Thm 3.1, Remark 3.2 and App. F.2.2; the rules are derived here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from sympy import Integer

from theory.arithmetic.ball import Real, exp, versine
from theory.claims import Hypothesis, Source, claim
from theory.evidence import Enumeration, Evidence, Identity
from theory.outcome import Outcome
from theory.quantities import Count, Exact, Length2, Letters, Rational, quantity
from theory.rope.retrieval.decoding import letter, number, printed
from theory.rope.retrieval.head import key_column, letter_step, query_column
from theory.rope.rotation import PAPER, logit
from theory.rope.sequences import Pair, check_count, proper_sequences, retrieval, show
from theory.symbols import j, n, omega, phi_q

SOURCE = Source(PAPER, "Thm 3.1 and App. F.2.2", "derived")
Tokens = Sequence[Pair]
BETA, AT_REST = Fraction(7, 10), Fraction(0)


def is_integer_query(tokens: Tokens) -> bool:
    """Whether the last token is LI, a letter with an integer."""
    return number(tokens[-1]) is not None


def decodes(tokens: Tokens, letters: int, turns: Fraction = AT_REST) -> bool:
    """Whether the printed head with hard attention returns Retrieval at the last position; frequency in turns."""
    return printed(letters, turns).hard_margin(tokens, retrieval(tokens)[-1]) > 0


@dataclass(frozen=True)
class Rule:
    """When an LI query decodes at frequency 0: by the count of its token against those of the other tokens.

    Args:
        text: the rule in words.
        hard: of the count of the query token and those of the other tokens with its letter.
        soft: of the count of the query token, that of another one, and its relative weight at the scale.
        queries: which inputs are tried, by their last token.
    """

    text: str
    hard: Callable[[int, list[int]], bool]
    soft: Callable[[int, int, Real], Outcome]
    queries: Callable[[Tokens], bool] = is_integer_query

    def __str__(self) -> str:
        return f"an LI query decodes at theta = 0 iff {self.text}"


def plurality(own: int, others: list[int]) -> bool:
    """More copies than any other token of the letter."""
    return own > max(others, default=0)


def outweighs(own: int, other: int, weight: Real) -> Outcome:
    """More copies than the other token, counted by weight."""
    return other * weight < own


PLURALITY = Rule(
    "its token is the strict plurality of its letter; softmax: c(query) > c(tau) e^(-beta(1 - cos kappa omega))",
    plurality,
    outweighs,
)


@claim(
    "retrieval-letter-integer-collision",
    source=SOURCE,
    quantifiers="for all A >= 2, I >= 1, proper inputs, last query; softmax: all beta >= 0, other tokens tau",
    statement=str,
    variant=PLURALITY,
    controls={
        "majority": Rule("its token is the majority of its letter", lambda own, others: own > sum(others), outweighs),
        "ties decode": Rule(
            "none of its letter is more frequent", lambda own, others: own >= max(others, default=0), outweighs
        ),
        "always": Rule("true", lambda own, others: True, outweighs),
        "the scale does not matter": Rule(
            "c(query) > c(tau)", plurality, lambda own, other, _: Outcome.of(other < own)
        ),
    },
    hypotheses=(
        Hypothesis("LI query", "the last token has an integer", replace(PLURALITY, queries=lambda tokens: True)),
    ),
    does_not_show="that inputs of a task collide: where the letters of LI queries have one token, frequency 0 is right",
)
def retrieval_letter_integer_collision(rule: Rule, thorough: bool) -> Iterator[Evidence]:
    """Keys of the query's letter have logit 1; every proper input obeys the rule, in hard attention and in softmax."""
    same = logit(query_column(phi_q), n, key_column(phi_q), j, [Integer(0)])
    other = logit(query_column(phi_q), n, key_column(phi_q + 1), j, [Integer(0)])
    yield Identity(
        "logits at frequency 0", [("same letter", same, Integer(1)), ("neighbour", 1 - other, versine(omega))]
    )
    for letters, integers, longest in ((2, 2, 5), (3, 2, 4)) if thorough else ((2, 2, 4), (3, 1, 3)):
        sequences = list(filter(rule.queries, proper_sequences(letters, integers, longest)))
        name = f"A = {letters}, I = {integers}, n <= {longest}"
        yield Enumeration(f"hard, {name}", ((show(tokens), _hard(rule, tokens, letters)) for tokens in sequences))
        yield Enumeration(
            f"beta = {BETA}, {name}", ((show(tokens), _soft(rule, tokens, letters)) for tokens in sequences)
        )


def _hard(rule: Rule, tokens: Tokens, letters: int) -> bool:
    counts = Counter(token for token in tokens if token[0] == tokens[-1][0])
    return rule.hard(counts.pop(tokens[-1]), list(counts.values())) == decodes(tokens, letters)


def _soft(rule: Rule, tokens: Tokens, letters: int) -> Outcome:
    counts = Counter(tokens)
    own, query = counts.pop(tokens[-1]), tokens[-1]
    step = Real.of(letter_step(letters))
    verdicts = [
        rule.soft(own, count, exp(-BETA * versine((letter(token[0]) - letter(query[0])) * step)))
        for token, count in counts.items()
    ]
    said = Outcome.every(verdicts) if verdicts else Outcome.HOLDS
    return said.iff(printed(letters).soft_decodes(tokens, query, BETA))


@quantity("retrieval-collision-margin", unit="output coordinate", claim="retrieval-letter-integer-collision")
def collision_margin(n: Length2) -> Exact:
    """The margin of the input (a,1)^(n-1) (a,2) of length n at frequency 0: never positive, whatever the scale."""
    return Exact(Fraction(2 - n, n))


@quantity("retrieval-collision-count", unit="inputs", claim="retrieval-letter-integer-collision")
def collision_count(letters: Letters, integers: Count, n: Count, turns: Rational = AT_REST) -> dict[str, Exact]:
    """How many proper inputs of length at most n there are, and on how many the printed head with hard attention fails.

    Its frequency is 2 pi `turns`.
    """
    check_count(letters, integers, n)
    verdicts = [decodes(tokens, letters, turns) for tokens in proper_sequences(letters, integers, n)]
    return {"proper": Exact(len(verdicts)), "wrong": Exact(verdicts.count(False))}
