"""The cases by which the steps about queries with an integer are checked, and those about the repaired heads."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import sympy
from sympy import cos, sin

from theory.evidence import Equation
from theory.rope.retrieval.decoding import printed
from theory.rope.retrieval.head import key_column, query_column
from theory.rope.retrieval.repaired_gaps import SECTOR
from theory.rope.retrieval.repaired_logits import ASKED, INTEGERS, SECOND, r2_logit, r3_phase
from theory.rope.retrieval.repairs import r2_integer, r3_integer, r3_letter
from theory.rope.rotation import logit
from theory.rope.sequences import retrieval, show
from theory.symbols import n, omega, phi_q, t, theta

COLLIDING = ((("a", 1), ("a", 2)), (("a", 1), ("a", 1), ("a", 2)), (("a", 2), ("a", 1), ("a", 2)))


def second_plane() -> Iterator[Equation]:
    """R2: the query's own token against the best of the three kinds of others."""
    own = r2_logit(0, ASKED, 0, ASKED, omega, SECOND)
    kinds = (0, None), (1, ASKED), (0, ASKED + 1)
    for (left, integer), said in zip(kinds, r2_integer(omega, SECOND, INTEGERS), strict=True):
        yield f"gap {said}", own - r2_logit(left, integer, 0, ASKED, omega, SECOND), said


def slots() -> Iterator[Equation]:
    """R3: the rim of a sector against the first slot beyond, and one slot against the next; omega is I + 1 slots."""
    rim, beyond = (cos(r3_phase(left, slot, 0, None, INTEGERS, SECTOR)) for left, slot in ((0, INTEGERS), (1, 0)))
    yield "right letter", rim - beyond, r3_letter(SECTOR, SECOND, INTEGERS)[0]
    own, next_ = (cos(r3_phase(0, slot, 0, ASKED, INTEGERS, SECTOR)) for slot in (ASKED, ASKED + 1))
    yield "integer", own - next_, r3_integer(SECTOR, SECOND, INTEGERS)[0]


def collisions() -> Iterator[tuple[str, str, Fraction, Fraction]]:
    """Inputs whose query shares its letter: the answer, its share at frequency 0, and the margin of the head."""
    for tokens in COLLIDING:
        answer = retrieval(tokens)[-1]
        share = Fraction(tokens.count(answer), len(tokens))
        yield show(tokens), show([answer]), share, printed(2).hard_margin(tokens, answer)


def collision_margins() -> Iterator[tuple[object, bool]]:
    """The margin is the share of the answer minus that of the other token, and its sign that of softmax."""
    for (text, _, share, margin), tokens in zip(collisions(), COLLIDING, strict=True):
        signs = {printed(2).soft_sign(tokens, tokens[-1], Fraction(beta)) for beta in (0, 1, 50)}
        yield text, margin == 2 * share - 1 and signs == {(margin > 0) - (margin < 0)}


def same_letter() -> Iterator[Equation]:
    """The query against a token of its left letter t places before."""
    own, other = (logit(query_column(phi_q), n, key_column(phi_q), n - at, [theta]) for at in (sympy.Integer(0), t))
    yield "gap", own - other, 2 * sin(t * theta / 2) ** 2
