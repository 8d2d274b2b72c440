"""Images of classes, and images of none. Every image has mean 0 and sd 1: brightness and contrast tell nothing."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import interpolate

from empirical.images.idx import read_idx
from theory.errors import InputError

FASHION = Path("/usr/share/datasets/fashion-mnist")
TRAIN = 1200  # of the 1797 digits
PATCH = 32  # pixels of a photograph that a patch covers at most, across
FLAT = 4  # patches of a lower sd, of 255, are left out
FACES = 100  # the first images of the set; the others are none


@dataclass(frozen=True, eq=False)
class Images:
    """Square images in shades of grey.

    Args:
        pixels: (N, side * side), float32; every image has mean 0 and sd 1.
        labels: classes 0..K-1, (N,), int64; None for images of no class.
        side: pixels across.
    """

    pixels: Tensor
    labels: Tensor | None
    side: int

    def __post_init__(self) -> None:
        count = len(self.pixels)
        if self.pixels.shape != (count, self.side**2) or not count:
            raise InputError(f"pixels of shape {tuple(self.pixels.shape)} are no images of side {self.side}")
        if not self.pixels.isfinite().all():
            raise InputError("some image holds NaN or inf; leave it out")
        if self.labels is not None and self.labels.shape != (count,):
            raise InputError(f"{count} images and labels of shape {tuple(self.labels.shape)}; give one to each")

    def __len__(self) -> int:
        return len(self.pixels)

    @property
    def classes(self) -> int:
        """K, of which every class has to be there. Raises InputError where one is not, and for K < 2."""
        found = torch.empty(0) if self.labels is None else self.labels.unique()
        if len(found) < 2 or not torch.equal(found, torch.arange(len(found))):
            raise InputError(f"labels {found.tolist()[:12]}; give images of all classes 0, 1, ..., at least two")
        return len(found)

    @property
    def known(self) -> Tensor:
        """The labels. Raises InputError for images of no class."""
        if self.labels is None:
            raise InputError("these images have no labels; give images of classes")
        return self.labels

    @cached_property
    def digest(self) -> str:
        """SHA-256 of pixels and labels."""
        found = hashlib.sha256(self.pixels.numpy().tobytes())
        if self.labels is not None:
            found.update(self.labels.numpy().tobytes())
        return found.hexdigest()

    def first(self, count: int) -> Images:
        """No more than the first so many."""
        return Images(self.pixels[:count], None if self.labels is None else self.labels[:count], self.side)


def standardised(raw: NDArray[np.float64], labels: NDArray[np.int64] | None = None) -> Images:
    """Images of raw values (N, side, side). Raises InputError for NaN, no images, and an image of one shade."""
    if raw.ndim != 3 or raw.shape[1] != raw.shape[2] or not raw.size:
        raise InputError(f"images of shape {raw.shape}; give (number, side, side), none of them 0")
    flat = raw.reshape(len(raw), -1)
    spread = flat.std(1)
    if not (spread > 0).all():  # NaN too
        raise InputError(f"image {int((~(spread > 0)).argmax())} has NaN or one shade alone; leave it out")
    pixels = (flat - flat.mean(1, keepdims=True)) / spread[:, None]
    known = None if labels is None else torch.from_numpy(labels.astype(np.int64))
    return Images(torch.from_numpy(pixels.astype(np.float32)), known, raw.shape[1])


def digits() -> tuple[Images, Images]:
    """Handwritten digits of scikit-learn, 8 x 8, in an order drawn once: the first 1200 to train on, 597 to test on."""
    try:
        from sklearn.datasets import load_digits
    except ImportError:
        raise _missing("the digits are", "scikit-learn") from None
    found = load_digits()
    order = np.random.default_rng(0).permutation(len(found.target))
    raw, labels = found.images.astype(np.float64)[order], found.target[order]
    return standardised(raw[:TRAIN], labels[:TRAIN]), standardised(raw[TRAIN:], labels[TRAIN:])


def fashion(folder: Path = FASHION, most: int | None = None) -> tuple[Images, Images]:
    """Fashion-MNIST, arXiv 1708.07747, 28 x 28, or a set in files of the same names: to train on, and to test on.

    The first so many of either, all if not given. Raises InputError for files that are missing or hostile, that
    disagree, or that test classes not trained.
    """
    train, test = (clothes(folder, name, most) for name in ("train", "t10k"))
    if train.side != test.side:
        raise InputError(f"{folder} trains on side {train.side} and tests on side {test.side}; give one set")
    if int(test.known.max()) >= train.classes:
        raise InputError(f"{folder} tests class {int(test.known.max())} and trains {train.classes}; give one set")
    return train, test


def clothes(folder: Path, name: str, most: int | None = None) -> Images:
    """The images of one pair of files, "train" or "t10k"; the first so many. InputError as `fashion`."""
    raw = read_idx(folder / f"{name}-images-idx3-ubyte.gz", 3)
    labels = read_idx(folder / f"{name}-labels-idx1-ubyte.gz", 1)
    if len(raw) != len(labels):
        raise InputError(f"{folder} has {len(raw)} {name} images and {len(labels)} labels; copy both again")
    try:
        return standardised(raw[:most].astype(np.float64), labels[:most].astype(np.int64))
    except InputError as error:
        raise InputError(f"{folder}, {name} images: {error}") from None


def photographs(side: int) -> Images:
    """Patches of the two photographs of scikit-learn that do not overlap and are not flat, in shades of grey.

    Raises InputError for a side beyond that of the photographs.
    """
    try:
        from sklearn.datasets import load_sample_images
    except ImportError:
        raise _missing("the photographs are", "scikit-learn") from None
    block = max(1, PATCH // side)
    found = [_patches(_averaged(image.mean(-1), block), side) for image in load_sample_images().images]
    patches = np.concatenate(found)
    if not len(patches):
        raise InputError(f"images of side {side} are larger than the photographs beside them; give smaller ones")
    return standardised(patches[patches.std((1, 2)) > FLAT])


def faces(side: int) -> Images:
    """Faces of scikit-image, cut to whole blocks and averaged over them, or enlarged where they are too small."""
    try:
        from skimage.data import lfw_subset
    except ImportError:
        raise _missing("the faces are", "scikit-image") from None
    raw = np.asarray(lfw_subset()[:FACES], np.float64)
    block = raw.shape[1] // side
    if not block:
        return resized(standardised(raw), side)
    return standardised(_averaged(raw[:, : block * side, : block * side], block))


def resized(images: Images, side: int) -> Images:
    """The same images at another size, linearly interpolated (and averaged where they shrink), standardised anew."""
    square = images.pixels.view(-1, 1, images.side, images.side)
    found = interpolate(square, (side, side), mode="bilinear", antialias=True)
    labels = None if images.labels is None else images.labels.numpy()
    return standardised(found[:, 0].double().numpy(), labels)


def _averaged(raw: NDArray[np.float64], block: int) -> NDArray[np.float64]:
    """Means over blocks of the last two axes; what fills no block is cut off."""
    rows, columns = (length // block for length in raw.shape[-2:])
    cut = raw[..., : rows * block, : columns * block]
    found: NDArray[np.float64] = cut.reshape(*raw.shape[:-2], rows, block, columns, block).mean((-3, -1))
    return found


def _patches(image: NDArray[np.float64], side: int) -> NDArray[np.float64]:
    rows, columns = (length // side for length in image.shape)
    cut = image[: rows * side, : columns * side].reshape(rows, side, columns, side)
    return cut.transpose(0, 2, 1, 3).reshape(-1, side, side)


def _missing(what: str, library: str) -> InputError:
    return InputError(f"{what} in the library {library}, which is not there; install headproof[images]")
