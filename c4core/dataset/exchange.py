"""Read and write labelled positions in the formats of public evaluation sets.

=============  =====================================================================================
c4solver       A line for each position: its moves, a space, and its score; or the scores of all
               columns, with -1000 for a full one. Pascal Pons's program writes this format, and
               his six classes of positions use it.
refmoves       JSON Lines, as in Peter Cnudde's validation set for Kaggle's ConnectX. ``board`` is a
               flat list of squares from the top row on: 0 is empty, 1 and 2 are stones of the
               first and the second player. ``score`` is the position's score, and ``move score``
               lists the columns' scores, with -99 for a full one.
=============  =====================================================================================

All scores are for the side to move, on the scale of :mod:`c4core.evaluation`.
"""

from __future__ import annotations

import json
import re
from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, Final, Literal, NamedTuple

import msgspec
import numpy as np

from c4core.arrays import split_keys, squares_of
from c4core.dataset.lots import are_mirrored
from c4core.dataset.records import lines_of
from c4core.errors import C4Error, DatasetError
from c4core.evaluation import NO_SCORE
from c4core.lines import BadLine, play_moves, read_text_lines
from c4core.position import Position

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from c4core.dataset.records import Array
    from c4core.notation import BoardSize

    Keys = NDArray[np.uint64]
    Scores = NDArray[np.int8]

ExchangeFormat = Literal["c4solver", "refmoves"]

PONS_FULL: Final = -1000
"""A full column's score in the lines of Pascal Pons's program."""

REFMOVES_FULL: Final = -99
"""A full column's score in a validation set for ConnectX."""

NOT_STATED: Final = -127
"""The mark of a column whose score is not in the file. It is below every possible score."""

_MARKS: Final = ".xo"
_NUMBER: Final = re.compile(r"-?[0-9]{1,4}")


class Difference(NamedTuple):
    """The result of comparing the labels of a file with exact labels."""

    positions: int
    different: int
    first_line: int | None
    """The 1-based number of the first line whose labels differ; None if all agree."""


@dataclass(frozen=True, slots=True, eq=False)
class Stated:
    """The positions of a file, with scores for the side to move."""

    keys: Keys
    """Shape (n,): canonical keys in the order of the lines."""
    scores: Scores
    column_scores: Scores
    """Shape (n, W): scores of the canonical positions' columns; NO_SCORE if a column is full,
    NOT_STATED if the file has no score for it."""
    lines: NDArray[np.int64]
    over: int
    """The number of lines that were left out because the game is over."""

    def compare(self, keys: Keys, column_scores: Scores) -> Difference:
        """Compare the scores with exact labels.

        Args:
            keys: sorted canonical keys.
            column_scores: a row for each key, in the orientation of the canonical position.
        """
        places = np.minimum(np.searchsorted(keys, self.keys), max(len(keys) - 1, 0))
        common = np.flatnonzero(keys[places] == self.keys) if len(keys) else places[:0]
        labels = column_scores[places[common]]
        wrong = _different(self.column_scores[common], self.scores[common], labels)
        lines = self.lines[common][wrong]
        first = int(lines.min()) if len(lines) else None
        return Difference(len(common), len(lines), first)


def read_stated(stream: BinaryIO, *, name: str, board: BoardSize) -> Stated:
    """Read a file of positions with scores, in one of the two formats.

    A line that begins with ``{`` is read as ``refmoves``, any other line as ``c4solver``. ``name``
    is for messages.
    """
    keys, scores, columns, lines = array("Q"), array("b"), array("b"), array("q")
    over = number = 0
    for number, text in read_text_lines(stream):
        try:
            if isinstance(text, BadLine):
                raise ValueError(text.error)  # noqa: TRY004, TRY301
            position, score, row = _read_line(text, board)
        except (C4Error, RecursionError, ValueError) as error:
            raise DatasetError(f"{name}, line {number}: {error}") from None
        if position.is_over:
            over += 1
            continue
        keys.append(position.canonical_key)
        scores.append(score)
        columns.extend(row if position.key == position.canonical_key else row[::-1])
        lines.append(number)
    if not number:
        raise DatasetError(f"{name} has no lines")
    return Stated(
        np.array(keys, dtype=np.uint64),
        np.array(scores, dtype=np.int8),
        np.array(columns, dtype=np.int8).reshape(-1, board.width),
        np.array(lines, dtype=np.int64),
        over,
    )


def _read_line(text: str, board: BoardSize) -> tuple[Position, int, list[int]]:
    """The position of a line, its score, and its columns' scores."""
    if text.lstrip().startswith("{"):
        return _read_refmoves(text, board)
    words = text.split()
    if text[:1].isspace():  # the empty board has no moves
        words.insert(0, "")
    if len(words) not in (2, 1 + board.width):
        raise ValueError(f"not moves and one score, or {board.width} scores")
    position = play_moves(words[0], board)
    numbers = list(map(_number, words[1:]))
    if len(numbers) == 1:
        return position, _score(numbers[0], board), [NOT_STATED] * board.width
    row = _columns(numbers, PONS_FULL, position)
    return position, max(row), row


