"""Where every number has to lie, and whether it does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from operator import getitem
from typing import Any, cast

from empirical.bands import Row, minus, row

Found = Mapping[str, Any]
Results = Mapping[str, Sequence[Found]]  # by kind, one a seed
TOLD, CONTROLS = ("input", "head"), ("shuf", "rand")
FAR = ("kjv", "pycode")  # sources that are far from the mixture of all


def rows(results: Results) -> list[Row]:
    """All bands: of three sources few are fixed, since models differ more; else those of five sources."""
    if len(results["head"][0]["sources"]) == 3:
        return [*_three_sources(results), _identity(results)]
    return [
        *_learning(results),
        *_test_loss(results),
        *_accuracy(results),
        *_agreement(results),
        _identity(results),
        *_offsets(results["head"]),
        *_adaptation(results),
        *_recomposition(results["input"]),
        *_moved(results["none"]),
    ]


def over(results: Sequence[Found], *path: str) -> list[float]:
    """The number at the end of a path of names, for every seed."""
    return [float(reduce(getitem, path, cast(Any, each))) for each in results]


def lengths(results: Results) -> list[str]:
    """Of the windows, as names, in rising order."""
    return list(results["head"][0]["lengths"])


def right(results: Results, kind: str, length: str, rule: str) -> list[float]:
    """The share of windows that a rule gives to their source."""
    return over(results[kind], "lengths", length, "right", rule)


def worst(name: str, values: Sequence[float], *, least: float | None = None, most: float | None = None) -> Row:
    """The value that is nearest to leaving a band with one end, and the least and largest value, if there are two."""
    value = max(values) if least is None else min(values)
    low, high = (min(values), max(values)) if len(values) > 1 else (None, None)
    return Row(name, value, low, high, least, most, median=True)


def _learning(results: Results) -> Iterator[Row]:
    last = {kind: over(found, "last") for kind, found in results.items()}
    for kind in TOLD:
        for other in ("none", *CONTROLS):
            yield row(f"training loss at the end: {kind} - {other}", minus(last[kind], last[other]), most=0)
    head, none = (list(zip(*(each["parts"] for each in results[kind]), strict=True)) for kind in ("head", "none"))
    for number, (ours, plain) in enumerate(zip(head, none, strict=True), 1):
        if number > 1:
            yield row(f"training loss, part {number}: head - none", minus(ours, plain), most=0)


def _test_loss(results: Results) -> Iterator[Row]:
    for kind, least in (("input", 0.03), ("head", 0.04)):
        yield row(f"test loss, u - true z: {kind}", _gain(results[kind]), least=least)
    for kind in CONTROLS:
        yield row(f"test loss, u - true z: {kind}", _gain(results[kind]), least=-0.005, most=0.005)


def _gain(results: Sequence[Found]) -> list[float]:
    return minus(over(results, "test_loss", "u"), over(results, "test_loss", "true"))


def _accuracy(results: Results) -> Iterator[Row]:
    n, far = lengths(results)[0], lengths(results)[-1]
    for kind, ends in (("input", {"least": 0.6}), ("head", {"least": 0.75}), *((c, _CHANCE) for c in CONTROLS)):
        yield row(f"source found by one step, n={n}: {kind}", right(results, kind, n, "one-step"), **ends)
    for kind in TOLD:
        gain = minus(right(results, kind, n, "constant offsets"), right(results, kind, n, "one-step"))
        yield row(f"found, n={n}: constant offsets - one step, {kind}", gain, least=0)
    for kind in (*TOLD, *CONTROLS):
        pair = (over(results[kind], "lengths", n, "iterative", rule) for rule in ("iterative", "likelihoods"))
        yield row(f"found, n={n}: iterative - likelihoods, {kind}", minus(*pair), least=-0.05, most=0.05)
    gain = minus(right(results, "input", far, "likelihoods"), right(results, "input", far, "one-step"))
    yield row(f"found, n={far}: likelihoods - one step, input", gain, least=0)
    for kind in TOLD:
        for rule in ("entropy", "norm"):
            gain = minus(right(results, kind, n, "one-step"), right(results, kind, n, rule))
            yield row(f"found, n={n}: one step - {rule}, {kind}", gain, least=0.2)


_CHANCE = {"least": 0.1, "most": 0.35}


def _agreement(results: Results) -> Iterator[Row]:
    n = lengths(results)[0]
    for kind in TOLD:
        yield row(f"one step chooses as likelihoods: {kind}", over(results[kind], "lengths", n, "agreement"), least=0.7)
    for kind in TOLD:
        found = over(results[kind], "lengths", n, "correlation")
        yield row(f"gradient and log-likelihoods, centred, correlation: {kind}", found, least=0.85)
    for kind in CONTROLS:
        found = over(results[kind], "lengths", n, "confidence", "likelihoods")
        yield row(f"mean largest posterior: {kind}", found, most=0.3)


def _identity(results: Results) -> Row:
    found = [here["residual"] for each in results["head"] for here in each["lengths"].values()]
    return worst("largest |P(g - B(c) - ell)|: head", found, most=1e-3)


def _offsets(head: Sequence[Found]) -> Iterator[Row]:
    """Sources known to be far away have larger offsets, and get more windows by one step than by likelihoods."""
    names = head[0]["sources"]
    if not set(FAR) < set(names):
        return
    far = [names.index(name) for name in FAR]
    near = [k for k in range(len(names)) if k not in far]
    n = next(iter(head[0]["lengths"]))
    found = [each["lengths"][n] for each in head]
    gaps = [min(each["offsets"][k] for k in far) - max(each["offsets"][k] for k in near) for each in found]
    yield row("offset a letter, head: kjv and pycode - the others", gaps, least=0)
    for name, k in zip(FAR, far, strict=True):
        more = [chosen(each["given"]["one-step"], k) - chosen(each["given"]["likelihoods"], k) for each in found]
        yield row(f"windows given to {name}, head: one step - likelihoods", more, least=0)


def chosen(given: Sequence[Sequence[float]], k: int) -> float:
    """The share of all windows that is given to one source."""
    return sum(line[k] for line in given) / len(given)


def _adaptation(results: Results) -> Iterator[Row]:
    for text in results["head"][0]["adapted"]:
        for kind in TOLD:
            change = over(results[kind], "adapted", text, "change")
            yield worst(f"adapting z to {text}, change of loss, worst seed: {kind}", change, most=0)
        yield row(f"adapting z to {text}, change of loss: head", change, most=-0.01)


def _recomposition(found: Sequence[Found]) -> Iterator[Row]:
    for text in found[0]["adapted"]:
        each = [result["adapted"][text] for result in found]
        gain = [here["loss"][-1] - min(here["single"]) for here in each]
        yield row(f"{text}, loss with the mixture - with the best source: input", gain, most=0)
        harm = [here["foreign"] - here["loss"][0] for here in each]
        name = found[0]["foreign"]["name"]
        yield row(f"{text}, loss with z of {name} - with u: input", harm, least=0.07, most=0.11)


def _moved(found: Sequence[Found]) -> Iterator[Row]:
    for way in ("free", "projected"):
        for text in found[0]["moved"]:
            change = over(found, "moved", text, way, "change")
            yield worst(f"input moved, {way}, on {text}, worst seed: none", change, least=-0.003)


def _three_sources(results: Results) -> Iterator[Row]:
    n = lengths(results)[-1]
    for rule, levels in (("one-step", (0.65, 0.8)), ("likelihoods", (0.78, 0.85))):
        for kind, least in zip(TOLD, levels, strict=True):
            yield row(f"source found by {rule}, n={n}: {kind}", right(results, kind, n, rule), least=least)
