"""Games in files, with their moves or only their final grid, and the detection of repeated games.

:mod:`c4core.arena.file_formats` reads and writes games.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from c4core.arena.game import Ending
from c4core.errors import C4Error
from c4core.notation import MAX_WIDTH, column_label
from c4core.position import Position

if TYPE_CHECKING:
    from collections.abc import Hashable

    from c4core.notation import BoardSize
    from c4core.position import Side

ON_THE_BOARD: Final = frozenset({Ending.FOUR, Ending.FULL})
"""The endings of games that were played to the end."""

RepeatCriterion = Literal["moves", "grids"]

_MIRRORS: Final = {
    width: str.maketrans(
        {column_label(column): column_label(width - 1 - column) for column in range(width)}
    )
    for width in range(1, MAX_WIDTH + 1)
}
"""Maps each move's character to its mirror image, for each width of the board."""


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
    return Position(width=board.width, height=board.height)


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


class Repeats:
    """Remembers games, and recognizes repeated ones.

    Every different game takes about 150 bytes of memory.

    Args:
        by: the facts that equal games have in common, besides the board and the winner. ``moves``:
            the start and the moves; a game without moves is compared by its final grid.
            ``grids``: the final grid.
        mirrors: whether a game equals its mirror image.

    Attributes:
        repeated: the number of repeated games so far.
    """

    def __init__(self, by: RepeatCriterion = "moves", *, mirrors: bool = False) -> None:
        self.repeated = 0
        self._identity = _by_moves if by == "moves" else _by_grid
        self._mirrors = mirrors
        self._seen: set[Hashable] = set()

    def __len__(self) -> int:
        """The number of different games."""
        return len(self._seen)

    def is_new(self, entry: GameEntry) -> bool:
        """Remember a game. Returns whether no earlier game equals it."""
        before = len(self._seen)
        self._seen.add((entry.board, entry.winner, self._identity(entry, self._mirrors)))
        is_new = len(self._seen) > before
        self.repeated += not is_new
        return is_new


def mirrored_moves(moves: str, width: int) -> str:
    """Return the moves of the mirror image."""
    return moves.translate(_MIRRORS[width])


def _by_moves(entry: GameEntry, mirrors: bool) -> Hashable:  # noqa: FBT001  (one of two functions)
    if entry.moves is None:
        return _by_grid(entry, mirrors)
    begin = entry.start.key if entry.start.ply else 0
    if not mirrors:
        return begin, entry.moves
    other_begin = entry.start.mirrored().key if begin else 0
    return min((begin, entry.moves), (other_begin, mirrored_moves(entry.moves, entry.board.width)))


def _by_grid(entry: GameEntry, mirrors: bool) -> Hashable:  # noqa: FBT001
    return entry.final.canonical_key if mirrors else entry.final.key
