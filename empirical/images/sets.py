"""The images of a study: those of classes, and those that no network has been trained on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from empirical.images.data import FASHION, Images, clothes, digits, faces, fashion, photographs, resized

OUTSIDE = 2000  # images of a set of others, at most


@dataclass(frozen=True, eq=False)
class Sets:
    """Images of classes, and sets of others by name, all of one size.

    Args:
        name: "digits" or "fashion".
        train, test: with labels.
        outside: labels play no part.
    """

    name: str
    train: Images
    test: Images
    outside: Mapping[str, Images]

    def as_json(self) -> dict[str, Any]:
        """How many images there are, and hashes of them."""
        chosen = {"train": self.train, "test": self.test, **self.outside}
        return {
            "side": self.train.side,
            "classes": self.train.classes,
            "images": {name: {"number": len(each), "sha256": each.digest} for name, each in chosen.items()},
        }


def sets(name: str, folder: Path | None, most: int | None = None) -> Sets:
    """All images of a study.

    Args:
        name: of the classes, "digits" or "fashion".
        folder: of Fashion-MNIST; FASHION if not given. Without it digits do not stand against clothes.
        most: images of any set, if there are to be fewer.

    Raises InputError as the sets do.
    """
    here = FASHION if folder is None else folder
    train, test = digits()
    outside = {}
    if name == "fashion":
        digits_alone, (train, test) = test, fashion(here, most)
        outside["digits"] = resized(digits_alone, train.side)
    elif folder is not None or FASHION.is_dir():
        outside["fashion"] = resized(clothes(here, "t10k", OUTSIDE), train.side)
    outside |= {"photographs": photographs(train.side), "faces": faces(train.side)}
    if most is not None:
        train, test = train.first(most), test.first(most)
        outside = {of: images.first(most) for of, images in outside.items()}
    return Sets(name, train, test, outside)
