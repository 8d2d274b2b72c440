"""Claims about heads and scores, on the heads of the trained models that come with the package."""

from __future__ import annotations

from collections.abc import Iterator
from math import pi

import pytest
import torch

from empirical.capture.heads import LayerHeads
from empirical.checkpoints import NAMES, trained
from empirical.scores.score import score_layer
from empirical.training.plan import TASKS
from theory.evidence import Case, Trained
from theory.ledger import Submissions
from theory.outcome import Outcome

SEED = 2605
FAR = 10**6
UNIT = 2.0**-53


@pytest.mark.parametrize("name", NAMES)
def test_heads_of_a_trained_model(name: str, ledger: Submissions) -> None:
    model, card = trained(name)
    prompts = TASKS[card["plan"]["task"]["name"]]().generate(4, SEED).tokens
    with torch.no_grad():
        layers = list(model.heads(prompts))
    weights = {"checkpoint": card["sha256"], "seeds": (card["plan"]["seed"],)}
    ledger.submit("rope-exclusion-principle", Trained(f"heads of {name}", _exclusion(layers), **weights))
    ledger.submit("rope-relative-logit", Trained(f"heads of {name}, moved on by 10^6", _moved(layers), **weights))


def _exclusion(layers: list[LayerHeads]) -> Iterator[Case]:
    """Both sides are sums of squares of N^2 logits, and each of their terms is rounded a few times."""
    for layer in layers:
        found = score_layer(layer).counted
        allowance = 8 * layer.queries.shape[2] ** 2 * UNIT
        for ratio in found.exclusion().flatten().tolist():
            yield (layer.layer, ratio), Outcome.of(ratio <= 1 + allowance)


def _moved(layers: list[LayerHeads]) -> Iterator[Case]:
    """Logits at positions from 1 and from 10^6: an angle of t radians is off by some t UNIT, and so is its cosine."""
    for layer in layers:
        q, k = layer.queries.double(), layer.keys.double()
        positions = torch.arange(q.shape[2])
        here, there = (
            layer.rotary.rotate(q, positions + start) @ layer.rotary.rotate(k, positions + start).mT
            for start in (1, FAR)
        )
        sizes = q.norm(dim=-1)[..., :, None] * k.norm(dim=-1)[..., None, :]
        allowance = sizes * 4 * (FAR + pi) * UNIT
        for head, within in enumerate(((here - there).abs() <= allowance).all((0, 2, 3)).tolist()):
            yield (layer.layer, head), Outcome.of(within)
