"""Positions and stored evaluations as JSON objects.

The object for a board on a screen has more than :func:`workers.answers.lines.answer_object`: the
result of every column, threats, four in a row, and the grid. Columns and rows count from 1, row 1
at the bottom. Scores and values are for the side to move.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from c4core.evaluation import plies_to_end, value_between
from c4core.notation import format_moves
from c4core.pictures.board import find_threats
from c4core.position import Position
from workers.answers.estimates import estimate_object
from workers.answers.question import EVERYTHING, settles

if TYPE_CHECKING:
    from collections.abc import Iterable

    from c4core.estimate import Estimate
    from c4core.lines import JsonValue
    from db.records.evaluations import StoredEvaluation
    from workers.answers.question import Answer


RULES = "rules"
"""The ``source`` of a finished game's result."""


def describe_position(
    position: Position,
    answer: Answer,
    *,
    moves: str | None = None,
    line: Iterable[int] | None = None,
    estimate: Estimate | None = None,
) -> dict[str, JsonValue]:
    """Describe a position as a JSON object for a board on a screen.

    ``moves`` is None if a key or a grid was given. ``line`` is best play to the end in 0-based
    columns, if it was searched. ``estimate`` is the guess of open results.
    """
    score, ply = answer.score, position.ply
    width, height = position.board
    threats = find_threats(position)
    columns = [describe_column(position, answer, column) for column in range(width)]
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
        "plies": None if score is None else plies_to_end(score, ply, width, height),
        "columns": list(columns),
        "best": [column + 1 for column in answer.best],
        "line": None if line is None else format_moves(line),
        "estimate": estimate_object(answer, estimate),
        "threats": {side: _cells(cells) for side, cells in threats.items()},
        "source": RULES if position.is_over else answer.source,
        "nodes": answer.nodes,
        "seconds": round(answer.seconds, 6),
    }


def describe_column(position: Position, answer: Answer, column: int) -> dict[str, JsonValue]:
    """Describe a 0-based column for the side to move.

    ``plies`` counts the plies to the end of the game, including this move. If the column is full or
    its score is not proven, every field except ``column`` and ``playable`` is null.
    """
    score = None if answer.scores is None else answer.scores[column]
    width, height = position.board
    plies = None if score is None else 1 + plies_to_end(-score, position.ply + 1, width, height)
    return {
        "column": column + 1,
        "playable": position.is_legal(column),
        "score": score,
        "value": None if score is None else value_between(score, score),
        "plies": plies,
        "best": score is not None and score == answer.score,
    }


def is_complete(position: Position, answer: Answer) -> bool:
    """Whether the scores of the position and of all playable columns are proven."""
    return position.is_over or settles(answer, position, EVERYTHING)


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
    position = Position.from_key(stored.key, width=stored.width, height=stored.height)
    plies = None
    if stored.score is not None:
        plies = plies_to_end(stored.score, stored.ply, stored.width, stored.height)
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
