"""A study as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from empirical.bands import listed
from empirical.intervals import over_seeds
from empirical.sources.bands import lengths, over
from theory.wording import counted

Found = Mapping[str, Any]
Results = Mapping[str, Sequence[Found]]
NAMES = {
    "input": "z at the input",
    "head": "z at the head",
    "none": "no z",
    "shuf": "shuffled labels",
    "rand": "random z",
}
RULES = {
    "one-step": "one step",
    "constant offsets": "constant offsets",
    "offsets of the context": "offsets of the context",
    "likelihoods": "likelihoods",
    "iterative": "iterative",
    "entropy": "entropy",
    "norm": "norm",
}


def render(data: Found) -> str:
    """What was measured, then every band."""
    results = {kind: data["models"][kind]["results"] for kind in NAMES}
    lines = [f"{data['body']}, {counted(len(data['seeds']), 'seeds')}, means [95 % intervals]; losses in nats a letter"]
    for kind, found in results.items():
        lines += ["", NAMES[kind], *_learned(found, data["parts"])]
        if kind == "none":
            lines += [
                f"  input moved on {text}, {way}: {_course([each['moved'][text][way] for each in found])}"
                for text in found[0]["moved"]
                for way in found[0]["moved"][text]
            ]
            continue
        for length in lengths(results):
            lines += [f"  windows of {length}", *_inferred([each["lengths"][length] for each in found])]
            if kind == "head":
                lines += _offsets(found, length)
        lines += _adapted(found)
    return "\n".join([*lines, "", *listed(data["bands"], quick=data["tier"] == "quick")])


def _aligned(indent: str, values: Mapping[str, Sequence[float]]) -> list[str]:
    return [f"{indent}{name}: {over_seeds(each)}" for name, each in values.items()]


def _learned(found: Sequence[Found], parts: Sequence[Sequence[int]]) -> Iterator[str]:
    """Losses of training and test."""
    columns = zip(*(each["parts"] for each in found), strict=True)
    means = (f"{start}-{end} {over_seeds(part).mean:.3f}" for (start, end), part in zip(parts, columns, strict=False))
    if found[0]["parts"]:  # none of a training that is too short
        yield f"  training loss at steps {', '.join(means)}"
    yield from _aligned("  ", {"training loss at the end": over(found, "last")})
    ways = {"true": "test loss with the true z", "u": "test loss with u", "none": "test loss"}
    yield from _aligned("  ", {ways[way]: over(found, "test_loss", way) for way in found[0]["test_loss"]})


def _inferred(here: Sequence[Found]) -> Iterator[str]:
    """How many windows of one length are given to their source."""
    yield from _aligned("    found by ", {RULES[rule]: over(here, "right", rule) for rule in here[0]["right"]})
    if "iterative" in here[0]:
        pair = [over_seeds(over(here, "iterative", rule)) for rule in ("iterative", "likelihoods")]
        yield f"    found by iterating: {pair[0]}, of windows of which likelihoods find {pair[1].mean:.3f}"
    yield from _aligned("    ", {"one step chooses as likelihoods": over(here, "agreement")})
    yield from _aligned("    ", {"correlation of gradients and log-likelihoods": over(here, "correlation")})
    for rule in ("one-step", "likelihoods"):
        yield from _aligned("    largest share of a source, ", {RULES[rule]: over(here, "confidence", rule)})


def _offsets(found: Sequence[Found], length: str) -> list[str]:
    columns = zip(*(each["lengths"][length]["offsets"] for each in found), strict=True)
    pairs = zip(found[0]["sources"], columns, strict=True)
    return _aligned("    ", {f"offset a letter, {name}": offsets for name, offsets in pairs})


def _adapted(found: Sequence[Found]) -> Iterator[str]:
    for text in found[0]["adapted"]:
        here = [each["adapted"][text] for each in found]
        yield f"  z adapted to {text}: {_course(here)}"
        if "single" in here[0]:
            z = (f"{over_seeds(shares).mean:.2f}" for shares in zip(*(each["z"] for each in here), strict=True))
            yield f"    z ({', '.join(z)})"
            yield from _aligned(
                "    loss - that with u, ",
                {
                    "best source alone": [min(each["single"]) - each["loss"][0] for each in here],
                    f"z of {found[0]['foreign']['name']}": [each["foreign"] - each["loss"][0] for each in here],
                },
            )


def _course(here: Sequence[Found]) -> str:
    """The loss before, and its change."""
    start = over_seeds([each["loss"][0] for each in here]).mean
    half = over_seeds([each["loss"][len(each["loss"]) // 2] - each["loss"][0] for each in here]).mean
    change = over_seeds(over(here, "change"))
    ends = "" if change.low is None else f" [{change.low:+.4f}, {change.high:+.4f}]"
    return f"{start:.4f}, {change.mean:+.4f}{ends}, half way {half:+.4f}"
