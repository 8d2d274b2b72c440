"""Images, networks and trainings against their definitions; files that nobody should trust."""

from __future__ import annotations

import gzip
import os
import sys
import tracemalloc
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import cross_entropy

from empirical.images import data
from empirical.images.data import Images, faces, fashion, photographs, resized, standardised
from empirical.images.idx import LIMIT, read_idx
from empirical.images.networks import Autoencoder, Classifier
from empirical.images.plan import Plan
from empirical.images.sets import sets
from empirical.images.training import train
from theory.errors import InputError

torch.set_num_threads(1)
NAMES = ("train-images-idx3", "train-labels-idx1", "t10k-images-idx3", "t10k-labels-idx1")


def idx(shape: Sequence[int], content: bytes, magic: bytes | None = None) -> bytes:
    return (magic or bytes((0, 0, 8, len(shape)))) + b"".join(n.to_bytes(4, "big") for n in shape) + content


def some(*shape: int, seed: int = 0) -> NDArray[np.uint8]:
    return np.random.default_rng(seed).integers(0, 256, shape, np.uint8)


def folder(path: Path, arrays: Sequence[NDArray[np.uint8]]) -> Path:
    for name, array in zip(NAMES, arrays, strict=True):
        (path / f"{name}-ubyte.gz").write_bytes(gzip.compress(idx(array.shape, array.tobytes())))
    return path


def bytes_of(*values: int) -> NDArray[np.uint8]:
    return np.array(values, np.uint8)


def little(count: int = 40, side: int = 4, tasks: int = 3, seed: int = 0) -> Images:
    random = np.random.default_rng(seed)
    labels = np.arange(count) % tasks
    return standardised(
        random.normal(size=(tasks, side, side))[labels] + random.normal(size=(count, side, side)), labels
    )


# ------------------------------------------------------------------------------------------------------------- files


def test_an_idx_file_comes_back(tmp_path: Path) -> None:
    array = some(3, 4, 5)
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(idx(array.shape, array.tobytes())))
    assert np.array_equal(read_idx(path, 3), array)


