"""``c4 query``: query the database."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import click

from c4core.evaluation import exact_bounds, final_score
from c4core.notation import column_label, parse_board
from c4core.position import Position
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
from cli.shell.options import argument, choice, flag, number, option, takes
from cli.shell.process import Exit, echo
from db.errors import JobStateError
from db.records.evaluations import Cursor, EvaluationFilter, StoredEvaluation
from workers.answers.lines import stored_object
from workers.answers.question import shipped_book
from workers.text import count, printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from c4core.batch import Keys
    from c4core.book import Book
    from c4core.evaluation import Value
    from c4core.lines import Request
    from c4core.notation import BoardSize
    from cli.output.formats import Format, Row
    from cli.shell.parameters import Range
    from cli.shell.settings import Settings
    from db.records.evaluations import Order

TABLE_LIMIT = 50

NO_SUCH_POSITION = "No such position is stored."
NONE_OF_JOBS = (
    f"{NO_SUCH_POSITION} Answers from the book are not stored: use c4 jobs results to see them."
)
ADVICE = 'use "c4 solve" to compute it'
ADVICE_WITHOUT_BOOK = 'use "c4 solve --no-book" to compute and store it'
"""Advice for unknown MOVES, by the options of the query."""
NOT_STORED = f"{NO_SUCH_POSITION} Positions in the book are not stored: use c4 book export."

EXAMPLES = (
    "c4 query 4453",
    "c4 query --line 445325 --jsonl",
    "c4 query --ply 20 --value win --limit 5",
    "c4 query --ply 8..12 --score 2.. --exact --csv > good.csv",
    "c4 query --job 1 --sort score --limit 5",
    "c4 query --ply 20.. --output late.parquet",
)


def read_cursor(text: str) -> Cursor:
    """Parse the last position of the previous page: ``PLY:KEY``."""
    cursor = Cursor.parse(text)
    if cursor.ply > parameters.LARGEST_IN_RANGE:
        raise ValueError(f"no position has {cursor.ply} stones")
    return cursor


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
    jobs: tuple[int, ...] = number(
        parameters.WholeNumber(1),
        'Only stored positions of this job of "c4 analyze"; can be given again. Positions '
        "answered by the book are not stored.",
        "--job",
        multiple=True,
        metavar="JOB",
    )
    label: str | None = option(
        "Only stored positions of jobs with this label.",
        metavar="TEXT",
        read=parameters.read_label,
    )
    only_count: bool = flag("Write only the number of positions.", "--count")
    limit: int | None = number(
        parameters.WholeNumber(1),
        f"Write at most N positions.  [default: {TABLE_LIMIT} in a table, all otherwise]",
    )
    after: Cursor | None = option(
        "Continue after this position, the last one of the previous page.",
        metavar="PLY:KEY",
        read=read_cursor,
    )
    order: Order = choice(
        ["ply", "score", "nodes", "updated"],
        "Sort by this, then by ply and key.",
        "--sort",
        default="ply",
    )
    desc: bool = flag("Sort the largest first.")
    boards: bool = flag("Draw the boards.")
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
    has "/" between rows and "-" for the score of a full column. --after takes ply and key of the
    last position.

    --output writes a file; its ending selects the format: .csv, .json, .jsonl or .parquet.
    """
    settings: Settings = context.obj
    conditions_given = {
        "--ply": given.ply is not None,
        "--score": given.score is not None,
        "--value": given.value is not None,
        "--exact" if given.exact else "--open": given.exact is not None,
        "--with-scores": given.with_scores,
        "--job": bool(given.jobs),
        "--label": given.label is not None,
        "--limit": given.limit is not None,
        "--after": given.after is not None,
        "--sort": given.order != "ply",
        "--desc": given.desc,
        "--count": given.only_count,
    }
    conditions = [name for name, is_given in conditions_given.items() if is_given]
    sorted_otherwise = given.order != "ply" or given.desc
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
            given.after is not None and sorted_otherwise,
            "--after cannot be used with --sort or --desc",
        ),
        (
            given.only_count
            and (given.limit is not None or given.after is not None or sorted_otherwise),
            "--count cannot be used with --limit, --after, --sort or --desc",
        ),
    )
    if given.line and len(given.moves) != 1:
        one = join_moves(given.moves, given.board, zero_based=given.zero_based)
        hint = f". For one position: {context.command_path} --line {one}" if one else ""
        raise click.UsageError(f"--line needs exactly one argument MOVES{hint}", context)
    chosen = chosen_format(settings, given.format_name, given.output)
    refuse(
        (given.boards and given.only_count, "--boards and --count cannot be used together"),
        (given.boards and chosen != "table", "--boards needs the table format"),
    )
    check_output(chosen, given.output)

    form = _Form(format=chosen, zero_based=given.zero_based, draws=given.boards)
    if given.moves:
        asked = _asked(given)
        known = _look_up(settings, asked, None if given.no_book else shipped_book(given.board))
        with opened(given.output, chosen) as target:
            _write_positions(form, asked, known, target)
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
        keys=_keys_of_jobs(settings, given),
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
            after=given.after,
            order=given.order,
            descending=given.desc,
            limit=one_more,
        )
        last = _write_matches(form, islice(found, most), given.board, target)
        has_more = next(found, None) is not None
    if last is None and (given.jobs or given.label is not None):
        settings.say(NONE_OF_JOBS)
    elif last is None:
        settings.say(NOT_STORED if shipped_book(given.board) is not None else NO_SUCH_POSITION)
    elif has_more:
        where = " than --limit shows" if sorted_otherwise else f": --after {last}"
        settings.say(f"There are more{where}")


