"""A claim that says something else, or whose checker looks at less or at other things, is found out."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from sympy import Symbol

from tests.pinned import FILE, complaint, looked_at, pinned, text
from theory.claims import STATEMENT, Claim, discover
from theory.evidence import Enumeration, Evidence, Identity
from theory.outcome import Outcome

CLAIM = discover()["rope-relative-logit"]


def against_the_table(claim: Claim, label: str = STATEMENT) -> str | None:
    return complaint(claim, label, claim.examine(label).evidence, thorough=False)


def checked_by(claim: Claim, evidence: Sequence[Evidence]) -> Claim:
    return replace(claim, check=lambda variant, thorough: evidence)


def test_the_table_names_claims_and_variants_that_exist() -> None:
    listed = {(claim, label) for claim, rows in pinned().items() for label in rows}
    assert listed <= {(claim.id, label) for claim in discover().values() for label in claim.variants()}


@pytest.mark.parametrize("label", CLAIM.variants())
def test_the_same_is_let_pass(label: str) -> None:
    assert against_the_table(CLAIM, label) is None


def test_a_claim_that_is_not_listed_is_let_pass() -> None:
    assert against_the_table(replace(CLAIM, id="new")) is None


def test_less_is_found_out() -> None:
    pieces = list(CLAIM.examine(STATEMENT).evidence)
    assert "rope-relative-logit, statement: was" in (against_the_table(checked_by(CLAIM, pieces[:-1])) or "")


def test_as_many_other_cases_are_found_out() -> None:
    one, other = ([Enumeration("turns", [(case, True)])] for case in ("1/3", "1/4"))
    assert one[0].size == other[0].size
    was, now = ((against_the_table(checked_by(CLAIM, pieces)) or "").split("and is")[1] for pieces in (one, other))
    assert was != now


def test_an_identity_of_one_side_with_itself_is_found_out() -> None:
    x = Symbol("x")
    earnest, hollow = (Identity("", [("square", side, x**2 + 2 * x + 1)]) for side in ((x + 1) ** 2, x**2 + 2 * x + 1))
    assert earnest.outcome is hollow.outcome is Outcome.HOLDS
    assert looked_at([earnest]) != looked_at([hollow])


def test_another_statement_is_found_out() -> None:
    assert "and is\n  no" in (against_the_table(replace(CLAIM, statement=lambda variant: "no")) or "")


def test_the_file_is_as_it_is_written() -> None:
    assert FILE.read_text(encoding="utf-8") == text(pinned())
