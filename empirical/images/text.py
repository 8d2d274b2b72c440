"""A study as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from empirical.bands import listed
from empirical.images.bands import accuracy, main, models, widths
from empirical.intervals import over_seeds

Found = Mapping[str, Any]


def render(data: Found) -> str:
    """What was measured, then every band."""
    named = models(data)
    sets = ", ".join(f"{name} {each['number']}" for name, each in data["sets"]["images"].items())
    lines = [f"images: {sets}", f"means over {len(data['seeds'])} seeds, Student's 95 % intervals"]
    for name in main(named).values():
        lines += ["", *_decoder(name, named[name])]
    lines += _control(named)
    if len(widths(named)) > 1:
        lines += ["", "width of the code: likelihoods, one-step; spread of decodings, error of reconstruction"]
        lines += [f"  {name}: {_widths(named[name])}" for name in widths(named)]
    lines += ["", "passes counted, and microseconds an image, of the ways to infer a class"]
    lines += _costs(data["costs"])
    return "\n".join([*lines, "", *listed(data["bands"], quick=data["tier"] == "quick")])


def _decoder(name: str, seeds: Sequence[Found]) -> Iterator[str]:
    yield f"{name}: share of test images given to their class"
    for rule in seeds[0]["accuracy"]:
        tied = max(seed["ties"].get(rule, 0.0) for seed in seeds)
        yield f"  {rule}: {over_seeds(accuracy(seeds, rule))}" + (f", tied on up to {tied:.1%}" if tied else "")
    for title in ("agreement", "correlation"):
        yield f"  {title} of one-step with likelihoods: {over_seeds([seed[title] for seed in seeds])}"
    worst, precise = (max(seed[key] for seed in seeds) for key in ("identity", "identity in float64"))
    yield f"  largest |P(g - B - ell)|: {worst:.2g}, in float64 {precise:.2g}"
    offsets = (f"{key} {over_seeds([seed['offsets'][key] for seed in seeds])}" for key in seeds[0]["offsets"])
    yield f"  variance of offsets {', '.join(offsets)}"
    others = list(seeds[0]["auroc"])
    if others:
        yield f"  AUROC against {', '.join(others)}"
        for score in seeds[0]["auroc"][others[0]]:
            means = (over_seeds([seed["auroc"][other][score] for seed in seeds]).mean for other in others)
            yield f"    {score}: {' '.join(f'{mean:.3f}' for mean in means)}"


def _control(named: Mapping[str, Sequence[Found]]) -> Iterator[str]:
    for name, seeds in named.items():
        if name.startswith("permuted"):
            yield ""
            each = (f"{rule} {over_seeds(accuracy(seeds, rule))}" for rule in ("one-step", "likelihoods"))
            yield f"{name}, labels permuted before the training: {', '.join(each)}"


def _widths(seeds: Sequence[Found]) -> str:
    chosen = [accuracy(seeds, "likelihoods"), accuracy(seeds, "one-step")]
    chosen += [[seed[key] for seed in seeds] for key in ("spread", "reconstruction")]
    return ", ".join(f"{over_seeds(values).mean:.4f}" for values in chosen) + f" ({len(seeds)} seeds)"


def _costs(costs: Found) -> Iterator[str]:
    for mode, by_tasks in costs["counts"].items():
        for K, counts in by_tasks.items():
            passes = (f"{name} {amount:.4g}" for name, amount in counts.items() if name != "forward")
            yield f"  {mode}, K = {K}: {', '.join(passes)}"
            for size, times in costs["times"][mode][K].items():
                each = (f"{name} {amount:.3g}" for name, amount in times.items())
                yield f"    batch of {size}: {', '.join(each)}"
