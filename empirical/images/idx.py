"""The IDX files of Fashion-MNIST, compressed with gzip. Nothing in them is believed before it has been read."""

from __future__ import annotations

import gzip
import zlib
from math import prod
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from theory.errors import InputError

LIMIT = 1 << 26  # bytes of one array, which become eight times as many; Fashion-MNIST has 47 million
_CHUNK = 1 << 20
_BYTES = 8  # the code of unsigned bytes in the header


def read_idx(path: Path, dimensions: int) -> NDArray[np.uint8]:
    """The array of unsigned bytes in a file.

    No more is unpacked than the header declares, and nothing is reserved for what it declares. Raises InputError, one
    line, for a file that is missing, no gzip, cut off, of another kind, or beyond LIMIT.
    """
    try:
        if path.exists() and not path.is_file():  # a pipe might never end
            raise InputError(f"{path} is not a file; name the folder with the four .gz files")
        with gzip.open(path) as file:
            shape = _shape(path, file, dimensions)
            data = _at_most(file, prod(shape) + 1)
    except FileNotFoundError:
        remedy = "install the Debian package dataset-fashion-mnist, or give another folder by --fashion"
        raise InputError(f"{path} is missing; {remedy}") from None
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise InputError(f"{path} is cut off or no gzip file ({error}); copy it again") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); give another folder") from None
    if len(data) != prod(shape):
        found = "more" if len(data) > prod(shape) else str(len(data))
        raise InputError(f"{path} declares {prod(shape)} bytes of data and holds {found}; copy it again")
    return np.frombuffer(data, np.uint8).reshape(shape)


def _shape(path: Path, file: BinaryIO | gzip.GzipFile, dimensions: int) -> tuple[int, ...]:
    magic = bytes((0, 0, _BYTES, dimensions))
    head = _at_most(file, 4 + 4 * dimensions)
    if head[:4] != magic:
        raise InputError(f"{path} begins with {head[:4].hex() or 'nothing'}, not {magic.hex()}; give an IDX file")
    if len(head) < 4 + 4 * dimensions:
        raise InputError(f"{path} ends after {len(head)} bytes, within its header; copy it again")
    shape = tuple(int.from_bytes(head[at : at + 4], "big") for at in range(4, len(head), 4))
    if not 0 < prod(shape) <= LIMIT:
        raise InputError(f"{path} declares the shape {shape}; give an array of 1 to {LIMIT} bytes")
    return shape


def _at_most(file: BinaryIO | gzip.GzipFile, count: int) -> bytes:
    found = bytearray()
    while len(found) < count and (more := file.read(min(_CHUNK, count - len(found)))):
        found += more
    return bytes(found)
