"""Activations of MLPs with |act(t)| <= |t|, and certified bounds of their slopes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from flint import arb

from theory.compact.certificate.weights import Array

# The largest |act'|, rounded up: at the zero of act'' for the smooth ones.
SLOPES: Mapping[str, float] = {
    "silu": 1.09983932013,
    "gelu": 1.12890414519,
    "gelu-tanh": 1.12899306866,
    "relu": 1.0,
}


def activated(name: str, t: Any) -> Any:
    """The activation of an array of floats, or of balls."""
    if t.dtype == object:
        return np.frompyfunc(_BALLS[name], 1, 1)(t)
    return _FLOATS[name](t)


def _erf(t: Array) -> Array:
    from scipy.special import erf

    values: Array = erf(t)
    return values


_FLOATS: Mapping[str, Callable[[Array], Array]] = {
    "silu": lambda t: t / (1 + np.exp(-np.clip(t, -700, None))),
    "gelu": lambda t: t * (1 + _erf(t / np.sqrt(2))) / 2,
    "gelu-tanh": lambda t: t * (1 + np.tanh(np.sqrt(2 / np.pi) * (t + 0.044715 * t**3))) / 2,
    "relu": lambda t: np.maximum(t, 0),
}
_BALLS: Mapping[str, Callable[[arb], arb]] = {
    "silu": lambda t: t / (1 + (-t).exp()),
    "gelu": lambda t: t * (1 + (t / arb(2).sqrt()).erf()) / 2,
    "gelu-tanh": lambda t: t * (1 + ((2 / arb.pi()).sqrt() * (t + arb("0.044715") * t**3)).tanh()) / 2,
    "relu": lambda t: t.max(arb(0)),
}
