"""Where every number has to lie, and whether it does.

Bands of numbers are for digits. Of other images the orders, equalities and counts are asked that theory or digits say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from empirical.bands import Row, minus, row
from empirical.images.inference import CLOSE

Found = Mapping[str, Any]
Models = Mapping[str, Sequence[Found]]

ONE_STEP = {"concat": (0.75, 0.95), "gated": (0.85, 0.97)}
PERMUTED = "permuted"


def models(found: Found) -> dict[str, list[Found]]:
    """What was measured, one entry a seed, by decoder: "concat-4", "gated-8", "free", "permuted-4"."""
    chosen: dict[str, list[Found]] = {}
    for model in found["models"]:
        kind = PERMUTED if model["permuted"] else model["kind"]
        name = f"{kind}-{model['width']}" if model["width"] else kind
        chosen.setdefault(name, []).append(model["measures"])
    return chosen


def widths(named: Models) -> list[str]:
    """The names of concat decoders, by the width of their code."""
    return sorted((name for name in named if name.startswith("concat-")), key=lambda name: int(name.split("-")[1]))


def main(named: Models) -> dict[str, str]:
    """The decoders of the table: the concat one of the narrowest code, the gated and the free one; names by kind."""
    chosen = {"concat": widths(named)[0]}
    return chosen | {name.split("-")[0]: name for name in named if name.split("-")[0] in ("gated", "free")}


def accuracy(seeds: Sequence[Found], rule: str) -> list[float]:
    """Of every seed."""
    return [seed["accuracy"][rule] for seed in seeds]


def rows(found: Found, data: str) -> list[Row]:
    """All bands whose numbers a study of `data`, "digits" or "fashion", has."""
    named, digits = models(found), data == "digits"
    tabled = {kind: named[name] for kind, name in main(named).items()}
    compared = {f"{name}, ": named[name] for kind, name in main(named).items() if kind != "free"}
    chosen: list[Row] = []
    for title, seeds in compared.items():
        chosen += _order(title, seeds)
        chosen += _numbers(title, seeds, ONE_STEP[title.split("-")[0]]) if digits else []
    chosen += _equalities(tabled)
    if digits:
        chosen += _permuted(named)
        chosen += _sweep(named)
    for title, seeds in compared.items():
        chosen += _outside(title, seeds, digits)
    return [*chosen, *_costs(found["costs"]["counts"])]


def _numbers(title: str, seeds: Sequence[Found], ends: tuple[float, float]) -> Iterator[Row]:
    yield row(f"{title}classifier", accuracy(seeds, "classifier"), least=0.96)
    yield row(f"{title}one-step", accuracy(seeds, "one-step"), least=ends[0], most=ends[1])
    for rule in ("entropy", "norm"):
        yield row(f"{title}{rule}", accuracy(seeds, rule), most=0.5)
    yield row(f"{title}agreement of one-step with likelihoods", [seed["agreement"] for seed in seeds], least=0.75)
    yield row(f"{title}correlation of g with ell", [seed["correlation"] for seed in seeds], least=0.8)


def _order(title: str, seeds: Sequence[Found]) -> Iterator[Row]:
    for better, worse in (
        ("classifier", "likelihoods"),
        ("likelihoods", "one-step"),
        ("iterative", "constant offsets"),
        ("likelihoods", "constant offsets"),
        ("constant offsets", "one-step"),
        ("one-step", "entropy"),
        ("one-step", "norm"),
    ):
        differences = minus(accuracy(seeds, better), accuracy(seeds, worse))
        yield row(f"{title}{better} - {worse}", differences, least=0)
    differences = minus(accuracy(seeds, "iterative"), accuracy(seeds, "likelihoods"))
    yield row(f"{title}iterative - likelihoods", differences, least=-0.02, most=0.02)


def _equalities(tabled: Models) -> Iterator[Row]:
    """What is proved of decoders that are linear in z, of the seed where it is farthest from true."""
    for kind, rule in (("gated", "offsets of the image"), ("free", "offsets of one image")):
        seeds = tabled.get(kind, ())
        if seeds:
            differing = [float(seed["unlike likelihoods"][rule]) for seed in seeds]
            yield replace(_worst(f"{kind}, {rule}: images unlike likelihoods", differing), most=0.5)
            largest = [seed["identity"] for seed in seeds]
            yield replace(_worst(f"{kind}, largest |P(g - B - ell)|", largest), most=CLOSE)


def _worst(name: str, values: Sequence[float]) -> Row:
    """The largest of all seeds."""
    return row(name, [max(values)])


def _permuted(named: Models) -> Iterator[Row]:
    for name, seeds in named.items():
        if name.startswith(PERMUTED):
            for rule in ("one-step", "likelihoods"):
                yield row(f"{name}, {rule}", accuracy(seeds, rule), least=0.05, most=0.15)


def _sweep(named: Models) -> Iterator[Row]:
    """A wider code makes z matter less; seeds that both widths have."""
    names = widths(named)
    for narrow, wide in pairwise(names):
        count = min(len(named[narrow]), len(named[wide]))
        a, b = named[narrow][:count], named[wide][:count]
        title = f"width {wide.split('-')[1]} - {narrow.split('-')[1]}"
        for rule in ("likelihoods", "one-step"):
            yield row(f"{title}: accuracy of {rule}", minus(accuracy(b, rule), accuracy(a, rule)), most=0)
        for key, words in (("spread", "spread of decodings"), ("reconstruction", "error of reconstruction")):
            yield row(f"{title}: {words}", minus([each[key] for each in b], [each[key] for each in a]), most=0)
    if len(names) > 1:
        ends = named[names[-1]], named[names[0]]
        count = min(map(len, ends))
        gaps = [minus(accuracy(each, "likelihoods"), accuracy(each, "one-step"))[:count] for each in ends]
        yield row("likelihoods - one-step: widest - narrowest code", minus(*gaps), most=0)


def _outside(title: str, seeds: Sequence[Found], digits: bool) -> Iterator[Row]:
    for name in seeds[0]["auroc"]:
        found = {score: [seed["auroc"][name][score] for seed in seeds] for score in seeds[0]["auroc"][name]}
        difference = minus(found["alignment"], found["centred max"])
        yield row(f"{title}{name}: AUROC of alignment - centred max", difference, least=0)
        if digits and name != "fashion":
            yield row(f"{title}{name}: AUROC of the best likelihood", found["likelihood"], least=0.99)
            if title.startswith("gated"):
                yield row(f"{title}{name}: AUROC of alignment", found["alignment"], least=0.97)


def _costs(counts: Found) -> Iterator[Row]:
    """Counts, which are no matter of seeds."""
    for mode, each in counts.items():
        for K, found in each.items():
            yield row(f"{mode}, K = {K}: passes that one-step costs", [found["one-step"]], least=1, most=2)
            passes = found["likelihoods"]
            yield row(f"{mode}, K = {K}: passes that likelihoods cost", [passes], least=int(K), most=int(K))
            own = found["offsets of the image"] - passes
            yield row(f"{mode}, K = {K}: passes, offsets of the image - likelihoods", [own], least=0)
