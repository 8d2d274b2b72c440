"""What is to be removed from which heads, what the theory predicts of it, and the controls: all before anything is run.

From a head of a kind, previous-token or induction, all planes of one role are removed. A control removes random planes
of the same head, of whatever role, that carry the same share of the size of its logits, up to TOLERANCE of that share.
A head of a pure kind works by the planes of its own role: a previous-token head by positional planes, an induction head
by symbolic ones; its own score is s_POS or s_SYM in turn. Loss is that on the second half of repeated sequences.

Predicted changes:

- without the planes of its own role the own score falls and the other rises, and the loss rises;
- without those of the other role, neither score changes, nor does the loss.

Predicted differences from the mean change by the controls, some of whose planes are of either role:

- without the planes of its own role the own score is lower, the other higher, the loss higher;
- without those of the other role, the own score is higher, the other lower, the loss lower.

A change or difference counts from SMALL on, in units of score or nats: it is as predicted, or against the prediction,
if its whole interval is beyond SMALL on one side; none, if the interval is within SMALL of 0; and undecided otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from empirical.language.planes import POSITIONAL, SYMBOLIC, PlaneRoles

TOLERANCE = 0.1  # of the share
SMALL = 0.01
TRIES = 20_000
WORKS_BY = {"previous-token": POSITIONAL, "induction": SYMBOLIC}
SCORES = {POSITIONAL: "s_pos", SYMBOLIC: "s_sym"}
MEASURES = ("s_pos", "s_sym", "loss")


@dataclass(frozen=True)
class Cut:
    """Planes, from 1, that are removed from one head, and their shares of the size and variation of its logits."""

    layer: int
    head: int
    planes: tuple[int, ...]
    size: float
    variation: float


@dataclass(frozen=True)
class Arm:
    """The planes of one role removed from a head, or from some heads at once, and the controls, a draw each."""

    kind: str
    role: str
    cuts: tuple[Cut, ...]
    controls: tuple[tuple[Cut, ...], ...]

    @property
    def own(self) -> bool:
        """Whether these are the planes that the head works by."""
        return WORKS_BY[self.kind] == self.role

    def predicted(self, measure: str) -> tuple[int, int]:
        """The signs of the change of a measure, 0 for none, and of its difference from that by the controls."""
        if measure == "loss":
            return (1, 1) if self.own else (0, -1)
        own_score = measure == SCORES[WORKS_BY[self.kind]]
        if self.own:
            return (-1, -1) if own_score else (1, 1)
        return (0, 1) if own_score else (0, -1)

    @property
    def measures(self) -> tuple[str, ...]:
        """What is measured: the scores only of single heads."""
        return MEASURES if len(self.cuts) == 1 else ("loss",)

    def __str__(self) -> str:
        where = ", ".join(f"({cut.layer}, {cut.head})" for cut in self.cuts)
        return f"{self.kind} {where}, {self.role} planes"


def plan(
    chosen: Mapping[str, Sequence[tuple[int, int]]], roles: Sequence[PlaneRoles], draws: int, seed: int
) -> list[Arm]:
    """The arms for the heads (layer, head) that were chosen of each kind: each alone, then all of a kind at once.

    A head without planes of a role has no arm for it. An arm has fewer controls than `draws`, or none, where no more
    can be found; it is then left out where all of a kind are taken at once.
    """
    arms = []
    for kind, heads in chosen.items():
        for role in (POSITIONAL, SYMBOLIC):
            alone = [arm for layer, head in heads for arm in _alone(kind, role, roles[layer], head, draws, seed)]
            full = [arm for arm in alone if len(arm.controls) == draws]
            arms += alone
            if len(full) > 1:
                together = (tuple(arm.controls[draw][0] for arm in full) for draw in range(draws))
                arms.append(Arm(kind, role, tuple(arm.cuts[0] for arm in full), tuple(together)))
    return arms


def _alone(kind: str, role: str, roles: PlaneRoles, head: int, draws: int, seed: int) -> Iterator[Arm]:
    if planes := roles.of_role(head, role):
        random = np.random.default_rng((seed, roles.layer, head, role == SYMBOLIC))
        drawn = _random(planes, roles.size[head].numpy(), draws, random)
        yield Arm(kind, role, (_cut(roles, head, planes),), tuple((_cut(roles, head, some),) for some in drawn))


def _random(planes: list[int], shares: np.ndarray, draws: int, random: np.random.Generator) -> list[list[int]]:
    """Random sets of planes with the share of `planes`, none twice and none of them `planes` itself."""
    wanted, seen = shares[planes].sum(), {frozenset(planes)}
    found: list[list[int]] = []
    for _ in range(TRIES):
        if len(found) == draws:
            break
        order = random.permutation(len(shares))
        fits = np.flatnonzero(np.abs(np.cumsum(shares[order]) - wanted) <= TOLERANCE * wanted)
        if len(fits) and (drawn := frozenset(order[: fits[0] + 1].tolist())) not in seen:
            seen.add(drawn)
            found.append(sorted(drawn))
    return found


def _cut(roles: PlaneRoles, head: int, planes: list[int]) -> Cut:
    shares = (float(share[head, planes].sum()) for share in (roles.size, roles.variation))
    return Cut(roles.layer, head, tuple(plane + 1 for plane in planes), *shares)
