"""How fast the worst gap of a RoPE set is found, against the obvious NumPy expression in blocks, in one run.

    python -m tests.worst_gap_benchmark --length 10000000

Both run on one core. NumPy's time is that of the first million offsets, times n - 1 over a million beyond them.
"""

import os

# Before numpy is imported, which reads them.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("MKL_NUM_THREADS", "1")

import sys
import time
from collections.abc import Callable
from functools import partial
from typing import TypeVar

import click
import numpy as np

from theory.arithmetic.angle import Angle
from theory.progress import progress_bar
from theory.rope.universal_limits.worst_gap import WorstGap, worst_gap

MILLION = 10**6
T = TypeVar("T")


def in_blocks(n: int, angles: list[float], block: int = 10_000) -> tuple[float, int]:
    """The worst gap at equal amplitudes and its offset, t = 1..n-1, as one would write it."""
    theta, amplitudes = np.array(angles), np.full(len(angles), 1 / len(angles))
    best = np.inf, 0
    for start in range(1, n, block):
        t = np.arange(start, min(n, start + block))
        gaps = (1 - np.cos(np.outer(t, theta))) @ amplitudes
        best = min(best, (float(gaps.min()), start + int(gaps.argmin())))
    return best


def fastest(function: Callable[[], T], repeats: int) -> tuple[float, T]:
    """Least elapsed seconds, and the result."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        result = function()
        times.append(time.perf_counter() - start)
    return min(times), result


def peak_memory() -> str:
    """Largest resident memory of this process so far."""
    try:
        import resource
    except ImportError:  # there is none on Windows
        return "unknown"
    unit = 1 if sys.platform == "darwin" else 1024
    return f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6:.0f} MB"


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--length", "lengths", type=click.IntRange(2), multiple=True, default=[10**6, 10**7], show_default=True)
@click.option("--planes", type=click.IntRange(1, 64), default=64, show_default=True, help="Planes, fastest first.")
@click.option("--repeats", type=click.IntRange(1), default=5, show_default=True, help="The fastest run counts.")
def main(lengths: tuple[int, ...], planes: int, repeats: int) -> None:
    """Time the worst gap of planes of RoPE, base 10000, width 128.

    Example: python -m tests.worst_gap_benchmark --length 1000000000 --repeats 1
    """

    def found(n: int) -> WorstGap:  # from text to certificate, nothing cached
        with progress_bar("scanning") as progress:
            return worst_gap(n, [Angle.rope(10_000, 128, k) for k in range(1, planes + 1)], progress=progress)

    found(1000)
    angles = [float(Angle.rope(10_000, 128, k).real) for k in range(1, planes + 1)]
    for n in lengths:
        part = min(n, MILLION + 1)
        scan, result = fastest(partial(found, n), repeats)
        obvious, (_, t) = fastest(partial(in_blocks, part, angles), min(repeats, 3))
        if part == n and t != result.t:
            raise click.ClickException(f"NumPy has its least gap at t={t}, the scan at t={result.t}")
        ratio = obvious * (n - 1) / (part - 1) / scan
        click.echo(
            f"n = {n:,}: {scan:.4g} s, gap {float(result.gap):.9g} at t = {result.t}; NumPy in blocks "
            f"{obvious:.4g} s for {part - 1:,} offsets; {ratio:.0f} times faster; peak memory so far {peak_memory()}"
        )


if __name__ == "__main__":
    main()
