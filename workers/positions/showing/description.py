"""Everything that is known about a position, as one JSON object for a board on a screen.

It has more than :func:`workers.positions.results.answer_object`: what every column leads to,
threats and four in a row, the grid. Columns and rows count from 1, row 1 at the bottom. Scores and
values are those of the side to move.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from c4core.evaluation import plies_to_end, value_between
from c4core.notation import format_moves
from workers.positions.showing.threats import find_threats

if TYPE_CHECKING:
    from collections.abc import Iterable

    from c4core.lines import JsonValue
    from c4core.position import Position
    from workers.positions.results import Answer

RULES = "rules"
"""The source of what is known of a game that is over."""


def describe_position(
    position: Position,
    answer: Answer,
    *,
    moves: str | None = None,
    line: Iterable[int] | None = None,
) -> dict[str, JsonValue]:
    """The object.

    Args:
        position: as it was asked.
        answer: with the scores of columns, as far as they are known.
        moves: as they were written; None where a key or a grid was given.
        line: best play to the end, 0-based columns; None where nobody has looked.
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
        "threats": {side: _cells(cells) for side, cells in threats.items()},
        "source": RULES if position.is_over else answer.source,
        "nodes": answer.nodes,
        "seconds": round(answer.seconds, 6),
    }


def describe_column(position: Position, answer: Answer, column: int) -> dict[str, JsonValue]:
    """What a 0-based column leads to, for the side to move.

    ``plies`` is how many are played until the game ends, this one included; all but ``column`` and
    ``playable`` is null where the column is full, or its score is not proven.
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
    """Whether the score and those of all columns that can be played are proven."""
    if position.is_over:
        return True
    scores = answer.scores
    return (
        answer.lower == answer.upper
        and scores is not None
        and scores.count(None) == position.width - len(position.legal_columns())
    )


def _describe_end(position: Position) -> dict[str, JsonValue] | None:
    if not position.is_over:
        return None
    return {"winner": position.winner, "cells": _cells(position.winning_squares())}


def _cells(cells: Iterable[tuple[int, int]]) -> JsonValue:
    return [[column + 1, row + 1] for column, row in cells]
