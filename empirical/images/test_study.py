"""The command, its files, and that a run which is done is not done again."""

from __future__ import annotations

import gzip
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from empirical import checkpoint
from empirical.__main__ import run
from empirical.images import tiers, training, works
from empirical.images.data import Images, standardised
from empirical.images.sets import Sets
from empirical.images.tiers import TIERS
from empirical.images.works import MODEL
from theory import drawing

LITTLE = replace(TIERS["digits", "quick"], hidden=8, epochs=2, classifier_epochs=2, repeats=1)
Draw = Callable[[Any, Path], list[Path]]


def images(count: int, seed: int) -> Images:
    """Three classes of noisy images, 4 x 4."""
    centres, random = np.random.default_rng(9).normal(size=(3, 4, 4)), np.random.default_rng(seed)
    labels = np.arange(count) % 3
    return standardised(centres[labels] + random.normal(size=(count, 4, 4)), labels)


OTHERS = {"others": Images(images(12, 2).pixels, None, 4), "more": Images(images(9, 4).pixels, None, 4)}


@pytest.fixture
def little(monkeypatch: pytest.MonkeyPatch) -> Sets:
    """A study of seconds on images that need no library, without figures."""
    chosen = Sets("digits", images(60, 0), images(30, 1), OTHERS)
    monkeypatch.setitem(TIERS, ("digits", "quick"), LITTLE)
    monkeypatch.setattr("empirical.images.study.sets", lambda name, folder, most: chosen)
    monkeypatch.setattr("empirical.images.costs.TASKS", (3,))
    monkeypatch.setattr("empirical.images.figures.draw", lambda data, folder: [])
    return chosen


def command(out: Path, *options: str) -> int:
    return run(["images", "--tier", "quick", "--out", str(out), *options])


def results(out: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((out / "images.json").read_text())
    return found


def without_times(found: dict[str, Any]) -> dict[str, Any]:
    """What has to come out the same every time."""
    del found["training_cpu_seconds"], found["costs"]["times"]
    for each in (*found["models"], *found["classifiers"]):
        del each["training"]["cpu_seconds"]
    return found


def lines_about(found: dict[str, Any]) -> Iterator[str]:
    """Some lines that the text has to have, from the file."""

    def mean(width: int, *names: str) -> float:
        seeds = [each for each in found["models"] if (each["kind"], each["width"]) == ("concat", width)]
        values: list[float] = [reduce(getitem, names, each["measures"]) for each in seeds if not each["permuted"]]
        return sum(values) / len(values)

    yield f"    regret: {mean(4, 'auroc', 'others', 'regret'):.3f} {mean(4, 'auroc', 'more', 'regret'):.3f}"
    for width, count in ((4, 2), (32, 1)):
        shares = ", ".join(f"{mean(width, 'accuracy', rule):.4f}" for rule in ("likelihoods", "one-step"))
        squares = f"{mean(width, 'spread'):.4f}, {mean(width, 'reconstruction'):.4f}"
        yield f"  concat-{width}: {shares}, {squares} ({count} seeds)"


def done(out: Path, name: str = "") -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for path in out.glob(f"runs/{name}*/result.json")}


