"""Books as text: JSON Lines and CSV.

JSON Lines: the first line describes the book. Every other line is a position in the line protocol
(c4core/lines.py), with its score for the side to move::

    {"book": {"board": "7x6", "kind": "complete", "start": 4432676798593, ...}}
    {"ply": 0, "key": 4432676798593, "score": 1}

CSV: a row of names, then ``ply,key,score`` for each position. The file does not contain the board,
the start and the kind.
"""

from __future__ import annotations

import csv
import json
from array import array
from typing import IO, TYPE_CHECKING, Final

import numpy as np

from c4core.book.errors import BookContentError
from c4core.book.exchange.content import KEYS, BookContent, levels_of, read_about, whole_number
from c4core.errors import KeyValueError
from c4core.json_text import read_json
from c4core.lines import MAX_LINE
from c4core.notation import DEFAULT_BOARD, BoardSize
from c4core.position import Position
from c4core.version import ENGINE_VERSION

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from c4core.book.book import Book
    from c4core.book.layout import Kind
    from c4core.book.writer import Level

CSV_NAMES: Final = ("ply", "key", "score")

_SCORES: Final = range(-127, 128)


def text_lines(file: IO[str]) -> Iterator[str]:
    """The lines of a file, for the readers here and in :mod:`c4core.book.exchange.uci`.

    Raises:
        BookContentError: a line has more than ``c4core.lines.MAX_LINE`` characters.
    """
    number = 0
    while line := file.readline(MAX_LINE + 1):
        number += 1
        if len(line) > MAX_LINE:
            raise BookContentError(f"line {number} has more than {MAX_LINE:,} characters")
        yield line


def json_lines(book: Book) -> Iterator[str]:
    """A book as JSON Lines, without line ends."""
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
    """A book as CSV, without line ends."""
    yield ",".join(CSV_NAMES)
    for ply, (keys, scores) in enumerate(book.levels(), book.info.first_ply):
        for key, score in zip(keys.tolist(), scores.tolist(), strict=True):
            yield f"{ply},{key},{score}"


def read_json_lines(lines: Iterable[str], *, board: BoardSize = DEFAULT_BOARD) -> BookContent:
    """Read what :func:`json_lines` writes; other fields and lines without text are ignored.

    Args:
        lines: with or without line ends.
        board: the board if the first line does not describe the book, which is then sparse.

    Raises:
        BookContentError: a line is not a position with a score; the message names the line.
        KeyValueError: a key does not belong to any position; the message names the line.
    """
    about: dict[str, object] = {}
    keys, scores, numbers = array("Q"), array("b"), array("Q")
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            fields = read_json(line)
        except (ValueError, RecursionError) as error:
            raise BookContentError(f"line {number}: not a JSON object: {error}") from None
        if not isinstance(fields, dict):
            raise BookContentError(f"line {number}: not a JSON object")
        if isinstance(fields.get("book"), dict) and not keys:
            about = fields["book"]
            continue
        keys.append(whole_number(fields.get("key"), KEYS, f"line {number}: key"))
        scores.append(whole_number(fields.get("score"), _SCORES, f"line {number}: score"))
        numbers.append(number)
    return _content(about, keys, scores, numbers, board)


def read_csv_lines(
    lines: Iterable[str], *, start: Position | None = None, kind: Kind = "sparse"
) -> BookContent:
    """Read CSV with the columns ``key`` and ``score``; other columns are ignored.

    Args:
        lines: with or without line ends, the names first.
        start: the position from which all others are reached; None for the empty 7x6 board.
        kind: the kind of the book.

    Raises:
        BookContentError: a row is not a position with a score; the message names the line.
        KeyValueError: a key does not belong to any position; the message names the line.
    """
    rows = csv.DictReader(lines)
    keys, scores, numbers = array("Q"), array("b"), array("Q")
    try:
        missing = {"key", "score"}.difference(rows.fieldnames or ())
        if missing:
            raise BookContentError(f"line 1: no column is named {' or '.join(sorted(missing))}")
        for name in ("key", "score"):
            if list(rows.fieldnames or ()).count(name) > 1:
                raise BookContentError(f"line 1: the column {name} stands twice")
        for row in rows:
            keys.append(whole_number(row["key"], KEYS, f"line {rows.line_num}: key"))
            scores.append(whole_number(row["score"], _SCORES, f"line {rows.line_num}: score"))
            numbers.append(rows.line_num)
    except csv.Error as error:  # a value of 128 KB, or a line end within a line
        raise BookContentError(f"line {rows.reader.line_num}: not CSV: {error}") from None
    start = start or Position()
    return BookContent(start, _levels(keys, scores, numbers, start), kind)


def _levels(
    keys: array[int], scores: array[int], numbers: array[int], start: Position
) -> tuple[Level, ...]:
    """The positions by ply; an error of a key names its line, which is in ``numbers``."""
    try:
        return levels_of(np.array(keys, dtype=np.uint64), np.array(scores, dtype=np.int8), start)
    except KeyValueError as error:
        line = numbers[keys.index(error.key)]
        raise KeyValueError(f"line {line}: {error}", key=error.key) from None


def _content(
    about: dict[str, object],
    keys: array[int],
    scores: array[int],
    numbers: array[int],
    board: BoardSize,
) -> BookContent:
    """The content with the description of the first line."""
    try:
        described = read_about(about, board=board, engine_version=ENGINE_VERSION)
    except BookContentError as error:
        raise BookContentError(f"line 1: {error}") from None
    start, kind, description, engine_version = described
    levels = _levels(keys, scores, numbers, start)
    return BookContent(start, levels, kind, description, engine_version)
