"""Answers as JSON objects and table rows.

``c4 solve --json``, ``c4 analyze`` and stored jobs all write the object that
:func:`answer_object` makes::

    {"id": "a17",            the caller's name, if one was given
     "moves": "4453",        as they were written; null for a grid or a key, which show "key"
     "board": "7x6",
     "side": "x",            the side to move; every score is for this side
     "score": 0,             null until it is proven; then "lower" and "upper" follow
     "value": "draw",        win, draw or loss; null until it is proven
     "scores": [-4, 0, ...], of every column, null if it cannot be played
     "bounds": [[-4, 2], ...], of every column's score; only if some columns are not solved
     "best": [2, 3],         columns that reach the score, counted like the moves
     "plies": 38,            until the game ends, if both sides play perfectly
     "nodes": 512,           positions searched for this answer: 0 if it was known
     "seconds": 0.000034,    likewise; a batch's time is divided in proportion to the nodes
     "source": "search"}     or "db", or "book"

If only the score was requested, ``scores`` and ``best`` are missing. ``c4 solve`` adds ``estimate``
if the answer leaves something open, and ``pv`` with its ``reason`` for ``--pv``. A line without an
answer yields an object with ``error`` instead (:func:`error_object`).

The object for a board on a screen has more (:func:`describe_position`): the result of every column,
threats, four in a row, and the grid. Columns and rows count from 1, row 1 at the bottom.
"""

from __future__ import annotations

import json
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from c4core.evaluation import column_name, plies_to_end, value_between
from c4core.lines import NO_MOVES, BadLine, Request
from c4core.notation import format_moves
from c4core.position import Position
from c4core.reasons import explain
from workers.answers.question import has_all_columns, is_complete
from workers.text import csv_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from c4core.estimate import Estimate
    from c4core.evaluation import ColumnBounds
    from c4core.lines import JsonValue
    from c4core.notation import BoardSize
    from c4core.reasons import Reason
    from db.records.evaluations import StoredEvaluation
    from workers.answers.question import Answer

    Ask = Callable[[Sequence[Position]], Sequence[Answer]]
    """Answers questions about positions of one board."""

BATCH_SECONDS: Final = 0.1
"""Target time for a batch of lines that this process searches."""

LARGEST_BATCH: Final = 4096
"""Maximum number of lines answered together; their answers are held in memory."""


