"""The ledger trusts no claim that is hollow: each way to be hollow gets a complaint."""

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from tests.source import ROOT
from theory.claims import STATEMENT, Checker, Claim, Hypothesis, Source, claim, discover
from theory.evidence import Enumeration, Evidence, Search, Trial
from theory.outcome import Outcome
from theory.table import render
from theory.verdicts import KINDS, Ledger, Run

LENGTHS = range(2, 9)


def _check(bound: int, thorough: bool) -> Iterator[Evidence]:
    """Squares below `bound` times the number."""
    yield Enumeration("all", ((n, n * n <= bound * n) for n in LENGTHS))
    yield Search("some", (Trial(n, n * n, bound * n) for n in (2, 8)), seed=0)


SOUND = claim(
    "squares",
    source=Source("0000.00000", "Thm 1"),
    quantifiers="2 <= n <= 8",
    statement=lambda bound: f"n^2 <= {bound} n",
    variant=8,
    controls={"seven": 7, "one": 1},
    hypotheses=(Hypothesis("H1", "n <= 8", dropped=6), Hypothesis("H2", "n >= 2")),
)(_check)

REFUTED = replace(
    SOUND,
    id="squares-printed",
    variant=2,
    controls={"one": 1, "zero": 0},
    hypotheses=(),
    expected=Outcome.REFUTED,
    near_miss=("eight", 8),
    counterexample=3,
    repaired_by="squares",
)


def examine(*claims: Claim, drop: str = "") -> Ledger:
    runs = [Run.of(c, label, c.examine(label)) for c in claims for label in c.variants() if label != drop]
    return Ledger({c.id: c for c in claims}, [Run.from_json(run.as_json()) for run in runs])


def test_a_sound_claim_and_a_refuted_one_pass() -> None:
    ledger = examine(SOUND, REFUTED)
    assert ledger.complaints() == []
    assert [ledger.observed(c) for c in (SOUND, REFUTED)] == ["holds", "refuted"]
    assert ledger.controls(SOUND) == (3, 3)
    assert ledger.totals() == {"exact": 2, "sampled": 2}


def always(outcome: object) -> Checker:
    def check(bound: int, thorough: bool) -> Iterator[Evidence]:
        yield Enumeration("hard-wired", [(3, outcome)])
        yield Search("hard-wired", [Trial(0, 0.0, 1.0)], seed=0)

    return check


def one_kind(bound: int, thorough: bool) -> Iterator[Evidence]:
    yield Enumeration("all", ((n, n * n <= bound * n) for n in LENGTHS))


@pytest.mark.parametrize(
    ("hollow", "complaint"),
    [
        (replace(SOUND, controls={"seven": 7}), "1 control,"),
        (replace(SOUND, controls={"seven": 7, "nine": 9}), "control: nine holds"),
        (replace(SOUND, hypotheses=(Hypothesis("H1", "n <= 8", dropped=8),)), "without H1 holds"),
        (replace(SOUND, check=always(True)), "control: seven holds"),
        (replace(SOUND, check=always(None)), "statement is undecided"),
        (replace(SOUND, check=one_kind), "kinds of evidence ['exact']"),
        (replace(SOUND, variant=7), "statement is refuted, expected holds (exact, all: refuted at 8)"),
        (replace(REFUTED, check=always(False)), "near miss: eight is refuted"),
        (replace(REFUTED, near_miss=None), "needs a true near miss"),
        (replace(REFUTED, counterexample=4), "declared 4, found 3"),
        (replace(REFUTED, variant=8), "statement holds, expected refuted"),
    ],
)
def test_a_hollow_claim_gets_a_complaint(hollow: Any, complaint: Any) -> None:
    found = examine(*{c.id: c for c in (SOUND, hollow)}.values()).complaints()
    assert any(complaint in line for line in found), found


def test_a_repair_must_be_a_claim() -> None:
    assert "no claim" in "".join(examine(REFUTED).complaints())


