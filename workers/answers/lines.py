"""Answers to lines of input, as JSON objects and table rows.

``c4 solve --json``, ``c4 analyze`` and stored jobs all write the object that
:func:`answer_object` makes::

    {"id": "a17",            the caller's name, if one was given
     "moves": "4453",        as they were written; null for a grid or a key, which show "key"
     "board": "7x6",
     "side": "x",            the side to move; every score is for this side
     "score": 0,             null until it is proven; then "lower" and "upper" follow
     "value": "draw",        win, draw or loss; null until it is proven
     "scores": [-4, 0, ...], of every column, null if it cannot be played
     "best": [2, 3],         columns that reach the score, counted like the moves
     "plies": 38,            until the game ends, if both sides play perfectly
     "nodes": 512,           positions searched for this answer: 0 if it was known
     "seconds": 0.000034,    likewise; a batch's time is divided in proportion to the nodes
     "source": "search"}     or "db", or "book"

If only the score was requested, ``scores`` and ``best`` are missing. ``c4 solve`` adds ``estimate``
if the answer leaves something open. A line without an answer yields an object with ``error``
instead (:func:`error_object`).
"""

from __future__ import annotations

import json
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from c4core.evaluation import plies_to_end
from c4core.lines import NO_MOVES, BadLine, Request
from workers.answers.estimates import estimate_object, estimate_open
from workers.text import csv_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from c4core.lines import JsonValue
    from c4core.notation import BoardSize
    from c4core.position import Position
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
    :func:`workers.answers.estimates.estimate_object`.
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
        shown["best"] = [column + shift for column in answer.best]
    shown["plies"] = None if score is None else plies_to_end(score, ply, board.width, board.height)
    shown["nodes"] = answer.nodes
    shown["seconds"] = round(answer.seconds, 6)
    shown["source"] = answer.source
    return shown


def error_object(
    *, line: int, error: str, field: str | None = None, identity: JsonValue = None
) -> dict[str, JsonValue]:
    """The JSON object for a line that has no answer.

    ``line`` counts from 1; ``field`` is the invalid part of the line, None if the line is correct.
    """
    return {"id": identity, "error": error, "field": field, "line": line}


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

    Every row has all of :data:`ROW_NAMES`. An exact score is also both bounds; an ``id`` is text.
    """
    row = {name: fields.get(name) for name in ROW_NAMES}
    if row["score"] is not None:
        row["lower"] = row["upper"] = row["score"]
    if row["id"] is not None and not isinstance(row["id"], str):
        row["id"] = json.dumps(row["id"])
    return row


TextFormat = Literal["jsonl", "csv"]


def result_lines(
    objects: Iterable[Mapping[str, JsonValue]], format_name: TextFormat
) -> Iterator[str]:
    """The lines of a result file, each with its line end, in constant memory.

    CSV requires the output of a kind of job that has a table.
    """
    if format_name == "csv":
        return csv_lines(map(_as_csv_row, objects), ROW_NAMES)
    return (json.dumps(fields) + "\n" for fields in objects)


def _as_csv_row(fields: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """A row of CSV. The moves of an empty board must not look like an empty cell."""
    row = as_row(fields)
    return row | {"moves": NO_MOVES} if row["moves"] == "" else row
