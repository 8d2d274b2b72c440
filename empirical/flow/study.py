"""All measures of one model, with what the architecture has with random weights beside them."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

import torch
from torch import Tensor

from empirical.decoder import Decoder
from empirical.dynamics.snapshots import rows_of
from empirical.flow.ablation import Arm, Removals, arms
from empirical.flow.attention import attention_rows
from empirical.flow.lens import lens_rows
from empirical.flow.walks import walks
from empirical.kept import kept, key
from empirical.scores.records import Row
from empirical.scores.score import DEFAULTS
from empirical.scores.settings import Settings
from empirical.subjects import Subject
from empirical.tasks.batch import Batch
from empirical.tasks.letter import LetterTask
from empirical.tasks.number import NumberTask
from empirical.tasks.task import require
from empirical.training.plan import TASKS

Watch = Callable[[int, int], object]


@dataclass(frozen=True)
class Flow:
    """Rows of the measures, of the model and of its architecture with random weights; `heads` has the scores."""

    heads: list[Row]
    attention: list[Row]
    lens: list[Row]
    accuracy: list[Row]
    untrained_attention: list[Row]
    untrained_lens: list[Row]


def measured(
    of: Subject,
    sequences: int,
    seed: int,
    out: Path | None,
    settings: Settings = DEFAULTS,
    watch: Watch = lambda done, total: None,
) -> Flow:
    """Measure a model on random sequences; what a run that was killed has found in the folder is not done again.

    The seed is that of the sequences and of the random weights; `settings` are those of the scores. Raises InputError
    for fewer sequences than two for each number of hops, of which there are no intervals.
    """
    require(2 * len(of.task.all_hops), sequences=sequences)
    batch = of.task.generate(sequences, seed)
    digest = hashlib.sha256(batch.tokens.numpy().tobytes()).hexdigest()
    torch.manual_seed(seed)
    random = Decoder(of.model.config).eval()
    removals = Removals(of.model, batch)
    todo: list[tuple[str, Callable[[], Any]]] = [
        ("heads", lambda: rows_of(of.model.heads(batch.tokens), settings, batch.hops)),
        ("trained", lambda: _seen(of.model, of.task, batch)),
        ("random", lambda: _seen(random, of.task, batch)),
        *((f"removal-{number:04}", _removal(removals, arm)) for number, arm in enumerate(arms(of.model))),
    ]
    found = {}
    what = {"weights": of.card["sha256"], "prompts": digest, "seed": seed, "settings": asdict(settings)}
    parts = None if out is None else out / f".parts-{key(what)[:16]}"
    for number, (name, compute) in enumerate(todo, 1):
        found[name] = kept(parts and parts / f"{name}.json", key({"part": name}), compute)
        watch(number, len(todo))
    removed = [row for name, rows in found.items() if name.startswith("removal") for row in rows]
    (attention, lens), (untrained_attention, untrained_lens) = found["trained"], found["random"]
    return Flow(found["heads"], attention, lens, removed, untrained_attention, untrained_lens)


def forget(out: Path) -> None:
    """Remove what was kept for a run that might be killed."""
    for parts in out.glob(".parts-*"):
        shutil.rmtree(parts, ignore_errors=True)


def _removal(removals: Removals, arm: Arm) -> Callable[[], list[Row]]:
    return lambda: removals.rows(arm)


@torch.no_grad()
def _seen(model: Decoder, task: NumberTask | LetterTask, batch: Batch) -> tuple[list[Row], list[Row]]:
    some = list(walks(task, batch))
    attention = (cast(Tensor, heads.attention) for heads in model.heads(batch.tokens))

    def unembed(stream: Tensor) -> Tensor:
        return cast(Tensor, model.unembedding(model.norm(stream)))

    return list(attention_rows(attention, some)), list(lens_rows(streams(model, batch.tokens), unembed, some))


def streams(model: Decoder, tokens: Tensor) -> Iterator[Tensor]:
    """The residual stream (sequences, n, width) after 0, 1, ... layers, at all tokens after the last one too."""
    x = model.embedding(tokens)
    yield x
    for layer, block in enumerate(model.blocks):
        x = block(x, model.phases(layer, tokens.shape[1]), tokens.shape[1])
        yield x


def about(of: Subject, sequences: int, seed: int) -> dict[str, Any]:
    """What was measured, for JSON."""
    name = next(name for name, kind in TASKS.items() if isinstance(of.task, kind))
    return {
        "model": of.name,
        "sha256": of.card["sha256"],
        "task": {"name": name, **asdict(of.task)},
        "layers": of.model.config.layers,
        "sequences": sequences,
        "seed": seed,
    }
