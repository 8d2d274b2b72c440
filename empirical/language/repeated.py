"""Random tokens, twice: what comes next in the second half can be known from the first half alone.

A head that attends to the token before, or to the one after the earlier occurrence of the present token (induction),
shows on them by where it attends; and the loss on the second half says what such heads are worth to the model.
"""

from __future__ import annotations

import torch
from torch import Tensor

from empirical.capture.heads import LayerHeads
from empirical.capture.hugging_face import HuggingFace
from empirical.capture.self_test import rebuilt_attention
from theory.errors import InputError

SPECIAL = 1000  # token numbers below hold special tokens and single bytes in most vocabularies


def repeated_tokens(sequences: int, half: int, vocabulary: int, seed: int) -> Tensor:
    """(sequences, 2 half) token numbers; the second half repeats the first.

    Numbers are drawn from SPECIAL on, or from the upper half of a vocabulary that has no more than twice as many.
    InputError for fewer than 2 sequences, of which no interval can be made, or a half of fewer than 3 tokens.
    """
    if sequences < 2:
        raise InputError(f"{sequences} sequence gives no interval; give at least 2 sequences")
    if half < 3:
        raise InputError(f"a half of {half} tokens is too short to be recognised; give at least 3")
    lowest = min(SPECIAL, vocabulary // 2)
    first = torch.randint(lowest, vocabulary, (sequences, half), generator=torch.Generator().manual_seed(seed))
    return torch.cat((first, first), dim=1)


def attention_of_kinds(heads: LayerHeads) -> dict[str, Tensor]:
    """Mean attention of each head (heads,) to the previous token, and by induction, on repeated tokens.

    Both from the queries in the second half, over prompts and queries: the query at i to the key at i - 1, and to the
    key at i - half + 1. The weights are rebuilt from queries and keys, in float64.
    """
    positions = torch.arange(heads.queries.shape[2])
    queries, keys = (heads.rotary.rotate(x.double().cpu(), positions) for x in (heads.queries, heads.keys))
    weights = rebuilt_attention(heads, queries, keys.repeat_interleave(queries.shape[1] // keys.shape[1], dim=1))
    half = len(positions) // 2
    asking = positions[half:]
    return {
        name: weights[:, :, asking, asking - back].mean((0, 2))
        for name, back in (("previous-token", 1), ("induction", half - 1))
    }


def loss(model: HuggingFace, tokens: Tensor) -> Tensor:
    """Mean next-token loss of each sequence (sequences,), in nats, on what the second half allows to be known.

    That is all of the second half but its first token, which nothing announces.
    """
    half = tokens.shape[1] // 2
    with torch.inference_mode():
        output = model.model(input_ids=tokens.to(model.model.device), use_cache=False, logits_to_keep=half)
        logits = output.logits[:, :-1]
        losses = torch.nn.functional.cross_entropy(
            logits.flatten(0, 1).float(), tokens[:, half + 1 :].flatten().to(logits.device), reduction="none"
        )
    return losses.unflatten(0, (len(tokens), -1)).double().mean(1).cpu()
