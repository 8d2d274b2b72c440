"""The companion scripts: every step is checked, a broken formula stops them, and they read well."""

import re
import subprocess
import sys
from dataclasses import replace
from types import ModuleType

import pytest
from sympy import Max, Rational, ceiling, cos, pi, sin

from proofs import (
    __main__,
    exclusion_principle,
    head_continuity,
    hull_failure,
    impossibility,
    index_cases,
    index_discrepancy,
    isolation,
    joint_learnability,
    layer_continuity,
    linear_pool,
    master_identity,
    partial_induction,
    retrieval_cases,
    retrieval_margin,
    retrieval_repair_cases,
    temperature_separation,
    universal_limits,
)
from proofs.command import StepFailed, run
from proofs.companion import WIDTH, Companion, Table
from proofs.typeset import SPACE, display, inline, plain
from tests.companions import output, stops
from theory.evidence import Enumeration
from theory.rope.index.discrepancy import PrintedBound, index_discrepancy_printed
from theory.rope.retrieval.repairs import next_letter
from theory.symbols import n, omega, phi_c, theta

CLAIMS = {
    exclusion_principle: (
        "acting-by-swaps",
        "rope-exclusion-principle",
        "score-logit-closed-form",
        "score-hand-built-heads",
        "score-sum-bounds",
        "score-uniform-attention",
        "score-swaps-printed",
        "score-blind-spot",
    ),
    head_continuity: (
        "weights-bound",
        "single-head-continuity-sharp",
    ),
    hull_failure: (
        "gbi-hull-failure",
        "gbi-large-sample-consistency",
    ),
    impossibility: (
        "symbolic-cannot-index",
        "positional-cannot-retrieve-printed",
        "positional-retrieves-with-residual",
        "positional-retrieves-with-values",
        "positional-cannot-retrieve-identity",
        "positional-retrieve-margin",
    ),
    index_discrepancy: (
        "index-logit",
        "index-discrepancy-printed",
        "index-discrepancy-neighbour",
        "index-discrepancy-worst-case",
        "index-discrepancy-best-case",
        "index-positivity-condition",
        "index-positivity-printed",
        "delta-min-continued-fraction",
    ),
    isolation: (
        "basin",
        "isolation-printed",
        "isolation",
        "tail-invariance",
        "sparse-words",
    ),
    joint_learnability: (
        "margin-separation",
        "joint-learnability",
        "sparse-words",
        "doubt-or-dilemma",
    ),
    layer_continuity: (
        "attention-perturbation",
        "poisson-tail-averaging",
        "continuity-explicit",
        "logs-necessary",
        "lag-kernel-continuity",
    ),
    linear_pool: (
        "gbi-linear-pool-gradient-is-likelihood",
        "gbi-natural-gradient-unit-step",
        "gbi-softmax-calibration-error",
    ),
    master_identity: (
        "gbi-log-linear-master-identity",
        "gbi-exactness-iff-equal-offsets",
        "gbi-bias-corrected-equals-lli",
    ),
    partial_induction: (
        "partial-induction-needs-both",
        "partial-induction-two-angles",
        "partial-induction-recency-aligned",
        "partial-induction-recency-phase",
    ),
    retrieval_margin: (
        "retrieval-logit",
        "retrieval-discrepancy-printed",
        "retrieval-discrepancy-smallest-printed",
        "retrieval-discrepancy-largest-printed",
        "retrieval-discrepancy-worst-case",
        "retrieval-nope-gap",
        "retrieval-nope-printed",
        "retrieval-letter-integer-collision",
        "retrieval-collision-order",
        "retrieval-repaired",
        "retrieval-repaired-threshold",
    ),
    temperature_separation: (
        "bessel-lower-bound",
        "competitor-weight-floor",
        "m-frequency-two-sided-gap",
        "positional-weight-ceiling",
        "index-softmax-threshold",
        "temperature-best-frequency",
        "retrieval-repaired-threshold",
        "temperature-separation",
        "temperature-several-planes",
    ),
    universal_limits: (
        "one-frequency-universal-limit",
        "one-frequency-phase-optimal",
        "one-frequency-end-target",
        "m-frequency-two-sided-gap",
        "m-frequency-box-limit",
        "m-frequency-dirichlet-limit",
        "dyadic-frequencies",
        "log-frequencies",
        "log-frequencies-suffice",
    ),
}
scripts = pytest.mark.parametrize("script", CLAIMS, ids=lambda script: script.__name__)


@scripts
def test_every_step_is_checked(script: ModuleType) -> None:
    text = output(script)
    steps = re.split(r"^\((\d+)\)", text, flags=re.M)[1:]
    numbers, bodies = steps[::2], steps[1::2]
    assert list(map(int, numbers)) == list(range(1, len(numbers) + 1))
    assert len(numbers) > 12
    assert all("checked" in body for body in bodies)
    assert not re.search("FAILS|REFUTED|UNDECIDED|WRONG", text)
    assert text.endswith(f"All {len(numbers)} steps are checked.\n")


@scripts
def test_claims_are_named_and_kinds_of_evidence_too(script: ModuleType) -> None:
    text = output(script)
    for claim in CLAIMS[script]:
        assert f"[{claim}]" in re.sub(r"\n +", " ", text)
    assert sum(f"{kind}: " in text for kind in ("symbolic", "exact", "certified", "sampled")) >= 3


