"""Certificates of decoders: the decoders that catch a wrong formula, with all their weights moved."""

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from flint import ctx

from tests.adversary.duel import Axis, Duel, Pair
from theory.compact.certificate.soundness import below
from theory.compact.certificate.traps import TRAPS
from theory.compact.certificate.weights import Weights
from theory.outcome import Outcome

MOVED = ("query", "key", "value", "output")
MATRICES = [f"{name}_{r}{c}" for name in MOVED for r in (0, 1) for c in (0, 1)]
SHOWN = tuple(name for name in TRAPS if name != "last-letter")


@cache
def _still(setting: str) -> Weights:
    return TRAPS[setting].weights()


def _moved(setting: str, x: np.ndarray) -> Weights:
    """The same numbers are added to the matrices of all heads, and to the embeddings."""
    weights = _still(setting)
    (block,) = weights.blocks
    steps = np.asarray(x[:16], dtype=float).reshape(4, 2, 2)
    heads: dict[str, Any] = {
        name: getattr(block.attention, name) + step for name, step in zip(MOVED, steps, strict=True)
    }
    embedding = weights.embedding + np.asarray(x[16:20], dtype=float).reshape(2, 2)
    return replace(weights, embedding=embedding, blocks=(replace(block, attention=replace(block.attention, **heads)),))


def _pairs(rules: Any, setting: str, x: Any) -> list[tuple[str, Any, Any]]:
    return list(TRAPS[setting].look(_moved(setting, x), rules))


def _play(rules: Any, setting: str, x: Any, ar: Any) -> Pair | None:
    """What comes nearest to its bound, of bounds that say something."""
    with ctx.workprec(64):
        found = [(float(o.mid()), float(b.upper())) for _, o, b in _pairs(rules, setting, x)]
    return max((pair for pair in found if pair[1] > 1e-6), key=lambda pair: pair[0] / pair[1], default=None)


def _verdict(rules: Any, setting: str, x: list[Any]) -> Outcome:
    with ctx.workprec(128):
        return Outcome.every(below(o, b) for _, o, b in _pairs(rules, setting, np.array([float(v) for v in x])))


def _axes(setting: str) -> list[Axis]:
    return [Axis(name, -0.3, 0.3) for name in MATRICES] + [Axis(f"letter_{k}", -0.2, 0.2) for k in range(4)]


def _duel(setting: str, control: str) -> Duel:
    return Duel(
        "certificate-soundness",
        f"the decoder {setting}, moved",
        (setting,),
        _axes,
        _play,
        (control,),
        verdict=_verdict,
    )


_CAUGHT = {
    "output-bias": "no bias of the output projection",
    "down-bias": "no last bias of the MLP",
    "sink": "the sink's value left out",
    "temperature": "a temperature in Delta alone",
    "cap": "a temperature after the cap",
    "bias-after-cap": "a bias inside the cap",
    "readout-cap": "no cap in Lambda",
    "seen-length": "rho measured",
    "opposite-keys": "Delta = tau Q K",
    "output-matrix": "D_v without W_o",
    "output-temperature": "no output temperature",
    "key-heads": "the wrong key head",
}
CERTIFICATES = [_duel(setting, control) for setting, control in _CAUGHT.items()]
