"""Set-up of every test run: fixed hypothesis examples, processes where they pay."""

import gc
import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from tests import pinned
from theory.ledger import ClaimItem, Mismatch

# Expressions and test items are many small objects that live long: cycles are looked for less often.
gc.set_threshold(100_000, 50, 50)

# Slowness of a shared machine is never a failure.
_QUIET = [HealthCheck.too_slow]
settings.register_profile(
    "default", max_examples=25, derandomize=True, deadline=None, database=None, suppress_health_check=_QUIET
)
settings.register_profile(
    "hunt",
    max_examples=2_000,
    derandomize=False,
    deadline=None,
    database=None,
    print_blob=True,
    suppress_health_check=_QUIET,
)
settings.load_profile("default")


def pytest_collection_finish() -> None:
    """Modules and test items stay to the end: no search for cycles, pytest's own at the end included, visits them."""
    gc.freeze()


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Two processes for files and folders, none where single tests are named."""
    single = bool(config.args) and all("::" in argument for argument in config.args)
    return 0 if single else min(2, os.cpu_count() or 1)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """A claim whose checker does not look at what it used to look at fails, see tests/pinned.py."""
    yield
    if isinstance(item, ClaimItem):
        thorough = item.config.getoption("thorough")
        if complaint := pinned.complaint(item.claim, item.label, item.verdict.evidence, thorough):
            raise Mismatch(complaint)
