"""The copy task: after a prompt b_1 .. b_N | a decoder is to write b_1 .. b_N. Source: arXiv 2601.22950, Section 3."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from constructions.compact.decoder import CompactConfig, CompactDecoder
from empirical.words.learning import BETAS
from empirical.words.margins import probabilities
from theory.errors import InputError

END = 2  # the letter |
SHAPE = CompactConfig(letters=3, width=64, layers=2, heads=4, mlp_width=96, encoding="rope")


@dataclass(frozen=True)
class CopyPlan:
    """A decoder trained to copy random prompts of at most `bits` bits.

    Args:
        model: the decoder, of the letters 0, 1 and |.
        bits: the longest prompt; every step takes prompts of one length.
        batch: prompts a step.
        steps, rate, warmup: of AdamW. The rate rises linearly, then falls to 0.
        seed: of weights and prompts.

    Raises InputError for another alphabet and for numbers that make no training.
    """

    model: CompactConfig = SHAPE
    bits: int = 16
    batch: int = 64
    steps: int = 3000
    rate: float = 2e-3
    warmup: int = 100
    seed: int = 0

    def __post_init__(self) -> None:
        if self.model.letters != 3:
            raise InputError(f"letters={self.model.letters} is not the alphabet of the copy task; give 3")
        for name in ("bits", "batch", "steps", "rate"):
            if not getattr(self, name) > 0:
                raise InputError(f"{name}={getattr(self, name)} is not above 0; give more")
        if not 0 <= self.seed < 2**63:
            raise InputError(f"seed={self.seed} is not in 0 .. 2^63 - 1; give another")

    def as_json(self) -> dict[str, Any]:
        """The plan as it reads in a card."""
        plain: dict[str, Any] = json.loads(json.dumps(asdict(self)))
        return plain

    def schedule(self, step: int) -> float:
        """The rate at a step, counted from 0, as a share of the largest."""
        return min(1.0, (step + 1) / max(1, self.warmup), (self.steps - step) / max(1, self.steps - self.warmup))


def learn_copying(plan: CopyPlan, watch: Callable[[int], object] = lambda step: None) -> tuple[CompactDecoder, float]:
    """The trained decoder, in evaluation mode, and its mean loss over the last 100 steps, nats a letter."""
    torch.set_num_threads(1)
    torch.manual_seed(plan.seed)
    model = CompactDecoder(plan.model).train()
    nn.init.normal_(model.embedding.weight, std=0.5)
    optimizer = torch.optim.AdamW(model.parameters(), lr=plan.rate, betas=BETAS, weight_decay=0.01)
    random, losses = torch.Generator().manual_seed(plan.seed), []
    for step in range(plan.steps):
        for group in optimizer.param_groups:
            group["lr"] = plan.rate * plan.schedule(step)
        length = int(torch.randint(1, plan.bits + 1, (), generator=random))
        bits = torch.randint(2, (plan.batch, length), generator=random)
        logits = model(prompted(bits, bits)[:, :-1])[:, -length:]
        loss = F.cross_entropy(logits.transpose(1, 2), bits)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
        watch(step + 1)
    last = losses[-100:]
    return model.eval(), sum(last) / len(last)


def prompted(bits: Tensor, outputs: Tensor) -> Tensor:
    """b_1 .. b_N | o_1 .. o_k for bits (rows, N) and outputs (rows, k)."""
    return torch.cat((bits, torch.full((len(bits), 1), END), outputs), dim=1)


@dataclass(frozen=True)
class Answer:
    """What a decoder writes after a prompt, and how probable the bits of the prompt are on the way."""

    outputs: Tensor  # (N,)
    distributions: Tensor  # (N, letters): T(. | o_1 .. o_{k-1})

    def of(self, bits: Tensor) -> Tensor:
        """T(b_k | o_1 .. o_{k-1}), (N,)."""
        return self.distributions.gather(-1, bits[:, None])[:, 0]


def answer(model: CompactDecoder, bits: Tensor, guess: Tensor | None = None) -> Answer:
    """The most probable letter at each of N steps after the prompt bits (N,), each read before the next is chosen.

    A pass is made over a whole guess of the answer, here the prompt by default; up to its first mistake it is right.
    """
    outputs = (bits if guess is None else guess).clone()
    while True:
        found = probabilities(model, prompted(bits[None], outputs[None])[:, :-1])[0, -len(bits) :]
        wrong = (found.argmax(-1) != outputs).nonzero()
        if not len(wrong):
            return Answer(outputs, found)
        outputs[wrong[0]] = found[wrong[0]].argmax(-1)


@dataclass(frozen=True)
class Copied:
    """A constant prompt of N bits, alpha_N = 0^N, against beta_N, in which bit `flipped` (from 1) is 1.

    Attributes:
        gap: sup norm of the change of T over the steps of the answer 0^N, both runs reading the zeros before.
        zeta: the same of the oscillation of the change of the logarithms of T.
        least_right: least T(0) on alpha_N.
        flipped_bit: T(1) on beta_N at the step of the flipped bit, after what the decoder wrote before.
        alpha, beta: log-perplexities of the bits of the prompts, after own outputs, in nats.
        alpha_copied, beta_copied: whether the prompts are copied.
        answered_alpha: whether 0^N is written after beta_N.
        least: least probability of a letter 0 or 1 at any step of both runs.
    """

    length: int
    flipped: int
    gap: float
    zeta: float
    least_right: float
    flipped_bit: float
    alpha: float
    beta: float
    alpha_copied: bool
    beta_copied: bool
    answered_alpha: bool
    least: float


def compare(model: CompactDecoder, length: int, flipped: int) -> Copied:
    """Prompts 0^N and the same with one bit flipped, in float64."""
    model = model.double().eval()
    zeros, other = torch.zeros(length, dtype=torch.int64), torch.zeros(length, dtype=torch.int64)
    other[flipped - 1] = 1
    here, there = answer(model, zeros), answer(model, other)
    both = [probabilities(model, prompted(bits[None], zeros[None])[:, :-1])[0, -length:] for bits in (zeros, other)]
    change = both[0].log() - both[1].log()
    right, wrong = here.of(zeros), there.of(other)
    seen = torch.cat((*both, here.distributions, there.distributions))
    return Copied(
        length,
        flipped,
        float((both[0] - both[1]).abs().max()),
        float((change.amax(-1) - change.amin(-1)).max()),
        float(both[0][:, 0].min()),
        float(wrong[flipped - 1]),
        float(-right.log().mean()),
        float(-wrong.log().mean()),
        bool((here.outputs == zeros).all()),
        bool((there.outputs == other).all()),
        bool((there.outputs == zeros).all()),
        float(seen[:, :2].min()),
    )


def accuracy(model: CompactDecoder, length: int, prompts: int, seed: int) -> float:
    """Share of random prompts of `length` bits that are copied whole."""
    random = torch.Generator().manual_seed(seed)
    bits = torch.randint(2, (prompts, length), generator=random)
    with torch.no_grad():
        logits = model(prompted(bits, bits)[:, :-1])[:, -length:]
    return float((logits.argmax(-1) == bits).all(-1).double().mean())
