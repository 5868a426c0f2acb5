"""Parts of data sets as NPZ files: an array for every column, and the card as text in ``card``.

No array is a pickle, and none is read from one. The bytes depend on the contents alone (and on the
version of zlib): the archive's members have no times.
"""

from __future__ import annotations

import zipfile
import zlib
from tokenize import TokenError
from typing import TYPE_CHECKING

import numpy as np

from c4core.dataset.errors import DatasetError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from c4core.dataset.records import Array

_CARD = "card"

_HEADER_ERRORS = (MemoryError, OverflowError, TokenError)
"""What numpy lets pass of a header that is no Python literal, or whose array nobody could hold."""


def write_npz(path: Path, records: Mapping[str, Array], card: str) -> None:
    """Write a part of a data set.

    Args:
        path: ends in ``.npz``.
        records: the columns.
        card: the data card, as JSON.

    Raises:
        OSError: the file cannot be written.
    """
    np.savez_compressed(path, allow_pickle=False, **records, card=np.array(card))


def read_npz(path: Path) -> tuple[dict[str, Array], str]:
    """The columns of a part, and its card.

    Raises:
        DatasetError: the file is no such archive, or damaged.
        OSError: it cannot be read.
    """
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        card = str(arrays.pop(_CARD))
    except (AttributeError, EOFError, KeyError, TypeError, ValueError, *_HEADER_ERRORS) as error:
        raise DatasetError(f"{path}: this is no data set in NPZ: {error}", path=str(path)) from None
    except (zipfile.BadZipFile, zlib.error, OSError, RuntimeError) as error:
        if isinstance(error, OSError) and error.filename is not None:
            raise  # of opening it; wrong bytes lead to impossible places in the file
        raise DatasetError(f"{path}: the file is damaged: {error}", path=str(path)) from None
    return arrays, card
