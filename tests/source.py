"""The project's files and syntax trees, as the tests of this folder read them."""

import ast
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("theory", "constructions", "empirical", "proofs")


def library_files(package: str) -> list[Path]:
    """The Python files of a package, without its tests."""
    return sorted(
        path
        for path in (ROOT / package).rglob("*.py")
        if not path.name.startswith("test_") and path.name != "conftest.py"
    )


def module_name(path: Path) -> str:
    """The dotted name of the module in a file of the project."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def tree(path: Path) -> ast.Module:
    """The syntax tree of a file."""
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def imported(module: ast.Module) -> Iterator[tuple[int, str]]:
    """Line and top-level package of every absolute import, also of those inside functions."""
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name.partition(".")[0]) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.lineno, node.module.partition(".")[0]


def shipped_files() -> list[Path]:
    """The files under version control, or where there is no repository those that would be."""
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listing.returncode == 0 and listing.stdout:
        candidates = [ROOT / name for name in listing.stdout.rstrip("\0").split("\0")]
    else:
        hidden_or_built = {"dist", "build", "demo-output", "__pycache__"}
        candidates = [
            path
            for path in ROOT.rglob("*")
            if not any(part.startswith(".") or part in hidden_or_built for part in path.relative_to(ROOT).parts)
        ]
    return [path for path in candidates if path.is_file()]
