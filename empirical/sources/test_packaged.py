"""The model that comes with the package: what it says of windows, and files that do not belong to it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import torch

from empirical.correlation import centred
from empirical.sources.evidence import context_offsets, gradients, likelihoods
from empirical.sources.packaged import FOLDER, excerpts, trained
from empirical.sources.plan import plans
from empirical.sources.texts import decoded
from theory.errors import InputError


def test_it_is_a_model_of_the_small_tier() -> None:
    model, card = trained()
    assert plans("small", 3, 0)["head"].as_json() == card["training"]
    assert not any(weight.requires_grad for weight in model.parameters())
    windows = excerpts(128)
    left = centred(gradients(model, windows)[1] - context_offsets(model, windows) - likelihoods(model, windows))
    assert float(left.abs().max()) < 1e-3  # float32, a hundred terms of size 1
    # A program is taken for code.
    names = [source["name"] for source in card["sources"]]
    assert likelihoods(model, windows)[16:].argmax(-1).mode().values == names.index("pycode")


def test_excerpts() -> None:
    windows = excerpts(128)
    assert decoded(windows[0]).startswith("Ecclesiastes 3\n") and windows.dtype == torch.int64
    assert len(excerpts(64)) > len(windows)
    with pytest.raises(InputError, match="no excerpt has 5001 letters"):
        excerpts(5000)


def test_files_that_do_not_belong_together(tmp_path: Path) -> None:
    folder = shutil.copytree(FOLDER, tmp_path / "copy")
    card = json.loads((folder / "head.json").read_text())
    others: tuple[object, ...] = (
        {**card["training"], "hidden": 96},
        {"mode": "head"},
        [],
        {**card["training"], "body": "gru"},
    )
    for training in others:
        (folder / "head.json").write_text(json.dumps({**card, "training": training}))
        with pytest.raises(InputError, match="do not fit together"):
            trained(folder)
