"""What each plane of a head is for: which of them the theory calls positional, and which symbolic.

Definition. M_k[c, p] is what plane k adds to the logit of content c at position p (arXiv 2605.31558, Def. D.1), and P_k
and S_k are its squared deviations from acting positionally and symbolically, summed over contents, positions and
prompts. A plane is

- positional in a head, if it is fast and P_k < S_k: its part of the logit varies more with the position of a content
  than with the content of a position;
- symbolic in a head, if it is slow and S_k < P_k;
- mixed otherwise: frequency and deviations disagree.

Fast is a plane that makes a whole turn within the n tokens of a prompt: |theta_k| n >= 2 pi. Two shares say how much of
the logits a plane carries (frequency_use.py), each adding up to 1 over the planes: of their size, in which what a plane
adds to all keys alike counts too, and of their variation over the keys, in which it does not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import pi

import torch
from torch import Tensor

from empirical.capture.heads import LayerHeads
from empirical.scores.frequency_use import frequency_use
from empirical.scores.logit_matrix import views
from empirical.scores.settings import Settings

POSITIONAL, SYMBOLIC, MIXED = "positional", "symbolic", "mixed"


@dataclass(frozen=True, eq=False)
class PlaneRoles:
    """The planes of all heads of a layer, on some prompts.

    Args:
        layer: its number.
        fast: (planes,), whether a plane makes a whole turn within a prompt.
        P, S: (heads, planes), squared deviations from acting positionally and symbolically.
        size, variation: (heads, planes), shares of the logits, averaged over the prompts.
    """

    layer: int
    fast: Tensor
    P: Tensor
    S: Tensor
    size: Tensor
    variation: Tensor

    def balance(self) -> Tensor:
        """(S - P)/(S + P), (heads, planes): 1 for planes that act positionally, -1 for those that act symbolically."""
        return (self.S - self.P) / (self.S + self.P)

    def role(self, head: int, plane: int) -> str:
        """What the theory calls a plane, both numbers from 0."""
        balance = float(self.balance()[head, plane])
        if bool(self.fast[plane]) and balance > 0:
            return POSITIONAL
        return SYMBOLIC if not bool(self.fast[plane]) and balance < 0 else MIXED

    def of_role(self, head: int, role: str) -> list[int]:
        """The planes of a head, from 0, that have this role."""
        return [plane for plane in range(len(self.fast)) if self.role(head, plane) == role]


def plane_roles(heads: LayerHeads, settings: Settings) -> PlaneRoles:
    """Deviations and shares of all planes of a layer, for the query of the settings."""
    prompts, _, length, _ = heads.queries.shape
    found = [torch.cat(parts) for parts in zip(*_units(heads, settings), strict=True)]
    P, S, size, variation = (part.unflatten(0, (prompts, -1)) for part in found)
    fast = heads.rotary.frequencies.abs() * length >= 2 * pi
    return PlaneRoles(heads.layer, fast, P.sum(0), S.sum(0), size.nanmean(0), variation.nanmean(0))


def _units(heads: LayerHeads, settings: Settings) -> Iterator[tuple[Tensor, ...]]:
    """P, S and both shares (units, planes) of some (prompt, head) pairs after the other."""
    for view in views(heads, settings):
        deviations = []
        for plane in heads.rotary.pairs:
            keys, seen = view.keys[:, :-1, plane], view.seen[:, :-1, plane]
            M = keys @ seen.mT  # without a soft cap: that acts on the sum over the planes
            own = M.diagonal(dim1=-2, dim2=-1)
            deviations.append(
                ((M - own[:, None, :]).square().sum((-2, -1)), (M - own[:, :, None]).square().sum((-2, -1)))
            )
        P, S = (torch.stack(part, dim=-1) for part in zip(*deviations, strict=True))
        use = frequency_use(view, heads.rotary)
        yield P, S, use.size[:, :-1], use.variation[:, :-1]


def single(heads: LayerHeads, head: int) -> LayerHeads:
    """One head of a layer by itself."""
    group = heads.queries.shape[1] // heads.keys.shape[1]
    key_head = head // group
    return replace(
        heads,
        queries=heads.queries[:, head : head + 1],
        keys=heads.keys[:, key_head : key_head + 1],
        attention=None if heads.attention is None else heads.attention[:, head : head + 1],
    )
