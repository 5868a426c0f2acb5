"""Books in other formats: Pascal Pons's solver, and the UCI repository.

Pons (``7x6.book``, read and written): the file is a hash table without chaining. It begins with six
bytes: width, height, largest number of stones, bytes of a key (1, 2 or 4), bytes of a value (1),
and the binary logarithm of the table's size. The size is the smallest prime that is not less than
that power of two. The keys of all places follow, little endian, and then the values. A position
with the base-3 key k (numbering.pyx) is stored at place k modulo the size, or not at all. The key
field has the lowest bytes of k; together with the place they determine k. The value is the score,
counted from 1 for the lowest possible score, a loss to the winner's fourth stone. The value 0 marks
an empty place.

If several positions share a place, the table keeps only one of them.

UCI (the machine-learning repository's data set ``connect-4.data``): a row is a position of 7x6 with
8 stones and its value for the first player, who is to move. A row lists 42 squares, column a from
the bottom up, then column b, and so on: ``x`` (first player), ``o`` or ``b`` (blank). Then follows
``win``, ``loss`` or ``draw``. The data set has the 67,557 positions in which neither side could win
with the next stone, one of each pair of mirror images.
"""

from __future__ import annotations

import os
import struct
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from c4core.arrays import is_threatened, wins_now
from c4core.book.exchange import BookContent, levels_of
from c4core.book.numbering import MAX_DIGITS, pons_keys, read_pons_keys
from c4core.errors import (
    BoardError,
    BookContentError,
    BookForeignError,
    BookTruncatedError,
    C4Error,
)
from c4core.evaluation import value_between
from c4core.notation import DEFAULT_BOARD, BoardSize, check_board, check_narrow
from c4core.position import Position

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from c4core.book.book import Book
    from c4core.evaluation import Value

LOG2_SIZES: Final = range(21, 28)
"""Binary logarithms of the table sizes that Pons's solver can read."""

_HEADER: Final = struct.Struct("<6B")
_KEY_BYTES: Final = (1, 2, 4)


@dataclass(frozen=True, slots=True)
class PonsBook:
    """Facts about a book that was written."""

    stored: int
    lost: int
    """Number of positions left out, because another one has their place."""
    bytes: int


def table_size(log2_size: int) -> int:
    """Return the smallest prime number that is not less than the power of two."""
    size = 1 << log2_size
    while any(size % factor == 0 for factor in range(2, int(size**0.5) + 1)):
        size += 1
    return size


