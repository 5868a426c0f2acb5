"""``c4 query``: query the database."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import click

from c4core.evaluation import final_score
from c4core.notation import column_label
from c4core.version import ENGINE_VERSION
from cli.output.formats import (
    Column,
    check_output,
    chosen_format,
    opened,
    output_file,
    table_formats,
    write_object,
    write_rows,
)
from cli.positions.given import along, from_arguments, hint_at_one
from cli.shell import parameters
from cli.shell.commands import Command, join_moves, refuse
from cli.shell.parameters import argument, choice, flag, number, option, takes
from cli.shell.process import Exit, echo
from db.records.evaluations import EvaluationFilter, StoredEvaluation
from workers.answers.lines import stored_object
from workers.answers.question import shipped_book

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from c4core.book import Book
    from c4core.evaluation import Value
    from c4core.lines import Request
    from c4core.notation import BoardSize
    from c4core.position import Position
    from cli.output.formats import Format, Row
    from cli.shell.parameters import Range
    from cli.shell.settings import Settings

TABLE_LIMIT = 50

NO_SUCH_POSITION = "No such position is stored."
ADVICE = 'use "c4 solve" to compute it'
ADVICE_WITHOUT_BOOK = 'use "c4 solve --no-book" to compute and store it'
"""Advice for unknown MOVES, by the options of the query."""
NOT_STORED = f"{NO_SUCH_POSITION} Positions in the book are not stored: use c4 book export."

EXAMPLES = (
    "c4 query 4453",
    "c4 query --line 445325 --jsonl",
    "c4 query --ply 20 --value win --limit 5",
    "c4 query --ply 8..12 --score 2.. --exact --csv > good.csv",
    "c4 query --ply 20.. --output late.parquet",
)


@dataclass(frozen=True, kw_only=True)
class Given:
    """Parameters of ``c4 query``."""

    moves: tuple[str, ...] = argument(nargs=-1)
    line: bool = flag("Query all positions along the MOVES, in order.")
    board: BoardSize = parameters.board()
    no_book: bool = flag("With MOVES: do not query the included book.")
    ply: Range | None = option("Number of stones.", metavar="N|A..B", read=parameters.read_range)
    score: Range | None = option(
        "Proven score for the side to move; an end can be left open.",
        metavar="N|A..B",
        read=parameters.read_range,
    )
    value: Value | None = choice(["win", "draw", "loss"], "Proven outcome for the side to move.")
    exact: bool | None = option(
        "Only exact scores, or only unproven ones.", "--exact/--open", default=None
    )
    with_scores: bool = flag("Only positions with the scores of all columns.")
    only_count: bool = flag("Write only the number of positions.", "--count")
    limit: int | None = number(
        parameters.WholeNumber(1),
        f"Write at most N positions.  [default: {TABLE_LIMIT} in a table, all otherwise]",
    )
    format_name: str | None = table_formats()
    output: str | None = output_file()
    zero_based: bool = parameters.zero_based()


@click.command(cls=Command, json=False, examples=EXAMPLES)
@takes(Given)
@click.pass_context
def query(context: click.Context, given: Given) -> None:
    """Query known positions in the database.

    With MOVES: show these positions, or with --line every position on the way there. The included
    book is queried first, then the database. Unknown positions are marked, and the exit code is 1.

    Without MOVES: show all stored positions that meet the conditions, by ply and key. A position
    and its mirror image are stored as one, without the moves that led to it. Columns refer to the
    stored image. Use the key with "c4 solve --key". JSON, CSV and Parquet also have the grid. CSV
    has "/" between rows and "-" for the score of a full column.

    --output writes a file; its ending selects the format: .csv, .json, .jsonl or .parquet.
    """
    settings: Settings = context.obj
    conditions_given = {
        "--ply": given.ply is not None,
        "--score": given.score is not None,
        "--value": given.value is not None,
        "--exact" if given.exact else "--open": given.exact is not None,
        "--with-scores": given.with_scores,
        "--limit": given.limit is not None,
        "--count": given.only_count,
    }
    conditions = [name for name, is_given in conditions_given.items() if is_given]
    refuse(
        (
            bool(given.moves) and bool(conditions),
            f"{next(iter(conditions), '')} and MOVES cannot be used together",
        ),
        (
            given.no_book and not given.moves,
            "--no-book needs MOVES: conditions query only the database",
        ),
        (
            given.only_count and given.limit is not None,
            "--count cannot be used with --limit",
        ),
    )
    if given.line and len(given.moves) != 1:
        one = join_moves(given.moves, given.board, zero_based=given.zero_based)
        hint = f". For one position: {context.command_path} --line {one}" if one else ""
        raise click.UsageError(f"--line needs exactly one argument MOVES{hint}", context)
    chosen = chosen_format(settings, given.format_name, given.output)
    check_output(chosen, given.output)
    if given.moves:
        asked = _asked(given)
        known = _look_up(settings, asked, None if given.no_book else shipped_book(given.board))
        with opened(given.output, chosen) as target:
            _write_positions(chosen, asked, known, target, zero_based=given.zero_based)
        missing = sum(request.position.canonical_key not in known for request in asked)
        if missing:
            advice = ADVICE_WITHOUT_BOOK if given.no_book else ADVICE
            settings.say(f"{missing:,} of {len(asked):,} not known: {advice}")
            raise click.exceptions.Exit(Exit.PROBLEMS)
        return

    filters = EvaluationFilter(
        board=given.board,
        min_ply=given.ply.first if given.ply else None,
        max_ply=given.ply.last if given.ply else None,
        min_score=given.score.first if given.score else None,
        max_score=given.score.last if given.score else None,
        value=given.value,
        exact=given.exact,
        has_scores=given.with_scores or None,
    )
    from db import evaluations

    with (
        settings.open_database() as database,
        database.read() as session,
        opened(given.output, chosen) as target,
    ):
        if given.only_count:
            _write_count(evaluations.count(session, filters), chosen, target)
            return
        most = TABLE_LIMIT if given.limit is None and chosen == "table" else given.limit
        one_more = None if most is None else most + 1
        found = evaluations.stream(
            session,
            filters,
            limit=one_more,
        )
        rows = (
            stored_object(stored, zero_based=given.zero_based) for stored in islice(found, most)
        )
        columns = _columns(given.board.width, zero_based=given.zero_based)
        written = write_rows(rows, chosen, columns, names=ROW_NAMES, target=target)
        has_more = next(found, None) is not None
    if not written:
        settings.say(NOT_STORED if shipped_book(given.board) is not None else NO_SUCH_POSITION)
    elif has_more:
        settings.say(f"There are more than {most:,}: --limit N writes more")


def _asked(given: Given) -> list[Request]:
    """Read MOVES; with ``--line``, add every position on the way there."""
    where: dict[str, Any] = {"board": given.board, "zero_based": given.zero_based}
    hint_at_one(given.moves, **where)
    asked = from_arguments(given.moves, **where)
    if not given.line:
        return asked
    refuse((asked[0].moves is None, "--line needs MOVES, not a key or a grid"))
    return along(asked[0], **where)


class _Known(NamedTuple):
    """The facts about a position, and their source."""

    row: StoredEvaluation
    source: str


def _look_up(settings: Settings, asked: Sequence[Request], book: Book | None) -> dict[int, _Known]:
    """Look up positions of one board; the result is by canonical key.

    Games that are over are scored by the rules. The book is queried next. The database is opened
    only if the book does not have all other positions.
    """
    positions = {request.position.canonical_key: request.position for request in asked}
    found = {
        key: _Known(_ended(position), "search")
        for key, position in positions.items()
        if position.is_over
    }
    if book is not None:
        from workers.book import reading

        rows = reading.lookup(book, sorted(positions.keys() - found.keys()))
        found |= {key: _Known(row, "book") for key, row in rows.items()}
    missing = sorted(positions.keys() - found.keys())
    if missing:
        from db import evaluations

        with settings.open_database() as database, database.read() as session:
            rows = evaluations.lookup(session, asked[0].position.board, missing)
        found |= {key: _Known(row, "db") for key, row in rows.items()}
    return found


def _ended(position: Position) -> StoredEvaluation:
    """The score of a game that is over, by the rules; it is never stored."""
    score = final_score(position)
    return StoredEvaluation(
        key=position.canonical_key,
        width=position.width,
        height=position.height,
        ply=position.ply,
        lower=score,
        upper=score,
        nodes=0,
        engine_version=ENGINE_VERSION,
    )


ROW_NAMES = (
    "board",
    "ply",
    "key",
    "side",
    "score",
    "lower",
    "upper",
    "value",
    "plies",
    "scores",
    "best",
    "nodes",
    "grid",
)
"""The fields of :func:`workers.answers.lines.stored_object`."""

WIDEST_MOVES = 20
"""Maximum width of the moves column; longer moves push the rest of the row to the right."""


def _write_count(number: int, format_name: Format, target: IO[Any] | None) -> None:
    """Write the number of matching positions; for people the number alone."""
    if format_name == "json":
        write_object({"count": number}, target)
    elif format_name == "table":
        echo(str(number))
    else:
        write_rows([{"count": number}], format_name, (), names=("count",), target=target)


def _write_positions(
    format_name: Format,
    asked: Sequence[Request],
    known: Mapping[int, _Known],
    target: IO[Any] | None,
    *,
    zero_based: bool,
) -> None:
    """Write the known facts about positions, in order; ``known`` is by canonical key."""
    rows = (
        _asked_row(request, known.get(request.position.canonical_key), zero_based=zero_based)
        for request in asked
    )
    shown = max(5, *(len(request.moves or "") for request in asked))
    moves = Column("moves", min(shown, WIDEST_MOVES), lambda row: row["moves"] or "-")
    columns = _columns(asked[0].position.width, zero_based=zero_based)
    names = ("moves", "stored", "source", *ROW_NAMES)
    write_rows(rows, format_name, [moves, *columns[:-1]], names=names, target=target)


def _asked_row(request: Request, known: _Known | None, *, zero_based: bool) -> Row:
    position = request.position
    if known is not None:
        mirrored = position.key != position.canonical_key
        row = stored_object(known.row, mirrored=mirrored, zero_based=zero_based)
    else:
        row = dict.fromkeys(ROW_NAMES) | {
            "board": str(position.board),
            "ply": position.ply,
            "key": position.canonical_key,
            "side": position.turn,
            "grid": str(position),
        }
    source = None if known is None else known.source
    return {"moves": request.moves, "stored": known is not None, "source": source, **row}


def _columns(width: int, *, zero_based: bool) -> tuple[Column, ...]:
    """The table for people; with seven columns it fits into 80 characters."""
    from cli.output.render import score_style

    labels = (column_label(column, zero_based=zero_based) for column in range(width))
    heading = "".join(f"{label:>4}" for label in labels)
    return (
        Column("ply", 3, lambda row: str(row["ply"]), right=True),
        Column("side", 4, lambda row: row["side"]),
        Column("score", 8, _score, right=True, style=lambda row: score_style(row["score"])),
        Column(
            "to end", 6, lambda row: "-" if row["plies"] is None else str(row["plies"]), right=True
        ),
        Column(heading, 4 * width, _scores),
        Column("key", 1, lambda row: str(row["key"])),
    )


def _score(row: Row) -> str:
    from cli.output.render import score_text

    if row["score"] is not None:
        return score_text(row["score"])
    if row["lower"] is None:
        return "unknown"
    return f"{score_text(row['lower'])}..{score_text(row['upper'])}"  # words: ok


def _scores(row: Row) -> str:
    from cli.output.render import score_text

    return "".join(f"{score_text(score):>4}" for score in row["scores"] or ())
