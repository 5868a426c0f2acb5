"""The answer about a position, and the JSON object that shows it.

``c4 solve --json``, ``c4 analyze`` and stored jobs all write the object that
:func:`answer_object` makes::

    {"id": "a17",            the caller's name, where one was given
     "moves": "4453",        as they were written; null for a grid or a key, which show "key"
     "board": "7x6",
     "side": "x",            who moves; every score is for this side
     "score": 0,             null while it is not proven; then "lower" and "upper" follow
     "value": "draw",        win, draw or loss; null while it is not proven
     "scores": [-4, 0, ..],  of every column, null where it cannot be played
     "best": [2, 3],         columns that reach the score, counted as the moves are
     "plies": 38,            until the game ends, if both play perfectly
     "nodes": 512,           positions searched for this answer: 0 if it was known
     "seconds": 0.000034,    likewise; a batch's time is divided in proportion to the nodes
     "source": "search"}     or "db", or "book"

``scores`` and ``best`` are missing if only the score was asked for. A line without an answer yields
an object with ``error`` instead (:func:`error_object`).
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from c4core.evaluation import Bounded, best_columns, plies_to_end

if TYPE_CHECKING:
    from collections.abc import Mapping

    from c4core.lines import JsonValue
    from c4core.notation import BoardSize
    from c4core.position import Position
    from workers.positions.question import Question

Source = Literal["search", "db", "book"]


class _AnswerFields(NamedTuple):
    """The fields of :class:`Answer`; a NamedTuple cannot inherit anything itself."""

    lower: int
    """The score is proven to be at least this."""
    upper: int
    """The score is proven to be at most this."""
    scores: tuple[int | None, ...] | None = None
    """One score per column, None where it cannot be played or is not solved; None if not asked."""
    nodes: int = 0
    """Positions searched for this answer."""
    seconds: float = 0.0
    """Time that this answer took to search."""
    source: Source = "search"
    """The source of the answer."""


class Answer(_AnswerFields, Bounded):
    """What is known about one position, as it was asked: for its side to move, not mirrored."""

    __slots__ = ()

    @property
    def best(self) -> tuple[int, ...]:
        """The 0-based columns that reach the score; empty while the score or they are unknown."""
        return best_columns(self.score, self.scores)

    def tightened(self, lower: int, upper: int) -> Answer:
        """This answer, narrowed by other proven bounds."""
        return self._replace(lower=max(self.lower, lower), upper=min(self.upper, upper))


def has_all_columns(answer: Answer, position: Position) -> bool:
    """Whether the answer holds the score of every column that can be played."""
    scores = answer.scores
    if scores is None:
        return False
    unknown = scores.count(None)
    return not unknown or len(scores) - unknown == len(position.legal_columns())


def settles(answer: Answer, position: Position, question: Question) -> bool:
    """Whether the answer settles the question."""
    if answer.lower != answer.upper:
        return question.weak and answer.value is not None
    return not question.columns or has_all_columns(answer, position)


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
        answer: what is known.
        board: the position's board.
        ply: stones on it.
        moves: the moves as they were written, or None where a key or a grid was given.
        key: the exact key, shown where there are no moves.
        identity: the caller's ``id``, echoed unless it is None.
        zero_based: ``best`` counts columns from 0, as the moves do.
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

    Args:
        line: 1-based number of the line in the input.
        error: what went wrong, for people.
        field: which part of the line is wrong; None where the line was fine.
        identity: the caller's ``id``, where it is known.
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
    """An object for an answer, or for a line without one, as a row of a table.

    Every row has all of :data:`ROW_NAMES`; an exact score is its own bounds; an ``id`` is text.

    Args:
        fields: from :func:`answer_object` or :func:`error_object`.
    """
    row = {name: fields.get(name) for name in ROW_NAMES}
    if row["score"] is not None:
        row["lower"] = row["upper"] = row["score"]
    if row["id"] is not None and not isinstance(row["id"], str):
        row["id"] = json.dumps(row["id"])
    return row
