"""A head of one rotary plane acts symbolically only at frequency 0: NoPE heads are the symbolic ones.

Source: remarks of arXiv 2511.11579, the converse derived here. With f(r) = k^T rho(r theta) q, the logits of a content
at offsets r = 1..N satisfy f(r - 1) + f(r + 1) = 2 f(r) cos theta, and
f(r)^2 - 2 f(r) f(r + 1) cos theta + f(r + 1)^2 = |q|^2 |k|^2 sin^2 theta. So three equal ones, C, give
C = C cos theta; and C = 0 gives sin theta = 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import sympy
from sympy import Matrix, cos, pi, sin, symbols

from theory.claims import Hypothesis, Source, claim
from theory.evidence import Enumeration, Equation, Evidence, Identity
from theory.rope.rotation import logit
from theory.rope.scores.acting import acts_positionally, acts_symbolically
from theory.rope.scores.realisation import Plane, orbit
from theory.symbols import n, p, theta

SOURCE = Source("2511.11579", "remarks on NoPE and on equal keys", "reconstructed")
NONE, HALF = (Fraction(1), Fraction(0)), (Fraction(-1), Fraction(0))
# (cos theta, sin theta): no turn, a quarter, a half, and two irrational numbers of turns.
TURNS: tuple[Plane, ...] = (
    NONE,
    (Fraction(0), Fraction(1)),
    HALF,
    (Fraction(3, 5), Fraction(4, 5)),
    (Fraction(-5, 13), Fraction(12, 13)),
)
ZERO: Plane = (0, 0)
KEYS: tuple[Plane, ...] = (ZERO, (0, 1), (1, 0), (1, 1), (1, -1), (2, 1))


@dataclass(frozen=True)
class Instance:
    """A head of one plane on one input: its turn (cos theta, sin theta), query, keys, and logits M[c][p]."""

    turn: Plane
    query: Plane
    keys: tuple[Plane, ...]
    M: list[list[Fraction]]

    def __str__(self) -> str:
        turn = ", ".join(map(str, self.turn))
        return f"(cos theta, sin theta) = ({turn}), q = {self.query}, keys {self.keys}"


@dataclass(frozen=True)
class Family:
    """The heads and inputs that a statement speaks of: N earlier tokens, and which queries and keys are admitted.

    Args:
        slow_plane: keys and queries have a second plane, of frequency 0, and the keys are 0 in the first.
    """

    earlier: int = 3
    zero_query: bool = False
    zero_keys: bool = False
    slow_plane: bool = False

    def instances(self) -> Iterator[Instance]:
        queries = (*KEYS[1:3], ZERO) if self.zero_query else KEYS[1:3]
        for turn, query in product(TURNS, queries):
            rows = orbit([NONE if self.slow_plane else turn], [query], self.earlier)
            logits = {key: [key[0] * x + key[1] * y for x, y in rows] for key in KEYS}
            for keys in product(KEYS, repeat=self.earlier):
                if self.zero_keys or any(key != ZERO for key in keys):
                    yield Instance(turn, query, keys, [logits[key] for key in keys])


@dataclass(frozen=True)
class Characterisation:
    """That the heads of a family act symbolically exactly where a rule says so."""

    said: str = "theta in 2 pi Z, or theta in pi + 2 pi Z and every key has logit 0 at all positions"
    rule: Callable[[Instance], bool] = lambda head: (
        head.turn == NONE or (head.turn == HALF and not any(entry for row in head.M for entry in row))
    )
    family: Family = Family()

    def __str__(self) -> str:
        return f"a head of one plane acts symbolically on an input iff {self.said}"


@claim(
    "one-plane-symbolic-iff-nope",
    source=SOURCE,
    quantifiers="for all theta, q != 0 and keys, not all 0, of the earlier tokens; N >= 3 of them; an equivalence",
    statement=str,
    variant=Characterisation(),
    controls={
        "only multiples of 2 pi": Characterisation("theta in 2 pi Z", lambda head: head.turn == NONE),
        "all multiples of pi": Characterisation("theta in pi Z", lambda head: head.turn[1] == 0),
        "all keys agree": Characterisation("all keys are equal", lambda head: len(set(head.keys)) == 1),
    },
    hypotheses=(
        Hypothesis(
            "three earlier tokens",
            "N >= 3",
            Characterisation(family=Family(earlier=2)),
            "at N = 2 the two offsets may lie symmetrically about the key's direction",
        ),
        Hypothesis("query", "q != 0", Characterisation(family=Family(zero_query=True))),
        Hypothesis("key", "some key is not 0", Characterisation(family=Family(zero_keys=True))),
        Hypothesis(
            "one plane",
            "the head has one plane",
            Characterisation(family=Family(slow_plane=True)),
            "with a second plane of frequency 0 the first may be idle, whatever its frequency",
        ),
    ),
    does_not_show="how far from symbolic a slow head is: retrieval-symbolic-defect",
)
def one_plane_symbolic_iff_nope(characterisation: Characterisation, thorough: bool) -> Iterator[Evidence]:
    """Heads with rational rotations, exactly; recurrence and conserved form of the proof, from R^p k and R^n q."""
    cases = (
        (head, characterisation.rule(head) == acts_symbolically(head.M)) for head in characterisation.family.instances()
    )
    yield Enumeration("five angles, two queries, all inputs over six keys", cases)
    yield Identity("recurrence, conserved form, and half turns", _proof())


def _proof() -> Iterator[Equation]:
    query, key = (Matrix(symbols(f"{name}_1:3", real=True)) for name in "qk")

    def row(position: Any, angle: sympy.Expr = theta) -> sympy.Expr:
        return logit(query, n, key, position, [angle])

    here, there = row(p), row(p + 1)
    yield "three offsets", row(p - 1) + there, 2 * here * cos(theta)
    conserved = here**2 - 2 * here * there * cos(theta) + there**2
    yield "two offsets", conserved, query.dot(query) * key.dot(key) * sin(theta) ** 2
    yield "half turns change the sign", row(p + 1, pi), -row(p, pi)
    yield "no turn", row(p, sympy.Integer(0)), key.dot(query)


@dataclass(frozen=True)
class Sufficient:
    """Conditions said to make a head of one plane symbolic, or positional; `only_if` makes the second necessary too."""

    said: str = "theta in 2 pi Z makes every input symbolic; equal keys make it positional"
    symbolic: Callable[[Instance], bool] = lambda head: head.turn == NONE
    positional: Callable[[Instance], bool] = lambda head: len(set(head.keys)) == 1
    only_if: bool = False

    def __str__(self) -> str:
        return self.said

    def holds(self, head: Instance) -> bool:
        positional = acts_positionally(head.M)
        necessary = not self.only_if or not positional or self.positional(head)
        return (acts_symbolically(head.M) or not self.symbolic(head)) and (
            (positional or not self.positional(head)) and necessary
        )


@claim(
    "nope-symbolic-equal-keys-positional",
    source=SOURCE,
    quantifiers="for all queries, keys and numbers of planes, all N >= 1, all frequencies in the second part",
    statement=str,
    variant=Sufficient(),
    controls={
        "multiples of pi are enough": Sufficient("theta in pi Z makes symbolic", lambda head: head.turn[1] == 0),
        "positional iff the keys agree": Sufficient("positional iff the keys are equal", only_if=True),
        "keys of equal length are enough": Sufficient(
            "keys of equal length make positional",
            positional=lambda head: len({x * x + y * y for x, y in head.keys}) == 1,
        ),
    },
    does_not_show="the converses: see one-plane-symbolic-iff-nope; keys may also differ by what no R^t q sees",
)
def nope_symbolic_equal_keys_positional(conditions: Sufficient, thorough: bool) -> Iterator[Evidence]:
    """Heads of one plane exactly, zero queries and keys included; two planes symbolically, from R^p k and R^n q."""
    heads = Family(zero_query=True, zero_keys=True).instances()
    yield Enumeration("five angles, three queries, all inputs over six keys", ((h, conditions.holds(h)) for h in heads))
    query, key = (Matrix(symbols(f"{name}_1:5", real=True)) for name in "qk")
    whole = symbols("z_1:3", integer=True)
    turns = [2 * pi * number for number in whole]
    yield Identity("frequencies in 2 pi Z", [("offset", logit(query, n, key, p, turns), key.dot(query))])
