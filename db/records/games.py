"""A stored game as callers see it, and how to ask for games.

A game is identified by its match and its number, from 0. It is stored once, however many workers
try to play it.
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
"""The ending of an unfinished game, which counts for nothing."""


class StoredGame(NamedTuple):
    """A game of a match.

    A tuple and not a frozen dataclass, which takes longer to make: hundreds of thousands of games
    are streamed.
    """

    number: int
    """Its place in the match, from 0."""
    a_side: Side
    """The side that player a had."""
    seed: int | None
    """The seed of everything random in it; None if it is not known."""
    moves: str | None
    """1-based columns, as :mod:`c4core.notation` writes them; None where only the final grid is
    known."""
    final_key: int
    """The key of the position at the end, as it was played (not canonical)."""
    length: int
    """Moves that were played."""
    winner: Side | None
    """Who won, or None for a draw and for a game that is not finished."""
    ending: str
    """How it ended: a value of :class:`c4core.arena.game.Ending`."""
    detail: str = ""
    """How a player failed, for people."""
    x_seconds: float = 0.0
    """What the moves of ``x`` took together."""
    o_seconds: float = 0.0
    """What the moves of ``o`` took together."""
    replaced: tuple[int, ...] = ()
    """The moves (0-based) that replaced illegal answers, where the terms allowed that."""
    match_id: int = 0
    """The match it belongs to; ignored when it is stored."""

    @property
    def a_result(self) -> int:
        """1 where player a won, -1 where it lost, else 0."""
        if self.winner is None:
            return 0
        return 1 if self.winner == self.a_side else -1

    @property
    def is_forfeit(self) -> bool:
        """Whether a player lost it by a failure, not on the board."""
        return self.ending not in (*ON_THE_BOARD, UNFINISHED)


@dataclass(frozen=True, slots=True, kw_only=True)
class GameFilter:
    """Which games to look at; conditions that are None hold for all."""

    matches: tuple[int, ...] | None = None
    """Only games of these matches."""
    board: BoardSize | None = None
    """Only games on this board."""
    winner: Side | None = None
    """Only games that this side has won."""
    is_draw: bool | None = None
    """True: only draws; False: only games that somebody won."""
    endings: tuple[str, ...] | None = None
    """Only games that ended so."""
    min_length: int | None = None
    """Fewest moves."""
    max_length: int | None = None
    """Most moves."""
    has_moves: bool | None = None
    """True: only games whose moves are known; False: only final grids."""


class GameCursor(NamedTuple):
    """The place of a game in the order of lists: by match, then by number."""

    match_id: int
    number: int

    def __str__(self) -> str:
        """``MATCH:NUMBER``, for a command line; :meth:`parse` reads it."""
        return f"{self.match_id}:{self.number}"

    @classmethod
    def parse(cls, text: str) -> GameCursor:
        """Read ``MATCH:NUMBER``.

        Raises:
            ValueError: the text names no game.
        """
        match_id, colon, number = text.partition(":")
        if not (colon and match_id.isdecimal() and number.isdecimal()):
            raise ValueError(f"not a game: {text!r} (write MATCH:NUMBER, as in 3:17)")
        return cls(int(match_id), int(number))


class GamePage(NamedTuple):
    """One page of a list of games."""

    games: tuple[StoredGame, ...]
    """The games, by match, then by number."""
    next: GameCursor | None
    """Give this as ``after`` to get the following page; None on the last one."""
