"""Does an adapter read a model right? Four probes; a model that fails one is refused, with the layer and the reason.

- Layout: basis vectors in place of queries and keys move, at two positions, as the adapter's rotation moves them.
- Identity: at position 0 queries and keys come out as they went in, times the attention factor.
- Attention: the weights rebuilt in float64 from the queries and keys are those that the model computed.
- Shift: at positions further along, the model's products of queries and keys are those of the positions 0 .. n-1.

A model whose logits are so large that rounding hides the attention is refused as well: nothing would have been tested.

What it cannot see: whether weights were trained for the way they are used, such as for another number of heads of
another width that fits the same matrices; and whether a window of LENGTH tokens or more ends where it is said to.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from empirical.capture import allowance
from empirical.capture.heads import LayerHeads
from empirical.capture.observed import Adapter, Observed
from theory.errors import InputError

LENGTH, PROMPTS = 24, 2  # tokens and sequences of the probes
ROUGH = 0.1  # error of logits, in nats, from which on attention says little: weights are then off by a fifth
REMEDY = "its scores would mean nothing; give another model, or another version of the library that runs it"


@dataclass(frozen=True)
class SelfTest:
    """The largest error of each probe as a part of what rounding allows; all are at most 1."""

    layout: float
    identity: float
    attention: float
    shift: float


def self_test(model: Adapter, seed: int = 0) -> SelfTest:
    """Run the four probes on every layer. InputError for the first that fails, or for a context below 4 tokens."""
    n = min(LENGTH, model.reach - 1)
    if n < 3:
        raise InputError(f"the model takes {model.context} tokens; the self-test needs 4")
    farthest = model.reach - 1
    tokens = torch.randint(model.vocabulary, (PROMPTS, n), generator=torch.Generator().manual_seed(seed))
    plain = list(model.observe(tokens, torch.arange(n)))
    for seen in plain:
        _require_finite(seen.heads)
    return SelfTest(
        layout=_layout(model, plain[0].heads.queries.shape[-1], farthest),
        identity=max(map(_identity, plain)),
        attention=max(map(_attention, plain)),
        shift=max(map(_shift, model.observe(tokens, torch.arange(n) + (farthest + 1 - n)))),
    )


def _layout(model: Adapter, width: int, farthest: int) -> float:
    basis = torch.eye(width)
    tokens = torch.zeros(width, 2, dtype=torch.int64)
    worst = 0.0
    for seen in model.observe(tokens, torch.tensor([1, farthest]), basis):
        exact, allowed = _rotated(seen, basis.double()[:, None, None].expand(width, 1, 2, width))
        for name, own in (("query", seen.queries), ("key", seen.keys)):
            share = _share((own.double().cpu() - exact).abs(), allowed)
            if not share <= 1:
                raise InputError(f"layer {seen.heads.layer}: {_turning(name, own.double().cpu(), exact)}; {REMEDY}")
            worst = max(worst, share)
    return worst


def _turning(name: str, own: Tensor, exact: Tensor) -> str:
    """What is wrong with the rotation of basis vectors: own and exact (d, heads, 2, d)."""
    wrong = int((own - exact).abs().amax((1, 2, 3)).argmax())
    partners = [_others(x[wrong, 0, 0], wrong) for x in (own, exact)]
    if partners[0] != partners[1]:
        model, adapter = partners
        return f"a {name} along coordinate {wrong} turns into {model} in the model, into {adapter} by the adapter"
    factor, turned = (float(x[wrong, 0, 0].norm()) for x in (exact, own))
    if abs(factor - turned) > 1e-3 * factor:
        return f"rotation multiplies a {name} along coordinate {wrong} by {turned:.5g}, by the adapter by {factor:.5g}"
    angles = [float(x[wrong, 0, 0, [i for i in range(len(x)) if i != wrong]].norm()) for x in (own, exact)]
    return (
        f"a {name} along coordinate {wrong} turns by sine {angles[0]:.6g} a position in the model, "
        f"{angles[1]:.6g} by the adapter"
    )


def _others(image: Tensor, coordinate: int) -> str:
    moved = [i for i in image.nonzero()[:, 0].tolist() if i != coordinate]
    return f"coordinate {', '.join(map(str, moved))}" if moved else "nothing else"


def _require_finite(heads: LayerHeads) -> None:
    for name, vectors in (("queries", heads.queries), ("keys", heads.keys)):
        if not vectors.isfinite().all():
            raise InputError(f"layer {heads.layer}: the model's {name} are not finite; give a model without overflow")


def _identity(seen: Observed) -> float:
    def ratio(before: Tensor, after: Tensor) -> float:
        exact, allowed = _rotated(seen, before.double().cpu()[:, :, :1], first=1)
        return _share((after.double().cpu()[:, :, :1] - exact).abs(), allowed)

    share = max(ratio(seen.heads.queries, seen.queries), ratio(seen.heads.keys, seen.keys))
    return _accepted(share, seen, "position 0 is rotated, or queries and keys are changed after they are read")


def _attention(seen: Observed) -> float:
    heads = seen.heads
    if heads.attention is None:
        raise InputError(f"layer {heads.layer}: the model gives no attention weights; {REMEDY}")
    queries, keys = (_rotated(seen, x.double().cpu())[0] for x in (heads.queries, heads.keys))
    keys = _for_each_query_head(queries, keys)
    exact = rebuilt_attention(heads, queries, keys)
    error = allowance.logits(seen, queries, keys, _roundoff(seen))
    typical = float(error.amax(-1).transpose(0, 1).flatten(1).median(-1).values.max())  # of the head that has most
    if not typical <= ROUGH:
        raise InputError(
            f"layer {heads.layer}: logits are so large that rounding moves them by up to {typical:.2g}, and attention "
            f"cannot be tested; {REMEDY}"
        )
    allowed = allowance.weights(exact, error, _roundoff(seen))
    share = _share((heads.attention.double().cpu() - exact).abs(), allowed)
    return _accepted(share, seen, "the model's attention is not that of the queries and keys that were read")


def rebuilt_attention(heads: LayerHeads, queries: Tensor, keys: Tensor) -> Tensor:
    """Causal attention weights (prompts, heads, n, n) of rotated queries and keys (prompts, heads, n, d)."""
    logits = heads.scale * queries @ keys.transpose(-1, -2)
    if heads.softcap is not None:
        logits = heads.softcap * (logits / heads.softcap).tanh()
    n = logits.shape[-1]
    offset = torch.arange(n)[:, None] - torch.arange(n)
    visible = (offset >= 0) & (offset < (n if heads.window is None else heads.window))
    return logits.masked_fill(~visible, -torch.inf).softmax(-1)


def _shift(seen: Observed) -> float:
    heads = seen.heads
    near = torch.arange(len(seen.positions))
    queries, keys = (heads.rotary.rotate(x.double().cpu(), near) for x in (heads.queries, heads.keys))
    keys = _for_each_query_head(queries, keys)
    products = queries @ keys.transpose(-1, -2)
    own = seen.queries.double().cpu()
    own_products = own @ _for_each_query_head(own, seen.keys.double().cpu()).transpose(-1, -2)
    error = abs(heads.scale) * (own_products - products).abs()
    share = _share(error, allowance.logits(seen, queries, keys, _roundoff(seen)))
    return _accepted(share, seen, "logits change when all positions grow by the same number")


def _rotated(seen: Observed, x: Tensor, first: int | None = None) -> tuple[Tensor, Tensor]:
    """Vectors x (..., n, d), float64, rotated exactly, and the allowed error of the model in doing it."""
    rotary, positions = seen.heads.rotary, seen.positions[:first]
    allowed = allowance.rotation(x, rotary, positions, _roundoff(seen), seen.stretch)
    return rotary.rotate(x, positions), allowed


def _for_each_query_head(queries: Tensor, keys: Tensor) -> Tensor:
    return keys.repeat_interleave(queries.shape[1] // keys.shape[1], dim=1)


def _roundoff(seen: Observed) -> float:
    return allowance.unit_roundoff(seen.queries.dtype)


def _share(error: Tensor, allowed: Tensor) -> float:
    """The largest part of the allowance that is used; what is not rotated must not change at all."""
    share = torch.where(error == 0, 0.0, error / allowed)
    return float(share.max())


def _accepted(share: float, seen: Observed, reason: str) -> float:
    if not share <= 1:
        raise InputError(f"layer {seen.heads.layer}: {reason} ({share:.3g} times what rounding allows); {REMEDY}")
    return share
