"""The sample: points of the code, each as likely as any other, and at each of them one mutant."""

from __future__ import annotations

import difflib
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from operator import itemgetter

from cosmic_ray import plugins
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.work_item import MutationSpec

from tests.mutation.rules import left_out, spans
from tests.source import ROOT, library_files
from theory.errors import InputError

PACKAGES = ("theory", "constructions")


def sources() -> dict[str, str]:
    """The text of every module that is mutated, by its path in the tree."""
    paths = (path for package in PACKAGES for path in library_files(package))
    return {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in paths}


def _points(module: str, source: str) -> Iterator[tuple[str, list[MutationSpec]]]:
    """The points of a module with their mutants, by a name that stays when lines are added elsewhere."""
    nodes, apart, lines = list(ast_nodes(get_ast(source))), spans(source), source.splitlines()
    found: dict[tuple[tuple[int, int], str], list[MutationSpec]] = defaultdict(list)
    for name in plugins.operator_names():
        operator = plugins.get_operator(name)
        if left_out(name, source) or operator.arguments():
            continue
        places = (place for node in nodes for place in operator().mutation_positions(node))
        for occurrence, (start, end) in enumerate(places):
            if not any(first <= start < last for first, last in apart):
                found[start, name.partition("_")[0]].append(MutationSpec(module, name, occurrence, start, end))
    seen: Counter[str] = Counter()
    for (start, kind), mutants in sorted(found.items()):
        text = f"{module} {kind} {lines[start[0] - 1].strip()}"
        seen[text] += 1
        yield f"{text} {seen[text]}", mutants


def sample(modules: dict[str, str], size: int, seed: int) -> list[MutationSpec]:
    """`size` mutants, drawn by checksums of the seed and the point, so that most stay when code changes elsewhere.

    Raises InputError where there are fewer.
    """
    drawn = [
        (sha256(f"{seed} {name}".encode()).digest(), mutants)
        for module, source in modules.items()
        for name, mutants in _points(module, source)
    ]
    chosen = list[MutationSpec]()
    for checksum, mutants in sorted(drawn, key=itemgetter(0)):
        if len(chosen) == size:
            break
        mutant = mutants[checksum[-1] % len(mutants)]
        with suppress(SyntaxError):  # `not` before a walrus, say
            compile(mutated(mutant, modules[mutant.module_path.as_posix()]), "mutant", "exec")
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