@pytest.mark.usefixtures("little")
def test_a_study_killed_in_between(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Interrupted in its third training, it goes on with that one and ends with the numbers of one that was not."""
    out, whole = tmp_path / "out", tmp_path / "whole"
    begun = list[str]()
    train = training.train

    def dies(plan: Any, images: Images, look: Any) -> Any:
        if len(begun) == 2:
            raise KeyboardInterrupt
        begun.append(plan.title)
        return train(plan, images, look)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(training, "train", dies)
        assert command(out) == 130
    kept = done(out)
    assert len(kept) == 2 and not (out / "images.json").exists()
    capsys.readouterr()
    assert command(out, "--json") == 0
    printed = capsys.readouterr()
    assert "going on: 2 of 21 runs are done" in printed.err
    assert kept.items() <= done(out).items()
    found = json.loads(printed.out)
    assert found == results(out)
    about = [found[name] for name in ("format", "version", "data", "tier", "seeds")]
    assert about == ["headproof images", 1, "digits", "quick", [0, 1]]
    assert command(whole) == 0
    assert without_times(results(whole)) == without_times(json.loads(printed.out))
    text = capsys.readouterr().out
    assert f"{found['met']} of {len(found['bands'])} bands met" in text and "this short nothing follows" in text
    assert all(line in text.splitlines() for line in lines_about(found))
    took = text.partition("CPU seconds of trainings")[2].splitlines()
    assert [line.split(":")[0].strip() for line in took[1:]] == [
        "concat-4",
        "gated-8",
        "free",
        "concat-32",
        "concat-4, permuted",
        "classifier",
    ]
    assert [len(line.split(":")[1].split()) for line in took[1:]] == [2, 2, 2, 1, 2, 2]
    seconds = [float(each) for line in took[1:] for each in line.split(":")[1].split()]
    assert sum(seconds) == pytest.approx(results(whole)["training_cpu_seconds"], abs=0.05 * len(seconds) + 0.05)


@pytest.mark.usefixtures("little")
def test_measures_come_anew_without_trainings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Other measures take the weights that are there; further seeds leave what is done."""
    assert command(tmp_path) == 0
    before, first = done(tmp_path), without_times(results(tmp_path))
    monkeypatch.setattr(works, "MEASURES", works.MEASURES + 1)
    monkeypatch.setattr(training, "train", lambda *given: pytest.fail("trained again"))
    assert command(tmp_path) == 0
    assert before.items() <= done(tmp_path).items()
    new = done(tmp_path).keys() - before.keys()
    assert {path.parent.name.split("-")[0] for path in new} == {"measures"} and len(new) == 9
    assert without_times(results(tmp_path)) == first


@pytest.mark.usefixtures("little")
def test_one_seed_and_then_two(tmp_path: Path) -> None:
    assert command(tmp_path, "--seeds", "1", "--seed", "7") == 0
    kept = done(tmp_path)
    bands = results(tmp_path)["bands"]
    assert bands and all(band["low"] is None and band["clear"] is None for band in bands)
    assert command(tmp_path, "--seeds", "2", "--seed", "7") == 0
    assert kept.items() <= done(tmp_path).items()
    assert results(tmp_path)["seeds"] == [7, 8]


@pytest.mark.usefixtures("little")
def test_a_folder_of_another_study(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command(tmp_path, "--seeds", "1") == 0
    kept, written = done(tmp_path), (tmp_path / "images.json").read_bytes()
    for options in (["--data", "fashion"], ["--tier", "full"]):
        capsys.readouterr()
        assert command(tmp_path, *options) == 2
        complaint = capsys.readouterr().err
        assert "images.json of another request" in complaint and complaint.count("\n") == 1
    (tmp_path / "images.json").write_text("{")
    assert command(tmp_path) == 2
    (tmp_path / "images.json").write_bytes(written)
    assert done(tmp_path) == kept


def spoilt(tensors: dict[str, torch.Tensor], card: dict[str, Any]) -> tuple[Any, Any]:
    return {name: torch.full_like(tensor, torch.nan) for name, tensor in tensors.items()}, card


def another(tensors: dict[str, torch.Tensor], card: dict[str, Any]) -> tuple[Any, Any]:
    return tensors, {**card, "network": {**card["network"], "images": "0" * 64}}


def cut(tensors: dict[str, torch.Tensor], card: dict[str, Any]) -> tuple[Any, Any]:
    return {name: tensor[:-1] for name, tensor in tensors.items()}, card


@pytest.mark.usefixtures("little")
@pytest.mark.parametrize(
    ("spoil", "words"),
    [(spoilt, "NaN or infinite"), (another, "not the network of this"), (cut, "not the network of this")],
)
def test_weights_that_were_changed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], spoil: Callable[..., tuple[Any, Any]], words: str
) -> None:
    """They are found out before anything is measured on them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(works.Measuring, "carry_out", lambda *given: 1 // 0)
        assert command(tmp_path, "--seeds", "1") == 2
    (folder,) = (path.parent for path in done(tmp_path, "gated"))
    tensors, card = checkpoint.load(folder / MODEL)
    (weights,) = folder.glob("*.safetensors")
    weights.rename(tmp_path / "kept")
    assert command(tmp_path, "--seeds", "1") == 2
    complaint = capsys.readouterr().err.splitlines()[-1]
    assert weights.name in complaint and complaint.endswith(f"remove the folder {folder} to train it again")
    (tmp_path / "kept").rename(weights)
    tensors, card = spoil(tensors, {"network": card["network"]})
    checkpoint.save(folder / MODEL, tensors, card)
    capsys.readouterr()
    assert command(tmp_path, "--seeds", "1") == 2
    complaint = capsys.readouterr().err.splitlines()[-1]
    assert words in complaint and "to train it again" in complaint and not done(tmp_path, "measures-gated")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--seeds", "0"], "--seeds"),
        (["--seeds", "65"], "--seeds"),
        (["--tier", "long"], "--tier"),
        (["--seed", "-1"], "--seed"),
        (["--seed", str(2**32 - 1), "--seeds", "2"], "beyond the last seed"),
        (["--data", "mnist"], "--data"),
    ],
)
def test_bad_input_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], words: str
) -> None:
    assert command(tmp_path, *options) == 2
    complaint = capsys.readouterr().err
    assert words in complaint and complaint.count("\n") == 1


def test_a_folder_without_clothes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("sklearn")
    out = tmp_path / "out"
    assert command(out, "--data", "fashion", "--fashion", str(tmp_path)) == 2
    assert "dataset-fashion-mnist" in capsys.readouterr().err and not out.exists()


def test_what_a_study_trains(little: Sets) -> None:
    """Every model has the classifier of its own seed first; widths of the sweep that are there are not done twice."""
    chosen = tiers.works(TIERS["digits", "full"], little, range(3, 8))
    assert len(chosen.classifiers) == 5 and len(chosen.autoencoders) == 15 + 9 + 5
    assert len({work.title for work in chosen.autoencoders}) == 29
    for each in chosen.measured:
        seeds = [classifier.plan.seed for classifier in each.classifiers]
        assert seeds[0] == each.of.plan.seed and sorted(seeds) == list(range(3, 8))
    assert [each.others for each in chosen.measured] == [True] * 15 + [False] * 14
    fewer = tiers.works(TIERS["fashion", "full"], little, range(3))
    assert len(fewer.classifiers) == 5 and len(fewer.autoencoders) == 9


def test_digits_from_end_to_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The quick tier as it is: what is proved holds, what is found has its order, and it is not done again."""
    for library in ("sklearn", "skimage"):
        pytest.importorskip(library)
    monkeypatch.setattr("empirical.images.figures.write", lambda *names: drawing.write(*names[:3], "png"))
    monkeypatch.setattr("empirical.images.sets.FASHION", tmp_path / "none")
    started = time.process_time()
    out = tmp_path / "out"
    assert command(out) == 0
    found, kept = results(out), done(out)
    assert 0 < found["training_cpu_seconds"] < time.process_time() - started
    assert {path.stem for path in out.glob("*.png")} == {"images", "images-inference"}
    for model in found["models"]:
        measures = model["measures"]
        if model["permuted"]:  # 597 images: nine sd of a guess
            assert measures["accuracy"]["likelihoods"] < 0.22
        elif model["width"] < 32:
            assert measures["accuracy"]["classifier"] > 0.9 > 0.5 > measures["accuracy"]["norm"]
            assert measures["accuracy"]["one-step"] > 0.6
        if model["kind"] == "gated":
            assert measures["unlike likelihoods"]["offsets of the image"] == 0 and measures["identity"] < 1e-4
        if model["kind"] == "free":
            assert measures["unlike likelihoods"]["offsets of one image"] == 0
    monkeypatch.setattr("empirical.images.figures.draw", lambda data, folder: [])
    assert command(out) == 0
    assert done(out) == kept and results(out) == found


