"""How fast a decoder trains, against Hugging Face's GPT-J of the same size, weights and optimizer, in one run.

    python -m tests.training_benchmark --layers 12 --batch 128

Steps of both take turns, so that whatever else the machine does slows both; the fastest step of each counts. Time is
that of the processor. Needs the extra `hf`.
"""

import os

# Before torch is imported, which reads them.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("MKL_NUM_THREADS", "1")

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import click
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from empirical.decoder import Decoder
from empirical.decoder_config import DecoderConfig
from empirical.gptj import to_gptj
from empirical.tasks.number import NumberTask

Step = Callable[[Tensor, Tensor], float]


def last_logits(model: nn.Module, tokens: Tensor) -> Any:
    """Of a GPT-J at the last token only, as it offers."""
    return model(tokens, logits_to_keep=1).logits[:, 0]


def step_of(model: nn.Module, logits: Callable[[Tensor], Any], bfloat16: bool) -> Step:
    """A training step of a model with AdamW, which returns its loss."""
    optimizer = torch.optim.AdamW(model.train().parameters(), lr=1e-4, fused=True)

    def step(tokens: Tensor, answers: Tensor) -> float:
        with torch.autocast("cpu", torch.bfloat16, enabled=bfloat16):
            predicted = logits(tokens)
        loss = F.cross_entropy(predicted.float(), answers)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.item()

    return step


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--layers", default=12, show_default=True, type=click.IntRange(1))
@click.option("--batch", default=128, show_default=True, type=click.IntRange(1), help="Sequences of 17 tokens a step.")
@click.option("--dropout", default=0.0, show_default=True, type=float)
@click.option(
    "--repeats", default=5, show_default=True, type=click.IntRange(1), help="Steps of each; the fastest counts."
)
def main(layers: int, batch: int, dropout: float, repeats: int) -> None:
    """Time training steps on the number task, on one thread.

    Example: python -m tests.training_benchmark --layers 4 --repeats 10
    """
    torch.set_num_threads(1)
    task = NumberTask()
    data = task.generate(batch, seed=0)
    for name, bfloat16 in (("float32", False), ("bfloat16 products", True)):
        torch.manual_seed(0)
        ours = Decoder(DecoderConfig(task.vocabulary_size, layers=layers, dropout=dropout))
        theirs = to_gptj(ours)
        steps = {
            "ours": step_of(ours, ours, bfloat16),
            "theirs": step_of(theirs, partial(last_logits, theirs), bfloat16),
        }
        seconds: dict[str, list[float]] = {who: [] for who in steps}
        losses: dict[str, list[float]] = {who: [] for who in steps}
        for _ in range(repeats + 1):
            for who, step in steps.items():
                began = time.process_time()
                losses[who].append(step(data.tokens, data.answers))
                seconds[who].append(time.process_time() - began)
        speed = {who: batch / min(times[1:]) for who, times in seconds.items()}  # the first step warms up
        click.echo(
            f"{name}: {speed['ours']:.0f} sequences/s, GPT-J of transformers {speed['theirs']:.0f}, "
            f"{speed['ours'] / speed['theirs']:.2f} times as many; losses in the end "
            f"{losses['ours'][-1]:.4f} and {losses['theirs'][-1]:.4f}"
        )


if __name__ == "__main__":
    main()
