"""Guesses of open results and columns. They accompany an answer and are never stored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from workers.answers.question import has_all_columns

if TYPE_CHECKING:
    from c4core.estimate import Estimate
    from c4core.lines import JsonValue
    from c4core.position import Position
    from workers.answers.question import Answer

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
    return estimate(position, games=games)


def estimate_object(answer: Answer, estimate: Estimate | None) -> dict[str, JsonValue] | None:
    """A guess as a JSON object. Proven results and full columns are null."""
    if estimate is None:
        return None
    is_open = answer.value is None
    scores = answer.scores or (None,) * len(estimate.columns)
    return {
        "value": estimate.value(answer.lower, answer.upper) if is_open else None,
        "share": round(estimate.share, 3) if is_open else None,
        "columns": [
            None if share is None or score is not None else round(share, 3)
            for share, score in zip(estimate.columns, scores, strict=True)
        ],
    }
