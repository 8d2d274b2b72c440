"""Information flow as text."""

from __future__ import annotations

from collections import Counter
from typing import Any

from empirical.dynamics.snapshots import kind
from empirical.dynamics.summary import GAMMAS
from empirical.flow.ablation import NAMES
from empirical.flow.study import Flow
from empirical.scores.records import Row


def render(flow: Flow, facts: dict[str, Any]) -> str:
    """What each layer attends to on the longest walks, where the answer is, and what is lost without a layer."""
    hops = sorted({row["hops"] for row in flow.accuracy})
    most = hops[-1]
    lines = [
        f"{facts['model']}: {facts['task']['name']} task, {facts['layers']} layers; "
        f"{facts['sequences']} sequences, seed {facts['seed']}",
        "",
        f"attention from each link of the walk to the next, walks of {most} hops (random weights in brackets)",
        "         " + "".join(f"{_link(link, most):>15}" for link in range(most)),
    ]
    for layer, head in _heads(flow.attention):
        values = (
            f"{_next(flow.attention, layer, head, most, link):.2f} "
            f"({_next(flow.untrained_attention, layer, head, most, link):.2f})"
            for link in range(most)
        )
        lines.append(f"  {f'L{layer}H{head}':7}" + "".join(f"{value:>15}" for value in values))
    lines += ["", "answer read at the last token after each layer, of all token types: by hops"]
    lines.append("         " + "".join(f"{each:>8}" for each in hops))
    for depth in range(facts["layers"] + 1):
        shares = [_lens(flow.lens, depth, each, 0)["share_of_all"] for each in hops]
        lines.append(f"  {depth:>2}     " + "".join(f"{share:8.2f}" for share in shares))
    lines += ["", "accuracy by hops without a head, whose output is replaced by its mean, or by 0"]
    arms = dict.fromkeys((tuple(row["layers"]), row["head"], row["by"], row["tokens"]) for row in flow.accuracy)
    for layers, head, by, tokens in arms:
        words = _arm(layers, head, by, tokens) if layers else "nothing"
        found = [
            row["accuracy"]
            for row in flow.accuracy
            if (tuple(row["layers"]), row["head"], row["by"], row["tokens"]) == (layers, head, by, tokens)
        ]
        lines.append(f"  {words:36}" + "".join(f"{value:8.3f}" for value in found))
    lines += ["", "scores with the last token as query: s_POS, s_SYM, in all and (by hops)"]
    for row in flow.heads:
        by_hops = " ".join(f"{found['s_pos']:.2f}/{found['s_sym']:.2f}" for found in row["by_hops"].values())
        lines.append(f"  L{row['layer']}H{row['head']}   {row['s_pos']:.3f} {row['s_sym']:.3f} ({by_hops})")
    for gamma in GAMMAS:
        kinds = Counter(kind(row["s_pos"], row["s_sym"], gamma) for row in flow.heads)
        lines.append(f"  gamma {gamma:g}: " + ", ".join(f"{count} {name}" for name, count in kinds.items()))
    return "\n".join(lines)


def _link(number: int, hops: int) -> str:
    return "last token" if number == 0 else f"link {number}" if number < hops else "answer"


def _arm(layers: tuple[int, ...], head: int | None, by: str, tokens: str) -> str:
    if head is None:
        return f"all heads from layer {layers[0]} on, {by}"
    return f"L{layers[0]}H{head}, {by}, {NAMES[tokens]}"


def _heads(rows: list[Row]) -> list[tuple[int, int]]:
    return list(dict.fromkeys((row["layer"], row["head"]) for row in rows))


def _next(rows: list[Row], layer: int, head: int, hops: int, link: int) -> float:
    wanted = (layer, head, hops, link, link + 1)
    return next(
        float(row["attention"])
        for row in rows
        if (row["layer"], row["head"], row["hops"], row["from"], row["to"]) == wanted
    )


def _lens(rows: list[Row], depth: int, hops: int, at: int) -> Row:
    wanted = (depth, hops, at, hops)
    return next(row for row in rows if (row["depth"], row["hops"], row["at"], row["of"]) == wanted)
