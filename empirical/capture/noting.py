"""An attention function for the library transformers that does what the model's own does, and notes what it was given.

The model's own is the eager one of its file: it alone returns weights, and applies soft caps as the model wants them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from typing import Any

from torch import Tensor

_NAME = "headproof"


@dataclass(frozen=True, eq=False)
class Call:
    """What a layer gave its attention function, after rotation, and the weights that it got.

    `queries` (prompts, heads, n, d), `keys` (prompts, key heads, n, d), `weights` (prompts, heads, n, n); `settings`
    are the keywords: scaling, and soft cap and window where there are any.
    """

    queries: Tensor
    keys: Tensor
    weights: Tensor
    settings: dict[str, Any]


_note: ContextVar[Callable[[Call], None]] = ContextVar("note")


def _attention(module: Any, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, **settings: Any) -> Any:
    eager = sys.modules[type(module).__module__].eager_attention_forward
    output, weights = eager(module, query, key, value, mask, **settings)
    _note.get()(Call(query, key, weights, settings))
    return output, weights


@cache
def _register() -> None:
    from transformers import AttentionInterface, AttentionMaskInterface
    from transformers.masking_utils import eager_mask

    AttentionInterface.register(_NAME, _attention)
    AttentionMaskInterface.register(_NAME, eager_mask)


@contextmanager
def noting(config: Any, note: Callable[[Call], None]) -> Iterator[None]:
    """While open, every layer of the model with this config calls `note`, first layer first."""
    _register()
    usual = config._attn_implementation
    token = _note.set(note)
    config._attn_implementation = _NAME
    try:
        yield
    finally:
        config._attn_implementation = usual
        _note.reset(token)
