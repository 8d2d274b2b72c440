"""Where the walk of each sequence goes, many sequences at once."""

from __future__ import annotations

import torch
from torch import Tensor

from empirical.tasks.letter import LetterTask
from empirical.tasks.number import NumberTask


def places(task: NumberTask | LetterTask, tokens: Tensor, hops: int) -> Tensor:
    """The places, from 0, at which walks of `hops` hops stop, the query first: (sequences, hops + 1)."""
    at = torch.full((len(tokens),), tokens.shape[1] - 1)
    stops = [at]
    for _ in range(hops):
        token = tokens.gather(1, at[:, None])[:, 0]
        if isinstance(task, NumberTask):
            at = at - (token - task.letters + 1)
        else:
            rights = task.alphabet + task.integers
            at = (tokens // rights == (token % rights)[:, None]).long().argmax(-1)
        stops.append(at)
    return torch.stack(stops, dim=-1)
