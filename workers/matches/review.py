"""The review of a game: what every move was worth, and where the result changed.

The game need not be stored, nor finished. What is known of its positions is looked up together; the
others are searched from the end of the game to its beginning: late positions take microseconds, and
early ones are what a budget runs out for. A move that is not judged by then is left open.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from c4core.arena.files import GameEntry, empty_board, ending_on_board
from c4core.arena.game import Ending
from c4core.arena.judging import judge_move, positions_of, result_accuracy
from c4core.evaluation import plies_to_end
from c4core.notation import parse_moves
from c4core.position import Position
from db import games
from db.decoding import decoding
from workers.matches.files.entries import entry_of
from workers.positions.question import Question

if TYPE_CHECKING:
    import threading
    from collections.abc import Sequence

    from c4core.arena.judging import JudgedMove
    from c4core.notation import BoardSize
    from c4core.position import Side
    from db.database import Database
    from workers.positions.desk import Desk
    from workers.positions.results import Answer

BUDGET: Final = 10.0
"""Seconds that a review may search, by default."""

KNOWN: Final = Question(node_limit=0)
"""What is known of all columns without a search."""

SIDES: Final[tuple[Side, Side]] = ("x", "o")


@dataclass(frozen=True, slots=True)
class ReviewedMove:
    """A move of a game, and what is known of its worth."""

    ply: int
    """Stones on the board before it."""
    side: Side
    """Who moved."""
    column: int
    """Where, 0-based."""
    judged: JudgedMove | None
    """What it was worth; None where there was no time to find it out."""


@dataclass(frozen=True, slots=True)
class Review:
    """A game with its moves judged."""

    game: GameEntry
    """The game."""
    moves: tuple[ReviewedMove, ...]
    """All moves, in order; empty where only the final grid is known."""
    nodes: int
    """Positions searched for this review."""
    seconds: float
    """Seconds it took."""

    @property
    def is_complete(self) -> bool:
        """Whether all moves are known and judged."""
        return self.game.moves is not None and all(move.judged for move in self.moves)

    @property
    def turning_points(self) -> tuple[int, ...]:
        """Stones on the board before each move that changed the result."""
        return tuple(m.ply for m in self.moves if m.judged is not None and m.judged.is_blunder)

    def accuracy(self, side: Side) -> float | None:
        """How well a side kept the result, in percent, as far as its moves are judged.

        None where it never had a choice; see :func:`c4core.arena.judging.result_accuracy`.
        """
        return result_accuracy(m.judged for m in self.moves if m.judged and m.side == side)


def review_game(
    game: GameEntry,
    desk: Desk,
    *,
    budget: float = BUDGET,
    stop: threading.Event | None = None,
) -> Review:
    """Judge every move of a game.

    Args:
        game: from a file, the database (:func:`read_game`), or moves (:func:`entry_of_moves`).
        desk: knows scores, and finds others.
        budget: seconds for searches; with 0 only what is known already is told.
        stop: ends the searches; what is judged by then is returned.
    """
    began = time.monotonic()
    columns = parse_moves(game.moves or "", width=game.board.width)
    positions = positions_of(game.start, columns)
    answers = _answers(positions, desk, began + budget, stop)
    moves = tuple(
        ReviewedMove(
            position.ply, position.turn, column, judge_move(position, column, answer.scores)
        )
        for position, column, answer in zip(positions, columns, answers, strict=True)
    )
    nodes = sum(answer.nodes for answer in answers)
    return Review(game, moves, nodes, time.monotonic() - began)


def entry_of_moves(moves: str, board: BoardSize) -> GameEntry:
    """A game from the empty board, as far as it has come.

    Args:
        moves: columns from 1, as text.
        board: the board's size.

    Raises:
        MoveError: a move cannot be read or cannot be played.
    """
    final = Position(moves, width=board.width, height=board.height)
    ending = ending_on_board(final, final.winner) if final.is_over else Ending.UNFINISHED
    return GameEntry(empty_board(board), moves.lower(), final, final.winner, ending)


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
        positions_of(game.start, parse_moves(game.moves or "", width=game.board.width))
    return game


def review_object(review: Review) -> dict[str, Any]:
    """A review as a JSON object. Columns count from 1; scores are for the side that moved."""
    game = review.game
    return {
        "board": str(game.board),
        "start": str(game.start) if game.start.ply else None,
        "moves": game.moves,
        "first": game.first,
        "second": game.second,
        "winner": game.winner,
        "ending": str(game.ending),
        "complete": review.is_complete,
        "accuracy": {side: review.accuracy(side) for side in SIDES},
        "moves_judged": [_move_object(move, game.board) for move in review.moves],
        "turning_points": list(review.turning_points),
        "nodes": review.nodes,
        "seconds": round(review.seconds, 6),
    }


def _move_object(move: ReviewedMove, board: BoardSize) -> dict[str, Any]:
    shown: dict[str, Any] = {"ply": move.ply, "side": move.side, "column": move.column + 1}
    judged = move.judged
    if judged is None:
        unknown = ("before", "after", "loss", "plies_before", "plies_after")
        return {
            **shown,
            **dict.fromkeys(unknown),
            "best": [],
            "mark": "",
            "changes_result": False,
        }
    return {
        **shown,
        "before": judged.best,
        "after": judged.played,
        "loss": judged.loss,
        "plies_before": plies_to_end(judged.best, move.ply, *board),
        "plies_after": plies_to_end(judged.played, move.ply, *board) - 1,
        "best": [column + 1 for column in judged.best_columns],
        "mark": judged.mark,
        "changes_result": judged.is_blunder,
    }


def _answers(
    positions: Sequence[Position],
    desk: Desk,
    deadline: float,
    stop: threading.Event | None,
) -> list[Answer]:
    """What is known of each position at the deadline, the last ones searched first."""
    answers = desk.answer(positions, KNOWN, stop)
    for index in reversed(range(len(positions))):
        if _is_judged(positions[index], answers[index]):
            continue
        left = deadline - time.monotonic()
        if left <= 0 or (stop is not None and stop.is_set()):
            break
        (answers[index],) = desk.answer([positions[index]], Question(time_limit=left), stop)
    return answers


def _is_judged(position: Position, answer: Answer) -> bool:
    """Whether the score of every column that can be played is there."""
    scores = answer.scores
    return scores is not None and all(scores[c] is not None for c in position.legal_columns())
