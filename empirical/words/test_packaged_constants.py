"""Constant strings through the language model in a package; skipped without it, see empirical/language."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from empirical.__main__ import run
from empirical.language.packaged import PACKAGED, NotInstalled, packaged_file
from empirical.words import constants

pytestmark = pytest.mark.language_model
pytest.importorskip("transformers")


def test_constant_strings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    try:
        packaged_file(PACKAGED["smollm2"])
    except NotInstalled as error:
        pytest.skip(str(error))
    monkeypatch.setattr(constants, "LENGTHS", (16, 64))
    monkeypatch.setattr(constants, "SYMBOLS", constants.SYMBOLS[:1])
    assert run(["words", "--model", "smollm2", "--out", str(tmp_path)]) == 0
    data = json.loads((tmp_path / "constants.json").read_text())
    assert max(data["spread"].values()) < 1e-4  # float32 through 30 layers; 0 by theory
    bare, fronted = ([at for at in data["changes"] if at["fronted"] == kind] for kind in (False, True))
    assert max(at["constant"] for at in bare) - min(at["constant"] for at in bare) < 1e-4  # a mean of equal terms
    assert max(at["constant"] for at in fronted) < min(at["constant"] for at in bare) - 1
    short, long = (max(at["gap"] for at in fronted if at["length"] == length) for length in (16, 64))
    assert long < short / 2
    assert {path.name for path in tmp_path.iterdir()} == {"constants.json", "constants.png", "constants.svg"}