def test_clothes_of_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of the names and the form of Fashion-MNIST, here of 28 x 28 random pixels."""
    for library in ("sklearn", "skimage"):
        pytest.importorskip(library)
    random = np.random.default_rng(0)
    for name, count in (("train", 40), ("t10k", 20)):
        for kind, shape, top in (("images-idx3", (count, 28, 28), 256), ("labels-idx1", (count,), 2)):
            content = random.integers(0, top, shape, np.uint8)
            if top == 2:
                content = (np.arange(count) % 2).astype(np.uint8)
            head = bytes((0, 0, 8, len(shape))) + b"".join(size.to_bytes(4, "big") for size in shape)
            (tmp_path / f"{name}-{kind}-ubyte.gz").write_bytes(gzip.compress(head + content.tobytes()))
    monkeypatch.setattr("empirical.images.figures.draw", lambda data, folder: [])
    monkeypatch.setattr("empirical.images.costs.TASKS", (2,))
    monkeypatch.setitem(TIERS, ("fashion", "quick"), replace(TIERS["fashion", "quick"], hidden=8, most=30, repeats=1))
    out = tmp_path / "out"
    assert command(out, "--data", "fashion", "--fashion", str(tmp_path), "--seeds", "1") == 0
    found = results(out)
    assert found["data"] == "fashion" and found["sets"]["classes"] == 2
    assert set(found["models"][0]["measures"]["auroc"]) == {"digits", "photographs", "faces"}
