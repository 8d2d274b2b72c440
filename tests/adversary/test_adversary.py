"""No duel is lost, and the same adversary exposes the controls: `pytest tests/adversary --adversary` in full."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.adversary.duel import Duel
from tests.adversary.engine import Attack
from tests.adversary.table import DUELS, UNREACHED, WITHOUT
from theory.claims import Claim, discover
from theory.ledger import Submissions
from theory.outcome import Outcome

SEED = 2605
FULL, BRIEF, TEETH = 8_000, 120, 1_500  # evaluations of a variant
CLAIMS = discover()
# A sharp bound is attained to this at every setting, and a variant that stays this far from it is not attained.
ATTAINED, MISSED = 0.992, 0.97


def attack(duel: Duel, variant: Any, full: bool) -> Attack:
    """In brief the first two settings only."""
    return Attack(duel, variant, SEED).run(FULL if full else BRIEF, None if full else 2)


def variant_of(claim: Claim, name: str) -> Any:
    """A control by its name, or a dropped hypothesis by its label."""
    variants = claim.variants()
    variant, _ = variants[f"control: {name}"] if name in claim.controls else variants[name]
    return variant


@pytest.mark.parametrize("duel", DUELS, ids=str)
def test_duel(duel: Duel, full: bool, ledger: Submissions, record_property: Callable[[str, Any], None]) -> None:
    claim = CLAIMS[duel.claim]
    # What is false as printed must be found out, which ends the attack early.
    found = attack(duel, claim.variant, full or claim.expected is Outcome.REFUTED)
    spent, exposed, tried = found.evaluations, list[str](), 0
    for name in duel.controls:
        control = Attack(duel, variant_of(claim, name), SEED, control=True).run(FULL if full else TEETH)
        spent, tried = spent + control.evaluations, tried + 1
        if control.outcome is Outcome.REFUTED or (duel.sharp and control.least_best < MISSED):
            exposed.append(name)
            if not full:
                break
    record_property(
        "adversary",
        {
            "name": str(duel),
            "claim": claim.id,
            "outcome": found.outcome.value,
            "evaluations": found.evaluations,
            "ratio": found.best,
            "spent": spent,
            "exposed": len(exposed),
            "controls": tried,
        },
    )
    ledger.submit(claim.id, found.search())
    if claim.near_miss and duel.near_miss:
        nearly = attack(duel, claim.near_miss[1], full)
        assert nearly.search().outcome is Outcome.HOLDS, f"{claim.near_miss[0]}: beaten at {nearly.place}"
    if full:
        assert exposed == list(duel.controls), "a control that the adversary does not expose"
        assert not duel.sharp or found.least_best > ATTAINED, "a bound that is said to be attained"
    else:
        assert exposed or not duel.controls, "none of the controls is exposed"


def test_every_claim_has_a_duel_or_a_reason() -> None:
    duelled = {duel.claim for duel in DUELS}
    assert duelled | set(WITHOUT) == set(CLAIMS)
    assert not duelled & set(WITHOUT)


def test_every_control_of_a_duelled_claim_is_tried_or_has_a_reason() -> None:
    tried = {(duel.claim, name) for duel in DUELS for name in duel.controls}
    controls = {(duel.claim, name) for duel in DUELS for name in CLAIMS[duel.claim].controls}
    assert controls <= tried | set(UNREACHED)
    assert not tried & set(UNREACHED)
    assert set(UNREACHED) <= controls


def test_names_of_duels_differ() -> None:
    assert len({str(duel) for duel in DUELS}) == len(DUELS)
