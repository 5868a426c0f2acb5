"""Books as JSON Lines, CSV and Parquet, and the content of a book in memory.

JSON Lines: the first line describes the book. Every other line is a position in the line protocol
(c4core/lines.py), with its score for the side to move::

    {"book": {"board": "7x6", "kind": "complete", "start": 4432676798593, ...}}
    {"ply": 0, "key": 4432676798593, "score": 1}

CSV: a row of names, then ``ply,key,score`` for each position. The file does not contain the board,
the start or the kind.

Parquet (needs pyarrow): the columns ``ply``, ``key`` and ``score``, with one row group for each
ply that has positions. The book's description is in the file's metadata, as JSON under ``c4_book``.
"""

from __future__ import annotations

import csv
import json
import os
from array import array
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any, Final

import msgspec
import numpy as np
from msgspec import UNSET, UnsetType

from c4core.arrays import canonical_keys, open_plies
from c4core.book.layout import Kind
from c4core.book.writer import write_book
from c4core.errors import BookContentError, BookError, C4Error, KeyValueError
from c4core.extras import load_pyarrow
from c4core.lines import MAX_LINE
from c4core.notation import DEFAULT_BOARD, BoardSize, parse_board
from c4core.position import Position
from c4core.version import ENGINE_VERSION

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from c4core.book.book import Book
    from c4core.book.layout import BookInfo
    from c4core.book.writer import Level


@dataclass(frozen=True, slots=True, eq=False)
class BookContent:
    """The positions and scores of a book, without a file."""

    start: Position
    levels: tuple[Level, ...]
    """Sorted canonical keys of each ply, the start's first, and scores for the sides to move."""
    kind: Kind = "sparse"
    """``complete``: every position that play can reach; ``sparse``: any positions."""
    description: str = ""
    """The rule by which the positions of a sparse book were chosen."""
    engine_version: int = ENGINE_VERSION

    def check_complete(self) -> None:
        """Check that a complete book has all positions: missing ones would get random scores."""
        if self.kind != "complete":
            return
        plies = zip(self.levels, open_plies(self.start), strict=False)
        for ply, ((keys, _), wanted) in enumerate(plies, self.start.ply):
            if not np.array_equal(keys, wanted):
                raise BookContentError(
                    "the book claims to be complete, but does not have exactly the "
                    f"{len(wanted):,} positions of ply {ply}"
                )

    def write(self, path: str | os.PathLike[str]) -> BookInfo:
        """Write a book file; see :func:`c4core.book.writer.write_book`."""
        return write_book(
            path,
            self.levels,
            start=self.start,
            kind=self.kind,
            description=self.description,
            engine_version=self.engine_version,
        )


def levels_of(
    keys: NDArray[np.uint64], scores: NDArray[np.int8], start: Position
) -> tuple[Level, ...]:
    """Sort positions into levels. They may be of any plies, in any order and of either image.

    Scores are for the sides to move; a repeated position must always have the same score. The
    levels run from the start's ply to the last ply that has a position.
    """
    canonical, plies = canonical_keys(keys, width=start.width, height=start.height)
    if len(plies) and plies.min() < start.ply:
        key = int(keys[plies.argmin()])
        raise BookContentError(f"position {key} has fewer stones than the start")
    order = np.lexsort((canonical, plies))
    canonical, plies, scores = canonical[order], plies[order], scores[order]
    again = canonical[1:] == canonical[:-1]
    conflict = again & (scores[1:] != scores[:-1])
    if conflict.any():
        index = int(conflict.argmax())
        raise BookContentError(
            f"position {canonical[index]} has the scores {scores[index]} and {scores[index + 1]}"
        )
    first = np.append(np.ones(min(1, len(again) + 1), dtype=bool), ~again)[: len(canonical)]
    canonical, plies, scores = canonical[first], plies[first], scores[first]
    last = int(plies[-1]) if len(plies) else start.ply
    bounds = np.searchsorted(plies, np.arange(start.ply, last + 2)).tolist()
    return tuple((canonical[begin:end], scores[begin:end]) for begin, end in pairwise(bounds))


class _About(msgspec.Struct):
    """The description of a book; :class:`BookContent` explains the fields."""

    board: str | None = None
    kind: Kind = "sparse"
    start: int | None = None
    description: str = ""
    engine_version: Annotated[int, msgspec.Meta(ge=0, lt=1 << 32)] = ENGINE_VERSION

    def first(self, board: BoardSize) -> Position:
        """The position from which all others are reached, by default the empty board."""
        size = board if self.board is None else parse_board(self.board)
        if self.start is None:
            return Position(width=size.width, height=size.height)
        return Position.from_key(self.start, width=size.width, height=size.height)


class _Line(msgspec.Struct):
    """A position, or the description of the book."""

    key: Annotated[int, msgspec.Meta(ge=0)] | UnsetType = UNSET
    score: Annotated[int, msgspec.Meta(ge=-127, le=127)] | UnsetType = UNSET
    book: _About | None = None


class _Rows:
    """The positions of a text file, with the numbers of their lines."""

    def __init__(self) -> None:
        self.keys, self.scores, self.numbers = array("Q"), array("b"), array("Q")

    def add(self, line: _Line, number: int) -> None:
        if isinstance(line.key, UnsetType) or isinstance(line.score, UnsetType):
            raise ValueError("key or score is missing")  # noqa: TRY004
        self.keys.append(line.key)
        self.scores.append(line.score)
        self.numbers.append(number)

    def levels(self, start: Position) -> tuple[Level, ...]:
        """The positions by ply. The error of a key names its line."""
        keys = np.array(self.keys, dtype=np.uint64)
        try:
            return levels_of(keys, np.array(self.scores, dtype=np.int8), start)
        except KeyValueError as error:
            line = self.numbers[self.keys.index(error.key)]
            raise KeyValueError(f"line {line}: {error}", key=error.key) from None


