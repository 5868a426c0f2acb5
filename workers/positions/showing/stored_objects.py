"""Stored evaluations as JSON objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from c4core.evaluation import plies_to_end
from c4core.position import Position

if TYPE_CHECKING:
    from db.records.evaluations import StoredEvaluation


def stored_object(
    stored: StoredEvaluation, *, mirrored: bool = False, zero_based: bool = False
) -> dict[str, Any]:
    """A stored evaluation as an object.

    Args:
        stored: as it is stored, of the canonical image.
        mirrored: show it for the mirror image.
        zero_based: best columns count from 0.
    """
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
