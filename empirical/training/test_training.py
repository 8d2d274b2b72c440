"""The parts of a training: data, schedule, Muon, first weights, accuracy, and the command line."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from empirical.__main__ import run
from empirical.checkpoint import load_model
from empirical.decoder import Decoder
from empirical.decoder_config import DecoderConfig
from empirical.tasks.number import NumberTask
from empirical.training.accuracy import measure
from empirical.training.data import Data, Purpose, stream
from empirical.training.learner import Learner
from empirical.training.muon import MOMENTUM, Muon, orthogonalise
from empirical.training.plan import Plan
from empirical.training.recipe import RECIPES, Recipe
from theory.errors import InputError

TASK = NumberTask(letters=5, integers=4, targets=3, links=2, hops=2)
RECIPE = Recipe(train=100, validation=30, test=40, batch=16, steps=20, report=5, warmup=4, dropout=0.0)
PLAN = Plan(TASK, DecoderConfig(TASK.vocabulary_size, layers=2, width=8), RECIPE)


def rows(tokens: torch.Tensor) -> list[tuple[int, ...]]:
    return [tuple(row) for row in tokens.tolist()]


def test_parts_share_no_sequence() -> None:
    data = Data(TASK, RECIPE, seed=1)
    parts = [rows(part.tokens) for part in (data.train, data.validation, data.test)]
    assert [len(part) for part in parts] == [100, 30, 40]
    assert len(set().union(*parts)) == 170


def test_an_epoch_takes_every_sequence_at_most_once_and_epochs_differ() -> None:
    data, again = Data(TASK, RECIPE, seed=1), Data(TASK, RECIPE, seed=1)
    steps = 100 // 16
    epochs = [[row for step in range(steps) for row in rows(data.batch(e * steps + step).tokens)] for e in range(2)]
    for epoch in epochs:
        assert len(epoch) == len(set(epoch)) == 96 and set(epoch) <= set(rows(data.train.tokens))
    assert epochs[0] != epochs[1]
    assert rows(again.batch(steps + 2).tokens) == epochs[1][32:48]  # whatever was asked before


def test_streams_differ() -> None:
    seeds = [stream(seed, purpose, number) for seed in range(5) for purpose in Purpose for number in range(50)]
    assert len(set(seeds)) == len(seeds) and min(seeds) >= 0 and max(seeds) < 2**63


def test_rates_rise_for_the_warm_up_and_fall_to_zero() -> None:
    shares = [RECIPE.schedule(step) for step in range(20)]
    assert shares == pytest.approx([0.25, 0.5, 0.75, 1.0, *(k / 16 for k in range(16, 0, -1))])
    assert replace(RECIPE, warmup=0).schedule(0) == 1.0


@given(st.integers(1, 12), st.integers(1, 12), st.integers(0, 2**32 - 1))
def test_orthogonalised_matrices_turn_alike(height: int, width: int, seed: int) -> None:
    matrices = torch.randn(2, height, width, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    left, values, right = torch.linalg.svd(matrices, full_matrices=False)
    result = orthogonalise(1e3 * matrices)
    # The quintic takes x in (0, 1] to 0.68 .. 1.21 once x is above 0.01, here up to rounding to 8 bits; U and V stay.
    inner = left.mT @ result @ right.mT
    kept = values / matrices.norm(dim=(-2, -1))[:, None] > 0.02
    assert inner.diagonal(dim1=-2, dim2=-1)[kept].sub(0.95).abs().max() < 0.35
    assert (inner - torch.diag_embed(inner.diagonal(dim1=-2, dim2=-1))).abs().max() < 0.15


def test_muon_steps_against_the_averaged_gradient() -> None:
    weight = torch.nn.Parameter(torch.zeros(8, 2))
    muon, average = Muon([weight], lr=0.1), torch.zeros(8, 2)
    for gradient in torch.randn(3, 8, 2, generator=torch.Generator().manual_seed(0)):
        before, weight.grad = weight.detach().clone(), gradient
        muon.step()
        average = MOMENTUM * average + (1 - MOMENTUM) * gradient
        seen = (1 - MOMENTUM) * gradient + MOMENTUM * average
        expected = before - 0.1 * 2 * orthogonalise(seen[None])[0]  # sqrt(8 / 2) = 2
        assert torch.allclose(weight, expected, atol=1e-2)


def test_silent_blocks_add_nothing() -> None:
    silent = replace(RECIPE, silent_blocks=True)
    model = Learner(replace(PLAN, recipe=silent)).model
    tokens = Data(TASK, silent, seed=0).test.tokens
    assert torch.equal(model(tokens), model.unembedding(model.norm(model.embedding(tokens[:, -1]))))
    assert not torch.equal(Learner(PLAN).model(tokens), model(tokens))


def test_every_weight_has_one_optimizer() -> None:
    for recipe in (RECIPE, replace(RECIPE, muon=0.02)):
        learner = Learner(replace(PLAN, recipe=recipe))
        trained = [
            w for optimizer, _ in learner.optimizers for group in optimizer.param_groups for w in group["params"]
        ]
        assert len(trained) == len({id(w) for w in trained})
        assert {id(w) for w in trained} == {id(w) for w in learner.model.parameters()}
        decayed = learner.optimizers[0][0].param_groups[0]
        assert decayed["weight_decay"] == recipe.weight_decay and all(w.ndim == 2 for w in decayed["params"])


@pytest.mark.parametrize("muon", [None, 0.02])
def test_learning_lowers_the_loss(muon: float | None) -> None:
    recipe = replace(RECIPE, muon=muon, rate=1e-2, steps=60)
    learner, data = Learner(replace(PLAN, recipe=recipe)), Data(TASK, recipe, seed=0)
    losses = [learner.learn(data.batch(step)) for step in range(60)]
    assert sum(losses[-5:]) < 0.8 * sum(losses[:5])


def test_accuracy_by_hops_is_counted_one_by_one() -> None:
    torch.manual_seed(0)
    model, batch = Decoder(PLAN.model), TASK.generate(700, 0)
    for weight in model.parameters():
        torch.nn.init.normal_(weight)
    right: dict[str, list[bool]] = {"1": [], "2": []}
    loss = 0.0
    for tokens, answer, hops in zip(batch.tokens, batch.answers.tolist(), batch.hops.tolist(), strict=True):
        with torch.no_grad():
            logits = model(tokens[None])[0].double().tolist()
        right[str(hops)].append(logits.index(max(logits)) == answer)
        loss += torch.tensor(logits, dtype=torch.float64).logsumexp(0).item() - logits[answer]
    measured = measure(model, batch)
    assert measured["by_hops"] == {hops: pytest.approx(sum(rows) / len(rows)) for hops, rows in right.items()}
    assert measured["accuracy"] == pytest.approx(sum(map(sum, right.values())) / 700)
    assert measured["loss"] == pytest.approx(loss / 700, rel=1e-5)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"steps": 0}, "steps=0"),
        ({"rate": float("nan")}, "rate=nan"),
        ({"batch": 101}, "batch=101 is more than train=100"),
    ],
)
def test_recipes_that_make_no_training(change: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        replace(RECIPE, **change)


def test_plans_that_do_not_fit() -> None:
    with pytest.raises(InputError, match="vocabulary=9 is not that of the task; give 136"):
        replace(PLAN, task=NumberTask())
    with pytest.raises(InputError, match=r"dropout=0\.0 is not that of the recipe; give 0\.1"):
        replace(PLAN, recipe=RECIPES["paper"])


def test_paper_sizes() -> None:
    paper = RECIPES["paper"]
    assert (paper.train, paper.validation, paper.test, paper.dropout) == (432_000, 2_400, 45_600, 0.1)
    assert paper.steps * paper.batch == 3 * paper.train


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["train", "number", "--layers", "1", "--width", "4", "--steps", "2", "--seed", "5", "--out"]
    assert run([*arguments, str(tmp_path / "run"), "--json"]) == 0
    card = json.loads(capsys.readouterr().out)
    assert card["command"] == (
        "python -m empirical train number --recipe fast --layers 1 --heads 1 --width 4 --steps 2 --seed 5 --threads 1"
    )
    model, stored = load_model(tmp_path / "run" / "model.json")
    assert stored == card and model.config == DecoderConfig(136, layers=1, width=4)
    assert {path.name for path in (tmp_path / "run").iterdir()} == {
        "metrics.jsonl",
        "model.json",
        card["weights"],
    }
    assert run([*arguments, str(tmp_path / "run"), "--resume"]) == 0
    assert "test accuracy" in capsys.readouterr().out
    assert run([*arguments, str(tmp_path / "run")]) == 2
    assert capsys.readouterr().err.startswith(f"error: {tmp_path / 'run'} already holds a training")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--width", "7"], "odd width 7"),
        (["--layers", str(10**9)], "layers=1000000000 of width=128 have"),
        (["--width", "4000000"], "of width=4000000 have"),
        (["--seed", str(10**30)], "is not in the range"),
        (["--threads", "1025"], "1025 is not in the range"),
        (["--heads", "3"], "heads=3 do not divide width=128"),
        (["--alphabet", "4"], "alphabet=4"),
        (["--steps", "0"], "steps=0"),
        (["--seed", "-1"], "-1 is not in the range"),
        (["--threads", "0"], "threads"),
    ],
)
def test_command_refuses_in_one_line(
    options: list[str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["train", "letter", *options, "--out", str(tmp_path / "run")]) == 2
    error = capsys.readouterr().err
    assert words in error and error.count("\n") == 1
    assert not list(tmp_path.rglob("*.json*"))
