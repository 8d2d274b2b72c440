"""The file that says what a sweep does.

```
train:                     # or score: what all runs have in common
  layers: 4
grid:                      # the runs: every choice of one value for each key
  task: [number, letter]
  seed: [0, 1, 2]
```

It is read with YAML's safe loader, which builds plain values only. Beyond that it has no aliases, by which a short file
can stand for a huge one, and no key twice, of which the loader would forget the first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from reprlib import repr as short
from typing import Any

import yaml

from theory.errors import InputError

KINDS = ("train", "score")
_MOST_BYTES = 2**16


@dataclass(frozen=True)
class Spec:
    """A sweep as it was written down.

    Attributes:
        path: of the file; what is relative in it is relative to its folder.
        kind: train or score.
        common: what all runs share.
        grid: the values of the other keys; runs take one of each, the last key changing fastest.
        lines: where a key stands, from 1.
    """

    path: Path
    kind: str
    common: Mapping[str, Any]
    grid: Mapping[str, list[Any]]
    lines: Mapping[str, int]

    def at(self, key: str) -> str:
        """The place of a key, to begin an error message with."""
        return f"{self.path}, line {self.lines[key]}"


def read_spec(path: Path) -> Spec:
    """The spec in a file; what its keys mean is not looked at. Raises InputError, one line, for what is none."""
    text = _text(path)
    with _errors(path):
        loader = _Loader(text)
        root = loader.get_single_node()
    if root is None:
        raise InputError(f"{path} is empty; write a section {' or '.join(KINDS)}, and grid")
    sections = dict(_entries(root, path, "section"))
    for name, (line, _) in sections.items():
        if name not in (*KINDS, "grid"):
            raise InputError(f"{path}, line {line}: {short(name)} is no section; write {', '.join(KINDS)} or grid")
    kinds = [name for name in KINDS if name in sections]
    if len(kinds) != 1:
        raise InputError(f"{path} has {len(kinds)} of the sections {' and '.join(KINDS)}; write one, it may be empty")
    lines: dict[str, int] = {}
    values: dict[str, dict[str, Any]] = {name: {} for name in (*kinds, "grid")}
    for section, (_, node) in sections.items():
        for name, (line, value_node) in _entries(node, path, f"key of {section}"):
            if name in lines:
                raise InputError(
                    f"{path}, line {line}: {short(name)} stands in {kinds[0]} and in grid; remove one of them"
                )
            lines[name] = line
            with _errors(path):
                values[section][name] = loader.construct_object(value_node, deep=True)
    for name, choices in values["grid"].items():
        if not isinstance(choices, list) or not choices:
            raise InputError(
                f"{path}, line {lines[name]}: {name}={short(choices)} in grid is no list of values; write {name}: [...]"
            )
    return Spec(path, kinds[0], values[kinds[0]], values["grid"], lines)


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); name the YAML file of a sweep") from None
    if len(data) > _MOST_BYTES:
        raise InputError(f"{path} has more than {_MOST_BYTES} bytes; describe the runs by a grid")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 at byte {error.start}; save it as UTF-8") from None


def _entries(node: yaml.Node, path: Path, what: str) -> Iterator[tuple[str, tuple[int, yaml.Node]]]:
    """The keys of a mapping in their order, each with its line and the node of its value."""
    if isinstance(node, yaml.ScalarNode) and node.tag == "tag:yaml.org,2002:null":
        return
    if not isinstance(node, yaml.MappingNode) or node.tag != "tag:yaml.org,2002:map":
        raise InputError(f"{path}, line {node.start_mark.line + 1}: not one {what} stands here; write NAME: VALUE")
    seen = set()
    for key, value in node.value:
        line = key.start_mark.line + 1
        if not isinstance(key, yaml.ScalarNode) or key.tag != "tag:yaml.org,2002:str":
            raise InputError(f"{path}, line {line}: {short(key.value)} is no name of a {what}; write NAME: VALUE")
        if key.value in seen:
            raise InputError(f"{path}, line {line}: {short(key.value)} stands here a second time; remove one of them")
        seen.add(key.value)
        yield key.value, (line, value)


class _Loader(yaml.SafeLoader):
    """The safe loader, without aliases."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            mark = self.peek_event().start_mark
            raise yaml.MarkedYAMLError(problem="aliases are not read", problem_mark=mark)
        return super().compose_node(parent, index)


@contextmanager
def _errors(path: Path) -> Iterator[None]:
    try:
        yield
    except yaml.MarkedYAMLError as error:
        line = "" if error.problem_mark is None else f", line {error.problem_mark.line + 1}"
        raise InputError(f"{path}{line}: {error.problem}; write plain YAML") from None
    except yaml.YAMLError as error:
        raise InputError(f"{path}: {str(error).splitlines()[0]}; write plain YAML") from None
    except (ValueError, RecursionError) as error:  # a date that is none, a number of too many digits, a deep nesting
        raise InputError(f"{path}: {error}; write plain YAML") from None
