"""Books as Parquet files; needs the extra ``parquet`` (pyarrow).

The columns are ``ply``, ``key`` and ``score``, with one group of rows for each ply that has
positions. The book's description is in the file's metadata, as JSON under ``c4_book``.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from c4core.book.errors import BookContentError, BookError
from c4core.book.exchange.content import BookContent, levels_of, read_about
from c4core.extras import load_pyarrow
from c4core.json_text import read_json
from c4core.notation import DEFAULT_BOARD

if TYPE_CHECKING:
    from c4core.book.book import Book

_ABOUT: Final = b"c4_book"

_COLUMNS: Final = ("key", "score")

ROWS_PER_BYTE: Final = 8
"""The largest number of rows for each byte of a file: all keys of a book are different.

Without this limit a few bytes could claim that a value is repeated in billions of rows.
"""


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
        BookContentError: the file is not a Parquet file, or has other columns.
        KeyValueError: a key does not belong to any position.
        BookError: pyarrow is not installed.
        OSError: the file cannot be read.
    """
    arrow = load_pyarrow(BookError)
    try:
        with Path(path).open("rb") as file, arrow.parquet.ParquetFile(file) as parquet:
            _check(arrow, parquet, os.fstat(file.fileno()).st_size)
            # Only in this thread: after an error, threads of Arrow's can outlive the call, and they
            # abort the process when it exits.
            table = parquet.read(columns=list(_COLUMNS), use_threads=False)
        keys = table.column("key").to_numpy().astype(np.uint64, casting="safe")
        scores = table.column("score").to_numpy().astype(np.int8, casting="safe")
        about = read_json((table.schema.metadata or {}).get(_ABOUT, b"{}"))
        described = read_about(about, board=DEFAULT_BOARD, engine_version=0)
    except (
        arrow.ArrowException,
        KeyError,
        OSError,
        RecursionError,
        TypeError,
        ValueError,
    ) as error:
        # Most of Arrow's own errors are ValueErrors, or OSErrors where bytes are wrong.
        if isinstance(error, OSError) and error.filename is not None:
            raise  # the file cannot be opened
        raise BookContentError(
            f"{path}: this is no book in Parquet: {error}", path=str(path)
        ) from None
    start, kind, description, engine_version = described
    return BookContent(start, levels_of(keys, scores, start), kind, description, engine_version)


def _check(arrow: Any, parquet: Any, file_bytes: int) -> None:  # noqa: ANN401 (pyarrow has no types)
    """Refuse columns of other types, and files that claim to unpack to far more than they can.

    The check uses the sizes in the file's footer. A page may still claim a larger size, up to 2 GB,
    and Arrow believes it. (``group.column()`` has more details. But if a footer is wrong, an
    exception that Arrow does not catch ends the process.)
    """
    for field in parquet.schema_arrow:
        if field.name in _COLUMNS and not arrow.types.is_integer(field.type):
            raise ValueError(f"column {field.name} is of type {field.type}")
    metadata = parquet.metadata
    most = ROWS_PER_BYTE * file_bytes
    groups = [metadata.row_group(index) for index in range(metadata.num_row_groups)]
    rows = max(metadata.num_rows, sum(group.num_rows for group in groups))
    if rows > most:
        raise ValueError(f"{file_bytes} bytes cannot hold {rows} positions")
    unpacked = sum(max(group.total_byte_size, 0) for group in groups)
    if unpacked > 8 * most:
        raise ValueError(f"{file_bytes} bytes unpack to {unpacked}")
