"""``c4 query``: what the database knows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from cli.output.formats import chosen_format, format_options
from cli.shell import exits, parameters
from cli.shell.commands import Command, refuse

if TYPE_CHECKING:
    from c4core.evaluation import Value
    from c4core.notation import BoardSize
    from cli.shell.parameters import Range
    from cli.shell.settings import Settings
    from db.evaluation_rows import Cursor

TABLE_LIMIT = 50

SHIPPED = "shipped"

EXAMPLES = (
    "c4 query 4453",
    "c4 query --line 445325 --jsonl",
    "c4 query --ply 20 --value win --limit 5",
    "c4 query --ply 8..12 --score 2.. --exact --csv > good.csv",
    "c4 query --count --open",
    "c4 query --book shipped --ply 8 --value draw --count",
)


@click.command(cls=Command, json=False, examples=EXAMPLES)
@click.argument("moves", nargs=-1)
@click.option("--line", is_flag=True, help="All positions along the MOVES, the empty board first.")
@parameters.board_option
@click.option(
    "--book",
    "book_file",
    metavar="FILE",
    help=f'Ask this book and not the database; "{SHIPPED}" is the one that c4 came with.',
)
@click.option("--ply", metavar="N|A..B", callback=parameters.read_range, help="Number of stones.")
@click.option(
    "--score",
    metavar="N|A..B",
    callback=parameters.read_range,
    help="Proven score of the side to move; an end can be left open.",
)
@click.option(
    "--value",
    type=click.Choice(["win", "draw", "loss"]),
    help="Proven outcome of the side to move.",
)
@click.option("--exact/--open", default=None, help="Only exact scores, or only open ones.")
@click.option("--with-scores", is_flag=True, help="Only positions with the scores of all columns.")
@click.option("--count", "only_count", is_flag=True, help="Only write how many there are.")
@click.option(
    "--limit",
    type=parameters.WholeNumber(1),
    metavar="N",
    help=f"At most N positions.  [default: {TABLE_LIMIT} in a table, all otherwise]",
)
@click.option(
    "--after",
    metavar="PLY:KEY",
    callback=parameters.read_cursor,
    help="Go on behind the last position of the page before.",
)
@format_options
@parameters.zero_based_option
@click.pass_context
def query(
    context: click.Context,
    *,
    moves: tuple[str, ...],
    line: bool,
    board: BoardSize,
    book_file: str | None,
    ply: Range | None,
    score: Range | None,
    value: Value | None,
    exact: bool | None,
    with_scores: bool,
    only_count: bool,
    limit: int | None,
    after: Cursor | None,
    format_name: str | None,
    zero_based: bool,
) -> None:
    """Ask the database, or a book, what is known.

    With MOVES: what is known about these positions, or with --line about every position on the way
    there. One that is not stored is shown as such, and the exit code is 1.

    Without: all stored positions that meet the conditions, by ply and key. A position and its
    mirror image are stored as one, without the moves that led to it: shown are its key, which
    "c4 solve -" reads as {"key": KEY}, and in JSON and CSV its grid, in CSV with a "/" between rows
    and "-" for the score of a full column. Columns are those of that image. Ply and key of the last
    position are where --after goes on.
    """
    settings: Settings = context.obj
    conditions = any(item is not None for item in (ply, score, value, exact, limit, after))
    refuse(
        context,
        (bool(moves) and (conditions or with_scores), "conditions and MOVES do not go together"),
        (line and len(moves) != 1, "--line needs one line of MOVES"),
        (only_count and bool(moves), "--count and MOVES do not go together"),
    )
    chosen = chosen_format(settings, format_name)
    from cli.query.rows import write_count, write_matches, write_positions
    from cli.query.sources import source_of

    book = None
    if book_file is not None:
        from cli.book.options import open_book

        if book_file != SHIPPED:
            parameters.check_exists(book_file, option="--book")
        book = open_book(None if book_file == SHIPPED else book_file, board)
    if moves:
        from cli.solve import positions

        asked = positions.from_arguments(moves, board=board, zero_based=zero_based)
        if line:
            refuse(
                context,
                (asked[0].moves is None, "--line needs MOVES: others do not say how it came about"),
            )
            asked = positions.along(asked[0], board=board, zero_based=zero_based)
        with source_of(settings, book) as source:
            if not write_positions(settings, source, asked, chosen, zero_based=zero_based):
                context.exit(exits.PROBLEMS)
        return
    from db.evaluation_rows import EvaluationFilter

    filters = EvaluationFilter(
        board=board,
        min_ply=ply.first if ply else None,
        max_ply=ply.last if ply else None,
        min_score=score.first if score else None,
        max_score=score.last if score else None,
        value=value,
        exact=exact,
        has_scores=with_scores or None,
    )
    with source_of(settings, book) as source:
        if only_count:
            write_count(source, filters, chosen)
            return
        if limit is None and chosen == "table":
            limit = TABLE_LIMIT
        write_matches(
            settings, source, filters, chosen, after=after, limit=limit, zero_based=zero_based
        )
