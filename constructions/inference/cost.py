"""What the ways of inferring z cost, in multiply-accumulates as torch counts them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch.utils.flop_counter import FlopCounterMode

from constructions.inference.gradients import LogLikelihood, evaluated, gradient, likelihood_of_every_task, max_entropy
from theory.errors import InputError


@dataclass(frozen=True)
class Cost:
    """Multiply-accumulates of matrix products.

    Attributes:
        forward: one evaluation of ell at a batch of z.
        one_step: the gradient at u, with a frozen model.
        every_task: all ell_k.
    """

    forward: int
    one_step: int
    every_task: int

    def iterative(self, steps: int) -> int:
        """So many steps, each of which takes a gradient."""
        return steps * self.one_step

    def in_forwards(self, amount: int) -> float:
        """An amount in units of one evaluation."""
        return amount / self.forward


def counted(run: Callable[[], object]) -> int:
    """Multiply-accumulates of the matrix products in a run, forward and backward."""
    with FlopCounterMode(display=False) as counter:
        run()
    return int(counter.get_total_flops()) // 2


def cost(log_likelihood: LogLikelihood, batch: int, K: int, *, dtype: torch.dtype | None = None) -> Cost:
    """Count the matrix products that ell takes; what is computed outside it, once, does not count.

    Raises InputError for a model without matrix products, and as `gradient` does.
    """
    u = max_entropy(batch, K, dtype)
    with torch.no_grad():
        forward = counted(lambda: evaluated(log_likelihood, u))
    if not forward:
        raise InputError("ell(z) multiplies no matrices, so there is nothing to count; compute its output inside")
    return Cost(
        forward,
        # The counter hooks what enters a module, and such hooks bear no leaf of the graph.
        counted(lambda: gradient(lambda z: log_likelihood(z.clone()), batch, K, dtype=dtype)),
        counted(lambda: likelihood_of_every_task(log_likelihood, batch, K, dtype=dtype)),
    )
