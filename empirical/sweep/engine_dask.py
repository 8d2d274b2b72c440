"""Runs on an existing Dask cluster whose workers share the folder of the sweep."""

from __future__ import annotations

import logging
import socket
from collections.abc import Generator, Iterable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click

from empirical.sweep.run import Ended, Run, carry_out, described
from theory.errors import InputError

RETRIES = 3  # of a run that failed outside of itself; of one whose worker died, the scheduler's `allowed-failures`
_SECONDS = 10  # for the scheduler to answer


def run_on_cluster(runs: Iterable[Run], out: Path, turn: str, scheduler: str) -> Generator[Ended, None, None]:
    """Do the runs on the workers of the scheduler at this address, and tell of each when it ends.

    Where a worker dies, the scheduler gives its run to another. Where the iterator is left, waiting runs are withdrawn,
    and those at work see by `turn` that they are to stop. Raises InputError where no scheduler answers.
    """
    with _client(scheduler) as client:
        from distributed import as_completed

        workers = client.scheduler_info(n_workers=-1)["workers"].values()
        if not workers:
            click.echo(f"{scheduler} has no workers yet; waiting for some", err=True)
        if any(worker["nthreads"] > 1 for worker in workers):
            click.echo("a worker does one run at a time; start workers with --nthreads 1, one for each core", err=True)
        # The turn in the key: the scheduler takes equal keys for one task, also those of other sweeps.
        futures = {
            client.submit(carry_out, run, out, turn, key=f"{run.name}-{turn}", retries=RETRIES): run for run in runs
        }
        try:
            for future in as_completed(futures, loop=client.loop):
                yield _ended(future, futures[future].name)
        finally:
            client.cancel(list(futures))


def _ended(future: Any, name: str) -> Ended:
    if future.status == "finished":
        return future.result()
    return Ended(
        name,
        described(future.exception()) if future.status == "error" else "the scheduler has dropped it, or has ended",
    )


def _client(scheduler: str) -> Any:
    try:
        from distributed import Client
    except ImportError:
        raise InputError("--engine dask needs the library distributed; install headproof[cluster]") from None
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what matters of it is said in one line
    try:
        # A client that fails leaves a thread behind, and one without an address starts a cluster of its own.
        url = urlsplit(scheduler)
        if url.scheme not in ("tcp", "tls") or not url.hostname or not url.port:
            raise ValueError("no address")
        socket.create_connection((url.hostname, url.port), timeout=_SECONDS).close()
        return Client(scheduler, timeout=_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise InputError(f"no scheduler answers at {scheduler!r} ({error}); give --scheduler tcp://HOST:PORT") from None
