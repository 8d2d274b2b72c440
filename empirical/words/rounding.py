"""What rounding does to a decoder that learned to copy: prompts that differ in one bit, up to great lengths."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from empirical.sweep.run import Run
from empirical.words.copying import prompted
from empirical.words.files import MODEL, load
from empirical.words.precision import DTYPES, collapse, lengths_of_collapse, witness
from empirical.words.works import Copying
from theory.compact.precision import mean_collapse_length
from theory.errors import InputError

BITS = {"bfloat16": 8, "float16": 11, "float32": 24}  # of a significand, the hidden one included
_SHORTEST, _A_DOUBLING = 8, 2


@dataclass(frozen=True)
class Rounding:
    """The decoder of a run of copying, on the prompts 0^N| and 1 0^(N-1)|, in bfloat16 and float32."""

    of: Copying
    longest: int

    @property
    def title(self) -> str:
        return f"rounding-{self.of.title}"

    def as_json(self) -> dict[str, Any]:
        return {"rounding": {**self.of.as_json(), "longest": self.longest, "a_doubling": _A_DOUBLING}}

    def carry_out(self, folder: Path, look: Callable[[], object]) -> dict[str, Any]:
        card = folder.parent / Run(self.of, {}).name / MODEL
        if not card.exists():
            raise InputError(f"{card} is not there; run the part `copy` first, in the same folder")
        torch.set_num_threads(1)
        models = {dtype: copy.deepcopy(load(card)[0]).to(dtype) for dtype in (torch.float64, *DTYPES.values())}

        @torch.no_grad()
        def outputs(words: Tensor, dtype: torch.dtype) -> Tensor:
            return models[dtype](words)[:, -1].softmax(-1)

        result: dict[str, Any] = {}
        for name in ("bfloat16", "float32"):
            found = []
            for length in grid(self.longest):
                look()
                zeros = torch.zeros(1, length, dtype=torch.int64)
                other = zeros.clone()
                other[0, 0] = 1
                first, second = (prompted(bits, bits[:, :0])[0] for bits in (zeros, other))
                found.append(collapse(outputs, first, second, DTYPES[name]))
            result[name] = {**lengths_of_collapse(found), "lengths": [asdict(at) for at in found]}
        return result


def grid(longest: int) -> list[int]:
    """Lengths up to `longest`, two in each doubling."""
    lengths = {round(_SHORTEST * 2 ** (k / _A_DOUBLING)) for k in range(_A_DOUBLING * longest.bit_length())}
    return sorted(length for length in lengths if length <= longest)


def witnesses() -> list[dict[str, Any]]:
    """The averaging witness around the length at which theory has it collapse, rounded once and as attention does."""
    found = []
    for name, bits in BITS.items():
        predicted = int(mean_collapse_length(bits).value)
        for length in (predicted // 2, predicted - 1, predicted):
            found.append({**asdict(witness(name, length)), "predicted": predicted})
    return found
