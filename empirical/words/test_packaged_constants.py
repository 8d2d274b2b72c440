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


def test_one_changed_token_moves_less_and_less(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    try:
        packaged_file(PACKAGED["smollm2"])
    except NotInstalled as error:
        pytest.skip(str(error))
    monkeypatch.setattr(constants, "LENGTHS", (16, 64))
    monkeypatch.setattr(constants, "SYMBOLS", constants.SYMBOLS[:1])
    assert run(["words", "--model", "smollm2", "--out", str(tmp_path)]) == 0
    data = json.loads((tmp_path / "constants.json").read_text())
    assert max(data["spread"].values()) < 1e-4  # float32 through 30 layers; 0 by theory
    first = {at["length"]: at["gap"] for at in data["changes"] if at["place"] == 1}
    last = {at["length"]: at["gap"] for at in data["changes"] if at["place"] == at["length"] - 1}
    assert first[64] < first[16] and first[64] < last[64]
    assert {path.name for path in tmp_path.iterdir()} == {"constants.json", "constants.png", "constants.svg"}
