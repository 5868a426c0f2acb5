"""The review of a game: what every move was worth, and where the result changed.

The game need not be stored, nor finished. What is known of its positions is looked up together; the
others are searched from the end of the game to its beginning: late positions take microseconds, and
early ones are what a budget runs out for. A move that is not judged by then is left open.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from db import games
from db.decoding import decoding
from workers.answers.question import Question
from workers.matches.files.entries import entry_of
from workers.matches.reviews.reviewed import Review, moved_from, reviewed_moves

if TYPE_CHECKING:
    import threading
    from collections.abc import Sequence

    from c4core.arena.files import GameEntry
    from c4core.position import Position
    from db.database import Database
    from workers.answers.question import Answer
    from workers.answers.service import Desk

BUDGET: Final = 10.0
"""Seconds that a review may search, by default."""

KNOWN: Final = Question(node_limit=0)
"""What is known of all columns without a search."""


def review_game(
    game: GameEntry,
    desk: Desk,
    *,
    budget: float | None = BUDGET,
    stop: threading.Event | None = None,
) -> Review:
    """Judge every move of a game.

    Args:
        game: from a file, the database (:func:`read_game`), or moves
            (:func:`c4core.arena.file_formats.game_of_moves`).
        desk: knows scores, and finds others.
        budget: seconds for searches; with 0 only what is known already is told, with None there
            is no limit.
        stop: ends the searches; what is judged by then is returned.
    """
    began = time.monotonic()
    positions = moved_from(game)
    answers = _answers(positions, desk, None if budget is None else began + budget, stop)
    moves = reviewed_moves(game, positions, [answer.scores for answer in answers])
    nodes = sum(answer.nodes for answer in answers)
    return Review(game, moves, nodes, time.monotonic() - began)


def read_game(database: Database, match_id: int, number: int) -> GameEntry:
    """A stored game.

    Raises:
        MatchNotFoundError, GameNotFoundError: there is no such match or game.
        DamagedValueError: what is stored is no game.
        StorageError: the database cannot be read.
    """
    with database.read() as session:
        terms = games.get_terms(session, match_id)
        stored = games.find_game(session, match_id, number)
    with decoding(f"game {match_id}:{number}"):
        game = entry_of(stored, terms)
        moved_from(game)
    return game


def _answers(
    positions: Sequence[Position],
    desk: Desk,
    deadline: float | None,
    stop: threading.Event | None,
) -> list[Answer]:
    """What is known of each position at the deadline, the last ones searched first."""
    answers = desk.answer(positions, KNOWN, stop)
    for index in reversed(range(len(positions))):
        if _is_judged(positions[index], answers[index]):
            continue
        left = None if deadline is None else deadline - time.monotonic()
        if (left is not None and left <= 0) or (stop is not None and stop.is_set()):
            break
        (answers[index],) = desk.answer([positions[index]], Question(time_limit=left), stop)
    return answers


def _is_judged(position: Position, answer: Answer) -> bool:
    """Whether the score of every column that can be played is there."""
    scores = answer.scores
    return scores is not None and all(scores[c] is not None for c in position.legal_columns())
