"""Compare the moves of games with exact scores, and read the data for a match's report.

This needs the score of every column in every position where a move was made. A job of kind
``analyze`` searches the unknown positions, each once for all games. Then games and stored
evaluations are read side by side. So nothing is stored per game, and a match can be judged again
without a search.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from c4core.arena.files import ON_THE_BOARD
from c4core.arena.game import Ending
from c4core.arena.judging import judge_move, positions_of
from c4core.arrays import key_array
from c4core.notation import parse_moves
from db import games as game_store
from db.jobs import watching
from db.records.games import GameFilter
from db.records.jobs import JobState
from workers.analyze.job import Submission, find_or_submit_unknown
from workers.answers.find import known_scores, look_up, unknown_keys
from workers.answers.question import shipped_book, usable_book
from workers.core.submit import topic_of
from workers.match.report import make_report

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from c4core.arena.judging import JudgedMove
    from c4core.batch import Keys
    from c4core.notation import BoardSize
    from c4core.position import Position
    from db.database import Database
    from db.records.games import StoredGame
    from workers.analyze.job import Submission
    from workers.match.report import MatchReport


GAMES_AT_A_TIME: Final = 200
"""Number of games whose positions are looked up together."""


@dataclass(frozen=True, slots=True)
class JudgedGame:
    """A game with its judged moves."""

    game: StoredGame
    moves: tuple[JudgedMove | None, ...]
    """The moves, in order; None if the scores are not known. Empty if the moves are not known."""


def plan_judging(
    database: Database,
    match_ids: Sequence[int],
    *,
    games: int | None = None,
    least_ply: int = 0,
    label: str | None = None,
) -> Submission | None:
    """Find and resume the job that computes the scores for judging games, or create it.

    Returns None if all scores are already known.

    Args:
        database: has the games, and stores the job.
        match_ids: numbers of matches on one board.
        games: number of games to judge in each match, from the first; None for all.
        least_ply: minimum number of stones on the board; early moves take by far the longest.
        label: a name for users.
    """
    with database.read() as session:
        starts = [game_store.get_terms(session, match_id).start for match_id in match_ids]
    boards = {start.board for start in starts}
    if len(boards) > 1:
        raise ValueError(f"matches on different boards: {', '.join(sorted(map(str, boards)))}")
    if not boards:
        return None
    board = boards.pop()
    pieces = [key_array((), board)]
    for match_id, start in zip(match_ids, starts, strict=True):
        pieces.extend(_keys(database, match_id, start, games, least_ply))
    keys = unknown_keys(database, board, np.unique(np.concatenate(pieces)))
    if not len(keys):
        return None
    topic = topic_of("judging", keys)
    return find_or_submit_unknown(database, keys, board=board, topic=topic, label=label)


def judged_games(
    database: Database, match_id: int, *, games: int | None = None
) -> Iterator[JudgedGame]:
    """Yield the games of a match with their judged moves, by number, in constant memory."""
    with database.read() as session:
        start = game_store.get_terms(session, match_id).start
    for batch in _batches(database, match_id, games):
        yield from _judge(database, start, batch)


def judge_game(database: Database, match_id: int, number: int) -> JudgedGame:
    """One game of a match with its judged moves."""
    with database.read() as session:
        start = game_store.get_terms(session, match_id).start
        game = game_store.find_game(session, match_id, number)
    return next(_judge(database, start, [game]))


def _judge(
    database: Database, start: Position, batch: Sequence[StoredGame]
) -> Iterator[JudgedGame]:
    book = usable_book(start.board)
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
    """The positions in which moves were made; empty if the moves are not known."""
    return positions_of(start, parse_moves(game.moves or "", width=start.width))


def _batches(
    database: Database, match_id: int, games: int | None
) -> Iterator[tuple[StoredGame, ...]]:
    """Yield the games of a match in batches, each read in its own transaction."""
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
) -> Iterator[Keys]:
    """Yield the canonical keys of games' positions in batches, without repeats within a batch."""
    for batch in _batches(database, match_id, games):
        keys = {
            position.canonical_key
            for game in batch
            for position in _positions(start, game)
            if position.ply >= least_ply
        }
        yield key_array(keys, start.board)


