"""Keys and queries of one head on one plane, before and after rotation, as arXiv 2605.31558, Fig. 4, shows them."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import torch
from torch import Tensor

from empirical.subjects import Subject
from empirical.tasks.number import NumberTask

VECTORS = ("keys", "queries", "keys, rotated", "queries, rotated")


@dataclass(frozen=True, eq=False)
class Plane:
    """Vectors of a head on a plane.

    Args:
        layer, head, plane: which; the plane counts from 1.
        vectors: for each of VECTORS (tokens, 2), scaled by the root of the logit scale: the product of a rotated key
            and a rotated query is what the plane adds to their logit.
        position: (tokens,), from 1.
        key_content, query_content: (tokens,) what the token offers and asks for, -1 where that is another kind. In the
            number task integers, in the letter task left letters, and wanted ones (its own for a target).
    """

    layer: int
    head: int
    plane: int
    vectors: dict[str, Tensor]
    position: Tensor
    key_content: Tensor
    query_content: Tensor


def plane_of(subject: Subject, layer: int, head: int, plane: int, sequences: int, seed: int) -> Plane:
    """The vectors of all tokens of some sequences of the task."""
    task = subject.task
    tokens = subject.sequences(sequences, seed)
    heads = next(found for found in subject.model.heads(tokens) if found.layer == layer)
    group = heads.queries.shape[1] // heads.keys.shape[1]
    keys, queries = heads.keys[:, head // group].double(), heads.queries[:, head].double()
    positions = torch.arange(1, task.length + 1)
    pair = heads.rotary.pairs[plane - 1]
    some = keys, queries, heads.rotary.rotate(keys, positions), heads.rotary.rotate(queries, positions)
    vectors = {name: sqrt(heads.scale) * x[..., pair].flatten(0, 1) for name, x in zip(VECTORS, some, strict=True)}
    if isinstance(task, NumberTask):
        offered = asked = torch.where(tokens >= task.letters, tokens - task.letters + 1, -1)
    else:
        rights = task.alphabet + task.integers
        offered, right = tokens // rights, tokens % rights
        asked = torch.where(right < task.alphabet, right, offered)
    return Plane(layer, head, plane, vectors, positions.repeat(sequences), offered.flatten(), asked.flatten())
