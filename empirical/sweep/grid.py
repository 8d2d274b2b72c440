"""The runs of a spec: the product of the values in its grid."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from math import prod
from typing import Any

from empirical.sweep.keys import require_known, typed
from empirical.sweep.run import Run, Work
from empirical.sweep.spec import Spec
from theory.errors import InputError

MOST_RUNS = 10_000


def runs_of(spec: Spec) -> list[Run]:
    """All runs, the last key of the grid changing fastest. Raises InputError, with its place, for what is no run."""
    keys, build = _kind(spec)
    for name in (*spec.common, *spec.grid):
        try:
            require_known(name, keys, spec.kind)
        except InputError as error:
            raise InputError(f"{spec.at(name)}: {error}") from None
    count = prod(len(choices) for choices in spec.grid.values())
    if count > MOST_RUNS:
        raise InputError(f"{spec.path} describes {count} runs; describe at most {MOST_RUNS} in one file")
    common = {name: _typed(spec, name, value, keys) for name, value in spec.common.items()}
    choices = [[_typed(spec, name, value, keys) for value in values] for name, values in spec.grid.items()]
    runs: dict[str, Run] = {}
    for chosen in product(*choices):
        point = dict(zip(spec.grid, chosen, strict=True))
        where = (
            f"{spec.path}, run {', '.join(f'{name}={value}' for name, value in point.items())}" if point else spec.path
        )
        try:
            run = Run(build({**common, **point}), point)
        except InputError as error:
            raise InputError(f"{where}: {error}") from None
        if run.name in runs:
            raise InputError(f"{where}: does what an earlier run does; remove one of the two from the grid")
        runs[run.name] = run
    return list(runs.values())


def _kind(spec: Spec) -> tuple[Mapping[str, Any], Callable[[Mapping[str, Any]], Work]]:
    """The keys of a run, and what builds one of typed values."""
    if spec.kind == "train":
        from empirical.sweep import training

        return training.KEYS, training.training
    from empirical.sweep import scoring

    return scoring.KEYS, scoring.Scorings(spec.path.parent)


def _typed(spec: Spec, name: str, value: Any, keys: Mapping[str, Any]) -> Any:
    try:
        return typed(name, value, keys[name])
    except InputError as error:
        raise InputError(f"{spec.at(name)}: {error}") from None