def lowest_score(board: BoardSize) -> int:
    """Return the score from which the format counts: a loss to the winner's fourth stone."""
    return -(board.cells // 2) + 3


def write_pons(book: Book, path: str | os.PathLike[str]) -> PonsBook:
    """Write a book in Pons's format.

    If positions share a place, one that does not win at once is preferred, and then the position
    with the fewest stones.

    The book must start from the empty board. The table is the smallest one with two places for each
    position, or the largest one.
    """
    info = book.info
    if info.first_ply:
        raise BookContentError(f"{book.path}: the format needs a book from the empty board")
    if info.last_ply + info.board.width - 1 >= MAX_DIGITS:
        raise BookContentError(
            f"{book.path}: positions with {info.last_ply} stones are beyond the format's keys"
        )
    fitting = (log2 for log2 in LOG2_SIZES if 1 << log2 >= 2 * info.positions)
    log2_size = next(fitting, LOG2_SIZES[-1])
    size = table_size(log2_size)
    key_bytes = _key_bytes(info.last_ply, info.board, size)
    keys = np.zeros(size, dtype=f"<u{key_bytes}")
    values = np.zeros(size, dtype=np.uint8)
    _fill(keys, values, book, key_bytes)
    header = _HEADER.pack(*info.board, info.last_ply, key_bytes, 1, log2_size)
    with Path(path).open("wb") as file:
        file.write(header)
        file.write(keys.data)
        file.write(values.data)
    stored = int(np.count_nonzero(values))
    return PonsBook(stored, info.positions - stored, len(header) + size * (key_bytes + 1))


def _key_bytes(depth: int, board: BoardSize, size: int) -> int:
    """Return the length of the shortest key field that makes keys unique at their place."""
    for count in _KEY_BYTES:
        if 3 ** (depth + board.width - 1) <= size << 8 * count:
            return count
    raise BookContentError(f"positions with {depth} stones need longer keys than the format has")


def _fill(
    keys: NDArray[np.unsignedinteger], values: NDArray[np.uint8], book: Book, key_bytes: int
) -> None:
    """Write every position to its place; preferred ones come last and overwrite earlier ones."""
    board = book.info.board
    searched: list[tuple[NDArray[np.uint64], NDArray[np.uint8]]] = []
    winning: list[tuple[NDArray[np.uint64], NDArray[np.uint8]]] = []
    for level_keys, scores in book.levels():
        numbers = pons_keys(level_keys, width=board.width, height=board.height)
        marks = (scores - (lowest_score(board) - 1)).astype(np.uint8)
        wins = wins_now(level_keys, width=board.width, height=board.height)
        searched.append((numbers[~wins], marks[~wins]))
        winning.append((numbers[wins], marks[wins]))
    for numbers, marks in [*reversed(winning), *reversed(searched)]:
        places = numbers % np.uint64(len(keys))
        keys[places] = (numbers & np.uint64((1 << 8 * key_bytes) - 1)).astype(keys.dtype)
        values[places] = marks


def read_pons(path: str | os.PathLike[str]) -> BookContent:
    """Read a book in Pons's format, as a sparse book from the empty board."""
    name = str(path)
    with Path(path).open("rb") as file:
        head = file.read(_HEADER.size)
        board, depth, key_bytes, size = _read_header(head, name)
        length = _HEADER.size + size * (key_bytes + 1)
        file_bytes = os.fstat(file.fileno()).st_size
        data = head + file.read(length - len(head)) if file_bytes == length else b""
    if file_bytes > length:
        raise BookForeignError(f"{name}: {file_bytes - length} bytes follow the table")
    if len(data) < length:
        raise BookTruncatedError(
            f"{name}: the book is cut off: it has {len(data) or file_bytes} of {length} bytes"
        )
    keys = np.frombuffer(data, dtype=f"<u{key_bytes}", count=size, offset=_HEADER.size)
    values = np.frombuffer(data, dtype=np.uint8, offset=_HEADER.size + size * key_bytes)
    places = np.flatnonzero(values).astype(np.uint64)
    numbers = _numbers(places, keys[places].astype(np.uint64), size, key_bytes)
    found = read_pons_keys(numbers, width=board.width, height=board.height)
    wrong = (found == 0) | (numbers >= np.uint64(3 ** (depth + board.width - 1)))
    wrong[~wrong] = (
        pons_keys(found[~wrong], width=board.width, height=board.height) != numbers[~wrong]
    )
    scores = values[places].astype(np.int16) + (lowest_score(board) - 1)
    wrong |= np.abs(scores) > board.cells // 2
    if wrong.any():
        place = int(places[int(wrong.argmax())])
        raise BookContentError(f"{name}: place {place} of the table is not a position of {board}")
    start = Position(width=board.width, height=board.height)
    return BookContent(start, levels_of(found, scores.astype(np.int8), start))


def _read_header(data: bytes, name: str) -> tuple[BoardSize, int, int, int]:
    """Read the header: board, largest number of stones, bytes of a key, places of the table."""
    if len(data) < _HEADER.size:
        raise BookTruncatedError(f"{name}: the book is cut off: it has {len(data)} bytes")
    width, height, depth, key_bytes, value_bytes, log2_size = _HEADER.unpack_from(data)
    try:
        board = check_narrow(check_board(width, height), "books")
    except BoardError:
        board = None
    if (
        board is None
        or depth > board.cells
        or depth + width - 1 >= MAX_DIGITS
        or key_bytes not in _KEY_BYTES
        or value_bytes != 1
        or log2_size not in LOG2_SIZES
    ):
        raise BookForeignError(f"{name}: this is not a book of Pons's solver")
    size = table_size(log2_size)
    if 3 ** (depth + width - 1) > size << 8 * key_bytes:
        raise BookForeignError(
            f"{name}: keys of {key_bytes} bytes cannot distinguish positions with {depth} stones"
        )
    return board, depth, key_bytes, size


def _numbers(
    places: NDArray[np.uint64], low: NDArray[np.uint64], size: int, key_bytes: int
) -> NDArray[np.uint64]:
    """Return complete keys, by the Chinese remainder theorem from places and lowest bytes."""
    modulus = 1 << 8 * key_bytes
    inverse = np.uint64(pow(size, -1, modulus))
    times = ((low - places) * inverse) & np.uint64(modulus - 1)
    return places + np.uint64(size) * times


UCI_PLY: Final = 8

_VALUES: Final[tuple[Value, ...]] = ("draw", "win", "loss")
"""The values, indexed by the sign of the score: 0, 1, -1."""


def uci_keys(keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the 7x6 positions in which neither side could win with the next stone."""
    return keys[~wins_now(keys) & ~is_threatened(keys)]


def uci_lines(book: Book) -> Iterator[str]:
    """Make the data set's rows from a book, in the order of canonical keys, without line ends."""
    info = book.info
    if info.board != DEFAULT_BOARD or info.kind != "complete" or info.first_ply > 0:
        raise BookContentError(
            f"{book.path}: the UCI data set needs a complete book of {DEFAULT_BOARD} "
            "from the empty board"
        )
    if info.last_ply < UCI_PLY:
        raise BookContentError(
            f"{book.path}: the UCI data set needs ply {UCI_PLY}, "
            f"but the book ends at ply {info.last_ply}"
        )
    level, _ = next(islice(book.levels(), UCI_PLY, None))
    keys = uci_keys(level)
    for key, sign in zip(keys.tolist(), np.sign(book.probe_many(keys)).tolist(), strict=True):
        yield uci_line(Position.from_key(key), _VALUES[sign])


def uci_line(position: Position, value: Value) -> str:
    """Return a row: a position and its value for the first player."""
    squares = [
        position.stone_at(column, row) or "b"
        for column in range(position.width)
        for row in range(position.height)
    ]
    return ",".join([*squares, value])


def read_uci_lines(lines: Iterable[str]) -> Iterator[tuple[Position, Value]]:
    """Read rows of the data set; empty lines are skipped."""
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield _read_row(line.strip().split(","), number)


def content_of_rows(
    lines: Iterable[str], book: Book, *, description: str = ""
) -> tuple[BookContent, list[str]]:
    """Make a sparse book of the positions of the data set, with the scores of ``book``."""
    keys, scores, wrong = [], [], []
    for number, (position, value) in enumerate(read_uci_lines(lines), start=1):
        score = book.probe(position)
        if score is None:
            wrong.append(f"row {number}: {book.path} does not have the position")
            continue
        # The value is for the first player, who is to move after 8 stones.
        seen = score if position.turn == "x" else -score
        if value_between(seen, seen) != value:
            wrong.append(f"row {number}: {value}, but the score is {seen}")
        keys.append(position.canonical_key)
        scores.append(score)
    start = Position()
    levels = levels_of(np.array(keys, dtype=np.uint64), np.array(scores, dtype=np.int8), start)
    return BookContent(start, levels, description=description), wrong


def _read_row(fields: list[str], number: int) -> tuple[Position, Value]:
    board = DEFAULT_BOARD
    if len(fields) != board.cells + 1:
        raise BookContentError(f"line {number}: {len(fields)} fields, not {board.cells + 1}")
    *squares, value = fields
    found: list[Value] = [known for known in _VALUES if known == value]
    if not found:
        raise BookContentError(f"line {number}: {value[:40]!r} is not win, loss or draw")
    strange = set(squares).difference("xob")
    if strange:
        raise BookContentError(f"line {number}: {min(strange)!r} is not x, o or b")
    rows = [squares[row :: board.height] for row in range(board.height)]
    grid = "\n".join("".join(row).replace("b", ".") for row in reversed(rows))
    try:
        return Position.from_grid(grid, width=board.width, height=board.height), found[0]
    except C4Error as error:
        raise BookContentError(f"line {number}: {error}") from None