CSV_NAMES: Final = ("ply", "key", "score")


def text_lines(file: IO[str]) -> Iterator[str]:
    """Iterate over the lines of a file, for the readers here and in :mod:`c4core.book.foreign`."""
    number = 0
    while line := file.readline(MAX_LINE + 1):
        number += 1
        if len(line) > MAX_LINE:
            raise BookContentError(f"line {number} has more than {MAX_LINE:,} characters")
        yield line


def json_lines(book: Book) -> Iterator[str]:
    """Iterate over a book's JSON Lines, without line ends."""
    info = book.info
    about = {
        "board": str(info.board),
        "kind": info.kind,
        "start": info.start.key,
        "plies": [info.first_ply, info.last_ply],
        "positions": info.positions,
        "description": info.description,
        "engine_version": info.engine_version,
    }
    yield json.dumps({"book": about})
    for ply, (keys, scores) in enumerate(book.levels(), info.first_ply):
        for key, score in zip(keys.tolist(), scores.tolist(), strict=True):
            yield f'{{"ply": {ply}, "key": {key}, "score": {score}}}'


def csv_lines(book: Book) -> Iterator[str]:
    """Iterate over a book's lines of CSV, without line ends."""
    yield ",".join(CSV_NAMES)
    for ply, (keys, scores) in enumerate(book.levels(), book.info.first_ply):
        for key, score in zip(keys.tolist(), scores.tolist(), strict=True):
            yield f"{ply},{key},{score}"


def read_json_lines(lines: Iterable[str], *, board: BoardSize = DEFAULT_BOARD) -> BookContent:
    """Read the lines of :func:`json_lines`; unknown fields and empty lines are ignored.

    Numbers may be in quotes. If the first line does not describe the book, the book is a sparse
    book of ``board``.
    """
    decode = msgspec.json.Decoder(_Line, strict=False).decode
    about, rows = _About(), _Rows()
    start = about.first(board)
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            found = decode(line)
            if found.book is not None and not rows.keys:
                about, start = found.book, found.book.first(board)
            else:
                rows.add(found, number)
        except (C4Error, OverflowError, RecursionError, ValueError) as error:
            raise BookContentError(f"line {number}: {error}") from None
    return BookContent(
        start, rows.levels(start), about.kind, about.description, about.engine_version
    )


def read_csv_lines(
    lines: Iterable[str], *, start: Position | None = None, kind: Kind = "sparse"
) -> BookContent:
    """Read CSV with the columns ``key`` and ``score``; other columns are ignored.

    Without ``start``, the book begins with the empty 7x6 board.
    """
    table = csv.reader(lines)
    rows = _Rows()
    try:
        names = next(table, [])
        for name in ("key", "score"):
            if names.count(name) != 1:
                raise ValueError(f"not exactly one column is named {name}")  # noqa: TRY301
        for cells in table:
            if cells:
                line = dict(zip(names, cells, strict=False), book=None)
                rows.add(msgspec.convert(line, _Line, strict=False), table.line_num)
    except (OverflowError, ValueError, csv.Error) as error:
        raise BookContentError(f"line {max(table.line_num, 1)}: {error}") from None
    start = start or Position()
    return BookContent(start, rows.levels(start), kind)


_ABOUT: Final = b"c4_book"

_COLUMNS: Final = ("key", "score")

ROWS_PER_BYTE: Final = 8
"""The largest number of rows for each byte of a file.

All keys of a book differ, so rows take space. Without this limit a few bytes could claim that a
value is repeated in billions of rows.
"""


def write_parquet(book: Book, path: str | os.PathLike[str]) -> None:
    """Write a book as a Parquet file."""
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
    """
    arrow = load_pyarrow(BookError)
    try:
        with Path(path).open("rb") as file, arrow.parquet.ParquetFile(file) as parquet:
            _check(arrow, parquet, os.fstat(file.fileno()).st_size)
            # Use this thread only: after an error, Arrow's threads can outlive the call, and they
            # abort the process when it exits.
            table = parquet.read(columns=list(_COLUMNS), use_threads=False)
        keys = table.column("key").to_numpy().astype(np.uint64, casting="safe")
        scores = table.column("score").to_numpy().astype(np.int8, casting="safe")
        text = (table.schema.metadata or {}).get(_ABOUT, b'{"engine_version": 0}')
        about = msgspec.json.decode(text, type=_About)
        start = about.first(DEFAULT_BOARD)
    except (
        *(arrow.ArrowException, C4Error, KeyError, OSError, RecursionError, TypeError, ValueError),
    ) as error:
        # Most of Arrow's own errors are ValueErrors, or OSErrors if bytes are wrong.
        if isinstance(error, OSError) and error.filename is not None:
            raise  # the file cannot be opened
        raise BookContentError(f"{path}: this is not a book in Parquet: {error}") from None
    levels = levels_of(keys, scores, start)
    return BookContent(start, levels, about.kind, about.description, about.engine_version)


def _check(arrow: Any, parquet: Any, file_bytes: int) -> None:  # noqa: ANN401 (pyarrow has no types)
    """Refuse columns of wrong types, and files that claim to unpack to impossibly many rows.

    The check uses the sizes in the file's footer. A page may still claim a larger size, up to 2 GB,
    which Arrow does not check. (``group.column()`` has more details. But if a footer is wrong, it
    throws an exception that Arrow does not catch, and the process ends.)
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
