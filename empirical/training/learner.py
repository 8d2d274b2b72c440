"""Everything about a training that changes with its steps: weights and optimizer states."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.optim import AdamW, Optimizer

from empirical.decoder import Block, Decoder
from empirical.tasks.batch import Batch
from empirical.training.data import Purpose, stream
from empirical.training.muon import Muon
from empirical.training.plan import Plan

BETAS = (0.9, 0.99)


class Learner:
    """A model at some step of its plan."""

    def __init__(self, plan: Plan) -> None:
        torch.manual_seed(plan.seed)
        self.plan, self.step, self.model = plan, 0, Decoder(plan.model)
        if plan.recipe.silent_blocks:
            for block in cast("list[Block]", list(self.model.blocks)):
                for last in (block.attention.output, cast(nn.Linear, block.mlp[-1])):
                    nn.init.zeros_(last.weight)
        self.optimizers = _optimizers(self.model, plan)

    def learn(self, batch: Batch) -> float:
        """Take a step. Returns the loss before it, in nats a sequence."""
        recipe = self.plan.recipe
        torch.manual_seed(stream(self.plan.seed, Purpose.DROPOUT, self.step))
        self.model.train()
        with self.arithmetic():
            logits = self.model(batch.tokens)
        loss = F.cross_entropy(logits.float(), batch.answers)
        for optimizer, _ in self.optimizers:
            optimizer.zero_grad()
        loss.backward()
        for optimizer, rate in self.optimizers:
            for group in optimizer.param_groups:
                group["lr"] = rate * recipe.schedule(self.step)
            optimizer.step()
        self.step += 1
        return loss.item()

    def arithmetic(self) -> torch.autocast:
        """The precision of the recipe, as a context."""
        return torch.autocast("cpu", torch.bfloat16, enabled=self.plan.recipe.bfloat16)

    def tensors(self) -> dict[str, Tensor]:
        """Weights and optimizer states by name: with the step, all that `restore` needs."""
        tensors = {f"model.{name}": weight for name, weight in self.model.state_dict().items()}
        for number, (optimizer, _) in enumerate(self.optimizers):
            for index, state in optimizer.state_dict()["state"].items():
                tensors |= {f"optimizer.{number}.{index}.{key}": value for key, value in state.items()}
        return tensors

    def restore(self, tensors: Mapping[str, Tensor], step: int) -> None:
        """Go to where `tensors` were taken."""
        weights = {name.removeprefix("model."): value for name, value in tensors.items() if name.startswith("model.")}
        self.model.load_state_dict(weights)
        states: list[dict[int, dict[str, Tensor]]] = [{} for _ in self.optimizers]
        for name, value in tensors.items():
            if name.startswith("optimizer."):
                _, number, index, key = name.split(".")
                states[int(number)].setdefault(int(index), {})[key] = value
        for (optimizer, _), state in zip(self.optimizers, states, strict=True):
            optimizer.load_state_dict({"state": state, "param_groups": optimizer.state_dict()["param_groups"]})
        self.step = step


def _optimizers(model: Decoder, plan: Plan) -> list[tuple[Optimizer, float]]:
    """The optimizers, each with its largest learning rate: Muon for the matrices of the blocks if asked, AdamW."""
    recipe = plan.recipe
    by_muon = [w for w in model.blocks.parameters() if w.ndim == 2] if recipe.muon else []
    others = [w for w in model.parameters() if not any(w is matrix for matrix in by_muon)]
    groups = [
        {"params": [w for w in others if w.ndim == 2], "weight_decay": recipe.weight_decay},
        {"params": [w for w in others if w.ndim == 1], "weight_decay": 0.0},
    ]
    optimizers: list[tuple[Optimizer, float]] = [(AdamW(groups, betas=BETAS, fused=True), recipe.rate)]
    if recipe.muon:
        optimizers.append((Muon(by_muon, lr=recipe.muon), recipe.muon))
    return optimizers
