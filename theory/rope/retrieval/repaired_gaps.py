"""The repaired Retrieval heads decode every proper input of every length, with gaps that no length shrinks.

Source: derived here for arXiv 2605.31558, Thm 3.1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import lcm
from typing import Any

from sympy import Expr, cos

from theory.arithmetic.ball import Real
from theory.arithmetic.cosine_sums import smallest_is
from theory.claims import Hypothesis, Source, claim
from theory.evidence import Enumeration, Equation, Evidence, Identity
from theory.outcome import Outcome
from theory.rope.retrieval.decoding import Design, number, printed, r1, r2, r3
from theory.rope.retrieval.head import key_column, query_column
from theory.rope.retrieval.repaired import r2_key_column, r2_query_column, r3_key_column, r3_query_column
from theory.rope.retrieval.repaired_logits import ASKED, INTEGERS, SECOND, SUB, at_rest, r3_phase
from theory.rope.retrieval.repairs import REPAIRS, Repair, Repairs, next_letter, r3_integer, r3_letter
from theory.rope.rotation import PAPER
from theory.rope.sequences import Pair, pair_alphabet, proper_sequences, retrieval, show
from theory.symbols import omega, phi_q

SECTOR = (INTEGERS + 1) * SUB


def _statement(repairs: Repairs) -> str:
    texts = []
    for name, repair in repairs.items():
        letter, integer = (gap and gap(omega, SECOND, INTEGERS) for gap in (repair.letter_gap, repair.integer_gap))
        texts.append(f"{name}: LL {letter}, LI {integer or 'by the residual'}")
    return f"all proper inputs decode at frequency 0; smallest gaps, each the least of its list: {'; '.join(texts)}"


def _narrow(left: Any, slot: Any, wanted: Any, asked: Any, integers: Any, step: Any) -> Any:
    """R3 with sub-sectors omega/I wide: the outer slots of neighbouring letters fall together."""
    return (left - wanted) * step + r3_phase(0, slot, 0, asked, integers, step) * (integers + 1) / integers


@claim(
    "retrieval-repaired",
    source=Source(PAPER, "Thm 3.1", "derived"),
    quantifiers="for all A >= 2, I >= 1, n and proper inputs of length n, hard attention; gaps: minimum, every n >= 2",
    statement=_statement,
    variant=REPAIRS,
    controls={
        "R1 with residual x + 2a on all tokens": {
            "R1": Repair(lambda letters, _: printed(letters, residual=lambda query: Fraction(1, 2)))
        },
        "R2 without competitors that have a right letter": {
            "R2": Repair(r2, next_letter, lambda step, integer, _: [1 - cos(integer)])
        },
        "R3 with I sub-sectors": {
            "R3": Repair(lambda letters, integers: r3(letters, integers, phase=_narrow), r3_letter, r3_integer)
        },
        "R3 with the gap of one slot for LL": {"R3": Repair(r3, r3_integer, r3_integer)},
    },
    hypotheses=(
        Hypothesis("r >= 1", "the gain of R1", {"R1": Repair(lambda letters, _: r1(letters, Fraction(1, 2)))}),
        Hypothesis(
            "frequency 0",
            "no plane turns; R3 bears frequencies of order omega'/(2n) only",
            {"R3": Repair(lambda letters, integers: r3(letters, integers, Fraction(99, 2000)), r3_letter, r3_integer)},
        ),
    ),
    does_not_show="that a trained head takes any of these forms",
)
def retrieval_repaired(repairs: Repairs, thorough: bool) -> Iterator[Evidence]:
    """Every proper input decodes; the smallest gaps are those of the worst competitors, for all pairs of tokens."""
    for letters, integers, longest in ((2, 2, 5), (3, 2, 4)) if thorough else ((2, 2, 4), (3, 1, 3)):
        inputs = list(proper_sequences(letters, integers, longest))
        size = f"A = {letters}, I = {integers}, n <= {longest}"
        yield Enumeration(f"decoded, {size}", _decoded(repairs, letters, integers, inputs))
        yield Enumeration(f"smallest gaps, {size}", _smallest(repairs, letters, integers, inputs, longest))
    yield Enumeration("smallest gaps over all keys", _over_keys(repairs, thorough))
    yield Identity("worst competitors through W_Q and W_K", _worst(repairs))


def _decoded(
    repairs: Repairs, letters: int, integers: int, inputs: Sequence[Sequence[Pair]]
) -> Iterator[tuple[str, bool]]:
    for name, repair in repairs.items():
        head = repair.design(letters, integers)
        for tokens in inputs:
            yield f"{name}: {show(tokens)}", head.hard_margin(tokens, retrieval(tokens)[-1]) > 0


def _smallest(
    repairs: Repairs, letters: int, integers: int, inputs: Sequence[Sequence[Pair]], longest: int
) -> Iterator[tuple[object, Outcome]]:
    for name, repair in repairs.items():
        head = repair.design(letters, integers)
        for length, integer_query in ((length, kind) for length in range(2, longest + 1) for kind in (False, True)):
            chosen = (
                tokens for tokens in inputs if len(tokens) == length and (number(tokens[-1]) is None) != integer_query
            )
            rivals = {head.rivals(tokens, retrieval(tokens)[-1]) for tokens in chosen} - {None}
            if (said := repair.gap(letters, integers, integer_query)) is not None:
                case = {
                    "head": name,
                    "A": letters,
                    "I": integers,
                    "n": length,
                    "query": "LI" if integer_query else "LL",
                }
                yield case, smallest_is(_gaps(head, rivals), said, _order(letters, integers))


def _gaps(head: Design, rivals: Any) -> list[Real]:
    return [head.logit(target) - head.logit(other) for target, other in rivals]


def _order(letters: int, integers: int) -> int:
    return lcm(integers, 2 * letters * (integers + 1))


def _over_keys(repairs: Repairs, thorough: bool) -> Iterator[tuple[object, Outcome]]:
    """For every query: the worst key that it may have as target against the best of all other tokens."""
    sizes = [(3, 3), (4, 2), (6, 2)] + ([(4, 6), (6, 4), (6, 6)] if thorough else [])
    for (letters, integers), (name, repair) in ((size, item) for size in sizes for item in repairs.items()):
        head, alphabet = repair.design(letters, integers), pair_alphabet(letters, integers)
        for integer_query in (False, True):
            if (said := repair.gap(letters, integers, integer_query)) is None:
                continue
            rivals = set()
            for query in alphabet:
                if (number(query) is None) == integer_query:
                    continue
                targets = [query] if integer_query else [key for key in alphabet if key[0] == query[1]]
                others = [key for key in alphabet if key not in targets]
                rivals.add(
                    (
                        min(head.level(query, key, 0) for key in targets),
                        max(head.level(query, key, 0) for key in others),
                    )
                )
            case = {"head": name, "A": letters, "I": integers, "query": "LI" if integer_query else "LL"}
            yield case, smallest_is(_gaps(head, rivals), said, _order(letters, integers))


# The worst competitors: integer of the query, then letter (from that of the target) and integer of target and rival.
_WORST = {
    "R1": ([(None, (0, None), (1, None))], []),
    "R2": (
        [(None, (0, ASKED), (1, ASKED))],
        [(ASKED, (0, ASKED), rival) for rival in ((0, None), (1, ASKED), (0, ASKED + 1))],
    ),
    "R3": ([(None, (0, INTEGERS), (1, 0))], [(ASKED, (0, ASKED), (0, ASKED + 1))]),
}


def _logit(name: str, asked: Expr | None, step: int, integer: Expr | None) -> Expr:
    """The logit of a query for the letter phi_q and a key `step` letters on, from the columns of the maps."""
    if name == "R1":
        return at_rest(query_column(phi_q), key_column(phi_q + step))
    if name == "R2":
        steps = omega, SECOND
        return at_rest(r2_query_column(phi_q, asked, *steps), r2_key_column(phi_q + step, integer, *steps))
    sizes = INTEGERS, SECTOR
    return at_rest(r3_query_column(phi_q, asked, *sizes), r3_key_column(phi_q + step, integer, *sizes))


def _worst(repairs: Repairs) -> Iterator[Equation]:
    for name, repair in repairs.items():
        for gap, cases in zip((repair.letter_gap, repair.integer_gap), _WORST[name], strict=True):
            claimed = gap(SECTOR if name == "R3" else omega, SECOND, INTEGERS) if gap else []
            for (asked, target, rival), said in zip(cases, claimed, strict=True):
                yield f"{name}: {said}", _logit(name, asked, *target) - _logit(name, asked, *rival), said
