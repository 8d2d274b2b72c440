"""Evidence counts itself and cannot be told that it holds."""

from collections.abc import Callable
from fractions import Fraction
from math import inf, nan
from typing import Any

import pytest
import sympy
from flint import arb
from sympy import cos, sin

from theory.evidence import BoxCover, Constructed, Enumeration, Identity, Search, Trained, Trial
from theory.outcome import Outcome
from theory.symbols import n, r, theta

HOLDS, REFUTED, UNDECIDED = Outcome.HOLDS, Outcome.REFUTED, Outcome.UNDECIDED


@pytest.mark.parametrize("kind", [Enumeration, Constructed])
def test_tally(kind: Any) -> None:
    assert kind("none", []).outcome is UNDECIDED
    assert kind("all", [(1, True), (2, HOLDS)]).outcome is HOLDS
    assert kind("nothing said", [(1, True), (2, None)]).outcome is UNDECIDED
    assert kind("not a number", [(1, nan)]).outcome is UNDECIDED
    broken = kind("one bad", iter([(1, None), (2, False), (3, False)]))
    assert (broken.outcome, broken.count, broken.witness) == (REFUTED, 2, 2)


def test_trained_evidence_names_its_weights() -> None:
    digest = "0123456789abcdef" * 4
    found = Trained("a model", [(1, True), (2, True)], checkpoint=digest, seeds=(0, 3))
    assert (found.kind, found.outcome, found.size) == ("trained", HOLDS, "2 inputs, weights 0123456789ab, seeds 0, 3")
    assert Trained("a model", [(1, False)], checkpoint=digest, seeds=(0,)).outcome is REFUTED
    for checkpoint, seeds in (("", (0,)), (digest[1:], (0,)), (digest, ())):
        with pytest.raises(ValueError, match="SHA-256"):
            Trained("unnamed", [(1, True)], checkpoint=checkpoint, seeds=seeds)


def test_an_identity_is_reduced_refuted_or_left_undecided() -> None:
    addition = Identity(
        "addition", [("cos", cos(n * theta + theta), cos(n * theta) * cos(theta) - sin(n * theta) * sin(theta))]
    )
    assert (addition.outcome, addition.count) == (HOLDS, 1)
    wrong = Identity(
        "sign", [("cos", cos(n * theta + theta), cos(n * theta) * cos(theta) + sin(n * theta) * sin(theta))]
    )
    assert (wrong.outcome, wrong.witness) == (REFUTED, "cos")
    # True for integers only, and no rewriting through exponentials shows it: not proved is not held.
    assert Identity("integer", [("sin", sin(sympy.pi * (n * n + n) / 2) ** 2, sympy.Integer(0))]).outcome is not HOLDS
    assert Identity("nothing", []).outcome is UNDECIDED


def test_matrix_identities_compare_every_entry() -> None:
    left = sympy.Matrix([[r, theta]])
    assert Identity("equal", [("row", left, left)]).outcome is HOLDS
    assert Identity("last entry", [("row", left, sympy.Matrix([[r, theta + 1]]))]).outcome is REFUTED


UNIT = ((Fraction(0), Fraction(1)),)


def below(bound: float) -> Callable[[arb], Outcome]:
    """x - x^2 < bound on a box, three-valued: it is at most 1/4, attained at 1/2."""

    def decide(x: arb) -> Outcome:
        value = x * (1 - x)
        return HOLDS if value < bound else REFUTED if value > bound else UNDECIDED

    return decide


def test_a_cover_is_adaptive_and_must_be_complete() -> None:
    cover = BoxCover("strict", UNIT, below(0.26))
    assert cover.outcome is HOLDS
    assert cover.count > 1
    assert cover.undecided_share == 0
    touching = BoxCover("attained", UNIT, below(0.25), limit=200)
    assert touching.outcome is UNDECIDED
    assert 0 < touching.undecided_share < 1
    assert BoxCover("false", UNIT, below(0.2)).outcome is REFUTED


def test_a_search_counts_what_is_not_vacuous_and_allows_rounding_only() -> None:
    held = Search("held", [Trial(1, 0.5, 1.0), Trial(2, 5.0, 9.0, vacuous=True), Trial(3, 0.9, 1.0)], seed=0)
    assert (held.outcome, held.count, held.largest_ratio) == (HOLDS, 2, 0.9)
    assert Search("rounding", [Trial(1, 1 + 1e-15, 1.0, allowance=1e-14)], seed=0).outcome is HOLDS
    assert Search("beaten", [Trial(1, 1 + 1e-13, 1.0, allowance=1e-14)], seed=0).outcome is REFUTED
    assert Search("all vacuous", [Trial(1, 0.5, 1.0, vacuous=True)], seed=0).outcome is UNDECIDED
    for bad in (nan, inf):
        assert Search("not finite", [Trial(1, bad, 1.0)], seed=0).outcome is UNDECIDED
        assert Search("not finite", [Trial(1, 0.0, bad)], seed=0).outcome is UNDECIDED
        assert Search("anything is allowed", [Trial(1, 2.0, 1.0, allowance=bad)], seed=0).outcome is UNDECIDED


@pytest.mark.parametrize(("said", "outcome"), [(None, UNDECIDED), (nan, UNDECIDED), (True, HOLDS), (False, REFUTED)])
def test_a_cover_reads_what_is_said_of_a_box_like_all_evidence(said: Any, outcome: Outcome) -> None:
    assert BoxCover("said", UNIT, lambda x: said, limit=20).outcome is outcome


@pytest.mark.parametrize("domain", [(), ((Fraction(1), Fraction(1)),), ((Fraction(1), Fraction(0)),)])
def test_a_domain_without_volume_is_no_cover(domain: Any) -> None:
    with pytest.raises(ValueError, match="no volume"):
        BoxCover("empty", domain, lambda *box: HOLDS)
