"""Results of another request are not overwritten, whatever their file holds; those of the same may be."""

from pathlib import Path

import pytest

from empirical.held import refuse_others
from theory.errors import InputError


def test_only_results_of_the_same_request_are_answered_anew(tmp_path: Path) -> None:
    path = tmp_path / "found.json"
    refuse_others(path, {"seed": 0})
    path.write_text('{"seed": 0, "lengths": [1, 2], "rows": []}')
    refuse_others(path, {"seed": 0, "lengths": (1, 2)})
    for asked in ({"seed": 1}, {"seed": 0, "lengths": (1, 3)}, {"seed": 0, "tau": None}):
        with pytest.raises(InputError, match=r"already holds found\.json of another request; give another folder"):
            refuse_others(path, asked)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff", b"null", b"[" * 10**5, b'{"seed": "0"}'])
def test_what_is_no_result_is_not_overwritten(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "found.json"
    path.write_bytes(content)
    with pytest.raises(InputError, match="already holds"):
        refuse_others(path, {"seed": 0})
