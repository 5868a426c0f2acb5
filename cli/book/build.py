"""``c4 book build``: a book as a job."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from cli.positions import book_options as options
from cli.shell import echo, parameters
from cli.shell.commands import Command, refuse

if TYPE_CHECKING:
    from c4core.book.format.layout import BookInfo
    from c4core.notation import BoardSize
    from c4core.position import Position
    from cli.shell.settings import Settings
    from cli.work.backend import Backend
    from db.database import Database
    from workers.books.build import CompleteBook, ScoreSource
    from workers.books.sparse import SparseBook
    from workers.books.task import Choice, Sides

SUFFIX = ".c4book"

MAX_WITHIN = 127
"""Scores are kept in 8 bits: nobody gives away more."""

EXAMPLES = (
    "c4 book build --board 5x4 --plies 8",
    "c4 book build --board 5x4 --start 33 --plies 10 --out after33.c4book",
    "c4 book build --board 5x4 --plies 12 --within 0 --for first",
)


@click.command(cls=Command, broker=True, examples=EXAMPLES)
@click.option(
    "--plies",
    type=parameters.IntRange(0, 63),
    required=True,
    metavar="N",
    help="Positions with up to N stones.",
)
@parameters.board_option
@options.start_option
@options.out_option("The file.  [default: c4-BOARD-plyN.c4book]")
@click.option(
    "--within",
    type=parameters.IntRange(0, MAX_WITHIN),
    metavar="K",
    help="A sparse book: one side gives away at most K points a move.",
)
@click.option(
    "--for",
    "sides",
    type=click.Choice(["first", "second", "both"]),
    help="With --within: which side that is.  [default: both]",
)
@options.force_option
@click.option("--fresh", is_flag=True, help="Make new jobs, even if there are some for this book.")
@click.option("--detach", is_flag=True, help="Only make the job and write its number.")
@parameters.threads_option
@click.option(
    "--table-mb",
    type=parameters.WholeNumber(1, parameters.LARGEST_TABLE_MB),
    metavar="MB",
    default=16,
    show_default=True,
    help="Size of the table of positions met in the search; small is fast.",
)
@click.pass_context
def build(
    context: click.Context,
    *,
    plies: int,
    board: BoardSize,
    start: str,
    out: str | None,
    within: int | None,
    sides: Sides | None,
    force: bool,
    fresh: bool,
    detach: bool,
    threads: int | None,
    table_mb: int,
) -> None:
    """Build a book: exact scores of all positions with up to N stones.

    Only the deepest ply is searched, as a job; the others follow from it. The same command goes on
    with what an earlier one has begun: interrupt it as often as you like. The bytes of the file
    depend on board, plies and start alone. Where another file of that name is, nothing is done
    without --force.

    With --within the book is sparse, and reaches about twice as deep for the same work: it holds
    what is reached when one side plays no move that is more than K points worse than its best,
    whatever the other side plays. With --for both, this is done for either side, and the book holds
    both halves. A sparse book is searched ply by ply.

    With --broker workers do it; --threads and --table-mb are theirs then, and Ctrl-C only ends the
    watching.
    """
    settings: Settings = context.obj
    refuse(
        context,
        (sides is not None and within is None, "--for belongs to --within"),
        (detach and out is not None, "a detached job writes no file: the same command does later"),
        (detach and force, "a detached job writes no file: there is nothing to --force"),
        (
            detach and within is not None,
            "a sparse book cannot be detached: it takes one job after the other",
        ),
    )
    from cli.output import targets
    from cli.work.backend import Backend
    from workers.books.build import CompleteBook, canonical
    from workers.books.task import Choice

    begins = canonical(options.read_start(start, board))
    choice = None if within is None else Choice(within, sides or "both")
    name = out or default_name(begins, plies, choice)
    outlet = _Outlet(name, begins, plies, choice, force=force)
    if not detach:
        targets.checked(name, option="--out")
        outlet.check()
    book: CompleteBook | SparseBook
    if choice is None:
        settings.tell(f"enumerating {board} to ply {plies}")
        book = CompleteBook(begins, plies)
    else:
        from workers.books.sparse import SparseBook

        book = SparseBook(begins, plies, choice)
    backend = Backend.found(settings, threads=threads, table_mb=table_mb)
    with settings.open_database(create=True) as database:
        workshop = _Workshop(settings, database, backend)
        source = workshop.source(fresh=fresh)
        if detach:
            _detach(settings, database, cast("CompleteBook", book), source, backend)
            return
        _write(settings, book, source, workshop, outlet)


def default_name(start: Position, plies: int, choice: Choice | None) -> str:
    """What a book's file is called unless it is said."""
    parts = ["c4", str(start.board), *([f"from{start.key}"] if start.ply else []), f"ply{plies}"]
    if choice is not None:
        parts.append(f"within{choice.within}-{choice.sides}")
    return "-".join(parts) + SUFFIX


