"""The limits as plain data, versioned; each number says what is known of it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from theory.limits.bases import BaseLimits, least_base
from theory.limits.model import LayerLimits, Limits, PlaneLimits, Question, SetLimits
from theory.limits.symbolic import LONGEST
from theory.outcome import Outcome
from theory.printing import as_json
from theory.quantities import Bound, Enclosure, Exact, Result
from theory.rope.models.settings import RopeSettings

VERSION = 1


def as_data(found: Limits) -> dict[str, Any]:
    """The report as versioned data."""
    return {
        "version": VERSION,
        "model": found.model.name,
        "source": found.model.source,
        "context_length": found.model.context_length,
        "sliding_window": found.model.sliding_window,
        **_question(found.question),
        "layers": {layer.kind: _layer(layer) for layer in found.layers},
    }


def _question(question: Question) -> dict[str, Any]:
    return {
        "beta": [as_json(Enclosure(beta)) for beta in question.betas],
        "letters": question.letters,
        "zero_planes": question.still,
    }


def _settings(settings: RopeSettings) -> dict[str, Any]:
    return {
        "base": str(settings.base),
        "rotary_dim": settings.rotary_dim,
        "head_dim": settings.head_dim,
        "scaling": settings.kind,
        "attention_factor": as_json(Enclosure(settings.attention_factor)),
    }


def _layer(layer: LayerLimits) -> dict[str, Any]:
    return {
        "settings": _settings(layer.settings),
        "length": layer.length,
        "planes": [_plane(number, plane) for number, plane in enumerate(layer.planes, start=1)],
        "equal_amplitudes": _set(layer.equal),
        "best_amplitudes": _set(layer.best),
    }


def _plane(number: int, plane: PlaneLimits) -> dict[str, Any]:
    return {
        "plane": number,
        "angle": str(plane.angle),
        "wavelength": None if plane.wavelength is None else as_json(Enclosure(plane.wavelength)),
        "positional_reach": [_length(n) for n in plane.positional],
        "symbolic_reach_by_angle": _length(plane.by_angle),
        "symbolic_reach": [_length(n) for n in plane.symbolic],
    }


def _length(n: int) -> dict[str, Any]:
    return {"kind": "lower bound", "value": str(n)} if n == LONGEST else as_json(Exact(n))


def _set(found: SetLimits) -> dict[str, Any]:
    gap: Result = Enclosure(found.gap) if found.ceiling is None else Bound("lower", found.gap)
    data = {"worst_gap": as_json(gap), "offset": int(found.offsets[0]), "decoding_beta": as_json(found.beta)}
    if found.ceiling is not None:
        data["worst_gap_of_any_amplitudes"] = as_json(Bound("upper", found.ceiling))
    data["formats"] = {
        each.name: {"kept": {"kind": "lower bound", "value": each.kept}, "lost": as_json(Exact(each.lost))}
        for each in found.formats
    }
    return data


def bases_as_data(
    settings: RopeSettings, target: int, question: Question, rows: Sequence[BaseLimits]
) -> dict[str, Any]:
    """The scan of bases as versioned data."""
    closed = settings.kind == "default" and not question.still and settings.rotary_dim > 2
    return {
        "version": VERSION,
        "target_length": target,
        **_question(question),
        "settings": {**_settings(settings), "base": None},
        "least_base_by_angle": as_json(Enclosure(least_base(settings, target, question.letters))) if closed else None,
        "bases": [_base(row) for row in rows],
    }


def _base(row: BaseLimits) -> dict[str, Any]:
    return {
        "base": _plain(row.base),
        "symbolic_by_angle": _word(row.by_angle),
        "symbolic": [_word(each) for each in row.symbolic],
        "all_cosine_sums_nonnegative": _word(row.positive),
        "positional_one_plane": [_word(each) for each in row.one_plane],
        "positional_all_planes": [_word(each) for each in row.together],
        "decoding_beta": None if row.beta is None else as_json(Enclosure(row.beta)),
    }


def _plain(base: Fraction) -> int | str:
    return int(base) if base.denominator == 1 else str(base)


def _word(outcome: Outcome) -> str:
    return outcome.name.lower()