@scripts
def test_lines_fit_and_formulas_are_typeset(script: ModuleType) -> None:
    lines = output(script).splitlines()
    assert max(map(len, lines)) <= WIDTH
    assert [line for line in lines if line != line.rstrip()] == []
    assert not re.search(r"\*\*|<=|>=|\btheta\b|\bpi\b|\bomega\b|Piecewise|~", "\n".join(lines))


def test_where_the_printed_pigeonhole_argument_fails() -> None:
    table = output(index_discrepancy).partition("offsets of the other keys")[2]
    rows = [line.split() for line in table.splitlines()[2:7]]
    assert rows[1] == ["1", "-1", "1", "2", "2"]
    assert rows[4] == ["as", "printed", "1", "2", "3", "4", "4"]


test_a_broken_formula_stops_index_discrepancy = stops(
    index_discrepancy,
    (index_cases, "index_logit", lambda i, j, s, angle: sin((i - j - s) * angle), 2),
    (index_cases, "PRINTED", PrintedBound(decay=4 / n), 6),
    (
        index_discrepancy,
        "index_discrepancy_printed",
        replace(index_discrepancy_printed, variant=PrintedBound(largest=False)),
        7,
    ),
    (
        index_discrepancy,
        "index_discrepancy_printed",
        replace(index_discrepancy_printed, counterexample="n=3, theta=pi, s=1"),
        7,
    ),
)
test_a_broken_formula_stops_retrieval_margin = stops(
    retrieval_margin,
    (
        retrieval_cases,
        "retrieval_phase",
        lambda left, wanted, offset, step, angle: (left - wanted) * step - offset * angle,
        2,
    ),
    (
        retrieval_cases,
        "WORST",
        replace(retrieval_cases.WORST, halves=lambda n, x, step, up: ((step - x) / 2, (step - 2 * n * x) / 2)),
        9,
    ),
    (retrieval_repair_cases, "r3_letter", next_letter, 20),
)


@pytest.mark.parametrize("cases", [[], [("x", None)], [("x", True), ("y", False)]])
def test_what_is_not_checked_fails(cases: list[tuple[str, object]]) -> None:
    with pytest.raises(StepFailed, match="step 1"):
        Companion("A title", "A source").step("A statement.", Enumeration("cases", cases))


def test_a_step_without_a_check_fails() -> None:
    with pytest.raises(StepFailed, match="no check"):
        Companion("A title", "A source").step("A statement.")


def test_scripts_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert __main__.scripts().keys() == {script.__name__.partition(".")[2] for script in CLAIMS}
    assert run(__main__.main, []) == 0
    listing = capsys.readouterr().out
    assert all(f"python -m {script.__name__}\n" in listing for script in CLAIMS)


@pytest.mark.parametrize("module", [*CLAIMS, __main__], ids=lambda module: module.__name__)
def test_usage(module: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(module.main, ["--help"]) == 0
    assert "Example: python -m proofs" in capsys.readouterr().out
    assert run(module.main, ["--nonsense"]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_the_command_runs_on_a_terminal_without_greek_letters() -> None:
    command = [sys.executable, "-m", "proofs.index_discrepancy"]
    done = subprocess.run(command, capture_output=True, text=True, env={"PYTHONIOENCODING": "ascii"}, check=True)
    assert done.stdout.splitlines()[-1] == output(index_discrepancy).splitlines()[-1]


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (2 * pi**2 / n**2, "2π²/n²"),
        (1 - cos(2 * pi / n), "1 - cos(2π/n)"),
        ((2 * n - 3) * theta, "(2n - 3)θ"),
        (cos(n * theta - omega), "cos(ω - nθ)"),
        (2 * sin(omega / 2 - theta / 2) * cos(theta), "2 cos(θ) sin((ω - θ)/2)"),
        (phi_c * omega, "φ_c ω"),
        (10 ** Rational(1, 3), "10^(1/3)"),
        (2 * 6 ** Rational(2, 3), "2·6^(2/3)"),
        (5 * n**20, "5n^20"),
        (-theta / 2, "-θ/2"),
        (Max(n, theta), "max(n, θ)"),
    ],
)
def test_formulas_in_a_sentence(formula: object, text: str) -> None:
    assert inline(formula).replace(SPACE, " ") == text


def test_formulas_on_lines_of_their_own() -> None:
    assert display((2 * n - 3) * theta) == "(2n - 3)θ"
    assert display(2 * 6 ** Rational(2, 3) * n).splitlines() == ["   2/3", "2·6   n"]
    assert display(-(2 * theta) / n).splitlines() == [" 2θ", "-──", " n"]
    assert display(ceiling(n / 2 - Rational(1, 2))).splitlines() == ["⎡n - 1⎤", "⎢─────⎥", "⎢  2  ⎥"]


def test_words_and_tables() -> None:
    assert plain("theta=2*pi/3 <= beta, T* by retrieval-beta-for") == "θ=2π/3 ≤ β, T* by retrieval-beta-for"
    assert plain("x = 2 epsilon") == "x = 2ε"
    assert plain("e^-Delta < 2^200") == "e^-Δ < 2^200"
    assert plain("2 pi^2/n^2, 1 - cos(t*theta)") == f"2π²/n², 1 - cos(t{SPACE}θ)"
    assert str(Table(("n", "value"), [(2, "1/2"), (10, 3)])).splitlines() == [
        " n   value",
        "----------",
        " 2     1/2",
        "10       3",
    ]
