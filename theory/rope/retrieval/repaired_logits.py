"""The logits of the repaired Retrieval heads in closed form.

Source: derived here for arXiv 2605.31558, Theorem 3.1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import sympy
from sympy import Expr, Matrix, S, cos, symbols

from theory.claims import Source, claim
from theory.evidence import Enumeration, Evidence, Identity
from theory.rope.retrieval.head import letter_step, pairs, retrieval_phase, wanted_letter
from theory.rope.retrieval.repaired import (
    integer_step,
    r1_doubled_head,
    r1_doubled_unembedding,
    r1_head,
    r1_residual,
    r2_head,
    r2_key_column,
    r2_query_column,
    r3_head,
    r3_key_column,
    r3_query_column,
)
from theory.rope.rotation import PAPER, logit
from theory.symbols import j, n, omega, phi_c, phi_q

NUMBER, ASKED, INTEGERS = symbols("i_c i_q I", integer=True, positive=True)
SECOND, SUB = symbols("omega_I omega'", real=True)


def r2_logit(
    left: Any, number: Any, wanted: Any, asked: Any, step: Any, second: Any, cosine: Callable[[Any], Any] = cos
) -> Any:
    """The logit of R2 for a key (left, number) and a query (wanted, asked); None where a right half is a letter."""
    letters = cosine((left - wanted) * step)
    return letters if number is None or asked is None else letters + cosine((number - asked) * second)


def r3_phase(left: Any, slot: Any, wanted: Any, asked: Any, integers: Any, step: Any) -> Any:
    """The phase of the logit of R3 for a key (left, slot) and a query (wanted, asked); asked is None for a letter."""
    twice = 2 * slot - (integers if asked is None else 2 * asked)
    return (left - wanted) * step + twice * step / (integers + 1) / 2


@dataclass(frozen=True)
class ClosedForms:
    """The logits that the repaired heads are said to have."""

    r2: Callable[..., Any] = r2_logit
    r3: Callable[..., Any] = r3_phase

    def __str__(self) -> str:
        r2 = [self.r2(phi_c, NUMBER, phi_q, asked, omega, SECOND) for asked in (ASKED, None)]
        r3 = [cos(self.r3(phi_c, NUMBER, phi_q, asked, INTEGERS, omega)) for asked in (ASKED, None)]
        return (
            f"R1, R1': {cos((phi_c - phi_q) * omega)}; R2: {r2[0]}, and {r2[1]} unless both tokens have integers; "
            f"R3: {r3[0]}, and {r3[1]} for a query with a right letter"
        )


@claim(
    "retrieval-repaired-logits",
    source=Source(PAPER, "Thm 3.1", "derived"),
    quantifiers="for all tokens, alphabets and angles omega, omega_I, frequency 0; an identity",
    statement=str,
    variant=ClosedForms(),
    controls={
        "R2: letter queries see the integer": ClosedForms(
            r2=lambda left, k, wanted, q, *steps: r2_logit(left, k, wanted, k if q is None else q, *steps)
        ),
        "R2: phases of the planes add": ClosedForms(
            r2=lambda left, k, wanted, q, step, second, *_: cos((left - wanted) * step + ((k or 0) - (q or 0)) * second)
        ),
        "R3: letter queries ask for slot 0": ClosedForms(
            r3=lambda left, k, wanted, q, integers, step: r3_phase(left, k, wanted, q or 0, integers, step)
        ),
        "R3: I sub-sectors": ClosedForms(
            r3=lambda left, k, wanted, q, integers, step: r3_phase(left, k, wanted, q, integers - 1, step)
        ),
    },
    does_not_show="that the heads decode: see retrieval-repaired",
)
def retrieval_repaired_logits(closed: ClosedForms, thorough: bool) -> Iterator[Evidence]:
    """The symbolic columns for each kind of query and key; all tokens through the matrices at exact cosines."""
    yield Identity("columns", _columns(closed))
    yield Enumeration(
        "tokens through W_Q and W_K", _tokens(closed, ((2, 1), (2, 2), (3, 1)) if thorough else ((2, 1), (2, 2)))
    )
    yield Enumeration("R1' adds the read-out of the query to what R1 attends to", _doubled(thorough))


def _columns(closed: ClosedForms) -> Iterator[tuple[str, Expr, Expr]]:
    sector = (INTEGERS + 1) * SUB
    for k, q in product((NUMBER, None), (ASKED, None)):
        kind = f"key {k or 'letter'}, query {q or 'letter'}"
        r2 = r2_query_column(phi_q, q, omega, SECOND), r2_key_column(phi_c, k, omega, SECOND)
        yield f"R2, {kind}", at_rest(*r2), closed.r2(phi_c, k, phi_q, q, omega, SECOND)
        r3 = r3_query_column(phi_q, q, INTEGERS, sector), r3_key_column(phi_c, k or 0, INTEGERS, sector)
        yield f"R3, {kind}", at_rest(*r3), cos(closed.r3(phi_c, k or 0, phi_q, q, INTEGERS, sector))


def at_rest(query: Matrix, key: Matrix) -> Expr:
    """The logit of a query and a key when no plane turns (2m x 1 each)."""
    return logit(query, n, key, j, [S.Zero] * (query.rows // 2))


def _tokens(closed: ClosedForms, alphabets: tuple[tuple[int, int], ...]) -> Iterator[tuple[object, bool]]:
    for letters, integers in alphabets:
        step, tokens = letter_step(letters), pairs(letters, integers)
        r1, r2, r3 = (build(letters, integers) for build in (r1_head, r2_head, r3_head))
        for (at, query), (place, key) in product(enumerate(tokens), repeat=2):
            wanted = wanted_letter(*query, letters)
            k, q = (None if right < letters else right - letters + 1 for _, right in (key, query))
            expected = {
                "R1": (r1, cos(retrieval_phase(key[0], wanted, 0, step, 0))),
                "R2": (r2, closed.r2(key[0], k, wanted, q, step, integer_step(integers))),
                "R3": (r3, cos(closed.r3(key[0], k or 0, wanted, q, integers, step))),
            }
            for name, (head, value) in expected.items():
                found = at_rest(head.W_Q[:, at], head.W_K[:, place])
                yield {"A": letters, "I": integers, name: (query, key)}, sympy.expand(found - value) == 0


def _doubled(thorough: bool) -> Iterator[tuple[object, bool]]:
    letters, integers = (3, 2) if thorough else (2, 1)
    plain, doubled = r1_head(letters, integers), r1_doubled_head(letters, integers)
    width = plain.W_V.rows
    read, residual = r1_doubled_unembedding(letters, integers, 2), r1_residual(letters, integers, 2)
    embedding = Matrix.vstack(sympy.eye(width), sympy.zeros(width))
    yield "W_Q", doubled.W_Q * embedding == plain.W_Q
    yield "W_K", doubled.W_K * embedding == plain.W_K
    yield "residual", read * embedding == residual
    yield "attention", read * doubled.W_V * embedding == plain.W_V
