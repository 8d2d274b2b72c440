"""Heads of known kinds at every layer, summaries against brute force, and studies that are killed."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from constructions.decoder import Decoder as HandBuilt
from constructions.decoder import letter_decoder, number_decoder
from empirical.__main__ import run
from empirical.capture.heads import LayerHeads
from empirical.decoder import Decoder
from empirical.decoder_config import DecoderConfig
from empirical.dynamics.output import report
from empirical.dynamics.snapshots import KINDS, kind, rows_of
from empirical.dynamics.study import Learnt, Study
from empirical.dynamics.summary import LEARNT, as_data, summary
from empirical.intervals import OverSeeds
from empirical.kept import kept
from empirical.rotary import Rotary
from empirical.scores.head_scores import pure
from empirical.scores.settings import Settings
from empirical.tasks.letter import LetterTask
from empirical.tasks.number import NumberTask
from empirical.training.loop import train
from empirical.training.plan import Plan
from empirical.training.recipe import RECIPES, Recipe
from empirical.training.test_resume import die_at, start
from theory.errors import InputError

torch.set_num_threads(1)

NUMBER = NumberTask(letters=6, integers=5, targets=4, links=4, hops=3)
LETTER = LetterTask(alphabet=5, integers=3, targets=4, links=4, hops=3)
RECIPE = Recipe(
    train=60, validation=20, test=20, batch=10, steps=4, report=2, warmup=1, dropout=0.0, silent_blocks=True
)
PLAN = Plan(LETTER, DecoderConfig(LETTER.vocabulary_size, layers=2, width=8), RECIPE)
STUDY = Study(PLAN, (0, 1), prompts=6)


def layers_of(decoder: HandBuilt[Any], tokens: torch.Tensor) -> Iterator[LayerHeads]:
    """The heads of a decoder with hand-written weights, as others meet them."""
    stream = decoder.embed(tokens)
    for number, layer in enumerate(decoder.layers):
        head: Any = layer.head
        own, _ = stream.chunk(2, dim=-1)
        queries, keys = ((own @ weights.T)[:, None] for weights in (head.W_Q, head.W_K))
        angles = torch.tensor([float(angle) for angle in head._angles], dtype=torch.float64)
        yield LayerHeads(
            number, queries, keys, Rotary.adjacent(angles), decoder.beta, attention=head.weights(own)[:, None]
        )
        stream = layer(stream)


@pytest.mark.parametrize(
    ("decoder", "task", "expected"),
    [
        (number_decoder(6, 5, 9, 3), NUMBER, "positional"),
        (letter_decoder(5, 3, 9, 3), LETTER, "symbolic"),
    ],
    ids=["number", "letter"],
)
def test_hand_built_decoders_are_pure_in_every_layer(
    decoder: HandBuilt[Any], task: NumberTask | LetterTask, expected: str
) -> None:
    """Index heads are exactly positional and Retrieval heads exactly symbolic: one score is 1 on every prompt."""
    batch = task.generate(30, 0)
    rows = rows_of(layers_of(decoder, batch.tokens), Settings(), batch.hops)
    assert len(rows) == 3
    for row in rows:
        assert kind(row["s_pos"], row["s_sym"], 0.05) == expected
        assert row["s_pos" if expected == "positional" else "s_sym"] == pytest.approx(1, abs=1e-12)
        assert row[f"prompts_{expected}"] == 1 and set(row["by_hops"]) == {"1", "2", "3"}


def test_random_weights_are_indifferent() -> None:
    torch.manual_seed(0)
    model, batch = Decoder(PLAN.model).eval(), LETTER.generate(12, 0)
    rows = rows_of(model.heads(batch.tokens), Settings(), batch.hops)
    assert [kind(row["s_pos"], row["s_sym"], 0.05) for row in rows] == ["indifferent"] * 2
    assert all(row["relative_entropy"] > 0.999 for row in rows)
    mean = sum(found["s_pos"] for found in rows[0]["by_hops"].values()) / 3  # four prompts of each
    assert mean == pytest.approx(rows[0]["s_pos"])


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0.01, 0.49))
def test_kinds(positional: float, symbolic: float, gamma: float) -> None:
    found = kind(positional, symbolic, gamma)
    assert found in KINDS
    assert (found in ("positional", "symbolic")) == (pure(positional, symbolic, gamma) != "")
    assert (found == "indifferent") == (positional >= 1 - gamma and symbolic >= 1 - gamma)
    mirrored = {"positional": "symbolic", "symbolic": "positional"}.get(found, found)
    assert kind(symbolic, positional, gamma) == mirrored


def test_intervals_over_seeds() -> None:
    found = OverSeeds.of([0.4, 0.5, 0.6])
    assert found.mean == pytest.approx(0.5) and (found.least, found.most) == (0.4, 0.6)
    half = 4.302652729911275 * 0.1 / 3**0.5  # the table of Student's t, two degrees of freedom
    assert found.low == pytest.approx(0.5 - half) and found.high == pytest.approx(0.5 + half)
    assert OverSeeds.of([0.0, 0.9, 1.0]).high == 1.0 and OverSeeds.of([0.0, 3.0, 4.0], 4.0).high == 4.0
    assert OverSeeds.of([0.7]) == OverSeeds(0.7, None, None, 0.7, 0.7)


def test_intervals_hold_the_mean_as_often_as_they_say() -> None:
    drawn = np.random.default_rng(0).normal(0.5, 0.01, (2000, 3))
    held = [found.low <= 0.5 <= found.high for found in map(OverSeeds.of, drawn.tolist()) if found.low and found.high]
    assert len(held) == 2000 and 0.93 < sum(held) / 2000 < 0.97


def made_up(seed: int) -> Learnt:
    rng = np.random.default_rng(seed)
    reports = [
        {"step": 10 * at, "validation": {"by_hops": {hops: float(rng.random()) for hops in "12"}}} for at in range(6)
    ]
    names = ("s_pos", "s_sym", "relative_entropy")
    heads = [
        [
            {"layer": layer, "head": 0, **{name: round(float(rng.random())) * 0.97 for name in names}}
            for layer in range(3)
        ]
        for _ in reports
    ]
    return Learnt(seed, reports, heads, {"accuracy": 0.5, "by_hops": {"1": 1.0, "2": 0.0}})


def test_summaries_against_brute_force() -> None:
    runs = [made_up(seed) for seed in range(4)]
    data = as_data(summary(runs))
    for hops in "12":
        for at, point in enumerate(data["accuracy"][hops]):
            values = [run.reports[at]["validation"]["by_hops"][hops] for run in runs]
            assert point["step"] == 10 * at and point["mean"] == pytest.approx(np.mean(values))
            assert (point["least"], point["most"]) == (min(values), max(values))
    for at in range(6):
        rows = [row for run in runs for row in run.heads[at]]
        symbolic = sum(row["s_sym"] == 0.97 and row["s_pos"] == 0 for row in rows)
        both = sum(row["s_sym"] == 0.97 == row["s_pos"] for row in rows)
        for counts in data["counts"]:
            assert counts["symbolic"][at]["mean"] == pytest.approx(symbolic / 4)
            assert counts["indifferent"][at]["mean"] == pytest.approx(both / 4)
            assert sum(counts[name][at]["mean"] for name in KINDS) == pytest.approx(3)
    for found in data["learning"]:
        steps = []
        for each in runs:
            above = [r["step"] for r in each.reports if r["validation"]["by_hops"][found["hops"]] >= LEARNT]
            steps += above[:1]
        assert found["seeds"] == len(steps)
        assert (found["steps"] and found["steps"]["mean"]) == (pytest.approx(np.mean(steps)) if steps else None)


def test_what_is_kept_is_not_computed_again(tmp_path: Path) -> None:
    path, calls = tmp_path / "deep" / "part.json", []

    def compute() -> list[float]:
        calls.append(1)
        return [0.1, 1 / 3]

    assert kept(path, "a", compute) == kept(path, "a", compute) == [0.1, 1 / 3] and len(calls) == 1
    assert kept(path, "b", compute) == [0.1, 1 / 3] and len(calls) == 2
    path.write_text('{"key": "b"')
    assert kept(path, "b", compute) == [0.1, 1 / 3] and len(calls) == 3
    assert kept(None, "b", compute) == [0.1, 1 / 3] and len(calls) == 4
    path.write_text("[" * 100_000)
    assert kept(path, "b", compute) == [0.1, 1 / 3] and len(calls) == 5


def test_killed_studies_end_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first process dies at its 20th operation on files, each later one 20 later, until one comes to the end."""
    monkeypatch.setattr("empirical.dynamics.output.draw", lambda *_: [])
    report(STUDY, tmp_path / "whole")
    out = tmp_path / "killed"

    def work(operation: int) -> None:
        die_at(operation)
        report(STUDY, out)

    for operation in count(20, 20):
        process = start(lambda: work(operation))  # noqa: B023
        process.join()
        if process.exitcode != -signal.SIGKILL:
            break
    assert process.exitcode == 0 and operation > 40
    files = [{path.relative_to(each) for path in each.rglob("*")} for each in (out, tmp_path / "whole")]
    assert files[0] == files[1]
    for name in ("dynamics.json", "seed-1/scores/000004.json"):
        assert (out / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(RECIPES, "fast", RECIPE)
    words = ["dynamics", "--task", "number", "--layers", "2", "--width", "4", "--prompts", "4", "--out", str(tmp_path)]
    assert run([*words, "--seeds", "0", "1", "2", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["format"] == "headproof learning dynamics" and data["version"] == 1 and data["seeds"] == [0, 1, 2]
    assert [run["seed"] for run in data["runs"]] == [0, 1, 2] and len(data["runs"][0]["heads"]) == 3
    assert json.loads((tmp_path / "dynamics.json").read_text()) == data
    assert (tmp_path / "dynamics.png").exists() and (tmp_path / "dynamics.svg").exists()
    monkeypatch.setattr("empirical.dynamics.output.draw", lambda *_: [])
    assert run([*words, "--seeds", "1"]) == 0
    assert "one seed, no intervals" in capsys.readouterr().out
    for more, expected in [
        (["--seeds", "0", "--steps", "5"], "recipe.steps=4, and recipe.steps=5"),
        (["--seeds", "1", "1"], "not all different"),
        (["--seeds", "-1"], "-1 is not in the range"),
        (["--prompts", "1"], "prompts=1"),
        (["--prompts", "6"], "already holds dynamics.json of another request; give another folder"),
        (["--tau", "0.5"], "already holds dynamics.json of another request; give another folder"),
        (["--report", "0"], "report=0"),
        (["0", "1"], "unexpected extra arguments"),
        (["--seeds", "x"], "'x' is not a valid integer"),
    ]:
        assert run([*words, *more]) == 2
        error = capsys.readouterr().err
        assert expected in error and error.count("\n") == 1


def test_trainings_without_snapshots_are_refused(tmp_path: Path) -> None:
    train(PLAN, tmp_path / "seed-0")
    with pytest.raises(InputError, match="kept no snapshots"):
        report(replace(STUDY, seeds=(0,)), tmp_path)
