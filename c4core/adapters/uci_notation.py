"""The notation of UCI for moves (``P@d1``) and positions (the FEN of the variant ``cfour``).

``cfour`` is played on 7x6. The first player is White, with the letters ``P`` and ``w``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from c4core.errors import C4Error
from c4core.notation import DEFAULT_BOARD, MAX_WIDTH
from c4core.position import Position

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

NO_MOVE: Final = "(none)"
"""The word in place of a move if there is no move."""

_RUN: Final = re.compile("[0-9]+")
_FEN_WORDS: Final = range(1, 7)
"""The board with its pockets, the side to move, and four fields that only chess needs."""
_BOARD_WITH_POCKETS: Final = re.compile(r"([Pp0-9/]+)(?:\[([Pp]*|-)\])?")
_DROP: Final = re.compile("P@([a-g])([1-6])")
_STONES: Final = str.maketrans("Pp", "xo")
_SIDES: Final = {"w": "x", "b": "o"}

LONGEST_QUOTE: Final = 40


class LineError(C4Error, ValueError):
    """A line that cannot be understood. The engine reports it and goes on."""


def quoted(text: str) -> str:
    """Quote a word of a line for a message, cut if it is long."""
    return ascii(text[:LONGEST_QUOTE])


def drops(position: Position, columns: Iterable[int]) -> list[str]:
    """Return moves as drops on the squares where the stones land."""
    words = []
    for column in columns:
        words.append(f"P@{_square(column, position.heights[column])}")
        position = position.play(column)
    return words


def play_drops(position: Position, words: Sequence[str]) -> Position:
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


def read_position(words: Sequence[str]) -> Position:
    """Read the words after ``position``: ``startpos`` or ``fen`` and a FEN; perhaps ``moves``."""
    end = words.index("moves") if "moves" in words else len(words)
    begin, moves = words[:end], words[end + 1 :]
    try:
        if begin == ["startpos"]:
            return play_drops(Position(), moves)
        if begin[:1] == ["fen"] and len(begin[1:]) in _FEN_WORDS:
            return play_drops(_read_fen(begin[1:]), moves)
    except C4Error as error:
        raise LineError(f"position: {error}") from None
    raise LineError(
        "position: write startpos or fen BOARD[POCKETS] w - - 0 1, then optionally moves P@d1 .."
    )


def _read_fen(words: Sequence[str]) -> Position:
    parts = _BOARD_WITH_POCKETS.fullmatch(words[0])
    if parts is None:
        raise LineError(f"{quoted(words[0])} is not a board such as 7/7/7/7/7/2pPP2")
    position = _read_rows(parts[1].translate(_STONES))
    if position.board != DEFAULT_BOARD:
        raise LineError(f"cfour is played on {DEFAULT_BOARD}, not on {position.board}")
    if words[1:] and _SIDES.get(words[1]) != position.turn:
        side = "w" if position.turn == "x" else "b"
        raise LineError(f"{side} is to move, not {quoted(words[1])}")
    _check_pockets(parts[2], position)
    return position


def _read_rows(text: str) -> Position:
    """Read a grid with ``/`` between rows, the top row first; a number counts empty squares."""
    if any(int(run[:3]) > MAX_WIDTH for run in _RUN.findall(text)):
        raise LineError(f"no row has more than {MAX_WIDTH} squares")
    rows = _RUN.sub(lambda run: "." * int(run[0]), text.replace("/", "\n"))
    first, *others = rows.split("\n")
    return Position.from_grid(rows, board=(len(first), 1 + len(others)))


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
