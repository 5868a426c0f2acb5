"""The notations of the engine's two protocols for moves, positions and limits.

UGI has columns and grids of ``x`` and ``o``. UCI has drops (``P@d1``) and the FEN of the variant
``cfour``, which is played on 7x6: the first player is White, with the letters ``P`` and ``w``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar, Final

from c4core.errors import C4Error
from c4core.notation import DEFAULT_BOARD, MAX_WIDTH, column_label, parse_moves
from c4core.position import Position

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from c4core.notation import BoardSize

MOVES: Final = "moves"
START: Final = "startpos"
GRID: Final = "fen"

_RUN: Final = re.compile("[0-9]+")
_GRID_WORDS: Final = (1, 2)
"""The number of words in ``GRID`` and in ``GRID SIDE``."""
_FEN_WORDS: Final = range(1, 7)
"""The board with its pockets, the side to move, and four fields that only chess needs."""
_BOARD_WITH_POCKETS: Final = re.compile(r"([Pp0-9/]+)(?:\[([Pp]*|-)\])?")
_DROP: Final = re.compile("P@([a-g])([1-6])")
_STONES: Final = str.maketrans("Pp", "xo")
_SIDES: Final = {"w": "x", "b": "o"}
_SAME_LIMITS: Final = ("movetime", "nodes", "depth", "infinite")


LONGEST_QUOTE: Final = 40


class LineError(C4Error, ValueError):
    """A line that cannot be understood. The engine reports it and goes on."""


def quoted(text: str) -> str:
    """Quote a word of a line for a message, cut if it is long."""
    return ascii(text[:LONGEST_QUOTE])


class UgiNotation:
    """The notation of UGI: columns counted from 1, and grids."""

    form: str = "startpos or fen GRID, then optionally moves COLUMNS"
    """The words that may follow ``position``."""
    no_move: str = "none"
    """The word in place of a move if there is no move."""
    limits: ClassVar[Mapping[str, str]] = {
        name: name for name in (*_SAME_LIMITS, "p1time", "p2time", "p1inc", "p2inc")
    }
    """The fields of :class:`~c4core.adapters.uci_search.Go` by their names after ``go``."""

    def write(self, position: Position, columns: Iterable[int]) -> list[str]:
        """Return the words for moves; the first is played in ``position``."""
        del position
        return [column_label(column) for column in columns]

    def start(self, words: Sequence[str], board: BoardSize) -> Position:
        """Return the position after moves from the empty board."""
        return Position("".join(words), width=board.width, height=board.height)

    def play(self, position: Position, words: Sequence[str]) -> Position:
        """Return the position after moves from a given position."""
        for column in parse_moves("".join(words), width=position.width):
            position = position.play(column)
        return position

    def grid(self, words: Sequence[str]) -> Position | None:
        """Read the words after ``fen``; None if their number is wrong."""
        if len(words) not in _GRID_WORDS:
            return None
        position = _read_rows(words[0])
        if words[1:] not in ([], [position.turn]):
            raise LineError(f"{position.turn} is to move, not {quoted(words[1])}")
        return position


class UciNotation(UgiNotation):
    """The notation of UCI: drops, and the FEN of ``cfour``."""

    form = "startpos or fen BOARD[POCKETS] w - - 0 1, then optionally moves P@d1 .."
    no_move = "(none)"
    limits: ClassVar[Mapping[str, str]] = {
        **{name: name for name in (*_SAME_LIMITS, "movestogo")},
        "wtime": "p1time",
        "btime": "p2time",
        "winc": "p1inc",
        "binc": "p2inc",
    }

    def write(self, position: Position, columns: Iterable[int]) -> list[str]:
        """Return moves as drops on the squares where the stones land."""
        drops = []
        for column in columns:
            drops.append(f"P@{_square(column, position.heights[column])}")
            position = position.play(column)
        return drops

    def start(self, words: Sequence[str], board: BoardSize) -> Position:
        """Return the position after drops from the empty board."""
        _check_board(board)
        return self.play(Position(), words)

    def play(self, position: Position, words: Sequence[str]) -> Position:
        """Return the position after drops; each square must be the one where the stone lands."""
        for index, word in enumerate(words):
            drop = _DROP.fullmatch(word)
            if drop is None:
                raise LineError(f"move {index + 1}: {quoted(word)} is not a drop such as P@d1")
            column = ord(drop[1]) - ord("a")
            try:
                after = position.play(column)
            except C4Error as error:
                raise LineError(f"move {index + 1}: {word}: {error}") from None
            if int(drop[2]) != after.heights[column]:
                lands = _square(column, position.heights[column])
                raise LineError(f"move {index + 1}: {word}: the stone lands on {lands}")
            position = after
        return position

    def grid(self, words: Sequence[str]) -> Position | None:
        """Read the words of a FEN; None if their number is wrong."""
        if len(words) not in _FEN_WORDS:
            return None
        parts = _BOARD_WITH_POCKETS.fullmatch(words[0])
        if parts is None:
            raise LineError(f"{quoted(words[0])} is not a board such as 7/7/7/7/7/2pPP2")
        position = _read_rows(parts[1].translate(_STONES))
        _check_board(position.board)
        if words[1:] and _SIDES.get(words[1]) != position.turn:
            side = "w" if position.turn == "x" else "b"
            raise LineError(f"{side} is to move, not {quoted(words[1])}")
        _check_pockets(parts[2], position)
        return position


UGI: Final = UgiNotation()
UCI: Final = UciNotation()


def read_position(words: Sequence[str], board: BoardSize, notation: UgiNotation = UGI) -> Position:
    """Read the words after ``position``.

    Args:
        words: ``startpos`` or ``fen`` and a grid, then optionally ``moves`` and moves.
        board: the board of ``startpos``; a grid has its own.
        notation: the protocol's notation.

    Raises:
        LineError: the words do not describe a possible position.
    """
    end = words.index(MOVES) if MOVES in words else len(words)
    begin, moves = words[:end], words[end + 1 :]
    try:
        if begin == [START]:
            return notation.start(moves, board)
        position = notation.grid(begin[1:]) if begin[:1] == [GRID] else None
        if position is not None:
            return notation.play(position, moves)
    except C4Error as error:
        raise LineError(f"position: {error}") from None
    raise LineError(f"position: write {notation.form}")


def _read_rows(text: str) -> Position:
    """Read a grid with ``/`` between rows, the top row first; a number counts empty squares."""
    if any(int(run[:3]) > MAX_WIDTH for run in _RUN.findall(text)):
        raise LineError(f"no row has more than {MAX_WIDTH} squares")
    rows = _RUN.sub(lambda run: "." * int(run[0]), text.replace("/", "\n"))
    first, *others = rows.split("\n")
    return Position.from_grid(rows, width=len(first), height=1 + len(others))


def _check_board(board: BoardSize) -> None:
    if board != DEFAULT_BOARD:
        raise LineError(f"cfour is played on {DEFAULT_BOARD}, not on {board}")


def _check_pockets(pockets: str | None, position: Position) -> None:
    """Check that the pockets, if given, hold the stones that are not on the board."""
    each = DEFAULT_BOARD.cells // 2
    first, second = each - (position.ply + 1) // 2, each - position.ply // 2
    if pockets is not None and (pockets.count("P"), pockets.count("p")) != (first, second):
        raise LineError(
            f"the pockets must hold {first} P and {second} p, the stones not on the board; "
            "or leave the brackets out"
        )


def _square(column: int, row: int) -> str:
    return f"{chr(ord('a') + column)}{row + 1}"
