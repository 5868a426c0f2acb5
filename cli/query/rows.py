"""What ``c4 query`` reads and how it shows it."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import click

from c4core.evaluation import plies_to_end
from c4core.notation import column_label
from c4core.position import Position
from cli.output.formats import Column, write_object, write_rows
from cli.output.render import score_style, score_text
from db.evaluation_rows import Cursor

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from c4core.lines import Request
    from cli.output.formats import Format, Row
    from cli.query.sources import Source
    from cli.shell.settings import Settings
    from db.evaluation_rows import EvaluationFilter, StoredEvaluation

WIDEST_MOVES = 20
"""Longer moves push the rest of their row to the right."""


def write_count(source: Source, filters: EvaluationFilter, format_name: Format) -> None:
    """Write how many positions meet the conditions: for people the number alone."""
    number = source.count(filters)
    if format_name == "json":
        write_object({"count": number})
    elif format_name == "table":
        click.echo(number)
    else:
        write_rows([{"count": number}], format_name, ())


def write_matches(
    settings: Settings,
    source: Source,
    filters: EvaluationFilter,
    format_name: Format,
    *,
    after: Cursor | None,
    limit: int | None,
    zero_based: bool,
) -> None:
    """Write the positions that meet the conditions, and tell where the next page begins."""
    last: StoredEvaluation | None = None
    more = False
    found = source.stream(filters, after)

    def rows() -> Iterator[Row]:
        nonlocal last, more
        for stored in islice(found, limit):
            last = stored
            yield as_row(stored, zero_based=zero_based)
        more = limit is not None and next(found, None) is not None

    write_rows(rows(), format_name, _columns(filters.board.width, zero_based=zero_based))
    if last is None:
        settings.say("No such position is stored.")
    elif more:
        settings.say(f"There are more: --after {Cursor(last.ply, last.key)}")


def write_positions(
    settings: Settings,
    source: Source,
    asked: Sequence[Request],
    format_name: Format,
    *,
    zero_based: bool,
) -> bool:
    """Write what is known about positions, in their order. Whether all of them are known."""
    board = asked[0].position.board
    keys = [request.position.canonical_key for request in asked]
    known = source.lookup(board, keys)
    rows = (
        _asked_row(request, known.get(key), zero_based=zero_based)
        for request, key in zip(asked, keys, strict=True)
    )
    shown = max(5, *(len(request.moves or "") for request in asked))
    moves = Column("moves", min(shown, WIDEST_MOVES), lambda row: row["moves"] or "-")
    columns = _columns(board.width, zero_based=zero_based)
    write_rows(rows, format_name, [moves, *columns[:-1]])
    missing = sum(key not in known for key in keys)
    if missing:
        settings.say(f"{missing:,} of {len(keys):,} not stored: c4 solve finds out")
    return not missing


def as_row(stored: StoredEvaluation, *, mirrored: bool = False, zero_based: bool = False) -> Row:
    """A stored evaluation as a row.

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


def _asked_row(request: Request, stored: StoredEvaluation | None, *, zero_based: bool) -> Row:
    position = request.position
    if stored is not None:
        mirrored = position.key != position.canonical_key
        row = as_row(stored, mirrored=mirrored, zero_based=zero_based)
    else:
        names = ("score", "lower", "upper", "value", "plies", "scores", "best", "nodes")
        row = {
            "board": str(position.board),
            "ply": position.ply,
            "key": position.canonical_key,
            "side": position.turn,
            **dict.fromkeys(names),
            "grid": str(position),
        }
    return {"moves": request.moves, "stored": stored is not None, **row}


def _columns(width: int, *, zero_based: bool) -> tuple[Column, ...]:
    """The table for people; for seven columns it fits into 80 characters."""
    labels = (column_label(column, zero_based=zero_based) for column in range(width))
    heading = "".join(f"{label:>4}" for label in labels)
    return (
        Column("ply", 3, lambda row: str(row["ply"]), right=True),
        Column("side", 4, lambda row: row["side"]),
        Column("score", 8, _score, right=True, style=lambda row: score_style(row["score"])),
        Column("plies", 5, lambda row: _dash(row["plies"]), right=True),
        Column(heading, 4 * width, _scores),
        Column("key", 1, lambda row: str(row["key"])),
    )


def _dash(value: object) -> str:
    return "-" if value is None else str(value)


def _score(row: Row) -> str:
    if row["score"] is not None:
        return score_text(row["score"])
    if row["lower"] is None:
        return "unknown"
    return f"{score_text(row['lower'])}..{score_text(row['upper'])}"


def _scores(row: Row) -> str:
    if row["scores"] is None:
        return ""
    return "".join(f"{score_text(score):>4}" for score in row["scores"])
