"""What a head's own frequencies, planes and logit scale say of longer inputs, from inputs of the usual length alone.

A look-up is a query that gives more than half of its attention to one key, its target. Irrelevant tokens in front add
keys at larger distances r, whose logits are known from their content c: scale <k_c, R^r q>, plane by plane. With m of
them at distances r_1 .. r_m the target keeps the weight

    e^target / (Z + sum_i mean_c e^(logit of c at r_i)),

Z being the sum over the keys that are there already, and the mean that over contents like those in front. The look-up
is foreseen to fail where this weight is 1/2 or less: the others together outweigh the target, which is the threshold of
claim index-softmax-threshold for integer queries (F < 1), and of retrieval-softmax-threshold. A walk is foreseen to
fail with the first look-up on it that does, in whichever layer.

Left aside: contents of deeper layers that change with the length, answers that survive a failed look-up, and the
spread of the sum about its mean.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch import Tensor

from empirical.capture.heads import LayerHeads
from empirical.lengths.sequences import Group
from empirical.subjects import Subject

HALF = 0.5


@dataclass(frozen=True, eq=False)
class Lookups:
    """Queries on the walks of some sequences, in one layer, and what they see; u of them, all float64 or int64.

    Args:
        sequence, head: (u,) which.
        place: (u,) of the query, from 1: the distance of the nearest token in front.
        seen: (u, d), the query before rotation, times the logit scale.
        target: (u,) the largest logit.
        total: (u,) log of the sum of e^logit.
        amplitudes: (u, planes) the largest logit that each plane of the target could add, turned.
    """

    sequence: Tensor
    head: Tensor
    place: Tensor
    seen: Tensor
    target: Tensor
    total: Tensor
    amplitudes: Tensor


@dataclass(frozen=True, eq=False)
class Outlook:
    """What is foreseen for u look-ups behind 0 .. m tokens: (u, m + 1).

    Args:
        weight: of the target.
        kept: of all keys that are not in front.
        margin: logit of the target minus the largest in front, over the sum of the amplitudes; (u, m), from one token.
    """

    weight: Tensor
    kept: Tensor
    margin: Tensor


def lookups(heads: LayerHeads, places: Tensor) -> Lookups:
    """The queries at these places (sequences, some), from 0, in every head of a layer."""
    sequences, count, n, _ = heads.queries.shape
    some = places.shape[1]
    queries, keys = heads.queries.double(), heads.keys.double().repeat_interleave(count // heads.keys.shape[1], dim=1)
    at = torch.arange(n)
    turned = heads.rotary.rotate(queries, at), heads.rotary.rotate(keys, at)
    logits = heads.scale * turned[0] @ turned[1].mT
    logits = logits.masked_fill(torch.ones(n, n, dtype=torch.bool).triu(1), -torch.inf)
    rows = places[:, None, :, None].expand(-1, count, -1, 1)
    chosen = logits.take_along_dim(rows, dim=2)
    target, key = chosen.max(-1)
    asked = heads.scale * queries.take_along_dim(rows, dim=2)
    pairs = heads.rotary.pairs
    sizes = [x[..., pairs].square().sum(-1).sqrt() for x in (asked, keys.take_along_dim(key[..., None], dim=2))]
    number = torch.arange(sequences)[:, None, None].expand(-1, count, some)
    head = torch.arange(count)[None, :, None].expand(sequences, -1, some)
    place = (places + 1)[:, None, :].expand(-1, count, -1)
    parts = number, head, place, asked, target, chosen.logsumexp(-1), sizes[0] * sizes[1]
    return Lookups(*(part.flatten(0, 2) for part in parts))


def outlook(found: Lookups, heads: LayerHeads, contents: Tensor, prepended: int) -> Outlook:
    """Behind up to `prepended` tokens with keys like `contents` (key heads, c, d), before rotation."""
    group = heads.queries.shape[1] // len(contents)
    front = torch.empty(len(found.seen), prepended, dtype=torch.float64)
    rotary, furthest = heads.rotary.relative(), prepended + int(found.place.max())
    cos, sin = rotary.waves(torch.arange(1, furthest), contents.shape[-1])
    for u, (seen, head, place) in enumerate(zip(found.seen, found.head, found.place.tolist(), strict=True)):
        distances = slice(place - 1, place - 1 + prepended)
        turned = rotary.turn(seen, cos[distances], sin[distances])
        front[u] = (turned @ contents[int(head) // group].mT).logsumexp(-1)
    front -= torch.tensor(float(contents.shape[1]), dtype=torch.float64).log()
    sums = torch.logcumsumexp(front, dim=-1)
    nothing = torch.full((len(front), 1), -torch.inf, dtype=torch.float64)
    total = torch.logaddexp(found.total[:, None], torch.cat((nothing, sums), dim=-1))
    margin = (found.target[:, None] - front).cummin(-1).values / found.amplitudes.sum(-1, keepdim=True)
    return Outlook((found.target[:, None] - total).exp(), (found.total[:, None] - total).exp(), margin)


@dataclass(frozen=True, eq=False)
class Foreseen:
    """The outlook for a model behind 0 .. m tokens.

    Args:
        alive: (sequences, m + 1) bool, no look-up of the walk has failed.
        hops: (sequences,).
        standing: (layers, m + 1), the share of look-ups that have not failed.
        kept: (layers, m + 1), mean attention of the last token to the sequence.
        margin: (layers, m), median over look-ups.
        amplitudes: (layers, planes), median over look-ups.
        looking: (layers,), the share of queries on the walks that are look-ups.
    """

    alive: Tensor
    hops: Tensor
    standing: Tensor
    kept: Tensor
    margin: Tensor
    amplitudes: Tensor
    looking: Tensor

    def share(self, hops: int | None = None) -> Tensor:
        """The share of sequences, of some number of hops or of all, whose walk is foreseen to succeed, (m + 1,)."""
        rows = self.alive if hops is None else self.alive[self.hops == hops]
        return rows.double().mean(0)


@dataclass
class _Layer:
    """Sums over the look-ups of one layer, and margins and amplitudes of each."""

    queries: int = 0
    lasts: int = 0
    looks: int = 0
    standing: Tensor = field(default_factory=lambda: torch.zeros(()))
    kept: Tensor = field(default_factory=lambda: torch.zeros(()))
    margins: list[Tensor] = field(default_factory=list)
    amplitudes: list[Tensor] = field(default_factory=list)

    def add(self, found: Lookups, seen: Outlook, looks: Tensor, last: int) -> None:
        final = found.place == last
        self.queries += len(looks)
        self.lasts += int(final.sum())
        self.looks += int(looks.sum())
        self.kept = self.kept + seen.kept[final].sum(0)
        self.standing = self.standing + (seen.weight[looks] > HALF).double().sum(0)
        self.margins.append(seen.margin[looks].float())
        self.amplitudes.append(found.amplitudes[looks])

    def summary(self) -> tuple[Tensor, ...]:
        """`standing`, `kept`, `margin`, `amplitudes` and `looking` of Foreseen; NaN without a look-up."""
        return (
            self.standing / self.looks if self.looks else torch.full_like(self.kept, torch.nan),
            self.kept / self.lasts,
            torch.cat(self.margins).nanmedian(0).values,
            torch.cat(self.amplitudes).nanmedian(0).values,
            torch.tensor(self.looks / self.queries, dtype=torch.float64),
        )


def foresee(subject: Subject, some: list[Group], *, sequences: int, contents: int) -> Foreseen:
    """Of the first `sequences` of each group, with contents as of so many runs of targets of the usual length."""
    model, targets = subject.model, subject.task.targets
    alive, hops = [], []
    layers = [_Layer() for _ in range(model.config.layers)]
    for group in some:
        prepended = len(group.prefix)
        runs = group.prefix[: targets * min(contents, prepended // targets)].reshape(-1, targets)
        tokens, walks = group.batch.tokens[:sequences], group.walks[:sequences]
        living = torch.ones(len(tokens), prepended + 1, dtype=torch.bool)
        for heads, like in zip(model.heads(tokens), model.heads(runs), strict=True):
            found = lookups(heads, walks[:, :-1])
            seen = outlook(found, heads, like.keys.double().transpose(0, 1).flatten(1, 2), prepended)
            looks = seen.weight[:, 0] > HALF
            for sequence in range(len(tokens)):
                living[sequence] &= (seen.weight[looks & (found.sequence == sequence)] > HALF).all(0)
            layers[heads.layer].add(found, seen, looks, subject.task.length)
        alive.append(living)
        hops += [group.hops] * len(tokens)
    summaries = (torch.stack(part) for part in zip(*(layer.summary() for layer in layers), strict=True))
    return Foreseen(torch.cat(alive), torch.tensor(hops), *summaries)


def fall(share: Tensor, shortest: int) -> int | None:
    """The first length at which the share is at most half of what it is at the shortest; None if there is none."""
    low = (share <= HALF * share[0]).nonzero()
    return shortest + int(low[0, 0]) if len(low) else None
