"""A model of `theory.compact.evasions.models` as an argument on the command line."""

from __future__ import annotations

from typing import Annotated

from theory.arithmetic.ball import Real
from theory.arithmetic.grammar import parse_number
from theory.compact.evasions.models import MODELS, Evader
from theory.errors import InputError
from theory.quantities import Parameter

_WHOLE = ("E6", "E8", "E9")


def _named(text: str) -> Evader:
    name, _, number = text.partition(":")
    if name not in MODELS:
        raise InputError(f"{name} is no model; give one of {', '.join(MODELS)}, or with its number as E1:1/2")
    build, usual = MODELS[name]
    if not number:
        return build(usual)
    value = Real.of(parse_number(number)).exact
    if value is None or value < 0 or name == "E7" or (name in (*_WHOLE, "E2b") and value == 0):
        raise InputError(f"{number} is no number of {name}; give {name} alone, or a positive rational, as in E1:1/2")
    if name in _WHOLE and value.denominator > 1:
        raise InputError(f"{number} is no number of {name}; give a whole one, as in {name}:{usual}")
    return build(value)


Model = Annotated[
    Evader,
    Parameter(
        "E1 (c), E2 (c), E2b (m), E3 (power of n), E4 (eps), E6 (ones), E7, E8 (keys) or E9 (window), with a number "
        "after a colon, as E1:1/2",
        _named,
    ),
]
