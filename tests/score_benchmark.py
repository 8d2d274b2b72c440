"""How fast heads are scored, against running their layer again for every swap, in one run.

    python -m tests.score_benchmark

The layer run again is its attention alone, without values, output map and MLP: queries and keys of all tokens from the
inputs with two of them exchanged, rotation, logits, softmax; --batch swaps at a time, in float64. Scoring starts from
the same inputs and includes their queries and keys, both scores with and without the first token, entropy, nulls, the
exclusion inequality and the use of frequencies. Times are those of one core, whatever else runs on the machine.
"""

import os

# Before numpy and torch are imported, which read them.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("MKL_NUM_THREADS", "1")

import sys
import time
from collections.abc import Callable
from functools import partial
from typing import TypeVar

import click
import torch
from torch import Tensor

from empirical.rotary import Rotary
from empirical.scores.head_scores import HeadScores
from empirical.scores.score import score_layer
from tests.score_rerun import Layer, block_swaps, rerun_scores, weights_after

try:
    import resource
except ImportError:  # there is none on Windows
    resource = None  # type: ignore[assignment]

TAU = 1e-4
T = TypeVar("T")


def fastest(function: Callable[[], T], repeats: int) -> tuple[float, T]:
    """Least seconds of computing time, and the result."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        result = function()
        times.append(time.process_time() - start)
    return min(times), result


def peak() -> float:
    """Largest resident memory of this process so far, in MB; NaN where it cannot be told."""
    if resource is None:
        return float("nan")
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def layer(width: int, heads: int) -> Layer:
    """A layer of GPT-J with this width, base 10000, whose logits have a standard deviation of about 2."""
    d = width // heads
    rotary = Rotary.adjacent([10_000.0 ** (-2 * k / d) for k in range(d // 2)])
    random = torch.Generator().manual_seed(0)
    return Layer.drawn(random, heads=heads, groups=heads, width=width, d=d, rotary=rotary, size=2**0.5)


def inputs(prompts: int, n: int, width: int) -> Tensor:
    """Normal inputs of the layer."""
    return torch.randn(prompts, n, width, dtype=torch.float64, generator=torch.Generator().manual_seed(1))


def scored(attention: Layer, x: Tensor) -> HeadScores:
    """From the inputs of the layer to the scores."""
    return score_layer(attention.heads(x), tau=TAU)


def seconds_a_swap(attention: Layer, x: Tensor, swaps: int, batch: int) -> float:
    """Seconds to run the layer again on one prompt, for each of its first swaps, (n, width) in."""
    n = len(x)
    chosen = block_swaps(0, n - 1, 1)[:swaps]

    def run() -> None:
        for _ in weights_after(attention, x, n - 1, chosen, 1, 1.0, batch):
            pass

    return fastest(run, 2)[0] / len(chosen)


def largest_difference(attention: Layer, x: Tensor, found: HeadScores) -> float:
    """Between the scores of the first prompt and those of all its swaps run again."""
    pairs = zip(
        rerun_scores(attention, x[0], at=x.shape[1], tau=TAU),
        (found.positional[0], found.symbolic[0]),
        strict=True,
    )
    return max(float((one - other).abs().max()) for one, other in pairs)


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--length", "lengths", type=click.IntRange(3), multiple=True, default=[17, 256], show_default=True)
@click.option("--prompts", type=click.IntRange(1), default=20, show_default=True)
@click.option("--width", type=click.IntRange(2), default=128, show_default=True)
@click.option("--heads", type=click.IntRange(1), default=1, show_default=True)
@click.option("--batch", type=click.IntRange(1), default=64, show_default=True, help="Swaps run at once.")
@click.option("--all-swaps", is_flag=True, help="Run the layer again for every swap, at every length.")
def main(lengths: tuple[int, ...], prompts: int, width: int, heads: int, batch: int, all_swaps: bool) -> None:
    """Time the scores of a layer, in milliseconds a prompt with all heads.

    Beyond 64 tokens, without --all-swaps, the layer is run again for 512 swaps, and its time is that times swaps/512.

    Example: python -m tests.score_benchmark --length 17 --length 64 --heads 4
    """
    torch.set_num_threads(1)
    attention = layer(width, heads)
    for n in lengths:
        x, count = inputs(prompts, n, width), (n - 1) * (n - 2) // 2
        whole = all_swaps or n <= 64
        attention.heads(x)
        before = peak()
        elapsed, found = fastest(partial(scored, attention, x), 5)
        grown, ours = peak() - before, elapsed / prompts
        again = seconds_a_swap(attention, x[0], count if whole else 512, batch) * count
        line = f"n = {n}, {count:,} swaps: {1e3 * ours:.3g} ms a prompt; layer run again {1e3 * again:.4g} ms"
        line += f"; {again / ours:,.0f} times faster"
        if whole:
            line += f"; largest difference of a score {largest_difference(attention, x, found):.1e}"
        click.echo(f"{line}; scoring added {grown:.0f} MB to the peak of memory")


if __name__ == "__main__":
    main()
