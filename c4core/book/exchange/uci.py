"""The format of the UCI machine-learning repository's data set ``connect-4.data``.

A row is a position of 7x6 with 8 stones and its value for the first player, who is to move. It has
42 squares, column a from the bottom up, then column b, and so on, each ``x`` (first player), ``o``
or ``b`` (blank), and then ``win``, ``loss`` or ``draw``. The data set has the 67,557 positions in
which neither side could win with the next stone, one of each pair of mirror images.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

import numpy as np

from c4core.arrays import is_threatened, wins_now
from c4core.book.errors import BookContentError
from c4core.book.exchange.content import BookContent, levels_of
from c4core.errors import C4Error
from c4core.evaluation import value_between
from c4core.notation import DEFAULT_BOARD
from c4core.position import Position

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from c4core.book.book import Book
    from c4core.evaluation import Value

UCI_PLY: Final = 8

_VALUES: Final[tuple[Value, ...]] = ("draw", "win", "loss")
"""The values, indexed by the sign of the score: 0, 1, -1."""


def uci_keys(keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The 7x6 positions in which neither side could win with the next stone."""
    return keys[~wins_now(keys) & ~is_threatened(keys)]


def uci_lines(book: Book) -> Iterator[str]:
    """The data set's rows from a book, in the order of canonical keys, without line ends.

    Raises:
        BookContentError: the book is not a complete book of 7x6 that reaches 8 plies.
    """
    info = book.info
    if info.board != DEFAULT_BOARD or info.kind != "complete" or info.first_ply > 0:
        raise BookContentError(
            f"{book.path}: the UCI data set needs a complete book of {DEFAULT_BOARD} "
            "from the empty board"
        )
    if info.last_ply < UCI_PLY:
        raise BookContentError(
            f"{book.path}: the UCI data set needs ply {UCI_PLY}, "
            f"the book ends at ply {info.last_ply}"
        )
    level, _ = next(islice(book.levels(), UCI_PLY, None))
    keys = uci_keys(level)
    for key, sign in zip(keys.tolist(), np.sign(book.probe_many(keys)).tolist(), strict=True):
        yield uci_line(Position.from_key(key), _VALUES[sign])


def uci_line(position: Position, value: Value) -> str:
    """One row: a position and its value for the first player."""
    squares = [
        position.stone_at(column, row) or "b"
        for column in range(position.width)
        for row in range(position.height)
    ]
    return ",".join([*squares, value])


def read_uci_lines(lines: Iterable[str]) -> Iterator[tuple[Position, Value]]:
    """Read rows of the data set; lines without text are skipped.

    Yields:
        Each position and its value for the first player.

    Raises:
        BookContentError: a line is not a row; the message names the line and the reason.
    """
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield _read_row(line.strip().split(","), number)


def content_of_rows(
    lines: Iterable[str], book: Book, *, description: str = ""
) -> tuple[BookContent, list[str]]:
    """A sparse book of the positions of the data set, which has values but no scores.

    Args:
        lines: rows of the data set.
        book: the book with the scores.
        description: the rule by which the positions were chosen.

    Returns:
        The content of the new book, and a sentence for every row that ``book`` contradicts or does
        not have.

    Raises:
        BookContentError: a line is not a row; the message names the line and the reason.
    """
    keys, scores, wrong = [], [], []
    for number, (position, value) in enumerate(read_uci_lines(lines), start=1):
        score = book.probe(position)
        if score is None:
            wrong.append(f"row {number}: {book.path} does not have the position")
            continue
        # The value is the first player's, who is to move after 8 stones.
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
        return Position.from_grid(grid), found[0]
    except C4Error as error:
        raise BookContentError(f"line {number}: {error}") from None