def _asked(given: Given) -> list[Request]:
    """Read MOVES; with ``--line``, add every position on the way there."""
    where: dict[str, Any] = {"board": given.board, "zero_based": given.zero_based}
    hint_at_one(given.moves, **where)
    asked = from_arguments(given.moves, **where)
    if not given.line:
        return asked
    refuse((asked[0].moves is None, "--line needs MOVES, not a key or a grid"))
    return along(asked[0], **where)


def _keys_of_jobs(settings: Settings, given: Given) -> Keys | None:
    """The canonical keys of the positions of jobs; None without jobs."""
    if not given.jobs and given.label is None:
        return None
    import numpy as np

    from workers.analyze.job import asked_keys, keys_of_label

    with settings.open_database() as database:
        try:
            chosen = [asked_keys(database, job, given.board) for job in given.jobs]
        except JobStateError as error:  # jobs of this kind have no such positions
            raise click.BadParameter(str(error), param_hint="'--job'") from None
        if given.label is not None:
            chosen.append(keys_of_label(database, given.label, given.board))
    return np.unique(np.concatenate(chosen))


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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Form:
    """The form in which positions are written."""

    format: Format
    zero_based: bool
    draws: bool
    """Whether to draw boards instead of a table."""


def _write_count(number: int, format_name: Format, target: IO[Any] | None) -> None:
    """Write the number of matching positions; for people the number alone."""
    if format_name == "json":
        write_object({"count": number}, target)
    elif format_name == "table":
        echo(str(number))
    else:
        write_rows([{"count": number}], format_name, (), names=("count",), target=target)


def _write_matches(
    form: _Form, found: Iterator[StoredEvaluation], board: BoardSize, target: IO[Any] | None
) -> Cursor | None:
    """Write matching positions; return the place of the last one."""
    last: Cursor | None = None

    def rows() -> Iterator[Row]:
        nonlocal last
        for stored in found:
            last = Cursor(stored.ply, stored.key)
            yield stored_object(stored, zero_based=form.zero_based)

    _write(form, rows(), _columns(board.width, zero_based=form.zero_based), ROW_NAMES, target)
    return last


def _write_positions(
    form: _Form,
    asked: Sequence[Request],
    known: Mapping[int, _Known],
    target: IO[Any] | None,
) -> None:
    """Write the known facts about positions, in order; ``known`` is by canonical key."""
    rows = (
        _asked_row(request, known.get(request.position.canonical_key), zero_based=form.zero_based)
        for request in asked
    )
    shown = max(5, *(len(request.moves or "") for request in asked))
    moves = Column("moves", min(shown, WIDEST_MOVES), lambda row: row["moves"] or "-")
    columns = _columns(asked[0].position.width, zero_based=form.zero_based)
    _write(form, rows, [moves, *columns[:-1]], ("moves", "stored", "source", *ROW_NAMES), target)


def _write(
    form: _Form,
    rows: Iterator[Row],
    columns: Sequence[Column],
    names: Sequence[str],
    target: IO[Any] | None,
) -> None:
    if form.draws:
        _write_boards(rows, zero_based=form.zero_based)
    else:
        write_rows(rows, form.format, columns, names=names, target=target)


def _write_boards(rows: Iterator[Row], *, zero_based: bool) -> None:
    """Draw every row's board, with the columns' scores and the facts below it."""
    from rich.text import Text

    from cli.output import render

    out = render.console()
    for place, row in enumerate(rows):
        if place:
            out.print()
        if row.get("moves"):
            out.print(Text(printable(row["moves"]), style="bold"))
        board = parse_board(row["board"])
        position = Position.from_grid(row["grid"], width=board.width, height=board.height)
        known = None if row["scores"] is None else exact_bounds(row["scores"])
        out.print(render.board(position, known, zero_based=zero_based))
        to_move = "the game is over" if position.is_over else f"{row['side']} to move"
        facts = [to_move, f"score {_score(row)}"]
        if row["plies"]:
            facts.append(f"over in {count(row['plies'], 'move')}")
        out.print(", ".join((*facts, f"key {row['key']}")))


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
