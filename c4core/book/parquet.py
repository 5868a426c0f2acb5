"""Books as Parquet files; needs the extra ``parquet`` (pyarrow).

Columns ``ply``, ``key`` and ``score``, one group of rows for each ply that has positions; what
else there is to know about the book lies as JSON under ``c4_book`` in the file's metadata.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from c4core.book.about import read_about
from c4core.book.content import BookContent, levels_of
from c4core.book.errors import BookContentError, BookError
from c4core.extras import load_pyarrow
from c4core.notation import DEFAULT_BOARD

if TYPE_CHECKING:
    import os

    from c4core.book.reader import Book

_ABOUT: Final = b"c4_book"


def write_parquet(book: Book, path: str | os.PathLike[str]) -> None:
    """Write a book as a Parquet file.

    Raises:
        BookError: pyarrow is not installed.
        OSError: the file cannot be written.
    """
    arrow = load_pyarrow(BookError)
    info = book.info
    about = {
        "board": str(info.board),
        "kind": info.kind,
        "start": info.start.key,
        "description": info.description,
        "engine_version": info.engine_version,
    }
    columns = [("ply", arrow.uint8()), ("key", arrow.uint64()), ("score", arrow.int8())]
    schema = arrow.schema(columns, metadata={_ABOUT: json.dumps(about).encode()})
    with arrow.parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        for ply, (keys, scores) in enumerate(book.levels(), info.first_ply):
            if len(keys):
                plies = np.full(len(keys), ply, dtype=np.uint8)
                writer.write_table(arrow.table([plies, keys, scores], schema=schema))


def read_parquet(path: str | os.PathLike[str]) -> BookContent:
    """Read a Parquet file with the columns ``key`` and ``score``.

    A file without this project's metadata makes a sparse book of the 7x6 board.

    Raises:
        BookContentError: the file is no Parquet file, or has other columns.
        KeyValueError: a key is no position's.
        BookError: pyarrow is not installed.
        OSError: the file cannot be read.
    """
    arrow = load_pyarrow(BookError)
    try:
        with Path(path).open("rb") as file:
            table = arrow.parquet.read_table(file)
        keys = table.column("key").to_numpy().astype(np.uint64, casting="safe")
        scores = table.column("score").to_numpy().astype(np.int8, casting="safe")
        about = json.loads((table.schema.metadata or {}).get(_ABOUT, b"{}"))
        described = read_about(about, board=DEFAULT_BOARD, engine_version=0)
    except (KeyError, OSError, RecursionError, TypeError, ValueError) as error:
        # Arrow's own errors are ValueErrors, or OSErrors where bytes are wrong.
        if isinstance(error, OSError) and error.filename is not None:
            raise  # of opening the file
        raise BookContentError(
            f"{path}: this is no book in Parquet: {error}", path=str(path)
        ) from None
    start, kind, description, engine_version = described
    return BookContent(start, levels_of(keys, scores, start), kind, description, engine_version)
