"""Stored games, and the filters to select them.

A match and a number from 0 identify a game. It is stored once, even if several workers play it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from c4core.notation import BoardSize
    from c4core.position import Side

ON_THE_BOARD: Final = ("four", "full")
"""Endings of games that were played out."""

UNFINISHED: Final = "unfinished"
"""The ending of an unfinished game, which does not count."""


class StoredGame(NamedTuple):
    """A game of a match.

    It is a tuple because a frozen dataclass takes longer to create, and hundreds of thousands of
    games are streamed.
    """

    number: int
    """The game's place in the match, from 0."""
    a_side: Side
    """The side of player a."""
    seed: int | None
    """The seed of everything random in the game; None if it is not known."""
    moves: str | None
    """1-based columns, as :mod:`c4core.notation` writes them; None if only the final grid is known.
    """
    final_key: int
    """The key of the final position, as it was played (not canonical)."""
    length: int
    """Number of moves."""
    winner: Side | None
    """The winner, or None for a draw and for an unfinished game."""
    ending: str
    """The reason for the end: a value of :class:`c4core.arena.game.Ending`."""
    detail: str = ""
    """The failure of a player, for users."""
    x_seconds: float = 0.0
    """Total time of the moves of ``x``."""
    o_seconds: float = 0.0
    """Total time of the moves of ``o``."""
    replaced: tuple[int, ...] = ()
    """The moves (0-based) that replaced illegal answers, if the terms allowed that."""
    match_id: int = 0
    """The number of its match; ignored when the game is stored."""

    @property
    def a_result(self) -> int:
        """1 if player a won, -1 if it lost, else 0."""
        if self.winner is None:
            return 0
        return 1 if self.winner == self.a_side else -1

    @property
    def is_forfeit(self) -> bool:
        """Whether a player lost the game by a failure, not on the board."""
        return self.ending not in (*ON_THE_BOARD, UNFINISHED)


@dataclass(frozen=True, slots=True, kw_only=True)
class GameFilter:
    """Conditions on games; ``None`` means no condition."""

    matches: tuple[int, ...] | None = None
    """Only games of these matches."""
    board: BoardSize | None = None
    """Only games on this board."""
    winner: Side | None = None
    """Only games that this side won."""
    is_draw: bool | None = None
    """True: only draws; False: only games with a winner."""
    endings: tuple[str, ...] | None = None
    """Only games with one of these endings."""
    min_length: int | None = None
    """Minimum number of moves."""
    max_length: int | None = None
    """Maximum number of moves."""
    has_moves: bool | None = None
    """True: only games with known moves; False: only games with just a final grid."""


class GameCursor(NamedTuple):
    """The place of a game in the order of lists: by match, then by number."""

    match_id: int
    number: int

    def __str__(self) -> str:
        """Return ``MATCH:NUMBER``, for a command line; :meth:`parse` reads it."""
        return f"{self.match_id}:{self.number}"

    @classmethod
    def parse(cls, text: str) -> GameCursor:
        """Read ``MATCH:NUMBER``, or ``MATCH/NUMBER`` as in an address of the API.

        Raises:
            ValueError: the text does not name a game.
        """
        match_id, colon, number = text.replace("/", ":").partition(":")
        if not (colon and match_id.isdecimal() and number.isdecimal()):
            raise ValueError(f"not a game: {text!r} (write MATCH:NUMBER, as in 3:17)")
        return cls(int(match_id), int(number))


class MoveCount(NamedTuple):
    """The games with the same continuation, player and winner."""

    column: str
    """The column's character in moves."""
    player: str
    """The description of the player who moved; empty if it is not known."""
    winner: Side | None
    games: int


class GamePage(NamedTuple):
    """One page of a list of games."""

    games: tuple[StoredGame, ...]
    """The games, by match, then by number."""
    next: GameCursor | None
    """The ``after`` of the following page; None on the last one."""
