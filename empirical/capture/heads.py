"""What is measured of a layer: its queries and keys, and how it turns them into logits."""

from dataclasses import dataclass

from torch import Tensor

from empirical.rotary import Rotary


@dataclass(frozen=True, eq=False)
class LayerHeads:
    """All heads of one layer, on prompts of one length n.

    `queries` (prompts, heads, n, d) and `keys` (prompts, key heads, n, d) are taken before rotation and after the
    model's own norm of them, if any; query head h uses key head h // (heads // key heads). The logit of the query at i
    and the key at j is scale * <rotated k, rotated q>, then softcap * tanh(logit / softcap) if there is a soft cap;
    with a window the query sees the keys with i - j < window. `attention` (prompts, heads, n, n) holds the weights
    that the model itself computed, queries in rows.
    """

    layer: int
    queries: Tensor
    keys: Tensor
    rotary: Rotary
    scale: float
    softcap: float | None = None
    window: int | None = None
    attention: Tensor | None = None
