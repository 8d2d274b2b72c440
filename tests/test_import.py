"""What importing headproof brings along, seen from a fresh interpreter."""

import subprocess
import sys

import pytest

from tests.source import PACKAGES, ROOT, library_files, module_name

HEAVY = ("torch", "hypothesis", "transformers", "matplotlib", "constructions", "empirical", "proofs")


def loaded_after(imports: list[str]) -> set[str]:
    """The top-level modules present in a fresh interpreter after these imports."""
    program = "\n".join(
        (
            "import importlib, sys",
            f"for name in {imports!r}: importlib.import_module(name)",
            "print(' '.join({name.partition('.')[0] for name in sys.modules}))",
        )
    )
    run = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return set(run.stdout.split())


def test_theory_is_light() -> None:
    assert loaded_after(["theory"]).isdisjoint(HEAVY)


def test_all_of_theory_is_light() -> None:
    modules = [module_name(path) for path in library_files("theory")]
    assert {"theory", "theory.claims", "theory.arithmetic.ball"} <= set(modules)
    assert loaded_after(modules).isdisjoint(HEAVY)


@pytest.mark.parametrize("package", ["constructions", "empirical", "proofs"])
def test_every_module_imports(package: str) -> None:
    modules = [module_name(path) for path in library_files(package)]
    assert package in loaded_after(modules)


@pytest.mark.parametrize("package", PACKAGES)
def test_package_is_typed(package: str) -> None:
    assert (ROOT / package / "py.typed").is_file()