HARDEST_EMPTY: Final = 34
"""Positions with more empty squares take long to solve: on 7x6, positions with up to 7 stones. The
scores of all columns take 3 s with 2 stones, 0.2 s with 8, 0.02 s with 12."""

LONGEST_LABEL: Final = 60
"""Maximum number of characters of a label in a list of jobs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judging:
    """The moves to judge."""

    games: int | None
    """Number of games to judge in each match, from the first; None for all."""
    least_ply: int | None
    """Minimum number of stones on the board; None for moves that are cheap to judge."""

    @property
    def is_wanted(self) -> bool:
        """Whether any moves are judged."""
        return self.games != 0

    def least_ply_on(self, board: BoardSize) -> int:
        """Minimum number of stones on the board for a move to be judged."""
        if self.least_ply is not None:
            return self.least_ply
        easy = max(0, board.cells - HARDEST_EMPTY)
        book = shipped_book(board)
        return 0 if book is not None and book.info.last_ply >= easy else easy


def judging_jobs(
    database: Database, matches: Iterable[int], judging: Judging
) -> Iterator[Submission | None]:
    """Yield the job that computes the scores for judging moves, or None, for each board.

    A job is found or planned when the caller requests it; the caller must complete it.
    """
    if not judging.is_wanted:
        return
    by_board: dict[BoardSize, list[int]] = {}
    with database.read() as session:
        for match in matches:
            by_board.setdefault(game_store.get_terms(session, match).board, []).append(match)
    for board, numbers in by_board.items():
        yield plan_judging(
            database,
            numbers,
            games=judging.games,
            least_ply=judging.least_ply_on(board),
            label=f"judge match {', '.join(map(str, numbers))}"[:LONGEST_LABEL],
        )


SHOWN_FORFEITS: Final = 3
FORFEITS: Final = tuple(
    str(ending) for ending in Ending if ending not in (*ON_THE_BOARD, Ending.UNFINISHED)
)
"""The endings of games that a player gave up, or lost by a failure."""


def read_report(database: Database, match_id: int, judging: Judging) -> MatchReport:
    """The report of a match; moves without stored scores are not judged."""
    with database.read() as session:
        match = game_store.get_match(session, match_id)
        results = game_store.read_results(session, match_id)
        elapsed = None
        if match.job_state is JobState.DONE and match.job_id is not None:
            job = watching.get_job(session, match.job_id)
            is_alone = len(game_store.matches_of_job(session, match.job_id)) == 1
            if is_alone and job.started_at is not None and job.finished_at is not None:
                elapsed = job.finished_at - job.started_at
        failures: tuple[str, ...] = ()
        if match.tally.a_forfeits or match.tally.b_forfeits:
            filters = GameFilter(matches=(match_id,), endings=FORFEITS)
            forfeits = game_store.list_games(session, filters, limit=SHOWN_FORFEITS).games
            failures = tuple(_failure_text(match_id, game) for game in forfeits)
    least_ply = judging.least_ply_on(match.terms.board)
    judged = judged_games(database, match_id, games=judging.games) if judging.is_wanted else ()
    moves = (
        (one.game.a_side, [move for move in one.moves if move and move.ply >= least_ply])
        for one in judged
    )
    return make_report(
        match, results, moves, judged_from=least_ply, elapsed=elapsed, failures=failures
    )


def _failure_text(match_id: int, game: StoredGame) -> str:
    loser = "B" if game.winner == game.a_side else "A"
    detail = f": {game.detail}" if game.detail else ""
    return f"game {match_id}:{game.number}, {loser}: {game.ending}{detail}"


def check_matches(database: Database, matches: Iterable[int]) -> None:
    """Raise MatchNotFoundError if one of these matches does not exist."""
    with database.read() as session:
        for match in matches:
            game_store.get_terms(session, match)