WHOLE = gzip.compress(idx((4, 5, 6), some(4, 5, 6).tobytes()))
BROKEN = bytearray(WHOLE)
BROKEN[-6] ^= 1  # of the checksum
HOSTILE = {
    "cut in the data": (WHOLE[:-30], "cut off"),
    "cut in the checksum": (WHOLE[:-5], "cut off"),
    "another checksum": (bytes(BROKEN), "cut off or no gzip file"),
    "not packed": (idx((1, 2, 2), b"1234"), "no gzip file"),
    "no file at all": (b"", "begins with nothing"),
    "packed nothing": (gzip.compress(b""), "begins with nothing"),
    "half a header": (gzip.compress(idx((4, 5), b"", b"\0\0\x08\x03")), "ends after 12 bytes"),
    "labels": (gzip.compress(idx((4,), b"1234" * 8)), "00000801, not 00000803"),
    "floats": (gzip.compress(idx((1, 2, 2), b"1234", b"\0\0\x0d\x03")), "00000d03"),
    "fewer than declared": (gzip.compress(idx((4, 5, 6), b"abc")), "declares 120 bytes of data and holds 3"),
    "more than declared": (gzip.compress(idx((1, 2, 2), b"12345")), "declares 4 bytes of data and holds more"),
    "none": (gzip.compress(idx((0, 28, 28), b"")), "shape (0, 28, 28)"),
    "a huge number": (gzip.compress(idx((2**32 - 1, 28, 28), b"abc")), "shape (4294967295, 28, 28)"),
    "a byte too many": (gzip.compress(idx((LIMIT + 1, 1, 1), b"abc")), f"shape ({LIMIT + 1}, 1, 1)"),
    "a huge number that may be": (gzip.compress(idx((LIMIT, 1, 1), b"abc")), f"declares {LIMIT} bytes"),
    "a bomb": (gzip.compress(idx((2, 2, 2), bytes(1 << 26))), "holds more"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_files_that_nobody_should_trust(tmp_path: Path, name: str) -> None:
    """One line each, and never more memory than what is there, or declared, takes: here next to nothing."""
    content, words = HOSTILE[name]
    path = tmp_path / "a.gz"
    path.write_bytes(content)
    tracemalloc.start()
    try:
        with pytest.raises(InputError) as raised:
            read_idx(path, 3)
        assert tracemalloc.get_traced_memory()[1] < 1 << 23
    finally:
        tracemalloc.stop()
    assert words in str(raised.value) and "\n" not in str(raised.value)


def test_paths_without_a_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"dataset-fashion-mnist.*--fashion"):
        fashion(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe"):
        with pytest.raises(InputError, match="is not a file"):
            read_idx(path, 1)


def test_a_set_in_a_folder(tmp_path: Path) -> None:
    arrays = some(6, 5, 5), bytes_of(0, 1, 2, 0, 1, 2), some(2, 5, 5, seed=1), bytes_of(2, 0)
    train_, test = fashion(folder(tmp_path, arrays))
    assert (len(train_), train_.classes, train_.side, test.known.tolist()) == (6, 3, 5, [2, 0])
    raw = arrays[2][1].astype(float).ravel()
    assert np.allclose(test.pixels[1], (raw - raw.mean()) / raw.std(), atol=1e-6)


IMAGES, LABELS = some(4, 3, 3), bytes_of(0, 1, 0, 1)
WRONG = {
    "counts": ((IMAGES, LABELS[:3], IMAGES, LABELS), "4 train images and 3 labels"),
    "another side": ((IMAGES, LABELS, some(4, 2, 2), LABELS), "side 3 and tests on side 2"),
    "a class of the test": ((IMAGES, LABELS, IMAGES, LABELS * 2), "tests class 2"),
    "a class left out": ((IMAGES, LABELS * 2, IMAGES, LABELS), r"labels \[0, 2\]"),
    "one class": ((IMAGES, LABELS * 0, IMAGES, LABELS * 0), r"labels \[0\].*at least two"),
    "oblong": ((some(4, 3, 2), LABELS, IMAGES, LABELS), r"shape \(4, 3, 2\)"),
    "black": ((IMAGES, LABELS, IMAGES * bytes_of(1, 0, 1, 1)[:, None, None], LABELS), "t10k images: image 1"),
}


@pytest.mark.parametrize("name", WRONG)
def test_sets_that_disagree(tmp_path: Path, name: str) -> None:
    arrays, words = WRONG[name]
    with pytest.raises(InputError, match=words):
        fashion(folder(tmp_path, arrays))


def test_the_package_of_debian() -> None:
    if not data.FASHION.is_dir():
        pytest.skip("needs the Debian package dataset-fashion-mnist")
    test = data.clothes(data.FASHION, "t10k", 500)
    assert test.pixels.shape == (500, 784) and test.classes == 10


# ------------------------------------------------------------------------------------------------------------ images


def test_every_image_is_standardised() -> None:
    images = standardised(1e3 + np.random.default_rng(0).normal(size=(7, 4, 4)))
    assert images.pixels.dtype == torch.float32
    assert torch.allclose(images.pixels.mean(1), torch.zeros(7), atol=1e-6)
    assert torch.allclose(images.pixels.std(1, correction=0), torch.ones(7), atol=1e-6)


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (np.full((2, 3, 3), np.nan), "image 0 has NaN"),
        (np.ones((2, 3, 3)), "one shade"),
        (np.empty((0, 3, 3)), "shape"),
        (np.ones((2, 9)), "shape"),
    ],
)
def test_no_images(raw: NDArray[np.float64], words: str) -> None:
    with pytest.raises(InputError, match=words):
        standardised(raw)


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: Images(torch.zeros(2, 8), None, 3), "side 3"),
        (lambda: Images(torch.zeros(0, 9), None, 3), "no images"),
        (lambda: Images(torch.full((2, 9), torch.inf), None, 3), "NaN or inf"),
        (lambda: Images(torch.zeros(2, 9), torch.zeros(3, dtype=torch.int64), 3), "one to each"),
        (lambda: Images(torch.zeros(2, 9), None, 3).known, "no labels"),
        (lambda: Images(torch.zeros(2, 9), None, 3).classes, "at least two"),
        (lambda: Images(torch.zeros(2, 9), torch.tensor([0, 0]), 3).classes, "at least two"),
    ],
)
def test_images_that_are_refused(build: Callable[[], object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        build()


def test_the_hash_sees_pixels_and_labels() -> None:
    images = little()
    assert images.known[0] != images.known[1]
    others = [little(seed=1), Images(images.pixels, images.known.flip(0), 4), Images(images.pixels, None, 4)]
    assert len({each.digest for each in (images, *others)}) == 4
    assert images.digest == little().digest


def test_digits() -> None:
    load = pytest.importorskip("sklearn.datasets").load_digits
    train_, test = data.digits()
    assert (len(train_), len(test), train_.classes, train_.side) == (1200, 597, 10, 8)
    found, order = load(), np.random.default_rng(0).permutation(1797)
    assert torch.equal(torch.cat((train_.known, test.known)), torch.from_numpy(found.target[order]))
    raw = found.data[order[1203]]
    assert np.allclose(test.pixels[3], (raw - raw.mean()) / raw.std(), atol=1e-6)


def test_photographs() -> None:
    load = pytest.importorskip("sklearn.datasets").load_sample_images
    small, large = photographs(8), photographs(28)
    assert (len(small), small.labels, large.side) == (358, None, 28)
    grey = load().images[0].mean(-1)
    kept = []
    for row in range(0, 8 * (427 // 4 // 8), 8):
        for column in range(0, 8 * (640 // 4 // 8), 8):
            patch = np.array(
                [
                    [grey[4 * y : 4 * y + 4, 4 * x : 4 * x + 4].mean() for x in range(column, column + 8)]
                    for y in range(row, row + 8)
                ]
            )
            if patch.std() > 4:
                kept.append((patch - patch.mean()) / patch.std())
    assert np.allclose(small.pixels[: len(kept)].view(-1, 8, 8), np.stack(kept), atol=1e-5)
    assert len(photographs(400)) == 2
    with pytest.raises(InputError, match=r"side 428 .*give smaller"):
        photographs(428)


def test_faces() -> None:
    raw = pytest.importorskip("skimage.data").lfw_subset()[:100]
    assert len(faces(28)) == 100 and faces(28).side == 28
    block = raw[5, 3:6, 21:24].mean()
    every = raw[5, :24, :24].reshape(8, 3, 8, 3).mean((1, 3))
    assert np.isclose(faces(8).pixels[5, 8 + 7], (block - every.mean()) / every.std(), atol=1e-5)


def test_other_sizes() -> None:
    """A gradient from left to right stays one, whichever way the size goes."""
    ramp = standardised(np.tile(np.arange(8.0), (2, 8, 1)), np.array([0, 1]))
    for side in (4, 28):
        found = resized(ramp, side)
        rows = found.pixels.view(2, side, side)
        assert torch.allclose(rows, rows[:1, :1].expand(2, side, side), atol=1e-6)
        assert (rows[0, 0].diff() > -1e-6).all() and found.known.tolist() == [0, 1]
    halves = resized(ramp, 4).pixels[0, :4]
    assert torch.allclose(halves, -halves.flip(0), atol=1e-6)


@pytest.mark.parametrize(
    ("side", "weights"),
    [
        # One pixel in the middle: neighbours of half its width see it by triangles twice as wide as the new pixels,
        (4, [[0, 3 / 8, 1 / 8, 0]]),
        # and pixels half as wide lie a quarter of its width to either side of it.
        (16, [[0] * 5 + [0.25, 0.75, 0.75, 0.25] + [0] * 7]),
    ],
)
def test_other_sizes_by_weights(side: int, weights: list[list[float]]) -> None:
    raw = np.zeros((1, 8, 8))
    raw[0, 3, 3] = 1
    row = np.array(weights)
    assert torch.allclose(resized(standardised(raw), side).pixels, standardised((row.T @ row)[None]).pixels, atol=1e-4)


@pytest.mark.parametrize(
    ("library", "load"), [("sklearn", data.digits), ("sklearn", lambda: photographs(8)), ("skimage", lambda: faces(8))]
)
def test_without_the_libraries(monkeypatch: pytest.MonkeyPatch, library: str, load: Callable[[], object]) -> None:
    for name in (library, f"{library}.datasets", f"{library}.data"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(InputError, match=r"install headproof\[images\]"):
        load()


def test_sets_of_a_study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sklearn")
    pytest.importorskip("skimage")
    here = folder(tmp_path, (some(30, 28, 28), np.arange(30, dtype=np.uint8) % 3, some(9, 28, 28), bytes_of(*[1] * 9)))
    monkeypatch.setattr("empirical.images.sets.FASHION", tmp_path / "none")
    assert list(sets("digits", None, 20).outside) == ["photographs", "faces"]
    digits = sets("digits", here)
    assert {name: len(each) for name, each in digits.outside.items()} == {
        "fashion": 9,
        "photographs": 358,
        "faces": 100,
    }
    clothes = sets("fashion", here, 25)
    assert (len(clothes.train), clothes.train.classes, clothes.outside["digits"].side) == (25, 3, 28)
    assert torch.equal(clothes.outside["digits"].pixels, resized(digits.test.first(25), 28).pixels)
    assert clothes.as_json()["images"]["test"] == {"number": 9, "sha256": clothes.test.digest}
    with pytest.raises(InputError, match="dataset-fashion-mnist"):
        sets("fashion", None)


# ---------------------------------------------------------------------------------------------------------- networks


def network(mode: str, tasks: int = 3) -> Autoencoder:
    torch.manual_seed(5)
    return Autoencoder(6, 0 if mode == "free" else 2, tasks, mode, 7).double()


def inputs(count: int = 4, tasks: int = 3) -> tuple[Tensor, Tensor]:
    random = torch.Generator().manual_seed(2)
    x = torch.randn(count, 6, generator=random, dtype=torch.float64)
    return x, torch.rand(count, tasks, generator=random, dtype=torch.float64)


def test_decoders_by_hand() -> None:
    x, z = inputs()
    concat, gated, free = (network(mode) for mode in ("concat", "gated", "free"))
    for model in (concat, gated):
        w = dict(model.encoder.named_parameters())
        code = (x @ w["0.weight"].T + w["0.bias"]).clamp(min=0) @ w["2.weight"].T + w["2.bias"]
        assert torch.allclose(model.encode(x), code, atol=1e-12)
    for n in range(4):
        code, outer = concat.encode(x)[n], concat.outer
        units = concat.inner.weight[:, :2] @ code + concat.inner.weight[:, 2:] @ z[n] + concat.inner.bias
        assert torch.allclose(concat(x, z)[n], outer.weight @ units.clamp(min=0) + outer.bias, atol=1e-12)
        code, outer = gated.encode(x)[n], gated.outer
        units = (gated.gate @ z[n]) * (gated.inner.weight @ code + gated.inner.bias).clamp(min=0)
        assert torch.allclose(gated(x, z)[n], outer.weight @ units + outer.bias, atol=1e-12)
        units = (free.gate @ z[n]) * free.level
        assert torch.allclose(free(x, z)[n], free.outer.weight @ units + free.outer.bias, atol=1e-12)
    assert 0 <= gated.gate.min() < 0.3 and 1.7 < gated.gate.max() <= 2


@pytest.mark.parametrize(("mode", "linear"), [("concat", False), ("gated", True), ("free", True)])
def test_which_decoders_are_linear_in_z(mode: str, linear: bool) -> None:
    model, (x, z) = network(mode), inputs()
    z = z / z.sum(-1, keepdim=True)  # the bias enters once
    mixed = sum(z[:, k, None] * model(x, torch.eye(3, dtype=torch.float64)[k].expand(4, 3)) for k in range(3))
    assert torch.allclose(model(x, z), torch.as_tensor(mixed), atol=1e-12) == linear


def test_the_free_decoder_sees_no_image() -> None:
    model, (x, z) = network("free"), inputs()
    assert torch.equal(model(x, z), model(x.flip(0), z)) and model.encode(x).shape == (4, 0)


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: Autoencoder(6, 2, 1, "concat", 7), "K = 1"),
        (lambda: Autoencoder(6, 2, 3, "added", 7), "'added' is unknown"),
        (lambda: Autoencoder(6, 0, 3, "gated", 7), "width=0"),
        (lambda: Autoencoder(6, 2, 3, "free", 7), "width=2"),
        (lambda: Autoencoder(0, 2, 3, "concat", 7), "pixels=0"),
        (lambda: Classifier(6, 1, 7), "K = 1"),
        (lambda: network("gated").decode(torch.zeros(1, 2).double(), torch.zeros(1, 4).double()), "K = 3"),
    ],
)
def test_networks_that_cannot_be(build: Callable[[], object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        build()


# --------------------------------------------------------------------------------------------------------- trainings

KINDS = ("concat", "gated", "free", "classifier")


def plan(kind: str, epochs: int = 1, batch: int = 40) -> Plan:
    return Plan(kind, 3, 2 if kind in ("concat", "gated") else 0, 5, epochs, batch)


def loss(kind: str, model: Autoencoder | Classifier, images: Images) -> Tensor:
    if isinstance(model, Classifier):
        return cross_entropy(model(images.pixels), images.known)
    found = model(images.pixels, torch.eye(3)[images.known])
    return sum(((found[n] - images.pixels[n]) ** 2).sum() for n in range(len(images))) / torch.tensor(len(images))


@pytest.mark.parametrize("kind", KINDS)
def test_the_first_step_of_a_training(kind: str) -> None:
    """The loss is that of the first weights, and Adam moves every weight by its rate against the slope at first."""
    images = little()
    before = plan(kind).network(images)
    first = loss(kind, before, images)
    first.backward()
    found = train(plan(kind), images)
    assert found.losses == pytest.approx([first.item()], rel=1e-5)
    assert found.cpu_seconds > 0 and not found.network.training
    after = dict(found.network.named_parameters())
    for name, weight in before.named_parameters():
        assert not after[name].requires_grad and weight.grad is not None
        clear = weight.grad.abs() > 1e-4  # far above Adam's epsilon, and rounding cannot turn its sign
        moved = (after[name] - weight)[clear] / -1e-3
        assert torch.allclose(moved, weight.grad[clear].sign(), atol=1e-3)


@pytest.mark.parametrize("kind", KINDS)
def test_trainings_repeat_and_learn(kind: str) -> None:
    images, state = little(), torch.random.get_rng_state()
    found = [train(replace(plan(kind, 30, 7), rate=1e-2), images) for _ in range(2)]
    assert found[0].losses == found[1].losses and found[0].losses[-1] < 0.9 * found[0].losses[0]
    assert torch.equal(torch.random.get_rng_state(), state)
    other = train(replace(plan(kind, 30, 7), seed=4), images)
    assert other.losses[0] != found[0].losses[0]


def test_permuted_labels() -> None:
    images = little()
    chosen = [replace(plan("concat"), permuted=True, seed=seed).labels(images) for seed in (1, 1, 2)]
    assert torch.equal(chosen[0], chosen[1]) and not torch.equal(chosen[0], chosen[2])
    assert torch.equal(chosen[0].bincount(), images.known.bincount()) and not torch.equal(chosen[0], images.known)
    assert plan("concat").labels(images) is images.known
    losses = [train(replace(plan("concat", 3), permuted=permuted), images).losses for permuted in (True, False)]
    assert losses[0] != losses[1]


def test_a_training_is_looked_at_at_every_step() -> None:
    looks = list[int]()
    train(plan("concat", 3, 16), little(), lambda: looks.append(1))
    assert len(looks) == 3 * 3
    with pytest.raises(ZeroDivisionError):
        train(plan("concat"), little(), lambda: 1 // 0)


def test_a_training_that_blows_up() -> None:
    with pytest.raises(InputError, match=r"concat-2-seed-3.*in epoch \d"):
        train(replace(plan("concat", 9), rate=1e30), little())


def test_no_training_without_classes() -> None:
    images = little()
    for labels in (None, torch.zeros(40, dtype=torch.int64)):
        with pytest.raises(InputError, match="at least two"):
            train(plan("gated"), Images(images.pixels, labels, 4))
