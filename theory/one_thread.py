"""A pytest plugin, before all others: one thread a process for NumPy and torch, whose pools fight over shared cores.

The variables count only before either is loaded, and `theory.ledger` loads NumPy before any conftest.py is read.
"""

import os


def pytest_addoption() -> None:
    """The first of all hooks, called before the next plugin is loaded; commands import this module and go on as is."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")
