import os
import subprocess
from pathlib import Path

from matplotlib.figure import Figure

from theory import drawing


def test_a_figure_removes_what_killed_processes_left_of_it(tmp_path: Path) -> None:
    ended = subprocess.Popen(["true"])
    ended.wait()
    for process in (ended.pid, 10**30, os.getppid()):
        (tmp_path / f".map.svg.{process}.part").touch()
    (tmp_path / f".other.svg.{ended.pid}.part").touch()
    assert drawing.write(Figure(figsize=(1, 1)), tmp_path, "map", "svg") == [tmp_path / "map.svg"]
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {"map.svg", f".map.svg.{os.getppid()}.part", f".other.svg.{ended.pid}.part"}
