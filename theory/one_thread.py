"""A pytest plugin, before all others: one thread a process for NumPy and torch, whose pools fight over shared cores.

The variables count only before either is loaded, and `theory.ledger` loads NumPy before any conftest.py is read.
"""

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
