"""What the lines of UGI mean: positions, and limits of a search."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Final

from c4core.errors import C4Error
from c4core.notation import parse_moves
from c4core.position import Position

if TYPE_CHECKING:
    from collections.abc import Sequence

    from c4core.notation import BoardSize

MOVES: Final = "moves"
LONGEST_QUOTE: Final = 40
START: Final = "startpos"
GRID: Final = "fen"
INFINITE: Final = "infinite"

_RUN: Final = re.compile("[0-9]+")
_NUMBER: Final = re.compile("-?[0-9]{1,15}")
_WIDEST: Final = 32
_GRID_WORDS: Final = (2, 3)
"""``fen``, the grid, and perhaps whose turn it is."""


class LineError(C4Error, ValueError):
    """A line that cannot be understood. The engine says so, and goes on."""


@dataclass(frozen=True, slots=True)
class Go:
    """The limits of a search. Without any it ends with the exact score of every column."""

    movetime: int | None = None
    """Milliseconds."""
    nodes: int | None = None
    """Positions visited, at most."""
    depth: int | None = None
    """Plies looked ahead."""
    p1time: int | None = None
    """Milliseconds left for the first player's game."""
    p2time: int | None = None
    """Milliseconds left for the second player's game."""
    p1inc: int = 0
    """Milliseconds that the first player gets with every move."""
    p2inc: int = 0
    """Milliseconds that the second player gets with every move."""
    infinite: bool = False
    """Whether the answer waits until it is asked for."""

    def seconds(self, position: Position) -> float | None:
        """The seconds that the move in a position may take; None for no limit.

        Of a clock a move gets the share that all moves to come would get, and at most half.
        """
        limits = [] if self.movetime is None else [max(self.movetime, 0) / 1000]
        is_first = position.turn == "x"
        left = self.p1time if is_first else self.p2time
        if left is not None:
            moves = (position.width * position.height - position.ply + 1) // 2
            increment = self.p1inc if is_first else self.p2inc
            limits.append(max(0, min(left / moves + increment, left / 2)) / 1000)
        return min(limits, default=None)


def read_go(words: Sequence[str]) -> Go:
    """Read what follows ``go``.

    Raises:
        LineError: a limit is unknown, given twice, or no number.
    """
    names = {field.name for field in fields(Go)}
    found: dict[str, Any] = {}
    rest = list(words)
    while rest:
        name = rest.pop(0)
        if name not in names:
            raise LineError(f"go: {quoted(name)} is no limit; there are {', '.join(sorted(names))}")
        if name in found:
            raise LineError(f"go: {name} is given twice")
        if name == INFINITE:
            found[name] = True
        else:
            found[name] = whole(rest.pop(0) if rest else "", f"go {name}")
    least = {"depth": 1, "nodes": 1}
    for name, low in least.items():
        if found.get(name, low) < low:
            raise LineError(f"go {name}: at least {low}, not {found[name]}")
    return Go(**found)


def read_position(words: Sequence[str], board: BoardSize) -> Position:
    """Read what follows ``position``.

    Args:
        words: ``startpos`` or ``fen`` and a grid, then perhaps ``moves`` and columns.
        board: of ``startpos``; a grid has its own.

    Raises:
        LineError: there is no such position.
    """
    end = words.index(MOVES) if MOVES in words else len(words)
    begin, moves = words[:end], "".join(words[end + 1 :])
    if begin != [START] and not (begin[:1] == [GRID] and len(begin) in _GRID_WORDS):
        raise LineError("position: startpos, or fen and a grid; then moves and columns")
    try:
        if begin == [START]:
            return Position(moves, width=board.width, height=board.height)
        position = _read_grid(*begin[1:])
        for column in parse_moves(moves, width=position.width):
            position = position.play(column)
    except C4Error as error:
        raise LineError(f"position: {error}") from None
    return position


def whole(text: str, what: str) -> int:
    """A whole number.

    Args:
        text: as it was written.
        what: its name, for the message.

    Raises:
        LineError: it is none.
    """
    if not _NUMBER.fullmatch(text):
        raise LineError(f"{what}: {quoted(text)} is no whole number")
    return int(text)


def quoted(text: str) -> str:
    """A word of a line for a message: of one line and not long."""
    return ascii(text[:LONGEST_QUOTE])


def _read_grid(text: str, turn: str | None = None) -> Position:
    """A grid with ``/`` between rows, the top one first; a number stands for empty squares."""
    if any(int(run[:3]) > _WIDEST for run in _RUN.findall(text)):
        raise LineError(f"no row has more than {_WIDEST} squares")
    rows = _RUN.sub(lambda run: "." * int(run[0]), text.replace("/", "\n"))
    position = Position.from_grid(rows)
    if turn not in (None, position.turn):
        raise LineError(f"{position.turn} is to move, not {quoted(str(turn))}")
    return position
