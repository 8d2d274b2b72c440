"""How much attention goes from each link of the walk to each other, layer by layer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from torch import Tensor

from empirical.flow.walks import Walks
from empirical.scores.bootstrap import Resampling
from empirical.scores.records import Row


def between_links(attention: Tensor, walks: Walks) -> Tensor:
    """Attention (sequences, heads, n, n) of link k to link j, (walks, heads, links, links); 0 for j < k."""
    places = walks.places
    queries = attention[walks.rows[:, None], :, places]  # (walks, links, heads, n)
    chosen = queries.gather(3, places[:, None, None, :].expand(-1, places.shape[1], queries.shape[2], -1))
    return chosen.transpose(1, 2)


def attention_rows(layers: Iterable[Tensor], walks: list[Walks]) -> Iterator[Row]:
    """A row for each layer, head, number of hops and pair of links: the mean over walks and its interval.

    `uniform` is what a head has that attends to all tokens alike. A link's attention to itself counts, and what is left
    goes to tokens off the walk.
    """
    resampling = Resampling()
    for layer, attention in enumerate(layers):
        for some in walks:
            found = between_links(attention.double(), some)
            low, high = resampling.interval(found)
            uniform = (1 / (some.places + 1).double()).mean(0)
            for head in range(found.shape[1]):
                for start in range(some.hops + 1):
                    for end in range(start, some.hops + 1):
                        yield {
                            "layer": layer,
                            "head": head,
                            "hops": some.hops,
                            "from": start,
                            "to": end,
                            "attention": float(found[:, head, start, end].mean()),
                            "low": float(low[head, start, end]),
                            "high": float(high[head, start, end]),
                            "uniform": float(uniform[start]),
                        }
