"""A session: a sample of mutants, what each test executes, the trials, and the report."""

from __future__ import annotations

import fcntl
import hashlib
import json
import shutil
import signal
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory

import click
from cosmic_ray.work_db import WorkDB, use_db
from cosmic_ray.work_item import WorkItem, WorkResult

from tests.mutation.report import Tried, reasons, report, share
from tests.mutation.sample import change, sample, sources
from tests.mutation.trial import Record, Tree, trial
from tests.source import ROOT
from theory.errors import InputError
from theory.progress import progress_bar

TESTS = ("theory", "constructions", "proofs", "tests")  # nothing in theory or constructions is for empirical alone


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--sample", "size", default=200, show_default=True, type=click.IntRange(1), help="How many mutants.")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0), help="Of the sample.")
@click.option("--jobs", default=2, show_default=True, type=click.IntRange(1), help="Processes.")
@click.option("--least", default=95.0, show_default=True, help="Percentage that must be killed, else exit code 1.")
@click.option("--out", default=Path("mutation-output"), show_default=True, type=click.Path(path_type=Path))
def main(size: int, seed: int, jobs: int, least: float, out: Path) -> None:
    """Mutate `theory` and `constructions`, and see whether some test turns red.

    Works on copies of the tree. What was interrupted goes on where it was when the same command is typed again; then
    survivors are tried again too, since there may be new tests.

    Example: python -m tests.mutation --sample 200 --seed 0 --jobs 2
    """
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    modules = sources()
    name = f"sample-{size}-seed-{seed}"
    with _alone(out), use_db(out / f"{name}.sqlite") as session, TemporaryDirectory() as folder:
        _begin(session, modules, size, seed)
        folders = [Path(folder) / f"tree-{job}" for job in range(jobs)]
        _copy(ROOT, folders[0], out)
        with _served(folders[:1]) as trees:
            record = _record(trees[0], out, jobs)
        for copy in folders[1:]:  # now, with the compiled forms of all modules
            _copy(folders[0], copy, out)
        with _served(folders) as trees:
            _run(session, trees, record)
        known = reasons()
        tried = list[Tried]()
        for item, result in session.completed_work_items:
            (mutant,) = item.mutations
            module = mutant.module_path.as_posix()
            before, after = change(mutant, modules[module])
            reason = known.get((module, before, after))
            tried.append(Tried(module, mutant.start_pos[0], before, after, result, reason))
    text = report(tried, f"{size} mutants, seed {seed}")
    click.echo(text)
    (out / f"{name}.md").write_text(text, encoding="utf-8")
    if share(tried) < least:
        sys.exit(1)


@contextmanager
def _alone(out: Path) -> Iterator[None]:
    """Make the folder, and refuse it while another run is at work in it."""
    out.mkdir(parents=True, exist_ok=True)
    with (out / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError(f"another run is at work in {out}; wait for its end, or name another --out") from None
        yield


def _begin(session: WorkDB, modules: dict[str, str], size: int, seed: int) -> None:
    """Fill a new session; in an old one forget the survivors. Raises InputError where the code has changed since."""
    state = hashlib.sha256(json.dumps(modules, sort_keys=True).encode()).hexdigest()[:16]
    items = session.work_items
    if not items:
        chosen = sample(modules, size, seed)
        session.add_work_items(WorkItem.single(f"{state}-{number:06}", mutant) for number, mutant in enumerate(chosen))
        return
    if not items[0].job_id.startswith(state):
        raise InputError("the code has changed since this session began; name another folder with --out")
    done = session.completed_work_items
    session.clear()
    session.add_work_items(items)
    for item, result in done:
        if result.is_killed:
            session.set_result(item.job_id, result)


def _copy(source: Path, target: Path, out: Path) -> None:
    shutil.copytree(source, target, ignore=shutil.ignore_patterns(".*", "demo-output", out.name))


@contextmanager
def _served(folders: list[Path]) -> Iterator[list[Tree]]:
    trees = [Tree(folder) for folder in folders]
    try:
        yield trees
    finally:
        for tree in trees:
            tree.stop()


def _record(tree: Tree, out: Path, jobs: int) -> Record:
    """What each test executes, from one run of the whole suite; from a file where nothing has changed since."""
    files = sorted(path for path in tree.folder.rglob("*") if path.suffix in {".py", ".json", ".toml"})
    state = hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:16]
    kept = out / f"record-{state}.json"
    if not kept.exists():
        click.echo("recording which tests execute which lines: the whole suite, once", err=True)
        parts = tree.folder / "mutation-record"
        parts.mkdir()
        code, output = tree.pytest("-x", "-n", str(jobs if jobs > 1 else 0), "--mutation-record", str(parts), *TESTS)
        if code != 0:
            (out / "record.log").write_text(output, encoding="utf-8")
            raise InputError(f"the tests fail without any mutation, see {out / 'record.log'}; mend them first")
        record = {test: row for part in parts.glob("*.json") for test, row in json.loads(part.read_text()).items()}
        kept.write_text(json.dumps(record), encoding="utf-8")
        shutil.rmtree(parts)
    found: Record = json.loads(kept.read_text(encoding="utf-8"))
    return found


def _run(session: WorkDB, trees: list[Tree], record: Record) -> None:
    free: SimpleQueue[Tree] = SimpleQueue()
    for tree in trees:
        free.put(tree)

    def one(item: WorkItem) -> WorkResult:
        tree = free.get()
        try:
            (mutant,) = item.mutations
            return trial(tree, mutant, record)
        finally:
            free.put(tree)

    pending = sorted(session.pending_work_items, key=lambda item: item.job_id)
    with progress_bar("mutants") as progress, ThreadPoolExecutor(len(trees)) as pool:
        futures = {pool.submit(one, item): item for item in pending}
        try:
            for done, future in enumerate(as_completed(futures), start=1):
                session.set_result(futures[future].job_id, future.result())
                if progress is not None:
                    progress(done, len(pending))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for tree in trees:
                tree.stop()
            raise
