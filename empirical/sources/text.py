"""A study as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from empirical.bands import listed
from empirical.intervals import over_seeds
from empirical.sources.bands import lengths, over

Found = Mapping[str, Any]
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
    lines = [f"{data['body']}, {len(data['seeds'])} seeds, mean [95 % interval]", "", "training loss, nats a letter"]
    for kind, found in results.items():
        parts = zip(data["parts"], zip(*(each["parts"] for each in found), strict=True), strict=False)
        means = (f"from {start}: {over_seeds(values).mean:.3f}" for (start, _), values in parts)
        lines.append(f"  {NAMES[kind]}: {', '.join(means)}; at the end {over_seeds(over(found, 'last'))}")
    lines += ["", "test loss"]
    for kind, found in results.items():
        losses = (f"{_called(way)} {over_seeds(over(found, 'test_loss', way))}" for way in found[0]["test_loss"])
        lines.append(f"  {NAMES[kind]}: {', '.join(losses)}")
    for length in lengths(results):
        lines += ["", f"source of windows of {length} letters found by"]
        lines += _found(results, length)
    lines += ["", "one z for a text of no source: loss with u, change"]
    lines += _adapted(results)
    return "\n".join([*lines, "", *listed(data["bands"])])


def _called(way: str) -> str:
    return {"true": "true z", "u": "z = u", "none": "no z"}[way]


def _found(results: Mapping[str, Sequence[Found]], length: str) -> Iterator[str]:
    for kind, found in results.items():
        if kind == "none":
            continue
        here = [each["lengths"][length] for each in found]
        shares = [f"{RULES[rule]} {over_seeds(over(here, 'right', rule))}" for rule in here[0]["right"]]
        if "iterative" in here[0]:
            pair = (over_seeds(over(here, "iterative", rule)).mean for rule in ("iterative", "likelihoods"))
            shares.append("iterative {:.3f} where likelihoods {:.3f}".format(*pair))
        yield f"  {NAMES[kind]}: {', '.join(shares)}"
        facts = [f"agreement {over_seeds(over(here, 'agreement'))}"]
        if None not in (each["correlation"] for each in here):
            facts.append(f"correlation {over_seeds(over(here, 'correlation'))}")
        facts.append(f"confidence {over_seeds(over(here, 'confidence', 'likelihoods'))}")
        yield f"    one step beside likelihoods: {', '.join(facts)}"
        if kind == "head":
            offsets = zip(*(each["offsets"] for each in here), strict=True)
            pairs = zip(found[0]["sources"], offsets, strict=True)
            yield f"    offsets a letter: {', '.join(f'{name} {over_seeds(values)}' for name, values in pairs)}"


def _adapted(results: Mapping[str, Sequence[Found]]) -> Iterator[str]:
    for text in results["head"][0]["adapted"]:
        for kind, found in results.items():
            if kind == "none":
                for way in ("free", "projected"):
                    here = [each["moved"][text][way] for each in found]
                    yield f"  {text}, {NAMES[kind]}, input moved, {way}: {_course(here)}"
                continue
            here = [each["adapted"][text] for each in found]
            yield f"  {text}, {NAMES[kind]}: {_course(here)}"
            if "single" in here[0]:
                z = (f"{over_seeds(shares).mean:.2f}" for shares in zip(*(each["z"] for each in here), strict=True))
                best = over_seeds([min(each["single"]) for each in here]).mean
                foreign = over_seeds(over(here, "foreign")).mean
                yield f"    z ({', '.join(z)}); best source alone {best:.4f}, z of {_name(found)} {foreign:.4f}"


def _name(found: Sequence[Found]) -> str:
    return str(found[0]["foreign"]["name"])


def _course(here: Sequence[Found]) -> str:
    start = over_seeds([each["loss"][0] for each in here]).mean
    change = over_seeds(over(here, "change"))
    ends = "" if change.low is None else f" [{change.low:+.4f}, {change.high:+.4f}]"
    half = over_seeds([each["loss"][len(each["loss"]) // 2] - each["loss"][0] for each in here]).mean
    return f"{start:.4f}, {change.mean:+.4f}{ends}, half way {half:+.4f}"
