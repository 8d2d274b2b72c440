"""Rules that every file of the project keeps, read off the files themselves."""

import ast
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.source import PACKAGES, ROOT, imported, library_files, shipped_files, tree

LIBRARY = [path for package in PACKAGES for path in library_files(package)]
# What a package may not import of ours: imports run theory <- constructions <- empirical.
ABOVE = {
    "theory": {"constructions", "empirical", "proofs", "tests"},
    "constructions": {"empirical", "proofs", "tests"},
    "empirical": {"proofs", "tests"},
    "proofs": {"tests"},
}
OF_THEORY = {"theory", "numpy", "scipy", "sympy", "flint", "click", "rich"}
DRAWING = [ROOT / "theory" / "drawing.py", ROOT / "theory" / "limits" / "figure.py"]
LEDGER = ROOT / "theory" / "ledger.py"

UNSAFE_MODULES = {"pickle", "cPickle", "dill", "cloudpickle", "shelve", "marshal"}
# Text that becomes code, or numbers whose error nobody bounds.
UNSAFE_FUNCTIONS = {"eval", "exec", "sympify", "S", "parse_expr", "evalf", "N"}
UNSAFE_METHODS = {("torch", "load"), ("np", "load"), ("numpy", "load")}


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", LIBRARY, ids=relative)
def test_imports_run_one_way(path: Path) -> None:
    above = ABOVE[path.relative_to(ROOT).parts[0]]
    assert [(line, name) for line, name in imported(tree(path)) if name in above] == []


@pytest.mark.parametrize("path", library_files("theory"), ids=relative)
def test_theory_needs_only_mathematics(path: Path) -> None:
    own = {LEDGER: {"pytest"}, **{file: {"matplotlib"} for file in DRAWING}}.get(path, set())
    allowed = OF_THEORY | sys.stdlib_module_names | own
    assert [(line, name) for line, name in imported(tree(path)) if name not in allowed] == []


def unsafe(module: ast.Module) -> list[tuple[int, str]]:
    """Line and name of every import or call that this project does without."""
    found = [(line, name) for line, name in imported(module) if name in UNSAFE_MODULES]
    for node in ast.walk(module):
        if not isinstance(node, ast.Call):
            continue
        if any(ast.unparse(keyword) == "strict=True" for keyword in node.keywords):
            continue  # sympify(value, strict=True) refuses text
        match node.func:
            case ast.Name(id=name) if name in UNSAFE_FUNCTIONS:
                found.append((node.lineno, name))
            case ast.Attribute(value=ast.Name(id=owner), attr=name) if (owner, name) in UNSAFE_METHODS:
                found.append((node.lineno, f"{owner}.{name}"))
            case ast.Attribute(attr=("n" | "evalf" | "sympify" | "parse_expr") as name):
                found.append((node.lineno, f".{name}"))
    return found


@pytest.mark.parametrize("path", LIBRARY, ids=relative)
def test_no_code_from_text_and_no_unbounded_numbers(path: Path) -> None:
    assert unsafe(tree(path)) == []


@pytest.mark.parametrize(
    "line",
    [
        "import pickle",
        "from pickle import load",
        "eval('1')",
        "sympify('x')",
        "sympy.sympify('x')",
        "expr.evalf(30)",
        "expr.n()",
        "torch.load('model.pt')",
        "def f():\n    import pickle",
    ],
)
def test_the_rule_sees(line: str) -> None:
    assert len(unsafe(ast.parse(line))) == 1


@pytest.mark.parametrize(
    "line",
    [
        "model.eval()",
        "json.load(file)",
        "head.n",
        "import theory.ledger",
        "sympy.sympify(x, strict=True)",
        "zip(a, b, strict=True)",
    ],
)
def test_the_rule_lets_pass(line: str) -> None:
    assert unsafe(ast.parse(line)) == []


def test_no_machine_paths() -> None:
    folders = "|".join(("work", "root", "tmp", "opt", "home", "Users"))
    machine_path = re.compile(rf"(?<![\w./:-])/(?:{folders})/")
    found = []
    for path in shipped_files():
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        found += [
            f"{relative(path)}:{number}: {line.strip()}"
            for number, line in enumerate(text.splitlines(), start=1)
            if machine_path.search(line)
        ]
    assert found == []


def project() -> dict[str, Any]:
    table = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert isinstance(table, dict)
    return table


def test_one_version() -> None:
    citation = re.search(r"^version: (\S+)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.M)
    newest = re.search(r"^## \[(\d\S*)\]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.M)
    assert citation is not None and citation[1] == project()["version"]
    assert newest is not None and newest[1] == project()["version"]


def test_constraints_are_exact_and_cover_every_dependency() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = dict(line.split("==") for line in lines if not line.startswith("#"))
    assert all(re.fullmatch(r"[0-9][0-9a-z.]*", version) for version in pins.values())
    extras = project()["optional-dependencies"]
    wanted = (
        project()["dependencies"]
        + extras["hf"]
        + extras["cluster"]
        + extras["images"]
        + extras["dev"]
        + extras["mutation"]
    )
    names = {re.split(r"[\[<>=!~; ]", requirement)[0] for requirement in wanted}
    assert names <= pins.keys()
