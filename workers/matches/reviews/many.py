"""Reviews of many games: one job finds the scores, and then the games are read beside them.

The job is of kind ``analyze``: each position of the games is searched once, however many of them
have passed through it, and its scores are stored. So a review that is asked for again costs a few
look-ups, and an interrupted one goes on where it was.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

import numpy as np

from c4core.arrays import canonical_keys
from db.records.jobs import JobState
from workers.core.follow import read_job
from workers.core.submit import topic_of
from workers.matches.reviews.reviewed import Review, moved_from, reviewed_moves
from workers.matches.scores import known_scores, unknown_keys
from workers.positions import analysis
from workers.positions.analysis import Submission
from workers.positions.book_answers import book_of_job
from workers.positions.evaluate import look_up

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from c4core.arena.files import GameEntry
    from c4core.notation import BoardSize
    from c4core.position import Position
    from db.database import Database
    from db.records.evaluations import StoredEvaluation

GAMES_AT_A_TIME: Final = 200
"""Games whose positions are looked up together."""


def plan_reviews(
    database: Database,
    games: Iterable[GameEntry],
    *,
    label: str | None = None,
    priority: int = 0,
) -> list[Submission]:
    """The jobs that find the scores for reviews, one for each board: found and resumed, or made.

    Args:
        database: keeps the jobs.
        games: which shall be reviewed.
        label: a name for people.
        priority: jobs of higher priority are worked on first.

    Returns:
        No job for a board whose positions are all known.

    Raises:
        StorageError: the database failed.
    """
    boards: dict[BoardSize, set[int]] = {}
    for game in games:
        keys = boards.setdefault(game.board, set())
        keys.update(position.canonical_key for position in moved_from(game))
    planned = []
    for board, keys in boards.items():
        asked = np.fromiter(sorted(keys), dtype=np.uint64, count=len(keys))
        unknown = unknown_keys(database, board, asked)
        if not len(unknown):
            continue
        _, plies = canonical_keys(unknown, width=board.width, height=board.height)
        # Positions with most stones come first: they are the cheapest, and their scores help with
        # the positions that lead to them.
        ordered = unknown[np.argsort(-plies.astype(np.int16), kind="stable")]
        # All positions name the job, not only the unknown ones: it is found again when it has
        # found some of them.
        topic = topic_of("reviews", asked)
        job_id = 0
        for fresh in (False, True):
            job_id = analysis.find_or_submit(
                database,
                ordered,
                board=board,
                topic=topic,
                label=label,
                priority=priority,
                fresh=fresh,
            )
            # A job that is done has stored all these scores, unless they were deleted since.
            if read_job(database, job_id).state is not JobState.DONE:
                break
        planned.append(Submission(job_id, len(unknown), 0))
    return planned


def reviews_of(database: Database, games: Iterable[GameEntry]) -> Iterator[Review]:
    """Reviews of games by what is stored or in the book, in constant memory.

    Args:
        database: knows scores; nothing is searched.
        games: any, of any boards.

    Returns:
        A review for each, in order; moves whose scores are not known are not judged.

    Raises:
        StorageError: the database cannot be read.
    """
    remaining = iter(games)
    while batch := list(islice(remaining, GAMES_AT_A_TIME)):
        played = [moved_from(game) for game in batch]
        known = _look_up(database, played)
        for game, positions in zip(batch, played, strict=True):
            book = book_of_job({}, game.board)
            stored = known.get(game.board, {})
            scores = [known_scores(position, stored, book) for position in positions]
            yield Review(game, reviewed_moves(game, positions, scores), 0, 0.0)


def _look_up(
    database: Database, played: Sequence[Sequence[Position]]
) -> dict[BoardSize, dict[int, StoredEvaluation]]:
    """What is stored of the positions of some games, by board."""
    boards: dict[BoardSize, list[Position]] = {}
    for positions in played:
        if positions:
            boards.setdefault(positions[0].board, []).extend(positions)
    return {board: look_up(database, positions) for board, positions in boards.items()}
