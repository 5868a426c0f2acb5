"""``c4 review``: where games went wrong."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Final

import click

from cli.output import picture_files
from cli.review.naming import STDIN, read_names
from cli.shell import exits, parameters
from cli.shell.commands import Command, refuse
from cli.work.detaching import detach_option

if TYPE_CHECKING:
    from collections.abc import Iterable

    from c4core.lines import BadLine
    from c4core.notation import BoardSize
    from cli.shell.settings import Settings
    from workers.matches.reviews.reviewed import Review

EXAMPLES: Final = (
    "c4 review 44444432651631235357535",
    "c4 review 1:0 --plot review.svg",
    "c4 games export 1 | c4 review - --summary",
    "c4 review games.jsonl --format csv > moves.csv",
    "c4 review games.jsonl --detach",
)


@click.command(cls=Command, broker=True, examples=EXAMPLES)
@click.argument("games", metavar="GAME...", nargs=-1)
@parameters.board_option
@click.option("--boards", is_flag=True, help="Draw the board before every move.")
@click.option("--summary", is_flag=True, help="A line for each game, for many games.")
@click.option(
    "--format",
    "format_name",
    type=click.Choice(["text", "json", "csv"]),
    help="text for people, JSON with an object for each game, or CSV with a row for each move.",
)
@picture_files.plot_option(
    "Draw the game, with its turning points, into this .svg or .png; can be given again."
)
@click.option(
    "--time-limit",
    type=parameters.FiniteFloat(0),
    metavar="SECONDS",
    help="Time for each game; moves that are not judged by then stay open.",
)
@click.option("--no-store", is_flag=True, help="Use no database: look nothing up, keep nothing.")
@parameters.label_option("the job.")
@detach_option("Of many games: only make the job that finds the scores, and write its number.")
@parameters.threads_option
@parameters.table_option
@click.pass_context
def review(
    context: click.Context,
    *,
    games: tuple[str, ...],
    board: BoardSize,
    boards: bool,
    summary: bool,
    format_name: str | None,
    plots: tuple[str, ...],
    time_limit: float | None,
    no_store: bool,
    label: str | None,
    detach: bool,
    threads: int | None,
    table_mb: int,
) -> None:
    """Review games move by move, against exact scores.

    A GAME is its moves, as in 4453, or the MATCH:NUMBER of a stored one, or a file, or - for
    standard input. A file has a game a line: moves, the objects of "c4 games export", or a table
    (CSV) with the heading "moves". A file without a dot in its name is written ./name.

    "before" is the score of the best column and "after" that of the played one, both for the side
    that moved; "lost" is the difference. "??" changed the result, "?" wins later or loses sooner
    than it had to, "!" was the only move that kept the result, where that was not obvious.

    "kept" is the percentage of a side's moves that kept the result, of those that could have lost
    it; "best" is that of the moves that no column was better than, of those where one was worse.

    What is stored, or in the book that came with c4, is not searched. For the games of a file a job
    finds the other scores, as of "c4 analyze": interrupted with Ctrl-C, the same command goes on.
    With --broker workers do it.
    """
    settings: Settings = context.obj
    chosen = format_name or ("json" if settings.json else "text")
    refuse(
        context,
        (not games, "no game: give its moves, MATCH:NUMBER, a file, or - for standard input"),
        (games.count(STDIN) > 1, "- can be given once"),
        (summary and boards, "--summary has no boards"),
        (summary and chosen != "text", "--summary is text for people"),
        (boards and chosen != "text", "--boards is text for people"),
        (detach and no_store, "a detached job needs the database"),
        (detach and time_limit is not None, "a detached job has no time limit"),
        (detach and bool(plots), "a detached job draws nothing"),
    )
    picture_files.check(plots)
    named = read_names(context, games)
    refuse(context, (named.has_stored and no_store, "a stored game needs the database"))

    from cli.review import working
    from cli.review.naming import read_games
    from cli.work.backend import Backend

    with ExitStack() as stack:
        database = None
        if not no_store:
            database = stack.enter_context(settings.open_database(create=not named.has_stored))
        found = read_games(named, board, database)
        refuse(context, (bool(plots) and len(found.games) != 1, "--plot draws one game"))
        backend = Backend.found(settings, threads=threads, table_mb=table_mb)
        if database is not None and detach:
            working.leave_job(settings, database, found, label, backend)
            return
        is_large = named.has_files or backend.doorbell is not None
        reviews: Iterable[Review | BadLine]
        if database is not None and is_large and time_limit is None:
            reviews = working.by_job(settings, database, found, label, backend)
        else:
            reviews = stack.enter_context(working.direct(database, found, backend, time_limit))
        if plots:
            reviews = list(reviews)
        _write(reviews, chosen, boards=boards, summary=summary)
        for name in plots:
            _draw(reviews, name)
    if len(found.games) < len(found.entries):
        context.exit(exits.PROBLEMS)


def _write(
    reviews: Iterable[Review | BadLine], format_name: str, *, boards: bool, summary: bool
) -> None:
    from cli.review import writing

    if format_name == "json":
        writing.write_json(reviews)
    elif format_name == "csv":
        writing.write_csv(reviews)
    elif summary:
        writing.write_summary(reviews)
    else:
        writing.write_text(reviews, boards=boards)


def _draw(reviews: Iterable[Review | BadLine], name: str) -> None:
    """Draw the only game."""
    from workers.matches.reviews.reviewed import Review

    for review in reviews:
        if isinstance(review, Review):
            picture_files.draw(name, review.picture())
