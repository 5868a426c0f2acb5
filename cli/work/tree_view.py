"""How a deep job is shown while it runs: for ``c4 jobs watch`` and ``c4 jobs show``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from c4core.notation import column_label, format_moves
from cli.output.render import count, score_text

if TYPE_CHECKING:
    from workers.deep.progress import AtWork, DeepProgress

MAX_SHOWN = 16
"""Pieces at work that are shown to people one by one, at most."""


def as_facts(standing: DeepProgress) -> dict[str, str]:
    """The tree as names and values for people."""
    facts = {
        "score": _score(standing).removeprefix("score "),
        "columns": moves_text(standing),
        "pieces": pieces_text(standing),
    }
    for number, piece in enumerate(standing.at_work[:MAX_SHOWN], start=1):
        facts[f"at work {number}"] = _piece_text(piece)
    left = len(standing.at_work) - MAX_SHOWN
    if left > 0:
        facts["at work"] = f"and {left:,} more"
    return facts


def line_text(standing: DeepProgress, nodes_per_second: float | None) -> str:
    """The tree in one line."""
    parts = [_score(standing), pieces_text(standing)]
    if nodes_per_second is not None:
        parts.append(f"{nodes_per_second / 1e6:,.1f} M nodes/s")
    return ", ".join(parts)


def moves_text(standing: DeepProgress, *, zero_based: bool = False) -> str:
    """What is proven about every column: ``1: -2 or less, 2: -1, 3: ?``."""
    parts = []
    for column, bounds in enumerate(standing.moves):
        if bounds is None:
            continue
        if bounds.lower == bounds.upper:
            text = score_text(bounds.lower)
        elif bounds.lower <= standing.limits.lower and bounds.upper >= standing.limits.upper:
            text = "?"
        elif bounds.lower <= standing.limits.lower:
            text = f"{score_text(bounds.upper)} or less"
        elif bounds.upper >= standing.limits.upper:
            text = f"{score_text(bounds.lower)} or more"
        else:
            text = f"{score_text(bounds.lower)} to {score_text(bounds.upper)}"
        parts.append(f"{column_label(column, zero_based=zero_based)}: {text}")
    return ", ".join(parts)


def pieces_text(standing: DeepProgress) -> str:
    """How many pieces there are in each state."""
    parts = [
        f"{count(standing.decided, 'piece')} proven",
        f"{standing.split:,} split",
        f"{standing.cut:,} cut off",
        f"{standing.queued:,} open",
        f"{len(standing.at_work):,} at work",
    ]
    if standing.failed:
        parts.append(f"{standing.failed:,} failed")
    return ", ".join(parts)


def _score(standing: DeepProgress) -> str:
    lower, upper = score_text(standing.lower), score_text(standing.upper)
    if standing.lower == standing.upper:
        return f"score {lower}"
    asked = "" if standing.asked is None else f", asked: {score_text(standing.asked)} or more?"
    return f"score {lower} to {upper}{asked}"


def _piece_text(piece: AtWork) -> str:
    """A piece: the moves to it, and the score that is asked for its side to move."""
    if piece.columns is None:
        return "no longer wanted"
    return f"{format_moves(piece.columns) or 'the start'}: {score_text(piece.beta)} or more?"
