"""The sample: points of the code, each as likely as any other, and at each of them one mutant."""

from __future__ import annotations

import difflib
import random
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress

from cosmic_ray import plugins
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.work_item import MutationSpec

from tests.mutation.rules import left_out, spans
from tests.source import ROOT, library_files
from theory.errors import InputError

PACKAGES = ("theory", "constructions")
Point = tuple[str, int, int, str]  # module, line, column, kind of operator


def sources() -> dict[str, str]:
    """The text of every module that is mutated, by its path in the tree."""
    paths = (path for package in PACKAGES for path in library_files(package))
    return {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in paths}


def _mutants(module: str, source: str) -> Iterator[tuple[Point, MutationSpec]]:
    nodes, apart = list(ast_nodes(get_ast(source))), spans(source)
    for name in plugins.operator_names():
        operator = plugins.get_operator(name)
        if left_out(name) or operator.arguments():
            continue
        places = (place for node in nodes for place in operator().mutation_positions(node))
        for occurrence, (start, end) in enumerate(places):
            if not any(first <= start < last for first, last in apart):
                yield (module, *start, name.partition("_")[0]), MutationSpec(module, name, occurrence, start, end)


def sample(modules: dict[str, str], size: int, seed: int) -> list[MutationSpec]:
    """`size` mutants. Raises InputError where there are fewer."""
    found: dict[Point, list[MutationSpec]] = defaultdict(list)
    for module, source in modules.items():
        for point, mutant in _mutants(module, source):
            found[point].append(mutant)
    rng, chosen = random.Random(seed), list[MutationSpec]()
    for point in rng.sample(sorted(found), len(found)):
        if len(chosen) == size:
            break
        mutant = rng.choice(found[point])
        with suppress(SyntaxError):  # `not` before a walrus, say
            compile(mutated(mutant, modules[point[0]]), "mutant", "exec")
            chosen.append(mutant)
    if len(chosen) < size:
        raise InputError(f"there are {len(chosen)} mutants, fewer than {size}; take a smaller --sample")
    return chosen


def mutated(mutant: MutationSpec, source: str) -> str:
    """The text of its module with the mutation."""
    text: str = mutate_code(source, plugins.get_operator(mutant.operator_name)(), mutant.occurrence)
    return text


def change(mutant: MutationSpec, source: str) -> tuple[str, str]:
    """The line before and after: what a reader sees, and what stays when lines are added above."""
    lines = list(difflib.unified_diff(source.splitlines(), mutated(mutant, source).splitlines(), n=0))[2:]
    before, after = ([line[1:].strip() for line in lines if line.startswith(mark)] for mark in "-+")
    return " ".join(before), " ".join(after)
