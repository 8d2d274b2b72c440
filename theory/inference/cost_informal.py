"""That one gradient in z costs three forward passes: false with frozen weights, from the smallest decoder on.

Source: the usual count of training, one pass forward and two back; arXiv 2407.17356 freezes weights at that time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import sympy

from theory.claims import Hypothesis, Source, claim
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity
from theory.inference import cost
from theory.inference.cost import Decoder, counted, decoders
from theory.outcome import Outcome


@dataclass(frozen=True)
class Passes:
    """How many forward passes a gradient costs, and whether weights are frozen."""

    count: int = 3
    frozen: bool = True

    def __str__(self) -> str:
        weights = "frozen weights" if self.frozen else "weight gradients"
        return f"a gradient in z costs {self.count} F with {weights}, where z is all of the input"


@claim(
    f"{cost.CLAIM}-informal",
    source=Source("2407.17356", "Cost of inference", "reconstructed"),
    quantifiers="for all K >= 2 and widths of dense layers, z all of the input",
    statement=str,
    variant=Passes(),
    controls={
        "one pass": Passes(1),
        "two with weight gradients": Passes(2, frozen=False),
    },
    hypotheses=(Hypothesis("frozen", "weights are frozen", remark="the claim is true without"),),
    expected=Outcome.REFUTED,
    near_miss=("two passes", Passes(2)),
    counterexample={"K": 2, "widths": (1, 1)},
    repaired_by=cost.CLAIM,
    printed="inference by one gradient costs a forward and a backward pass, that is three forward passes",
    does_not_show="that a framework computes no more: where weights ask for gradients, it does",
)
def cost_informal(passes: Passes, thorough: bool) -> Iterator[Evidence]:
    """Multiplications as they are made, from small decoders on; one hidden layer in symbols."""
    yield Enumeration("multiplications", _cases(passes, 4 if thorough else 3))
    yield Identity("one hidden layer", _symbols(passes), sympy.expand)


def _cases(passes: Passes, most: int) -> Iterator[Case]:
    for decoder in decoders(most, (0,)):
        case = {"K": decoder.tasks, "widths": decoder.widths}
        yield case, counted(decoder, passes.frozen) == passes.count * decoder.forward


def _symbols(passes: Passes) -> Iterator[Equation]:
    K, H, D = sympy.symbols("K H D", integer=True, positive=True)
    forward = Decoder(0, K, (H, D)).forward
    back = (H * D + K * H) * (1 if passes.frozen else 2)
    yield "passes", forward + back, passes.count * forward
