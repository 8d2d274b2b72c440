"""A whole study: its runs one after the other in a folder where it goes on, and all results in one file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from empirical.checkpoint import write_json
from empirical.lock import alone
from empirical.sweep.in_turn import carry_out_in_turn
from empirical.sweep.run import Run
from empirical.words.rounding import witnesses
from empirical.words.summary import summary
from empirical.words.tiers import TIERS, works
from theory.errors import InputError

FORMAT = "headproof words"
VERSION = 1
RESULTS, CONSTANTS = "words.json", "constants.json"


def study(tier: str, parts: Sequence[str], seeds: Sequence[int], out: Path) -> tuple[dict[str, Any], list[Path]]:
    """Do what is not done yet, and return all results and the files they are in, figures included.

    A run is a training and its measures; one that was killed begins anew, finished ones are not touched. Raises
    InputError for a folder that is in use, and for a run that fails.
    """
    from empirical.words.figures import draw

    runs = [Run(work, {}) for work in works(TIERS[tier], parts, seeds)]
    with alone(out):
        carry_out_in_turn(runs, out, "runs")
        data = gathered(runs, out, tier, parts, seeds)
        write_json(out / RESULTS, data)
        return data, [out / RESULTS, *draw(data, out)]


def gathered(runs: Sequence[Run], out: Path, tier: str, parts: Sequence[str], seeds: Sequence[int]) -> dict[str, Any]:
    """What all runs have found, and what the seeds together say beside the predictions."""
    found = [{"run": run.name, **run.work.as_json(), "result": run.result(out)} for run in runs]
    data: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "tier": tier,
        "parts": list(parts),
        "seeds": list(seeds),
        "summary": summary(found),
        "witnesses": witnesses() if "precision" in parts else [],
        "runs": found,
    }
    return data


def constants(model: str, out: Path) -> tuple[dict[str, Any], list[Path]]:
    """The model at a path, or `smollm2`, on constant strings; results and files. InputError as for other studies."""
    from empirical.capture.loading import check_model, digest, load_model, load_tokenizer
    from empirical.language.packaged import PACKAGED, packaged_file
    from empirical.words import constants as strings
    from empirical.words.figures import draw_constants

    path = packaged_file(PACKAGED[model]) if model in PACKAGED else Path(model)
    loaded = load_model(path, check_model(path))
    tokenizer = load_tokenizer(path)
    tokens = [
        (pair[0], *(tokenizer.encode(text, add_special_tokens=False)[-1] for text in pair)) for pair in strings.SYMBOLS
    ]
    front = tokenizer.bos_token_id if tokenizer.bos_token_id is not None else tokenizer.eos_token_id
    if front is None:
        raise InputError(f"{path} has no token that begins a text; give a model whose tokenizer has one")
    with alone(out):
        found: Mapping[str, Any] = strings.study(lambda words: loaded.model(words).logits, tokens, front)
        data = {
            "format": f"{FORMAT}, constants",
            "version": VERSION,
            "model": path.name,
            "sha256": digest(path),
            **found,
        }
        write_json(out / CONSTANTS, data)
        return data, [out / CONSTANTS, *draw_constants(data, out)]
