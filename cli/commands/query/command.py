"""``c4 query``: query the database or a book."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from cli.output import outfile
from cli.output.formats import check_output, chosen_format, opened, table_options
from cli.positions.books import SHIPPED, open_book
from cli.shell import exits, parameters
from cli.shell.commands import Command, join_moves, refuse

if TYPE_CHECKING:
    from c4core.batch import Keys
    from c4core.evaluation import Value
    from c4core.notation import BoardSize
    from cli.shell.parameters import Range
    from cli.shell.settings import Settings
    from db.records.evaluations import Cursor, Order

TABLE_LIMIT = 50

NO_SUCH_POSITION = "No such position is stored."
NONE_OF_JOBS = (
    f"{NO_SUCH_POSITION} Answers from the book are not stored: use c4 jobs results to see them."
)
ADVICE = 'use "c4 solve" to compute it'
ADVICE_WITHOUT_BOOK = 'use "c4 solve --no-book" to compute and store it'
ADVICE_OF_BOOK = 'not in the book; use "c4 solve" to compute it'
"""Advice for unknown MOVES, by the options of the query."""
NOT_STORED = f"{NO_SUCH_POSITION} Positions in the book are not stored: use --book {SHIPPED}."

EXAMPLES = (
    "c4 query 4453",
    "c4 query --line 445325 --jsonl",
    "c4 query --ply 20 --value win --limit 5",
    "c4 query --ply 8..12 --score 2.. --exact --csv > good.csv",
    "c4 query --job 1 --sort score --limit 5",
    "c4 query --ply 20.. --output late.parquet",
    "c4 query --book shipped --ply 8 --value draw --count",
)


@click.command(cls=Command, json=False, examples=EXAMPLES)
@click.argument("moves", nargs=-1)
@click.option("--line", is_flag=True, help="Query all positions along the MOVES, in order.")
@parameters.board_option
@click.option(
    "--book",
    "book_file",
    metavar="FILE",
    help=f'Query this book instead of the database; "{SHIPPED}" is the included one.',
)
@click.option("--no-book", is_flag=True, help="With MOVES: do not query the included book.")
@click.option("--ply", metavar="N|A..B", callback=parameters.read_range, help="Number of stones.")
@click.option(
    "--score",
    metavar="N|A..B",
    callback=parameters.read_range,
    help="Proven score for the side to move; an end can be left open.",
)
@click.option(
    "--value",
    type=click.Choice(["win", "draw", "loss"]),
    help="Proven outcome for the side to move.",
)
@click.option("--exact/--open", default=None, help="Only exact scores, or only unproven ones.")
@click.option("--with-scores", is_flag=True, help="Only positions with the scores of all columns.")
@click.option(
    "--job",
    "jobs",
    type=parameters.WholeNumber(1),
    multiple=True,
    metavar="JOB",
    help='Only stored positions of this job of "c4 analyze"; can be given again. Positions '
    "answered by the book are not stored.",
)
@click.option(
    "--label",
    metavar="TEXT",
    callback=parameters.read_label,
    help="Only stored positions of jobs with this label.",
)
@click.option("--count", "only_count", is_flag=True, help="Write only the number of positions.")
@click.option(
    "--limit",
    type=parameters.WholeNumber(1),
    metavar="N",
    help=f"Write at most N positions.  [default: {TABLE_LIMIT} in a table, all otherwise]",
)
@click.option(
    "--after",
    metavar="PLY:KEY",
    callback=parameters.read_cursor,
    help="Continue after this position, the last one of the previous page.",
)
@click.option(
    "--sort",
    "order",
    type=click.Choice(["ply", "score", "nodes", "updated"]),
    default="ply",
    show_default=True,
    help="Sort by this, then by ply and key.",
)
@click.option("--desc", is_flag=True, help="Sort the largest first.")
@click.option("--boards", is_flag=True, help="Draw the boards.")
@table_options
@outfile.output_option
@parameters.zero_based_option
@click.pass_context
def query(
    context: click.Context,
    *,
    moves: tuple[str, ...],
    line: bool,
    board: BoardSize,
    book_file: str | None,
    no_book: bool,
    ply: Range | None,
    score: Range | None,
    value: Value | None,
    exact: bool | None,
    with_scores: bool,
    jobs: tuple[int, ...],
    label: str | None,
    only_count: bool,
    limit: int | None,
    after: Cursor | None,
    order: Order,
    desc: bool,
    boards: bool,
    format_name: str | None,
    output: str | None,
    zero_based: bool,
) -> None:
    """Query known positions in the database or a book.

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
    given = {
        "--ply": ply is not None,
        "--score": score is not None,
        "--value": value is not None,
        "--exact" if exact else "--open": exact is not None,
        "--with-scores": with_scores,
        "--job": bool(jobs),
        "--label": label is not None,
        "--limit": limit is not None,
        "--after": after is not None,
        "--sort": order != "ply",
        "--desc": desc,
        "--count": only_count,
    }
    conditions = [name for name, is_given in given.items() if is_given]
    sorted_otherwise = order != "ply" or desc
    refuse(
        context,
        (
            bool(moves) and bool(conditions),
            f"{next(iter(conditions), '')} and MOVES cannot be used together",
        ),
        (no_book and not moves, "--no-book needs MOVES: conditions query only the database"),
        (no_book and book_file is not None, "--book and --no-book cannot be used together"),
        (
            book_file is not None and (bool(jobs) or label is not None or sorted_otherwise),
            "--job, --label, --sort and --desc cannot be used with --book",
        ),
        (after is not None and sorted_otherwise, "--after cannot be used with --sort or --desc"),
        (
            only_count and (limit is not None or after is not None or sorted_otherwise),
            "--count cannot be used with --limit, --after, --sort or --desc",
        ),
    )
    if line and len(moves) != 1:
        one = join_moves(moves, board, zero_based=zero_based)
        hint = f". For one position: {context.command_path} --line {one}" if one else ""
        raise click.UsageError(f"--line needs exactly one argument MOVES{hint}", context)
    chosen = chosen_format(settings, format_name, output)
    refuse(
        context,
        (boards and only_count, "--boards and --count cannot be used together"),
        (boards and chosen != "table", "--boards needs the table format"),
    )
    check_output(context, chosen, output)
    from cli.commands.query.rows import (
        look_up,
        source_of,
        write_count,
        write_matches,
        write_positions,
    )
    from workers.answers.question import shipped_book

    book = None
    if book_file is not None:
        if book_file != SHIPPED:
            parameters.check_exists(book_file, option="--book")
        book = open_book(None if book_file == SHIPPED else book_file, board)
    if moves:
        from cli.positions import given as positions

        positions.hint_at_one(context, moves, board, zero_based=zero_based)
        asked = positions.from_arguments(moves, board=board, zero_based=zero_based)
        if line:
            refuse(
                context,
                (asked[0].moves is None, "--line needs MOVES, not a key or a grid"),
            )
            asked = positions.along(asked[0], board=board, zero_based=zero_based)
        known = look_up(
            settings,
            [request.position for request in asked],
            book=book or (None if no_book else shipped_book(board)),
            ask_database=book is None,
        )
        with opened(output, chosen) as target:
            is_known = write_positions(
                settings,
                asked,
                known,
                chosen,
                zero_based=zero_based,
                shows_boards=boards,
                advice=_advice(of_book=book is not None, no_book=no_book),
                target=target,
            )
        if not is_known:
            context.exit(exits.PROBLEMS)
        return
    from db.records.evaluations import EvaluationFilter

    if jobs or label is not None:
        nothing = NONE_OF_JOBS
    elif book or not shipped_book(board):
        nothing = NO_SUCH_POSITION
    else:
        nothing = NOT_STORED
    filters = EvaluationFilter(
        board=board,
        min_ply=ply.first if ply else None,
        max_ply=ply.last if ply else None,
        min_score=score.first if score else None,
        max_score=score.last if score else None,
        value=value,
        exact=exact,
        has_scores=with_scores or None,
        keys=_keys_of_jobs(settings, jobs, label, board),
    )
    with source_of(settings, book) as source, opened(output, chosen) as target:
        if only_count:
            write_count(source.count(filters), chosen, target)
        else:
            most = TABLE_LIMIT if limit is None and chosen == "table" else limit
            one_more = None if most is None else most + 1
            write_matches(
                settings,
                source.stream(filters, after=after, order=order, descending=desc, limit=one_more),
                board,
                chosen,
                limit=most,
                has_pages=not sorted_otherwise,
                zero_based=zero_based,
                shows_boards=boards,
                nothing=nothing,
                target=target,
            )


def _advice(*, of_book: bool, no_book: bool) -> str:
    """Advice on unknown positions; "c4 solve" does not store answers from a book."""
    if of_book:
        return ADVICE_OF_BOOK
    return ADVICE_WITHOUT_BOOK if no_book else ADVICE


def _keys_of_jobs(
    settings: Settings, jobs: tuple[int, ...], label: str | None, board: BoardSize
) -> Keys | None:
    """The canonical keys of the positions of jobs; None without jobs."""
    if not jobs and label is None:
        return None
    import numpy as np

    from db.errors import JobStateError
    from workers.analyze.job import asked_keys, keys_of_label

    with settings.open_database() as database:
        try:
            chosen = [asked_keys(database, job, board) for job in jobs]
        except JobStateError as error:  # jobs of this kind have no such positions
            raise click.BadParameter(str(error), param_hint="'--job'") from None
        if label is not None:
            chosen.append(keys_of_label(database, label, board))
    return np.unique(np.concatenate(chosen))
