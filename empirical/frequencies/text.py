"""Frequency use as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

_HEAD = """\
       scores        mean number of the plane, by planes of most
head   POS    SYM    size norms variance paper    variation (share)"""


def render(models: Sequence[Mapping[str, Any]]) -> str:
    """A table for each model, a line a head."""
    return "\n\n".join(f"{model['name']}: {model['kind']}\n" + _table(model["heads"]) for model in models)


def _table(heads: Sequence[Mapping[str, Any]]) -> str:
    lines = [_HEAD]
    for row in heads:
        planes = ", ".join(f"{plane} ({row['variation'][plane - 1]:.2f})" for plane in row["foremost_by_variation"])
        paper = "-" if row["paper"] is None else str(row["paper"])
        name = f"L{row['layer']}H{row['head']}"
        lines.append(
            f"{name:6} {row['s_pos']:.3f}  {row['s_sym']:.3f} {row['id_by_size']:5.1f} {row['id_by_norm']:5.1f} "
            f"{row['id_by_variance']:8.1f} {paper:>5}    {planes}"
        )
    return "\n".join(lines)