def test_what_was_not_run_is_shown_and_fails_nothing() -> None:
    ledger = examine(replace(SOUND, controls={}), drop="without H1")
    assert ledger.complaints() == []
    nothing = Ledger({SOUND.id: SOUND}, [])
    assert nothing.observed(SOUND) == "not run"
    assert "not run" in render(nothing, width=120)


@pytest.mark.parametrize("width", [72, 80, 100, 120, 140, 200])
def test_the_table_breaks_no_word(width: int) -> None:
    ledger = Ledger({**discover(), SOUND.id: SOUND}, examine(SOUND).checked[SOUND.id].values())
    lines = render(ledger, width).splitlines()
    assert max(map(len, lines)) <= width
    words = set(" ".join(lines).split())
    for item in ledger.claims.values():
        assert {item.id, *item.source.paper.split(), *item.source.item.split()} <= words
    (row,) = [line.split() for line in lines if line.startswith(SOUND.id)]
    assert row[:4] == ["squares", "holds", "holds", "3/3"]
    assert ("exact" in row) is (width >= 120)


def test_one_claim_is_no_plural() -> None:
    assert "\n1 claim: 1 holds\n" in render(examine(SOUND), 80)


def test_submitted_evidence_that_disagrees_is_a_complaint() -> None:
    ledger = examine(SOUND)
    evidence = Enumeration("elsewhere", [(1, False)])
    ledger.submitted[SOUND.id].append(Run(SOUND.id, STATEMENT, "refuted", (evidence.as_json(),), from_checker=False))
    assert ledger.observed(SOUND) == "undecided"
    assert any("submitted" in line for line in ledger.complaints())


def test_every_kind_of_evidence_has_a_column_in_the_totals() -> None:
    def subclasses(kind: type[Evidence]) -> set[str]:
        return {sub.kind for sub in kind.__subclasses__()}

    assert subclasses(Evidence) == set(KINDS)


@pytest.mark.parametrize("item", discover().values(), ids=lambda item: item.id)
def test_claims_are_complete_as_data(item: Any) -> None:
    assert len(item.controls) >= 2
    assert item.quantifiers
    assert item.does_not_show
    assert item.check.__doc__
    for variant, _ in item.variants().values():
        assert str(item.statement(variant))
    if item.expected is Outcome.REFUTED:
        assert item.near_miss is not None
        assert item.repaired_by in discover()
        assert item.printed


LOST = """
import gc
import os
before = dict(os.environ)
from theory.claims import Claim, discover
from theory.quantities import Quantity, quantities
held = {id(item) for item in [*discover().values(), *quantities().values()]}
print(*[item for item in gc.get_objects() if isinstance(item, Claim | Quantity) and id(item) not in held], end="")
print(*os.environ.items() - before.items(), end="")
"""


def test_no_claim_and_no_quantity_is_lost_and_listing_them_sets_no_variable() -> None:
    """What a loop or a factory made, and no module holds under a name of its own, would be run by nobody."""
    # In a process of its own: tests make claims and quantities too, and run with one thread.
    own = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    found = subprocess.run([sys.executable, "-c", LOST], capture_output=True, text=True, check=True, cwd=ROOT, env=own)
    assert found.stdout == ""


@pytest.mark.parametrize("claim", discover().values(), ids=lambda claim: claim.id)
def test_every_variant_has_a_name_of_its_own(claim: Claim) -> None:
    dropped = sum(hypothesis.dropped is not None for hypothesis in claim.hypotheses)
    assert len(claim.variants()) == 1 + len(claim.controls) + dropped + (claim.near_miss is not None)


@pytest.mark.parametrize("claim", discover().values(), ids=lambda claim: claim.id)
def test_no_control_and_no_near_miss_says_what_the_claim_says(claim: Claim) -> None:
    """A dropped hypothesis may: it is the same statement, of more than it is true of."""
    others = [*claim.controls.items(), *filter(None, [claim.near_miss])]
    said = str(claim.statement(claim.variant))
    assert [name for name, variant in others if str(claim.statement(variant)) == said] == []


def test_modules_with_claims_are_collected_by_pytest() -> None:
    for item in discover().values():
        assert not item.module.rpartition(".")[2].startswith("_"), f"{item.module}: pytest would not collect it"