class BatchSize:
    """The number of waiting lines to answer together.

    It doubles after a quick batch, and halves after a slow one.

    ``lines`` is the size of the next batch, ``seconds`` the target time of a batch.
    """

    def __init__(self, seconds: float = BATCH_SECONDS, *, largest: int = LARGEST_BATCH) -> None:
        self.lines = 1
        self._seconds = seconds
        self._largest = largest

    @contextmanager
    def measured(self) -> Iterator[None]:
        """Measure the time of a batch that is answered within this context."""
        began = time.monotonic()
        yield
        if time.monotonic() - began < self._seconds:
            self.lines = min(2 * self.lines, self._largest)
        else:
            self.lines = max(1, self.lines // 2)


class Answered(NamedTuple):
    """A line that names a position, and its answer."""

    request: Request
    answer: Answer


def answer_lines(lines: Sequence[Request | BadLine], ask: Ask) -> Iterator[Answered | BadLine]:
    """Yield each line in order, with its answer if it names a position.

    All positions are of one board. ``ask`` is called once with all of them, if there are any.
    """
    positions = [line.position for line in lines if isinstance(line, Request)]
    answers = iter(ask(positions) if positions else ())
    for line in lines:
        if isinstance(line, BadLine):
            yield line
        else:
            yield Answered(line, next(answers))


def request_object(
    request: Request, answer: Answer, *, zero_based: bool = False, estimates: bool = False
) -> dict[str, JsonValue]:
    """The JSON object for a line that has an answer; arguments as in :func:`answer_object`.

    With ``estimates``, the object of an incomplete answer has ``estimate``, a guess: see
    :func:`estimate_object`.
    """
    fields = answer_object(
        answer,
        board=request.position.board,
        ply=request.position.ply,
        moves=request.moves,
        key=None if request.moves is not None else request.position.key,
        identity=request.id,
        zero_based=zero_based,
    )
    guess = estimate_open(request.position, answer) if estimates else None
    return fields if guess is None else fields | {"estimate": estimate_object(answer, guess)}


def bad_line_object(bad: BadLine) -> dict[str, JsonValue]:
    """The JSON object for a line that names no position."""
    return error_object(line=bad.line, error=bad.error, field=bad.field, identity=bad.id)


def answer_object(
    answer: Answer,
    *,
    board: BoardSize,
    ply: int,
    moves: str | None,
    key: int | None = None,
    identity: JsonValue = None,
    zero_based: bool = False,
) -> dict[str, JsonValue]:
    """The JSON object for one answered position.

    Args:
        answer: the known scores and bounds.
        board: the position's board.
        ply: number of stones on the board.
        moves: the moves as they were written, or None if a key or a grid was given.
        key: the exact key, shown if there are no moves.
        identity: the caller's ``id``; left out if None.
        zero_based: count the columns of ``best`` from 0, like the moves.
    """
    score = answer.score
    shown: dict[str, JsonValue] = {} if identity is None else {"id": identity}
    shown["moves"] = moves
    if moves is None:
        shown["key"] = key
    shown["board"] = str(board)
    shown["side"] = "o" if ply & 1 else "x"
    shown["score"] = score
    if score is None:
        shown["lower"] = answer.lower
        shown["upper"] = answer.upper
    shown["value"] = answer.value
    if answer.scores is not None:
        shift = 0 if zero_based else 1
        shown["scores"] = list(answer.scores)
        if answer.open_bounds is not None:
            shown["bounds"] = bounds_object(answer.open_bounds)
        shown["best"] = [column + shift for column in answer.best]
    shown["plies"] = None if score is None else plies_to_end(score, ply, board)
    shown["nodes"] = answer.nodes
    shown["seconds"] = round(answer.seconds, 6)
    shown["source"] = answer.source
    return shown


def bounds_object(bounds: ColumnBounds) -> JsonValue:
    """The bounds of columns as lists of two numbers; null for a column that cannot be played."""
    return [None if pair is None else list(pair) for pair in bounds]


def error_object(
    *, line: int, error: str, field: str | None = None, identity: JsonValue = None
) -> dict[str, JsonValue]:
    """The JSON object for a line that has no answer.

    ``line`` counts from 1; ``field`` is the invalid part of the line, None if the line is correct.
    """
    return {"id": identity, "error": error, "field": field, "line": line}


NODES_PER_GAME: Final = 10
"""Nodes that a search visits in the time of one random game."""
FEWEST_GAMES: Final = 1_000


def estimate_open(position: Position, answer: Answer) -> Estimate | None:
    """A guess of the results that an answer leaves open; None if all are proven.

    The guess takes at most as long as the search took, but at least some milliseconds.
    """
    columns_are_known = answer.scores is None or has_all_columns(answer, position)
    if position.is_over or (answer.value is not None and columns_are_known):
        return None
    from c4core.estimate import MOST_GAMES, estimate  # noqa: PLC0415 (loads numpy)

    games = max(FEWEST_GAMES, min(MOST_GAMES, answer.nodes // NODES_PER_GAME))
    guess = estimate(position, games=games)
    return guess.within(answer.lower, answer.upper, answer.bounds)


def estimate_object(answer: Answer, estimate: Estimate | None) -> dict[str, JsonValue] | None:
    """A guess as a JSON object. Proven results and full columns are null."""
    if estimate is None:
        return None
    is_open = answer.value is None
    bounds = answer.bounds or ((-1, 1),) * len(estimate.columns)
    return {
        "favoured": estimate.favoured if is_open else None,
        "share": round(estimate.share, 3) if is_open else None,
        "published": estimate.published if is_open else None,
        "columns": [
            None if share is None or pair is None or value_between(*pair) else round(share, 3)
            for share, pair in zip(estimate.columns, bounds, strict=True)
        ],
    }


MOST_PLIES: Final = 12
"""Maximum number of plies of best play before a reason: a later one says little about a move."""


def explain_best(
    position: Position, answer: Answer, line: Sequence[int] | None = None
) -> Reason | None:
    """Why the best column wins, draws or loses; None without a short reason.

    ``line`` is best play to the end, if it is known; then its first move is explained, if need be
    by a reason that follows within a few plies.
    """
    if answer.score is None or position.is_over:
        return None
    for column in line[:1] if line else answer.best:
        reason = explain(position, column, answer.score, line[1 : MOST_PLIES + 1] if line else ())
        if reason is not None:
            return reason
    return None


RULES = "rules"
"""The ``source`` of a finished game's result."""


def describe_position(
    position: Position,
    answer: Answer,
    *,
    moves: str | None = None,
    line: Sequence[int] | None = None,
    estimate: Estimate | None = None,
) -> dict[str, JsonValue]:
    """Describe a position as a JSON object for a board on a screen.

    ``moves`` is None if a key or a grid was given. ``line`` is best play to the end in 0-based
    columns, if it was searched. ``estimate`` is the guess of open results.
    """
    score, ply = answer.score, position.ply
    threats = position.threats()
    columns = [describe_column(position, answer, column) for column in range(position.width)]
    reason = explain_best(position, answer, line)
    return {
        "moves": moves,
        "board": str(position.board),
        "key": str(position.key),
        "grid": str(position),
        "ply": ply,
        "side": position.turn,
        "over": _describe_end(position),
        "score": score,
        "lower": answer.lower,
        "upper": answer.upper,
        "complete": is_complete(position, answer),
        "value": answer.value,
        "plies": None if score is None else plies_to_end(score, ply, position.board),
        "columns": list(columns),
        "best": [column + 1 for column in answer.best],
        "line": None if line is None else format_moves(line),
        "reason": None if reason is None else reason.to_dict(),
        "estimate": estimate_object(answer, estimate),
        "threats": {side: _cells(cells) for side, cells in threats.items()},
        "source": RULES if position.is_over else answer.source,
        "nodes": answer.nodes,
        "seconds": round(answer.seconds, 6),
    }


def describe_column(position: Position, answer: Answer, column: int) -> dict[str, JsonValue]:
    """Describe a 0-based column for the side to move.

    ``plies`` counts the plies to the end of the game, including this move. Values that are not
    proven are null; ``lower`` and ``upper`` are null only if the column cannot be played.
    """
    score = None if answer.scores is None else answer.scores[column]
    pair = None if answer.bounds is None else answer.bounds[column]
    lower, upper = pair or (None, None)
    plies = None if score is None else 1 + plies_to_end(-score, position.ply + 1, position.board)
    return {
        "column": column + 1,
        "playable": position.is_legal(column),
        "score": score,
        "lower": lower,
        "upper": upper,
        "value": None if pair is None else value_between(*pair),
        "plies": plies,
        "best": score is not None and score == answer.score,
    }


def _describe_end(position: Position) -> dict[str, JsonValue] | None:
    if not position.is_over:
        return None
    return {"winner": position.winner, "cells": _cells(position.winning_squares())}


def _cells(cells: Iterable[tuple[int, int]]) -> JsonValue:
    return [[column + 1, row + 1] for column, row in cells]


def stored_object(
    stored: StoredEvaluation, *, mirrored: bool = False, zero_based: bool = False
) -> dict[str, Any]:
    """A stored evaluation as an object, for the canonical position or its mirror image."""
    scores = stored.scores
    if scores is not None and mirrored:
        scores = scores[::-1]
    best = None
    if scores is not None and stored.score is not None:
        shift = 0 if zero_based else 1
        best = [column + shift for column, score in enumerate(scores) if score == stored.score]
    position = Position.from_key(stored.key, board=(stored.width, stored.height))
    plies = None
    if stored.score is not None:
        plies = plies_to_end(stored.score, stored.ply, position.board)
    return {
        "board": f"{stored.width}x{stored.height}",
        "ply": stored.ply,
        "key": stored.key,
        "side": position.turn,
        "score": stored.score,
        "lower": stored.lower,
        "upper": stored.upper,
        "value": stored.value,
        "plies": plies,
        "scores": None if scores is None else list(scores),
        "best": best,
        "nodes": stored.nodes,
        "grid": str(position.mirrored() if mirrored else position),
    }


ROW_NAMES: Final = (
    "id",
    "moves",
    "key",
    "board",
    "side",
    "score",
    "lower",
    "upper",
    "value",
    "scores",
    "column_lower",
    "column_upper",
    "best",
    "plies",
    "nodes",
    "seconds",
    "source",
    "error",
    "field",
    "line",
)
"""The columns of a table of answers."""


def as_row(fields: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Turn the object of an answer or an error into a table row.

    Every row has all of :data:`ROW_NAMES`. An exact score is also both bounds, of the position and
    of each column; an ``id`` is text.
    """
    row = {name: fields.get(name) for name in ROW_NAMES}
    if row["score"] is not None:
        row["lower"] = row["upper"] = row["score"]
    row["column_lower"] = row["column_upper"] = fields.get("scores")
    bounds = fields.get("bounds")
    if isinstance(bounds, list):
        for end, name in enumerate(("column_lower", "column_upper")):
            row[name] = [pair[end] if isinstance(pair, list) else None for pair in bounds]
    if row["id"] is not None and not isinstance(row["id"], str):
        row["id"] = json.dumps(row["id"])
    return row


TextFormat = Literal["jsonl", "csv"]


def result_lines(
    objects: Iterable[Mapping[str, JsonValue]], format_name: TextFormat, board: BoardSize
) -> Iterator[str]:
    """The lines of a result file, each with its line end, in constant memory.

    CSV requires the output of a kind of job that has a table. It names the facts about the board's
    columns as ``Analysis.to_dict`` does: ``score_1``, ``lower_1``, ``upper_1``, ``score_2``...
    """
    if format_name == "csv":
        names = _csv_row(dict.fromkeys(ROW_NAMES), board.width)
        return csv_lines((_csv_row(as_row(fields), board.width) for fields in objects), [*names])
    return (json.dumps(fields) + "\n" for fields in objects)


_BY_COLUMN: Final = {"scores": "score", "column_lower": "lower", "column_upper": "upper"}
"""The names of facts about the board's columns in a table of answers, and in CSV."""


def _csv_row(row: Mapping[str, JsonValue], width: int) -> dict[str, JsonValue]:
    """A row of CSV. The moves of an empty board must not look like an empty cell."""
    cells: dict[str, JsonValue] = {}
    for name, value in row.items():
        if name in _BY_COLUMN:
            facts = value if isinstance(value, list) else [None] * width
            fact = _BY_COLUMN[name]
            cells |= {column_name(fact, column): value for column, value in enumerate(facts)}
        else:
            cells[name] = NO_MOVES if name == "moves" and value == "" else value
    return cells
