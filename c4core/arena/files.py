"""Games as files have them: with their moves, or with their final grid only.

``files_json`` and ``files_csv`` read and write them; ``repeats`` finds those that are the same.
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
"""How a game ends that is played to the end."""


class GameFileError(C4Error, ValueError):
    """A game in a file is impossible; the message says why.

    Attributes:
        field: which part is wrong.
    """

    def __init__(self, message: str, *, field: str) -> None:
        super().__init__(message)
        self.field = field


class GameEntry(NamedTuple):
    """A game in a file, most often a finished one."""

    start: Position
    """The position that it began from."""
    moves: str | None
    """The moves from there on, as text; None where only the final grid is known."""
    final: Position
    """The position at the end."""
    winner: Side | None
    """Who won, None for a draw."""
    ending: Ending
    """How it ended."""
    first: str | None = None
    """The description of the player that had ``x``; None where it is not known."""
    second: str | None = None
    """The description of the player that had ``o``."""
    seed: int | None = None
    """The seed of all random choices; None where it is not known."""
    detail: str = ""
    """How a player failed, for people."""
    x_seconds: float = 0.0
    """Seconds that the moves of ``x`` took together; 0 where it is not known."""
    o_seconds: float = 0.0
    """Seconds that the moves of ``o`` took together."""
    replaced: tuple[int, ...] = ()
    """The moves (0-based) that were played in place of an illegal answer."""
    match: int | None = None
    """The number of its match in the database that it comes from."""
    number: int | None = None
    """Its number in that match."""

    @property
    def board(self) -> BoardSize:
        """The board's size."""
        return self.final.board

    @property
    def is_forfeit(self) -> bool:
        """Whether somebody lost it other than on the board."""
        return self.ending not in ON_THE_BOARD and self.winner is not None


def empty_board(board: BoardSize) -> Position:
    """The empty board of a size."""
    return Position(width=board.width, height=board.height)


def ending_on_board(final: Position, winner: Side | None) -> Ending:
    """How a game ended that was played to the end, after a check that the result fits.

    Raises:
        GameFileError: the board is not full and has no four, or says that somebody else won.
    """
    if not final.is_over:
        raise GameFileError(
            f"the game is not over after {final.ply} stones, and nobody failed", field="ending"
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
