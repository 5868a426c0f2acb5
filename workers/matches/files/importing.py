"""Games from elsewhere: each is checked against the rules; together they become a match."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Final

from c4core.arena.game import Ending
from c4core.notation import parse_moves
from c4core.position import Position
from db import games
from db.records.games import ON_THE_BOARD, StoredGame
from db.records.matches import MatchTerms, Origin
from workers.matches.errors import GameImportError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from c4core.position import Side
    from db.database import Database

GAMES_PER_TRANSACTION: Final = 2_000
"""Games that are written at a time: this bounds the memory, and how long other writers wait."""

UNKNOWN_PLAYER: Final = "?"


@dataclass(frozen=True, slots=True)
class ImportSummary:
    """The outcome of an import."""

    match_id: int
    """The match that the games are in."""
    games: int
    """How many there are."""


def import_games(
    database: Database,
    source: Iterable[StoredGame],
    *,
    start: Position | None = None,
    player_a: str = UNKNOWN_PLAYER,
    player_b: str = UNKNOWN_PLAYER,
    label: str | None = None,
) -> ImportSummary:
    """Store games as a match of their own. Memory is constant, however many.

    The games are numbered from 0 in their order. If reading them fails or is interrupted, the match
    is deleted again. Until the last game is stored, it is marked as incomplete.

    Args:
        database: where to store them.
        source: from :func:`game_of_moves`, all on one board.
        start: what all of them begin with (default: the empty 7x6 board).
        player_a: the description of one player, or a name.
        player_b: of the other.
        label: a name for people.

    Raises:
        GameImportError: there is no game at all; nothing was stored.
        StorageError: the database cannot be written.
    """
    terms = MatchTerms(
        player_a=player_a, player_b=player_b, games=0, seed=0, start=start or Position()
    )
    remaining = iter(source)
    batch = list(islice(remaining, GAMES_PER_TRANSACTION))
    if not batch:
        raise GameImportError("there are no games to import")
    match_id = database.run(
        lambda session: games.create_match(session, terms, origin=Origin.IMPORTED, label=label)
    )
    number = 0
    try:
        while batch:
            numbered = [game._replace(number=number + index) for index, game in enumerate(batch)]
            database.run(partial(games.add_games, match_id=match_id, games=numbered))
            number += len(numbered)
            batch = list(islice(remaining, GAMES_PER_TRANSACTION))
        whole = replace(terms, games=number)
        database.run(lambda session: games.end_import(session, match_id, whole))
    except BaseException:
        database.run(lambda session: games.delete_match(session, match_id))
        raise
    return ImportSummary(match_id, number)


def game_of_moves(
    moves: str,
    *,
    start: Position | None = None,
    winner: Side | None = None,
    ending: str | None = None,
    a_side: Side = "x",
    seed: int | None = None,
    detail: str = "",
    x_seconds: float = 0.0,
    o_seconds: float = 0.0,
    replaced: tuple[int, ...] = (),
) -> StoredGame:
    """A game from its moves.

    Args:
        moves: 1-based columns.
        start: what it begins with (default: the empty 7x6 board).
        winner: who won, where the board does not say: a game that somebody gave up.
        ending: how it ended: a value of ``c4core.arena.game.Ending``; None takes it from the board.
        a_side: the side that player a had.
        seed: the seed of everything random in it.
        detail: how a player failed.
        x_seconds: what the moves of ``x`` took.
        o_seconds: what the moves of ``o`` took.
        replaced: the moves that replaced illegal answers.

    Raises:
        MoveError: a move is illegal.
        GameImportError: the end does not fit the moves.
    """
    position = start or Position()
    for column in parse_moves(moves, width=position.width):
        position = position.play(column)
    if position.is_over:
        on_board = Ending.FULL if position.winner is None else Ending.FOUR
        if (ending or on_board) != on_board or (ending and winner != position.winner):
            raise GameImportError(
                f"game {moves}: the board says {_told(position.winner, on_board)}, "
                f"not {_told(winner, ending)}"
            )
        winner, ending = position.winner, on_board.value
    elif ending == Ending.UNFINISHED:
        if winner is not None:
            raise GameImportError(f"game {moves}: it is unfinished, and {winner} cannot have won")
    elif ending is None or ending in ON_THE_BOARD or winner is None:
        raise GameImportError(f"game {moves}: it is not over, and does not say who gave it up")
    elif ending not in set(Ending):
        raise GameImportError(f"game {moves}: no game ends by {ending!r}")
    return StoredGame(
        number=0,
        a_side=a_side,
        seed=seed,
        moves=moves,
        final_key=position.key,
        length=len(moves),
        winner=winner,
        ending=ending,
        detail=detail,
        x_seconds=x_seconds,
        o_seconds=o_seconds,
        replaced=replaced,
    )


def _told(winner: Side | None, ending: str | None) -> str:
    what = "a draw" if winner is None else f"{winner} has won"
    return what if ending is None else f"{what} ({ending})"