@dataclass(frozen=True, slots=True)
class _Outlet:
    """Where a book goes, and what may be there already: the same book, for the command goes on."""

    name: str
    start: Position
    plies: int
    choice: Choice | None
    force: bool
    """Whether anything else may be replaced."""

    def check(self) -> None:
        """See that nothing is lost.

        Raises:
            click.BadParameter: there is another file.
        """
        if not self.force and Path(self.name).exists() and not self._is_there():
            options.refuse_existing(self.name)

    def _is_there(self) -> bool:
        from c4core.book import Book
        from c4core.book.errors import BookError

        description = "" if self.choice is None else str(self.choice)
        try:
            with Book.open(self.name) as book:
                info = book.info
        except BookError:
            return False
        return (info.start, info.last_ply, info.kind == "sparse", info.description) == (
            self.start,
            self.plies,
            self.choice is not None,
            description,
        )


class _Workshop:
    """Has jobs worked on, one after the other.

    Attributes:
        job_ids: of the jobs that the book took.
    """

    def __init__(self, settings: Settings, database: Database, backend: Backend) -> None:
        self.job_ids: list[int] = []
        self._settings = settings
        self._database = database
        self._backend = backend

    def source(self, *, fresh: bool) -> ScoreSource:
        """Where a book's scores come from."""
        from workers.books.build import ScoreSource

        return ScoreSource(self._database, self._work, fresh=fresh)

    def _work(self, job_id: int) -> None:
        from cli.work.running import finish_job

        self.job_ids.append(job_id)
        finish_job(
            self._settings,
            self._database,
            job_id,
            self._backend,
            afterwards="The same command again goes on, and writes the book in the end.",
        )


def _detach(
    settings: Settings,
    database: Database,
    book: CompleteBook,
    source: ScoreSource,
    backend: Backend,
) -> None:
    job_id = source.job(book.task, book.levels)
    backend.call(database, job_id)
    if settings.json:
        from cli.output.formats import write_object

        write_object({"job": job_id})
    else:
        echo.line(str(job_id))
    verb = "Work on" if settings.broker_url is None else "Watch"
    command = "resume" if settings.broker_url is None else "watch"
    settings.say(
        f"{verb} it with: c4 jobs {command} {job_id}. When it is done, the same command without "
        "--detach writes the book."
    )


def _write(
    settings: Settings,
    book: CompleteBook | SparseBook,
    source: ScoreSource,
    workshop: _Workshop,
    outlet: _Outlet,
) -> None:
    from c4core.book.writer import write_book
    from cli.output.render import count, duration

    began = time.monotonic()
    levels = book.scored(source)
    name = outlet.name
    outlet.check()  # hours may have gone by
    try:
        info = write_book(
            Path(os.path.realpath(name)),
            levels,
            start=book.start,
            kind=book.kind,
            description=book.description,
        )
    except OSError as error:
        error.filename = name  # a full disk does not say which file
        settings.say("The scores are kept: the same command writes the book.")
        raise
    seconds = time.monotonic() - began
    settings.say(
        f"{name}: {count(info.positions, 'position')}, {count(info.file_bytes, 'byte')}, "
        f"in {duration(seconds)}"
    )
    if settings.json:
        from cli.output.formats import write_object

        write_object(_as_object(info, name, workshop.job_ids, seconds))


def _as_object(info: BookInfo, name: str, job_ids: list[int], seconds: float) -> dict[str, object]:
    from cli.book.facts import as_object

    return {
        "file": name,
        **as_object(info),
        "jobs": job_ids,
        "seconds": round(seconds, 3),
    }
