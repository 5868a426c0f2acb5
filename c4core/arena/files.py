"""Games in files, with their moves or only their final grid.

:mod:`c4core.arena.file_formats` reads and writes games.
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
"""The endings of games that were played to the end."""


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
    """The moves from the start, as text; None if only the final grid is known."""
    final: Position
    """The position at the end."""
    winner: Side | None
    """The side that won; None for a draw."""
    ending: Ending
    """The way in which the game ended."""
    first: str | None = None
    """The description of the player with ``x``; None if it is unknown."""
    second: str | None = None
    """The description of the player with ``o``; None if it is unknown."""
    seed: int | None = None
    """The seed of all random choices; None if it is unknown."""
    detail: str = ""
    """A description of a player's failure, for people."""
    x_seconds: float = 0.0
    """Seconds that all moves of ``x`` took; 0 if they are unknown."""
    o_seconds: float = 0.0
    """Seconds that all moves of ``o`` took; 0 if they are unknown."""
    replaced: tuple[int, ...] = ()
    """The 0-based numbers of the moves that were played in place of an illegal answer."""
    match: int | None = None
    """The match's number in the database that the game comes from."""
    number: int | None = None
    """The game's number in its match."""

    @property
    def board(self) -> BoardSize:
        """The board's size."""
        return self.final.board

    @property
    def is_forfeit(self) -> bool:
        """Whether a side lost by a failure or by resigning, rather than on the board."""
        return self.ending not in ON_THE_BOARD and self.winner is not None


def empty_board(board: BoardSize) -> Position:
    """Return the empty position of a board size."""
    return Position(board=board)


def ending_on_board(final: Position, winner: Side | None) -> Ending:
    """Check the result of a game that was played to the end, and return its ending.

    Raises:
        GameFileError: the game is not over on the board, or the winner is wrong.
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
    """Write a result in words; ``no result`` for an unfinished game."""
    return "no result" if ending == Ending.UNFINISHED else result_text(winner)


def result_text(winner: Side | None) -> str:
    """Write a result in words."""
    return "a draw" if winner is None else f"{winner} has won"
