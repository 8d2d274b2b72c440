"""The limits of several models as Markdown tables, a row for each kind of layer."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from theory.limits.model import LayerLimits, Question, limits
from theory.limits.text import beta_text, gap_text, number, tokens
from theory.rope.models.config import ModelRope


def markdown(
    models: Sequence[ModelRope], question: Question, progress: Callable[[int, int], None] | None = None
) -> str:
    """Two tables, of single planes and of all planes; `progress` is called with models done and to do."""
    scales = [number(beta) for beta in question.betas]
    single = [
        ["model", "tokens", "base", "scaling", "planes", "slow", *(f"positional, beta {beta}" for beta in scales)]
    ]
    single[0] += ["symbolic, angle", *(f"symbolic, beta {beta}" for beta in scales)]
    together = [["model", "gap, equal", "gap, best", "beta, equal", "beta, best"]]
    together[0] += [f"{name}, {kind}" for name in question.formats for kind in ("equal", "best")]
    for done, model in enumerate(models, start=1):
        found = limits(model, question)
        for layer in found.layers:
            name = model.name if layer.kind == "all" else f"{model.name}, {layer.kind.replace('_', ' ')}"
            single.append([name, *_single(layer, len(scales))])
            together.append([name, *_together(layer)])
        if progress:
            progress(done, len(models))
    return f"{_table(single)}\n{_table(together)}"


def _table(rows: list[list[str]]) -> str:
    head, *body = rows
    ruled = [head, ["---"] + ["---:"] * (len(head) - 1), *body]
    return "".join(f"| {' | '.join(row)} |\n" for row in ruled)


def _single(layer: LayerLimits, scales: int) -> list[str]:
    """Settings, and the lengths of the planes that reach farthest."""
    planes, settings = layer.planes, layer.settings
    return [
        *(tokens(layer.length), number(settings.base), settings.kind, str(len(planes)), str(layer.slow)),
        *(tokens(max(plane.positional[index] for plane in planes)) for index in range(scales)),
        tokens(max(plane.by_angle for plane in planes)),
        *(tokens(max(plane.symbolic[index] for plane in planes)) for index in range(scales)),
    ]


def _together(layer: LayerLimits) -> list[str]:
    pair = (layer.equal, layer.best)
    formats = zip(layer.equal.formats, layer.best.formats, strict=True)
    return [
        *map(gap_text, pair),
        *(beta_text(found.beta) for found in pair),
        *(f">= {tokens(limit.kept)}" for both in formats for limit in both),
    ]
