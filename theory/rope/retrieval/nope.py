"""The Retrieval head without rotation: a gap that no length shrinks, for queries with a right letter only.

Source: arXiv 2605.31558, Remark 3.2, where the gap is read off an upper bound, which is no proof.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import sympy
from flint import arb
from sympy import Integer, cos

from theory.arithmetic.ball import Real, evaluate, versine
from theory.claims import Hypothesis, Source, claim
from theory.evidence import BoxCover, Enumeration, Evidence, Identity
from theory.outcome import Outcome
from theory.quantities import Enclosure, Exact, Letters, Result, quantity
from theory.rope.retrieval.collision import decodes, is_integer_query
from theory.rope.retrieval.decoding import number, printed
from theory.rope.retrieval.head import key_column, letter_step, query_column
from theory.rope.rotation import PAPER, logit
from theory.rope.sequences import Pair, proper_sequences, retrieval, show
from theory.symbols import j, n, omega, phi_q

Tokens = Sequence[Pair]


@dataclass(frozen=True)
class Inputs:
    """Proper inputs on which the head is said to be correct at frequency 0.

    `nearest` is the least number of letter steps between the target and other tokens: 0 if they may share their letter.
    """

    text: str
    contains: Callable[[Tokens], bool]
    integers: int = 2
    nearest: int = 0

    def __str__(self) -> str:
        return f"at theta = 0, T_Retrieval with hard attention is correct on all proper inputs{self.text}"


ALL = Inputs("", lambda tokens: True)
LETTER_QUERIES = Inputs(" whose query is LL", lambda tokens: not is_integer_query(tokens), nearest=1)


@claim(
    "retrieval-nope-printed",
    source=Source(PAPER, "Thm 3.1 and Remark 3.2, at theta = 0", "reconstructed"),
    quantifiers="for all A >= 2, I >= 1 and proper inputs of every length; query at the last position",
    statement=str,
    variant=ALL,
    controls={
        "one integer only": Inputs(" over one integer", lambda tokens: True, integers=1),
        "the query token occurred before": Inputs(
            " whose last token has occurred before", lambda tokens: tokens[-1] in tokens[:-1]
        ),
    },
    expected=Outcome.REFUTED,
    counterexample="a1 a2",
    near_miss=("LL queries", LETTER_QUERIES),
    repaired_by="retrieval-repaired",
    printed="Delta_Retrieval stays away from 0 at theta = 0; the most attended token of an LI query satisfies j = n",
    does_not_show="that positive frequencies are harmless: they need a scale of order n^2 A^2",
)
def retrieval_nope_printed(inputs: Inputs, thorough: bool) -> Iterator[Evidence]:
    """Every proper input, the shortest with the fewest LL tokens first; the gap to other tokens over all omega."""
    sequences = sorted(proper_sequences(2, inputs.integers, 5 if thorough else 4), key=_size)
    chosen = filter(inputs.contains, sequences)
    yield Enumeration("A = 2", ((show(tokens), decodes(tokens, 2)) for tokens in chosen))
    # omega/pi from 2/100 to 1: alphabets of 2 to 100 letters.
    yield BoxCover(
        "gap to the nearest different token, omega/pi in [1/50, 1]",
        ((Fraction(1, 50), Fraction(1)),),
        partial(_gap, inputs),
    )


def _size(tokens: Tokens) -> tuple[int, int]:
    return len(tokens), sum(number(token) is None for token in tokens)


def _gap(inputs: Inputs, half_turns: arb) -> Outcome:
    gap = 1 - (inputs.nearest * half_turns).cos_pi()
    return Outcome.settled(gap > 0, gap <= 0)


@dataclass(frozen=True)
class Gaps:
    """What the smallest gap at frequency 0 is said to be, for letters on a circle and for two codes in A dimensions.

    Args:
        circle: of omega and the length.
        orthonormal: of the number of letters, for orthonormal codes.
        simplex: of the number of letters, for the corners of a regular simplex.
        extreme: `min` over inputs; `max` is the other reading of the paper's Delta.
        letter_queries: LL queries only.
    """

    circle: Callable[[Any, Any], Any] = lambda omega, n: 1 - cos(omega)
    orthonormal: Callable[[int], Fraction] = lambda letters: Fraction(1)
    simplex: Callable[[int], Fraction] = lambda letters: Fraction(letters, letters - 1)
    extreme: Callable[..., Fraction] = min
    letter_queries: bool = True

    def __str__(self) -> str:
        side = "smallest" if self.extreme is min else "largest"
        return (
            f"the {side} gap at theta = 0 is {self.circle(omega, n)} on a circle; for orthonormal and simplex codes of "
            f"A = 5 letters it is {self.orthonormal(5)} and {self.simplex(5)}"
        )


@claim(
    "retrieval-nope-gap",
    source=Source(PAPER, "Remark 3.2", "derived"),
    quantifiers="minimum over proper inputs of length n with LL query and a competitor, all n, A >= 2; equality",
    statement=str,
    variant=Gaps(),
    controls={
        "largest gap": Gaps(extreme=max),
        "half the angle": Gaps(circle=lambda omega, n: 1 - cos(omega / 2)),
        "shrinks with the length": Gaps(circle=lambda omega, n: (1 - cos(omega)) / (n - 1)),
        "orthonormal codes as a circle": Gaps(orthonormal=lambda letters: Fraction(letters, letters - 1)),
        "simplex as orthonormal": Gaps(simplex=lambda letters: Fraction(1)),
    },
    hypotheses=(Hypothesis("LL queries", "the last token has a right letter", Gaps(letter_queries=False)),),
    printed="theta = 0 keeps Delta_Retrieval away from 0, as a consequence of an upper bound",
    does_not_show="anything about LI queries: see retrieval-letter-integer-collision",
)
def retrieval_nope_gap(gaps: Gaps, thorough: bool) -> Iterator[Evidence]:
    """The neighbour's logit from the maps; all proper inputs, exactly; Gram matrices of codes; order 2 pi^2/A^2."""
    target, neighbour = (logit(query_column(phi_q), n, key_column(phi_q + k), j, [Integer(0)]) for k in (0, 1))
    yield Identity("letters beside each other", [("gap, n = 2", target - neighbour, gaps.circle(omega, Integer(2)))])
    yield Enumeration("smallest gap over all proper inputs", _smallest(gaps, thorough))
    yield Enumeration("Gram matrices", _codes(gaps))
    yield Enumeration("omega^2/2 - omega^4/24 < gap < omega^2/2", _asymptotics(gaps))


