"""Which tokens can be read out of the residual stream after each layer, with the model's own last map (logit lens).

After the last layer this is the model itself. Earlier it is a question that the model was not trained to answer: that
a token cannot be read this way does not show that it is not there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import torch
from torch import Tensor

from empirical.flow.walks import Walks
from empirical.scores.bootstrap import Resampling
from empirical.scores.records import Row


def lens_rows(streams: Iterable[Tensor], unembed: Callable[[Tensor], Tensor], walks: list[Walks]) -> Iterator[Row]:
    """A row for each depth, number of hops, link k, and link j >= 1 from k on: how often the token at j is read at k.

    `streams` (sequences, n, width) are those after 0, 1, ... layers, `unembed` maps them to logits of tokens.
    `share` counts walks on which the token has a greater logit than all others among the tokens of its kind in the
    sequence (targets for the last link, the others for links before), `chance` what a guess among these types would
    have. For the last link, the answer, `share_of_all` counts those on which its logit is the greatest of all types.
    """
    resampling = Resampling()
    for depth, stream in enumerate(streams):
        for some in walks:
            logits = unembed(some.of(stream)).double()  # (walks, links, vocabulary)
            for end in range(1, some.hops + 1):
                token = some.link(end)
                answer = end == some.hops
                kind = slice(0, some.targets) if answer else slice(some.targets, None)
                rivals = some.tokens[:, kind]
                own = logits.gather(2, token[:, None, None].expand(-1, logits.shape[1], 1))[..., 0]
                others = logits.gather(2, rivals[:, None].expand(-1, logits.shape[1], -1))
                others = others.masked_fill((rivals == token[:, None])[:, None], -torch.inf)
                right = (own > others.amax(-1)).double()  # a tie reads nothing
                low, high = resampling.interval(right)
                chance = (1 / _types(rivals).double()).mean()
                first = (logits.argmax(-1) == token[:, None]).double().mean(0)
                for start in range(end + 1):
                    yield {
                        "depth": depth,
                        "hops": some.hops,
                        "at": start,
                        "of": end,
                        "share": float(right[:, start].mean()),
                        "low": float(low[start]),
                        "high": float(high[start]),
                        "chance": float(chance),
                        "share_of_all": float(first[start]) if answer else None,
                    }


def _types(tokens: Tensor) -> Tensor:
    """How many different tokens each row has."""
    ordered = tokens.sort(-1).values
    return 1 + (ordered[:, 1:] != ordered[:, :-1]).sum(-1)
