"""What a model answers behind prefixes of many lengths."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import torch

from empirical.kept import kept, key
from empirical.lengths.binomial import clustered
from empirical.lengths.reading import read, read_prefix
from empirical.lengths.sequences import Group, groups, severed, shortcut
from empirical.subjects import Subject
from empirical.tasks.letter import LetterTask
from theory.errors import InputError

LENGTHS = (17, 18, 20, 22, 25, 32, 40, 50, 75, 100, 150, 200, 300, 500, 850, 1000, 1500, 2000, 3000, 4000, 5000)
LONGEST = 20_000
MOST_PREFIXES, MOST_SEQUENCES = 1024, 4096
USUAL, APART = "usual", "apart"  # prefixes: as the task has them, or of left letters that the sequence has not


@dataclass(frozen=True)
class Request:
    """What is measured.

    Args:
        lengths: of whole inputs, rising.
        prefixes: independent ones for each number of hops.
        sequences: behind each prefix.
        seed: of both.

    Raises InputError for lengths that do not rise or take too long, and for nothing to measure.
    """

    lengths: tuple[int, ...] = LENGTHS
    prefixes: int = 8
    sequences: int = 16
    seed: int = 0

    def __post_init__(self) -> None:
        if not self.lengths or list(self.lengths) != sorted(set(self.lengths)):
            raise InputError(f"lengths={list(self.lengths)} do not rise; give different lengths, shortest first")
        if min(self.prefixes, self.sequences) < 1 or self.seed < 0:
            raise InputError(
                f"prefixes={self.prefixes}, sequences={self.sequences}, seed={self.seed}: give at least 1 of the first "
                "two, and no negative seed"
            )
        if self.prefixes > MOST_PREFIXES or self.sequences > MOST_SEQUENCES:
            raise InputError(
                f"prefixes={self.prefixes}, sequences={self.sequences} take days; give at most {MOST_PREFIXES} and "
                f"{MOST_SEQUENCES}"
            )
        if self.lengths[-1] > LONGEST:
            raise InputError(f"length {self.lengths[-1]} is above {LONGEST}, which takes hours; give shorter ones")

    def require(self, subject: Subject) -> None:
        """Raise InputError where the shortest length is not that of the model's task.

        A prediction is made of inputs of that length, and accuracy there is what falls.
        """
        if self.lengths[0] != subject.task.length:
            raise InputError(
                f"the shortest length is {self.lengths[0]}, and sequences of {subject.name} have "
                f"{subject.task.length} tokens; begin with that length"
            )
        least = subject.task.length + subject.task.targets
        if self.lengths[-1] < least:
            raise InputError(f"the longest length is {self.lengths[-1]}, which tells little; give at least {least}")

    def groups(self, subject: Subject, prefixes: str) -> list[Group]:
        """The sequences for a model."""
        found = groups(
            subject.task,
            prefixes=self.prefixes,
            sequences=self.sequences,
            prepended=self.lengths[-1] - subject.task.length,
            seed=self.seed,
            apart=prefixes == APART,
        )
        return list(found)


def kinds_of_prefix(subject: Subject) -> list[str]:
    """Prefixes apart are there where a letter task has more letters than a sequence has tokens."""
    task = subject.task
    return [USUAL, APART] if isinstance(task, LetterTask) and task.alphabet > task.length else [USUAL]


def measure(
    subject: Subject, request: Request, prefixes: str, folder: Path, watch: Callable[[], object]
) -> dict[str, Any]:
    """Accuracy by length and hops, with intervals; what is in the folder already is not measured again.

    `by_length` holds for each length: `accuracy`, `low`, `high`, `by_hops` (the same three by hops), `kept` (by layer,
    mean attention of the last token to the sequence), and for letter tasks `shortcut`, the accuracy of a guess among
    targets whose left letter occurs once, `pointed`, that of a guess among those that some link wants, and `severed`,
    how often the old answer is given though the query wants another letter.
    """
    of = {"weights": subject.card["sha256"], "prefixes": prefixes, **asdict(request)}
    found = []
    for number, group in enumerate(request.groups(subject, prefixes)):
        path = folder / subject.name / f"{prefixes}-{number:03}.json"
        found.append(kept(path, key({**of, "group": number}), partial(_group, subject, request, group)))
        watch()
    return {
        "prefixes": prefixes,
        "by_length": [_summary(found, at, n, request.sequences) for at, n in enumerate(request.lengths)],
    }


def _group(subject: Subject, request: Request, group: Group) -> dict[str, Any]:
    """Of one prefix, a row for each length."""
    model, task, answers = subject.model, subject.task, group.batch.answers
    prefix = read_prefix(model, group.prefix) if len(group.prefix) else None
    others = severed(task, group, request.seed) if isinstance(task, LetterTask) else None
    rows = []
    for n in request.lengths:
        m = n - task.length
        reading = read(model, prefix, m, group.batch.tokens)
        row: dict[str, Any] = {
            "right": _share(reading.logits, answers),
            "kept": reading.kept.mean((1, 2)).tolist(),
        }
        if isinstance(task, LetterTask) and others is not None:
            row["shortcut"] = shortcut(task, group, m)
            row["pointed"] = shortcut(task, group, m, pointed=True)
            row["severed"] = _share(read(model, prefix, m, others).logits, answers)
        rows.append(row)
    return {"hops": group.hops, "rows": rows}


def _share(logits: torch.Tensor, answers: torch.Tensor) -> float:
    return float((logits.argmax(-1) == answers).double().mean())


def _summary(found: Sequence[Mapping[str, Any]], at: int, n: int, size: int) -> dict[str, Any]:
    by_hops: dict[int, list[Mapping[str, Any]]] = {}
    for group in found:
        by_hops.setdefault(group["hops"], []).append(group["rows"][at])
    rows = [row for some in by_hops.values() for row in some]

    def share(name: str, strata: Sequence[Sequence[Mapping[str, Any]]]) -> dict[str, float]:
        values = clustered([[row[name] for row in some] for some in strata], size)
        return dict(zip(("accuracy", "low", "high"), values, strict=True))

    summary: dict[str, Any] = {
        "length": n,
        **share("right", list(by_hops.values())),
        "by_hops": {str(hops): share("right", [some]) for hops, some in by_hops.items()},
        "kept": torch.tensor([row["kept"] for row in rows]).mean(0).tolist(),
    }
    if "shortcut" in rows[0]:
        for name in ("shortcut", "pointed"):
            summary[name] = sum(row[name] for row in rows) / len(rows)
        summary["severed"] = share("severed", list(by_hops.values()))
        for hops, some in by_hops.items():
            summary["by_hops"][str(hops)]["pointed"] = sum(row["pointed"] for row in some) / len(some)
            summary["by_hops"][str(hops)]["severed"] = share("severed", [some])
    return summary


def half_length(by_length: Sequence[Mapping[str, Any]]) -> float | None:
    """The length at which accuracy is half of that at the shortest, between two lengths by their logarithms; or None.

    That is where it first falls so low.
    """
    half = by_length[0]["accuracy"] / 2
    for before, after in pairwise(by_length):
        if after["accuracy"] <= half:
            share = (before["accuracy"] - half) / (before["accuracy"] - after["accuracy"])
            return float(before["length"] * (after["length"] / before["length"]) ** share)
    return None
