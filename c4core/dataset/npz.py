"""Parts of data sets as NPZ files: an array for every column, and the card as text in ``card``.

No array is a pickle, and pickles are never read. The bytes depend only on the contents and the
version of zlib, because the archive's members have no times.
"""

from __future__ import annotations

import io
import os
import struct
import zipfile
import zlib
from tokenize import TokenError
from typing import IO, TYPE_CHECKING, Any, Final

import numpy as np

from c4core.dataset.allowance import MAX_CARD, TYPES, Allowance
from c4core.dataset.errors import DatasetError
from c4core.files import check_plain

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from c4core.dataset.records import Array

_CARD: Final = "card"
_ENDING: Final = ".npy"
_VERSION: Final = (1, 0)
"""The version of the header that numpy writes for all arrays except structured ones."""

_PIECE: Final = 1 << 20
"""Bytes that are unpacked in one step."""

_MAX_MEMBERS: Final = len(TYPES) + 1
"""The columns and the card."""

_HEADER_ERRORS = (MemoryError, OverflowError, TokenError)
"""What numpy raises for a header that is not a Python literal, or an array that is too large."""


def write_npz(path: Path, records: Mapping[str, Array], card: str) -> None:
    """Write a part of a data set.

    Args:
        path: the file, which ends in ``.npz``.
        records: the columns.
        card: the data card, as JSON.

    Raises:
        OSError: the file cannot be written.
    """
    np.savez_compressed(path, allow_pickle=False, **records, card=np.array(card))


def read_npz(path: Path) -> tuple[dict[str, Array], str]:
    """The columns of a part, and its card.

    Raises:
        DatasetError: the file is not such an archive, is damaged, or would take too much memory.
        OSError: the file cannot be read.
    """
    try:
        check_plain(path)
        with _Sparing(path.open("rb", buffering=0)) as file, _archive(file) as archive:
            allowance = Allowance(os.fstat(file.fileno()).st_size)
            arrays = {
                name: _read_array(archive, member, allowance)
                for member in archive.infolist()
                if (name := member.filename.removesuffix(_ENDING)) != _CARD
            }
            card = _read_card(archive)
    except (EOFError, KeyError, TypeError, ValueError, *_HEADER_ERRORS) as error:
        raise DatasetError(f"{path}: this is no data set in NPZ: {error}", path=str(path)) from None
    except (zipfile.BadZipFile, zlib.error, struct.error, OSError, RuntimeError) as error:
        if isinstance(error, OSError) and error.filename is not None:
            raise  # the file cannot be opened; errors about wrong bytes name no file
        raise DatasetError(f"{path}: the file is damaged: {error}", path=str(path)) from None
    return arrays, card


class _Sparing(io.BufferedReader):
    """A file that refuses to read more than a piece at a time.

    ``zipfile`` reads an archive's whole list of members at once, and makes an object of 500 bytes
    for each, before they can be counted. The archive also has their number, but it may be wrong.
    """

    def read(self, size: int | None = -1, /) -> bytes:
        """Read ``size`` bytes, or a piece if no size is given.

        Raises:
            ValueError: ``size`` is more than a piece.
        """
        if size is None or size < 0:  # zipfile looks for an archive's end in the last 64 KB
            size = _PIECE
        if size > _PIECE:
            raise ValueError("its list of members is too long")
        return super().read(size)


def _archive(file: IO[bytes]) -> zipfile.ZipFile:
    """The archive in a file.

    Raises:
        ValueError: it is not an archive, has more members than a data set, or two of one name.
    """
    if not zipfile.is_zipfile(file):
        raise ValueError("no archive")
    archive = zipfile.ZipFile(file)
    names = [member.filename.removesuffix(_ENDING) for member in archive.infolist()]
    if len(names) > _MAX_MEMBERS:
        raise ValueError(
            f"it has {len(names):,} members, and no data set has more than {_MAX_MEMBERS}"
        )
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"it has two members {name!r:.80}")
    return archive


def _read_array(archive: zipfile.ZipFile, member: zipfile.ZipInfo, allowance: Allowance) -> Array:
    with _opened(archive, member) as stream:
        shape, is_fortran, dtype = _header(stream)
        size = allowance.take(member.filename.removesuffix(_ENDING), dtype, shape)
        flat = np.frombuffer(_exactly(stream, size), dtype)
    return flat.reshape(shape, order="F" if is_fortran else "C")


def _read_card(archive: zipfile.ZipFile) -> str:
    with _opened(archive, archive.getinfo(_CARD + _ENDING)) as stream:
        shape, _, dtype = _header(stream)
        characters = dtype.itemsize // np.dtype("U1").itemsize
        if dtype.kind != "U" or shape != () or not 0 < characters <= MAX_CARD:
            raise ValueError(f"the card is of type {dtype} {shape}")
        return str(np.frombuffer(_exactly(stream, dtype.itemsize), dtype)[0])


def _opened(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> IO[bytes]:
    if member.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
        raise ValueError(f"{member.filename!r} is compressed in another way")
    return archive.open(member)


def _header(stream: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """The shape of an array, whether its first axis runs fastest, and its type.

    Raises:
        ValueError: the header is of another version, or the array has Python objects.
    """
    version = np.lib.format.read_magic(stream)
    if version != _VERSION:  # headers of other versions may be of any size
        raise ValueError(f"an array of version {version}")
    shape, is_fortran, dtype = np.lib.format.read_array_header_1_0(stream)
    if dtype.hasobject:
        raise ValueError("an array of objects")
    return shape, is_fortran, dtype


def _exactly(stream: IO[bytes], size: int) -> bytearray:
    """Read exactly this many bytes, up to the end of the member.

    Raises:
        ValueError: the member has fewer or more bytes.
    """
    data = bytearray(size)
    filled = 0
    while filled < size and (piece := stream.read(min(_PIECE, size - filled))):
        data[filled : filled + len(piece)] = piece
        filled += len(piece)
    if filled != size or stream.read(1):
        raise ValueError("an array has another size than it says")
    return data
