"""What the tests of the companion scripts share: a script's output, and that a broken one stops."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable
from functools import cache
from types import ModuleType

import pytest

from proofs.command import run
from theory.claims import Claim, Verdict


@cache
def output(script: ModuleType) -> str:
    """What a script prints; all its steps hold."""
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        assert run(script.main, []) == 0
    return text.getvalue()


_EXAMINE = Claim.examine
_VERDICTS: dict[tuple[int, str], tuple[Claim, Verdict]] = {}


def _examined(claim: Claim, label: str) -> Verdict:
    """What a claim's checker finds: the same in all runs, since only names in companions are replaced."""
    key = id(claim), label  # kept apart by their identity, as the claims are kept alive here
    if key not in _VERDICTS:
        _VERDICTS[key] = claim, _EXAMINE(claim, label)
    return _VERDICTS[key][1]


def stops(script: ModuleType, *broken: tuple[ModuleType, str, object, int]) -> Callable[..., None]:
    """A test that the script stops at a step where a name in one of its modules is replaced by something broken."""

    @pytest.mark.parametrize(("module", "name", "value", "step"), broken)
    def test(
        module: ModuleType,
        name: str,
        value: object,
        step: int,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        assert module.__name__.startswith("proofs.")
        monkeypatch.setattr(Claim, "examine", _examined)
        monkeypatch.setattr(module, name, value)
        _check_stop(script, step, capsys)

    return test


def _check_stop(script: ModuleType, step: int, capsys: pytest.CaptureFixture[str]) -> None:
    """Run a script that is broken at a step: it prints that step, says so in one line, and does not conclude."""
    assert run(script.main, []) == 1
    shown = capsys.readouterr()
    assert shown.err.startswith(f"error: step {step}")
    assert len(shown.err.splitlines()) == 1
    assert f"({step})" in shown.out
    assert "All" not in shown.out.splitlines()[-1]
