"""The printed Retrieval head is not symbolic: how far each content's logit moves with its position.

Source: arXiv 2605.31558, Remark 3.1, which calls its head purely symbolic; the construction there needs
0 < theta < omega/(2 n). The defect is the largest |M[c][p] - M[c][c]| of Def. D.1, over contents and positions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import sympy
from flint import arb
from sympy import Integer, symbols

from theory.arithmetic.ball import Real
from theory.claims import Hypothesis, Source, claim
from theory.evidence import Enumeration, Equation, Evidence, Identity
from theory.outcome import Outcome
from theory.quantities import AnyAngle, Enclosure, Letters, Number, Vector, quantity
from theory.rope.index.window import angle_of, fold
from theory.rope.retrieval.decoding import circle_logit
from theory.rope.retrieval.head import key_column, letter_number, letter_step, query_column, retrieval_phase
from theory.rope.rotation import PAPER, logit
from theory.rope.scores.acting import acts_symbolically
from theory.rope.sequences import ALPHABET
from theory.symbols import n, omega, p, phi_c, phi_q, theta


def levels(left: tuple[int, ...], wanted: int, step: Fraction, turns: Fraction) -> list[list[Fraction]]:
    """M[c][p] of T_Retrieval as distances of phases to 0, in turns: equal where the logits are."""
    size = len(left)
    return [[fold(retrieval_phase(letter, wanted, size - at, step, turns)) for at in range(size)] for letter in left]


@dataclass(frozen=True)
class Frequencies:
    """That T_Retrieval acts symbolically on every input at theta = share omega/n, for each of these shares."""

    shares: tuple[Fraction, ...] = (Fraction(1, 4),)
    same_letter: bool = False

    def __str__(self) -> str:
        inputs = "input whose earlier tokens share their left letter" if self.same_letter else "input"
        shares = " and ".join(map(str, self.shares))
        return f"T_Retrieval acts symbolically on every {inputs} of length n at theta = {shares} times omega/n"

    def cases(self, longest: int) -> Iterator[tuple[object, bool]]:
        for length, letters, share in product(range(2, longest + 1), (2, 3, 4), self.shares):
            turns = share / letters / length
            for wanted, left in product(range(letters), product(range(letters), repeat=length - 1)):
                if not self.same_letter or len(set(left)) == 1:
                    earlier = "".join(ALPHABET[letter] for letter in left)
                    head = f"n={length}, A={letters}, theta={angle_of(turns)}"
                    case = f"{head}, left letters {earlier}, wanted {ALPHABET[wanted]}"
                    yield case, acts_symbolically(levels(left, wanted, Fraction(1, letters), turns))


@claim(
    "retrieval-symbolic-printed",
    source=Source(PAPER, "Remark 3.1"),
    quantifiers="for all A >= 2, n, and inputs of length n, at the frequencies of the construction",
    statement=str,
    variant=Frequencies(),
    controls={
        "a smaller frequency": Frequencies((Fraction(1, 1000),)),
        "one left letter": Frequencies(same_letter=True),
    },
    expected=Outcome.REFUTED,
    near_miss=("frequency 0", Frequencies((Fraction(0),))),
    counterexample="n=3, A=2, theta=pi/12, left letters aa, wanted a",
    repaired_by="retrieval-symbolic-defect",
    printed="T_Retrieval has a purely symbolic head",
    does_not_show="that the head fails to retrieve: retrieval-feasibility holds at these frequencies",
)
def retrieval_symbolic_printed(frequencies: Frequencies, thorough: bool) -> Iterator[Evidence]:
    """All inputs with two to four letters, the shortest first; then neighbouring offsets through W_Q and W_K."""
    longest = 5 if thorough else 4
    yield Enumeration(f"all left letters, n <= {longest}, A <= 4", frequencies.cases(longest))
    for share in frequencies.shares:
        turned = [logit(query_column(phi_q), n, key_column(phi_c), at, [share * omega / n]) for at in (p, p + 1)]
        yield Identity("a content one position on", [(f"theta = {share} omega/n", *turned)])


@dataclass(frozen=True)
class Defect:
    """At 0 < theta < reach omega/n every content's logit moves with its position, by at most `bound`(n, theta).

    Args:
        zero: admit theta = 0.
        least: the shortest length.
    """

    bound: Callable[[Any, Any], Any] = lambda length, angle: (length - 2) * angle
    reach: Fraction = Fraction(1, 2)
    zero: bool = False
    least: int = 3

    def __str__(self) -> str:
        lower = "<=" if self.zero else "<"
        return (
            f"for n >= {self.least} and 0 {lower} theta < {self.reach} omega/n no earlier content has the same logit "
            f"at all positions, and none moves by more than {self.bound(n, theta)}"
        )

    def turns(self, letters: int, length: int) -> list[Fraction]:
        top = self.reach / letters / length
        return [Fraction(0)] * self.zero + [
            share * top for share in (Fraction(1, 100), Fraction(1, 2), Fraction(99, 100))
        ]


@claim(
    "retrieval-symbolic-defect",
    source=Source(PAPER, "Remark 3.1", "derived"),
    quantifiers="for all A >= 2, n >= 3, all inputs of length n, such theta, contents and positions 1..n-1",
    statement=str,
    variant=Defect(),
    controls={
        "(n - 3) theta": Defect(bound=lambda length, angle: (length - 3) * angle),
        "(n - 2) theta/2": Defect(bound=lambda length, angle: (length - 2) * angle / 2),
    },
    hypotheses=(
        Hypothesis("positive", "theta > 0", Defect(zero=True)),
        Hypothesis(
            "small",
            "theta < omega/(2 n)",
            Defect(reach=Fraction(4)),
            "at n = 3 and theta = 2 omega/3 the next letter has equal logits at both positions",
        ),
        Hypothesis("two positions", "n >= 3", Defect(least=2)),
    ),
    does_not_show="anything about scores: see retrieval-score-floor",
)
def retrieval_symbolic_defect(defect: Defect, thorough: bool) -> Iterator[Evidence]:
    """Each letter, position and length at rational turns; |cos x - cos y| as a product, from W_Q and W_K."""
    yield Enumeration("contents and positions, rational turns", _contents(defect, 9 if thorough else 6))
    yield Identity("difference of two positions", [_difference()])


def _contents(defect: Defect, longest: int) -> Iterator[tuple[object, Outcome]]:
    for length, letters in product(range(defect.least, longest + 1), range(2, 6)):
        for turns, kappa in product(defect.turns(letters, length), range(letters)):
            row = levels((kappa,) * (length - 1), 0, Fraction(1, letters), turns)[0]
            for own in range(length - 1):
                case = {"A": letters, "n": length, "theta": str(angle_of(turns)), "kappa": kappa, "j": own + 1}
                moves = Outcome.of(any(level != row[own] for level in row))
                bound = Real.of(defect.bound(length, angle_of(turns).real))
                within = [_within(row[own], level, bound) for level in row]
                yield case, Outcome.every([moves, *within])


def _within(here: Fraction, there: Fraction, bound: Real) -> Outcome:
    return abs(circle_logit(-here) - circle_logit(-there)) <= bound


def _difference() -> Equation:
    """2 sin(.) sin((p' - p) theta/2): at most |p' - p| theta in size, and |p' - p| <= n - 2."""
    q = symbols("p'", integer=True)
    here, there = (logit(query_column(phi_q), n, key_column(phi_c), at, [theta]) for at in (p, q))
    middle = (phi_c - phi_q) * omega + (n - (p + q) / Integer(2)) * theta
    return "sum to product", there - here, 2 * sympy.sin(middle) * sympy.sin((q - p) * theta / 2)


@quantity("retrieval-defect", unit="logit", claim="retrieval-symbolic-defect")
def retrieval_defect(letters: Letters, left: Vector, wanted: Number, theta: AnyAngle) -> dict[str, Enclosure]:
    """Largest |M[c][p] - M[c][c]| of T_Retrieval for earlier tokens with these left letters, and its bound."""
    numbers, asked = [letter_number(value, letters) for value in left], letter_number(wanted, letters)
    step, size = Real.of(letter_step(letters)), len(numbers)

    def defect() -> arb:
        # |cos x - cos y| as 2 |sin((x + y)/2) sin((x - y)/2)|, which loses no digits where x and y are close.
        omega, angle, found = step.enclose(), theta.real.enclose(), arb(0)
        near = [abs((places * angle / 2).sin()) for places in range(size)]
        for letter in set(numbers):
            middles = (retrieval_phase(letter, asked, size - arb(twice) / 2, omega, angle) for twice in range(2 * size))
            far = [abs(middle.sin()) for middle in middles]
            for own in (at for at, number in enumerate(numbers) if number == letter):
                for at in range(size):
                    found = found.max(far[own + at] * near[abs(own - at)])
        return 2 * found

    bound = Defect().bound(size + 1, abs(theta.real))
    return {"defect": Enclosure(Real(defect)), "bound": Enclosure(bound)}