class _Refmoves(msgspec.Struct):
    """A line of ``refmoves``."""

    board: list[Literal[0, 1, 2]]
    score: int
    scores: list[int] = msgspec.field(name="move score")


def _read_refmoves(text: str, board: BoardSize) -> tuple[Position, int, list[int]]:
    line = msgspec.json.decode(text, type=_Refmoves)
    if (len(line.board), len(line.scores)) != (board.cells, board.width):
        raise ValueError(f"board needs {board.cells} squares, and move score {board.width} numbers")
    squares = "".join(_MARKS[square] for square in line.board)
    rows = (squares[begin : begin + board.width] for begin in range(0, board.cells, board.width))
    position = Position.from_grid("\n".join(rows), board=board)
    return position, _score(line.score, board), _columns(line.scores, REFMOVES_FULL, position)


def _columns(numbers: Sequence[int], full: int, position: Position) -> list[int]:
    """The columns' scores, with NO_SCORE instead of the file's mark ``full``."""
    legal = position.legal_columns()
    row = []
    for column, number in enumerate(numbers):
        if not position.is_over and (number == full) == (column in legal):
            what = "no score" if number == full else f"the score {number}, but is full"
            raise ValueError(f"column {column + 1} has {what}")
        row.append(NO_SCORE if number == full else _score(number, position.board))
    return row


def _score(number: int, board: BoardSize) -> int:
    if abs(number) > (board.cells + 1) // 2:
        raise ValueError(f"there is no score {number} on {board}")
    return number


def _number(word: str) -> int:
    if _NUMBER.fullmatch(word) is None:
        raise ValueError(f"{word[:20]!r} is not a score")
    return int(word)


def _different(columns: Scores, scores: Scores, labels: Scores) -> NDArray[np.bool_]:
    """A mask of the rows that differ from the labels, in the score or in a stated column."""
    best = labels.max(axis=1, initial=NO_SCORE)
    return (scores != best) | ((columns != labels) & (columns != NOT_STATED)).any(axis=1)


def exchange_lines(
    records: Mapping[str, Array],
    board: BoardSize,
    seed: int,
    form: ExchangeFormat,
    *,
    all_moves: bool = False,
) -> Iterator[str]:
    """The positions of a part as lines of a format, without line ends.

    Args:
        records: the columns of the part; ply, key, score and column_scores are used.
        board: the board of all positions.
        seed: the seed of the data set, which decides whether a position is mirrored.
        form: the format.
        all_moves: with ``c4solver``, whether to write the scores of all columns instead of the
            position's score.
    """
    if form == "refmoves":
        return _refmoves_lines(records, board, seed)
    return _c4solver_lines(records, board, seed, all_moves=all_moves)


def _c4solver_lines(
    records: Mapping[str, Array], board: BoardSize, seed: int, *, all_moves: bool
) -> Iterator[str]:
    keys = _keys(records)
    lines = lines_of(keys, are_mirrored(keys, seed), board).astype(str).tolist()
    scores = records["column_scores"] if all_moves else records["score"][:, None]
    shown = _shown(scores, full=PONS_FULL)
    for moves, row in zip(lines, shown.tolist(), strict=True):
        yield " ".join([moves, *map(str, row)])


def _refmoves_lines(records: Mapping[str, Array], board: BoardSize, seed: int) -> Iterator[str]:
    keys = _keys(records)
    mirrored = are_mirrored(keys, seed)
    to_move, taken = split_keys(keys, board)
    own, both = squares_of(to_move, board), squares_of(taken, board)
    # The first player, mark 1, moves when the number of stones is even.
    is_first = (records["ply"].astype(np.uint8) % 2 == 0)[:, None, None]
    marks = np.where(both == 0, 0, np.where((own == 1) == is_first, 1, 2))
    marks[mirrored] = marks[mirrored, :, ::-1]
    squares = marks[:, ::-1, :].reshape(len(keys), -1)
    scores = _shown(records["score"][:, None], full=REFMOVES_FULL)[:, 0]
    columns = _shown(records["column_scores"], full=REFMOVES_FULL)
    rows = zip(squares.tolist(), scores.tolist(), columns.tolist(), strict=True)
    for square, score, column in rows:
        yield json.dumps({"board": square, "score": score, "move score": column})


def _keys(records: Mapping[str, Array]) -> NDArray[np.uint64]:
    return np.ascontiguousarray(records["key"]).astype(np.uint64)


def _shown(scores: Array, *, full: int) -> NDArray[np.int16]:
    """The scores in the form of the file; NO_SCORE becomes ``full``."""
    exact = scores.astype(np.int16)
    return np.where(exact == NO_SCORE, np.int16(full), exact)
