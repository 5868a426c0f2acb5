"""``c4 book verify``: is everything in a book right?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from cli.positions import books as options
from cli.shell import echo, exits, parameters
from cli.shell.commands import Command

if TYPE_CHECKING:
    from c4core.book import Book
    from c4core.book.verify import BookVerification
    from cli.shell.settings import Settings

EXAMPLES = (
    "c4 book verify small.c4book",
    "c4 book verify small.c4book --sample 1000 --seed 7 --json",
)


@click.command(cls=Command, database=False, examples=EXAMPLES)
@options.book_argument
@click.option(
    "--sample",
    type=parameters.WholeNumber(0),
    metavar="N",
    default=100,
    show_default=True,
    help="Positions to solve again.",
)
@click.option(
    "--seed",
    type=int,
    metavar="N",
    default=1,
    show_default=True,
    help="Chooses which: the same number, the same positions.",
)
@parameters.threads_option
@click.pass_context
def verify(
    context: click.Context, *, file: str | None, sample: int, seed: int, threads: int | None
) -> None:
    """Check a book, by default the one that came with c4.

    Every byte is compared with the checksums, every score with those of the positions that follow,
    and some positions, chosen at random, with a search without the book. What is wrong is listed,
    and the exit code is 1.
    """
    settings: Settings = context.obj
    book = options.open_book(file)
    found = _verified(settings, book, sample, seed, threads or parameters.usable_cores())
    if settings.json:
        from cli.output.formats import write_object

        write_object(
            {
                "file": book.path,
                "sound": found.is_sound,
                "positions": found.positions,
                "solved": found.solved,
                "problems": list(found.problems),
            }
        )
    else:
        for problem in found.problems:
            echo.line(problem)
        _conclude(settings, book, found)
    if not found.is_sound:
        context.exit(exits.PROBLEMS)


def _verified(
    settings: Settings, book: Book, sample: int, seed: int, threads: int
) -> BookVerification:
    from c4core.book.verify import verify as verify_book
    from c4core.solver import Solver
    from cli.output import progress
    from cli.shell.background import run_in_background

    solver = Solver(table_mb=16, threads=threads)
    with progress.planning(shown=progress.is_shown(settings, over_output=False)) as tell:
        return run_in_background(
            lambda: verify_book(book, sample=sample, seed=seed, solver=solver, progress=tell),
            solver.stop,
        )


def _conclude(settings: Settings, book: Book, found: BookVerification) -> None:
    from cli.output.render import count

    looked_at = (
        f"{count(found.positions, 'position')} read and compared with their children's, "
        f"{found.solved:,} solved again"
    )
    if found.is_sound:
        echo.line(f"{book.path} is right: {looked_at}")
    else:
        settings.say(f"{book.path} is wrong: {looked_at}")
