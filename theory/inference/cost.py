"""What one gradient in z costs against a forward pass a task, in multiply-accumulates of the layers downstream of z.

A decoder of a latent code of d entries and of z, concatenated, with layers of widths H_1, ..., D: forward F = (d + K)
H_1 + H_1 H_2 + ...; a gradient in z alone 2 F - d H_1, with weight gradients 3 F - d H_1; the likelihood of every task
K F, or d H_1 and K times the rest where the latent part is shared and columns of z are looked up.

Source: arXiv 2407.17356 compares one run with K; counts derived here. A dense layer of n inputs and m outputs costs
n m forward, as much for the gradient of its inputs, as much for that of its weights; the first layer needs the former
for z only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Any

import sympy

from theory.claims import Hypothesis, Source, claim
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity
from theory.inference.arguments import results
from theory.inference.simplex import uniform
from theory.quantities import Amount, Count, Result, quantity

CLAIM = "gbi-cost-model"
Matrix = list[list[int]]


@dataclass(frozen=True)
class Decoder:
    """Latent width d, number K of tasks, and widths of the layers from the first hidden one to the output."""

    latent: Any
    tasks: Any
    widths: tuple[Any, ...]

    @property
    def forward(self) -> Any:
        """F."""
        return sum(n * m for n, m in pairwise((self.latent + self.tasks, *self.widths)))

    @property
    def reused(self) -> Any:
        """The likelihood of every task, the latent part of the first layer once."""
        first = self.latent * self.widths[0]
        return first + self.tasks * sum(n * m for n, m in pairwise(self.widths))


@dataclass(frozen=True)
class Cost:
    """What is said of costs.

    Args:
        frozen: multiple of F for a gradient in z, weights frozen.
        trained: the same with weight gradients.
        always: whether S steps are said to be cheaper than all tasks for every S.
        restricted: whether the former is said of frozen weights only.
    """

    frozen: int = 2
    trained: int = 3
    always: bool = False
    restricted: bool = True

    def __str__(self) -> str:
        F, d, H, K, S = sympy.symbols("F d H_1 K S", positive=True)
        cheaper = "always" if self.always else "for d = 0 iff S < K/2, at S = 1 iff K > 2, and for K = 2, d > 0 too"
        which = "weights frozen" if self.restricted else "weights frozen or not"
        return (
            f"a gradient in z costs {self.frozen * F - d * H}, {which}, with those of weights "
            f"{self.trained * F - d * H}; all tasks {K * F}; {S} steps are cheaper {cheaper}"
        )

    def step(self, decoder: Decoder, frozen: bool = True) -> Any:
        """One gradient in z."""
        multiple = self.frozen if frozen or not self.restricted else self.trained
        return multiple * decoder.forward - decoder.latent * decoder.widths[0]

    def cheaper(self, tasks: int, steps: int) -> bool:
        """Whether steps are cheaper than all tasks, without a latent code."""
        return self.always or self.frozen * steps < tasks


class Tally:
    """Products of matrices and vectors, entry by entry, each multiplication counted."""

    def __init__(self) -> None:
        self.products = 0

    def apply(self, matrix: Matrix, vector: Sequence[int]) -> list[int]:
        """Matrix times vector."""
        return [sum(self._times(a, b) for a, b in zip(row, vector, strict=True)) for row in matrix]

    def outer(self, left: Sequence[int], right: Sequence[int]) -> Matrix:
        """A column times a row."""
        return [[self._times(a, b) for b in right] for a in left]

    def _times(self, a: int, b: int) -> int:
        self.products += 1
        return a * b


def counted(decoder: Decoder, frozen: bool) -> int:
    """Multiplications of one forward and one backward pass down to z, of a network of ReLUs with integer weights."""
    tally = Tally()
    shapes = pairwise((decoder.latent + decoder.tasks, *decoder.widths))
    weights: list[Matrix] = [[[(i + 2 * j) % 3 - 1 for i in range(n)] for j in range(m)] for n, m in shapes]
    inputs = [[1] * (decoder.latent + decoder.tasks)]
    for layer in weights:
        inputs.append([max(entry, 0) for entry in tally.apply(layer, inputs[-1])])
    error = [1] * len(inputs[-1])
    for index in reversed(range(len(weights))):
        if not frozen:
            tally.outer(error, inputs[index])
        # Of the first layer only the columns of z.
        columns = list(zip(*weights[index], strict=True))[0 if index else decoder.latent :]
        error = tally.apply([list(column) for column in columns], error)
        error = [entry if kept > 0 else 0 for entry, kept in zip(error, inputs[index][-len(error) :], strict=True)]
    return tally.products


def counted_forward(decoder: Decoder) -> int:
    """Multiplications of one forward pass."""
    tally, values = Tally(), [1] * (decoder.latent + decoder.tasks)
    for n, m in pairwise((len(values), *decoder.widths)):
        values = tally.apply([[1] * n for _ in range(m)], values)
    return tally.products


def counted_reused(decoder: Decoder) -> int:
    """The latent part of the first layer once; then for every task its column added, and the layers above."""
    tally = Tally()
    first = tally.apply([[1] * decoder.latent for _ in range(decoder.widths[0])], [1] * decoder.latent)
    for _ in range(decoder.tasks):
        values = [entry + 1 for entry in first]
        for n, m in pairwise(decoder.widths):
            values = tally.apply([[1] * n for _ in range(m)], values)
    return tally.products


@claim(
    CLAIM,
    source=Source("2407.17356", "Cost of inference", "derived"),
    quantifiers="for all d >= 0, K >= 2 and widths of dense layers; equality of counts",
    statement=str,
    variant=Cost(),
    controls={
        "3 F with frozen weights": Cost(frozen=3),
        "several steps are always cheaper": Cost(always=True),
        "2 F with weight gradients": Cost(trained=2),
    },
    hypotheses=(
        Hypothesis("frozen", "no weight gradients are computed", Cost(restricted=False)),
        Hypothesis(
            "downstream",
            "z enters the first layer that is counted",
            remark="an encoder upstream is run once in both; where z enters a linear head only, all tasks share a body",
        ),
    ),
    does_not_show="that one step takes less time: all tasks are one batch, which hardware may run at once; and a "
    "linear pool has computed every likelihood in its forward pass",
)
def cost_model(cost: Cost, thorough: bool) -> Iterator[Evidence]:
    """Multiplications as they are made; which is cheaper; formulas in symbols."""
    yield Enumeration("multiplications", _counts(cost, 4 if thorough else 3))
    yield Enumeration("which is cheaper", _cheaper(cost))
    yield Identity("one hidden layer", _symbols(cost), sympy.expand)


def decoders(most: int, latents: Sequence[int]) -> Iterator[Decoder]:
    """One and two hidden layers, from small to large."""
    for tasks, d in product((2, 3), latents):
        for depth in (2, 3):
            for widths in product(range(1, most + 1), repeat=depth):
                yield Decoder(d, tasks, widths)


def _counts(cost: Cost, most: int) -> Iterator[Case]:
    for decoder in decoders(most, (0, 1, 3)):
        found = [
            counted_forward(decoder) == decoder.forward,
            counted(decoder, True) == cost.step(decoder),
            counted(decoder, False) == cost.step(decoder, frozen=False),
            counted_reused(decoder) == decoder.reused <= decoder.tasks * decoder.forward,
        ]
        yield {"d": decoder.latent, "K": decoder.tasks, "widths": decoder.widths}, all(found)


def _cheaper(cost: Cost) -> Iterator[Case]:
    """Against all tasks without reuse."""
    for tasks, steps in product(range(2, 9), range(1, 6)):
        plain = Decoder(0, tasks, (3, 2))
        less = steps * counted(plain, True) < tasks * counted_forward(plain)
        yield {"K": tasks, "S": steps}, less is cost.cheaper(tasks, steps)
        trained = counted(plain, False) < tasks * counted_forward(plain)
        yield {"K": tasks, "weight gradients": steps}, trained is (cost.trained < tasks)
    for d in (1, 5):
        decoder = Decoder(d, 2, (3, 2))
        yield {"K": 2, "d": d}, counted(decoder, True) < 2 * counted_forward(decoder)


def _symbols(cost: Cost) -> Iterator[Equation]:
    """Forward, then the output layer and the columns of z again; weight gradients are one more forward."""
    d, K, H, D = sympy.symbols("d K H D", integer=True, positive=True)
    decoder = Decoder(d, K, (H, D))
    backward = H * D + K * H
    yield "frozen", (d + K) * H + H * D + backward, cost.step(decoder)
    yield "with weight gradients", 2 * ((d + K) * H + H * D) + backward, cost.step(decoder, frozen=False)
    yield "all tasks", decoder.reused, d * H + K * H * D


@quantity("decoding-cost", unit="multiply-accumulates", claim=CLAIM)
def decoding_cost(latent: Amount, hidden: Count, tasks: Count, outputs: Count, steps: Count = 1) -> dict[str, Result]:
    """Costs of a decoder with one hidden layer: forward, one gradient in z, all tasks, and in forward passes.

    "steps" is what that many gradients cost. Raises InputError for one task.
    """
    uniform(tasks)
    decoder, cost = Decoder(latent, tasks, (hidden, outputs)), Cost()
    step, trained, every = cost.step(decoder), cost.step(decoder, frozen=False), tasks * decoder.forward
    return results(
        forward=decoder.forward,
        one_step=step,
        with_weight_gradients=trained,
        steps=steps * step,
        all_tasks=every,
        all_tasks_reused=decoder.reused,
        **{f"{name}_passes": sympy.Rational(value, decoder.forward) for name, value in _named(step, trained, every)},
    )


def _named(step: int, trained: int, every: int) -> list[tuple[str, int]]:
    return [("one_step", step), ("with_weight_gradients", trained), ("all_tasks", every)]