def _smallest(gaps: Gaps, thorough: bool) -> Iterator[tuple[object, bool]]:
    sizes = ((2, 2, 5), (3, 1, 4), (4, 1, 3), (6, 1, 3)) if thorough else ((2, 1, 4), (3, 1, 3), (4, 1, 3))
    for letters, integers, longest in sizes:
        sequences = list(proper_sequences(letters, integers, longest))
        for length in range(2, longest + 1):
            found = [
                gap
                for tokens in sequences
                if len(tokens) == length and (gap := _gap_of(tokens, letters, gaps)) is not None
            ]
            said = evaluate(gaps.circle(letter_step(letters), Integer(length))).exact
            yield {"A": letters, "I": integers, "n": length}, gaps.extreme(found) == said


def _gap_of(tokens: Tokens, letters: int, gaps: Gaps) -> Fraction | None:
    head = printed(letters)
    if gaps.letter_queries and is_integer_query(tokens):
        return None
    if (rivals := head.rivals(tokens, retrieval(tokens)[-1])) is None:
        return None
    return (head.logit(rivals[0]) - head.logit(rivals[1])).exact


def _codes(gaps: Gaps) -> Iterator[tuple[object, bool]]:
    for letters in range(2, 9):
        centre = sympy.ones(letters) / letters
        for name, code, said in (
            ("orthonormal", sympy.eye(letters), gaps.orthonormal(letters)),
            ("simplex", sympy.eye(letters) - centre, gaps.simplex(letters)),
        ):
            gram = code.T * code / code[:, 0].dot(code[:, 0])
            found = {gram[k, k] - gram[k, other] for k in range(letters) for other in range(letters) if other != k}
            yield {"A": letters, "code": name}, found == {sympy.Rational(said.numerator, said.denominator)}


def _asymptotics(gaps: Gaps) -> Iterator[tuple[object, Outcome]]:
    for letters in range(2, 101):
        step = Real.of(letter_step(letters))
        gap = evaluate(gaps.circle(letter_step(letters), Integer(2)))
        yield {"A": letters}, Outcome.every((gap < step**2 / 2, gap > step**2 / 2 - step**4 / 24))


@quantity("retrieval-nope-gap", unit="logit", claim="retrieval-nope-gap")
def nope_gap(letters: Letters) -> dict[str, Result]:
    """The smallest gap at frequency 0 for every length: letters on a circle, orthonormal codes, simplex codes."""
    return {
        "circle": Enclosure(versine(Real.of(letter_step(letters)))),
        "orthonormal": Exact(Fraction(1)),
        "simplex": Exact(Fraction(letters, letters - 1)),
    }
