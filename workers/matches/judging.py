"""Comparing the moves of games with exact scores.

This needs the score of every column of every position in which a move was made. A job of kind
``analyze`` searches unknown ones, each once, however many games have passed through it. Then the
games and the stored evaluations are read side by side. So nothing is stored for single games, and
judging a match again costs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np

from c4core.arena.judging import judge_move, positions_of
from c4core.arrays import canonical_keys
from c4core.notation import parse_moves
from db import games as game_store
from db.records.games import GameFilter
from db.records.jobs import JobState
from workers.core.follow import read_job
from workers.core.submit import topic_of
from workers.matches.scores import known_scores, unknown_keys
from workers.positions import analysis
from workers.positions.analysis import Submission
from workers.positions.book_answers import book_of_job
from workers.positions.evaluate import look_up

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from c4core.arena.judging import JudgedMove
    from c4core.position import Position
    from db.database import Database
    from db.records.games import StoredGame

GAMES_AT_A_TIME: Final = 200
"""Games whose positions are looked up together."""


@dataclass(frozen=True, slots=True)
class JudgedGame:
    """A game with its judged moves."""

    game: StoredGame
    """The stored game."""
    moves: tuple[JudgedMove | None, ...]
    """Its moves, in order; None where scores are not known. Empty if the moves are not known."""


def plan_judging(
    database: Database,
    match_ids: Sequence[int],
    *,
    games: int | None = None,
    least_ply: int = 0,
    label: str | None = None,
) -> Submission | None:
    """The job that finds the scores for judging games: it is found and resumed, or made.

    Args:
        database: has the games, and keeps the job.
        match_ids: those of matches on one board.
        games: the number of first games of each match; None for all.
        least_ply: only moves with at least so many stones on the board: the first ones on a large
            board take longest by far.
        label: a name for people.

    Returns:
        None if all scores are known already.

    Raises:
        MatchNotFoundError: there is no such match.
        ValueError: the matches have different boards.
        StorageError: the database failed.
    """
    with database.read() as session:
        starts = [game_store.get_terms(session, match_id).start for match_id in match_ids]
    boards = {start.board for start in starts}
    if len(boards) > 1:
        raise ValueError(f"matches on different boards: {', '.join(sorted(map(str, boards)))}")
    if not boards:
        return None
    board = boards.pop()
    pieces = [np.empty(0, dtype=np.uint64)]
    for match_id, start in zip(match_ids, starts, strict=True):
        pieces.extend(_keys(database, match_id, start, games, least_ply))
    keys = unknown_keys(database, board, np.unique(np.concatenate(pieces)))
    if not len(keys):
        return None
    _, plies = canonical_keys(keys, width=board.width, height=board.height)
    submit = partial(
        analysis.find_or_submit,
        database,
        # Positions with most stones come first: they are the cheapest, and their scores help with
        # the positions that lead to them.
        keys[np.argsort(-plies.astype(np.int16), kind="stable")],
        board=board,
        topic=topic_of("judging", keys),
        label=label,
    )
    job_id = submit()
    # A job that is done has stored all these scores, unless they were deleted since.
    is_done = read_job(database, job_id).state is JobState.DONE
    if is_done and len(unknown_keys(database, board, keys)):
        job_id = submit(fresh=True)
    return Submission(job_id, len(keys), 0)


def judged_games(
    database: Database, match_id: int, *, games: int | None = None
) -> Iterator[JudgedGame]:
    """The games of a match with their judged moves, by number, in constant memory.

    Args:
        database: where the match is.
        match_id: its number.
        games: the number of first games; None for all.

    Raises:
        MatchNotFoundError: there is no such match.
        StorageError: the database cannot be read.
    """
    with database.read() as session:
        start = game_store.get_terms(session, match_id).start
    for batch in _batches(database, match_id, games):
        yield from _judge(database, start, batch)


def judge_game(database: Database, match_id: int, number: int) -> JudgedGame:
    """One game of a match with its judged moves.

    Raises:
        MatchNotFoundError, GameNotFoundError: there is no such match or game.
        StorageError: the database cannot be read.
    """
    with database.read() as session:
        start = game_store.get_terms(session, match_id).start
        game = game_store.find_game(session, match_id, number)
    return next(_judge(database, start, [game]))


def _judge(
    database: Database, start: Position, batch: Sequence[StoredGame]
) -> Iterator[JudgedGame]:
    """Some games with their judged moves."""
    book = book_of_job({}, start.board)
    played = [_positions(start, game) for game in batch]
    known = look_up(database, [position for each in played for position in each])
    for game, positions in zip(batch, played, strict=True):
        columns = parse_moves(game.moves or "", width=start.width)
        yield JudgedGame(
            game,
            tuple(
                judge_move(position, column, known_scores(position, known, book))
                for position, column in zip(positions, columns, strict=True)
            ),
        )


def _positions(start: Position, game: StoredGame) -> list[Position]:
    """The positions in which moves were made; none if the moves are not known."""
    return positions_of(start, parse_moves(game.moves or "", width=start.width))


def _batches(
    database: Database, match_id: int, games: int | None
) -> Iterator[tuple[StoredGame, ...]]:
    """The games of a match, some at a time, each time in a transaction of its own."""
    filters = GameFilter(matches=(match_id,))
    after, left = None, games
    while left is None or left > 0:
        limit = GAMES_AT_A_TIME if left is None else min(left, GAMES_AT_A_TIME)
        with database.read() as session:
            page = game_store.list_games(session, filters, after=after, limit=limit)
        if page.games:
            yield page.games
        if page.next is None:
            return
        after, left = page.next, None if left is None else left - limit


def _keys(
    database: Database, match_id: int, start: Position, games: int | None, least_ply: int
) -> Iterator[NDArray[np.uint64]]:
    """The canonical keys of games' positions, some games at a time; no key twice in a piece."""
    for batch in _batches(database, match_id, games):
        keys = {
            position.canonical_key
            for game in batch
            for position in _positions(start, game)
            if position.ply >= least_ply
        }
        yield np.fromiter(keys, dtype=np.uint64, count=len(keys))
