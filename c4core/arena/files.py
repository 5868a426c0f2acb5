"""Games in files: with their moves, or with their final grid only.

``files_json`` and ``files_csv`` read and write games; ``repeats`` finds repeated ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from c4core.arena.game import Ending
from c4core.errors import C4Error
from c4core.position import Position

if TYPE_CHECKING:
    from c4core.notation import BoardSize
    from c4core.position import Side

ON_THE_BOARD: Final = frozenset({Ending.FOUR, Ending.FULL})
"""The endings of games that are played to the end."""


class GameFileError(C4Error, ValueError):
    """A game in a file is impossible; the message says why.

    Attributes:
        field: the name of the wrong part.
    """

    def __init__(self, message: str, *, field: str) -> None:
        super().__init__(message)
        self.field = field


class GameEntry(NamedTuple):
    """A game in a file, most often a finished one."""

    start: Position
    """The position that the game began from."""
    moves: str | None
    """The moves from the start, as text; None where only the final grid is known."""
    final: Position
    """The position at the end."""
    winner: Side | None
    """The side that won; None for a draw."""
    ending: Ending
    """How it ended."""
    first: str | None = None
    """The description of the player with ``x``; None where it is not known."""
    second: str | None = None
    """The description of the player with ``o``; None where it is not known."""
    seed: int | None = None
    """The seed of all random choices; None where it is not known."""
    detail: str = ""
    """How a player failed, for people."""
    x_seconds: float = 0.0
    """Seconds that all moves of ``x`` took; 0 where it is not known."""
    o_seconds: float = 0.0
    """Seconds that all moves of ``o`` took; 0 where it is not known."""
    replaced: tuple[int, ...] = ()
    """The moves (0-based) that were played in place of an illegal answer."""
    match: int | None = None
    """The number of its match in the database that the game comes from."""
    number: int | None = None
    """Its number in that match."""

    @property
    def board(self) -> BoardSize:
        """The board's size."""
        return self.final.board

    @property
    def is_forfeit(self) -> bool:
        """Whether a side lost the game by a failure or gave up, and not on the board."""
        return self.ending not in ON_THE_BOARD and self.winner is not None


def empty_board(board: BoardSize) -> Position:
    """The empty board of a size."""
    return Position(width=board.width, height=board.height)


def ending_on_board(final: Position, winner: Side | None) -> Ending:
    """The ending of a game that was played to the end, after a check of its result.

    Raises:
        GameFileError: the board is not full and has no four, or another side won on it.
    """
    if not final.is_over:
        raise GameFileError(
            f"the game is not over after {final.ply} stones, and no player failed", field="ending"
        )
    if winner != final.winner:
        raise GameFileError(
            f"{result_text(final.winner)} on the board, {result_text(winner)} in the file",
            field="winner",
        )
    return Ending.FULL if winner is None else Ending.FOUR


def outcome_text(winner: Side | None, ending: str) -> str:
    """A result in words; ``no result`` for an unfinished game."""
    return "no result" if ending == Ending.UNFINISHED else result_text(winner)


def result_text(winner: Side | None) -> str:
    """A result in words."""
    return "a draw" if winner is None else f"{winner} has won"
