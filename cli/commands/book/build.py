"""``c4 book build``: build a book as a job."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cli.commands.book.reading import as_object
from cli.output.formats import write_object
from cli.output.render import duration
from cli.positions import books as options
from cli.shell import parameters
from cli.shell.commands import Command, refuse
from cli.shell.parameters import Engine, flag, group, number, takes, writable_path
from cli.work.job import Backend, JobContext
from workers.book.build import BookPlan, ScoreSource, default_name, is_book_of, write_scored
from workers.text import count

if TYPE_CHECKING:
    from collections.abc import Callable

    from c4core.notation import BoardSize
    from cli.shell.settings import Settings

EXAMPLES = (
    "c4 book build --board 5x4 --plies 8",
    "c4 book build --board 5x4 --plies 10 --output deeper.c4book",
)


@dataclass(frozen=True, kw_only=True)
class BuildEngine(Engine):
    """Searches of positions with few stones."""

    table_mb: int = parameters.table_mb(
        "Size of the transposition table; a small one is fast.", default=16
    )


@dataclass(frozen=True, kw_only=True)
class Given:
    """Parameters of ``c4 book build``."""

    plies: int = number(
        parameters.IntRange(0, 63), "Include positions with up to N stones.", required=True
    )
    board: BoardSize = parameters.board()
    output: str | None = options.output("The file to write.  [default: c4-BOARD-plyN.c4book]")
    force: bool = options.force()
    fresh: bool = flag("Start a new build even if one for this book exists.")
    detach: bool = parameters.detach()
    priority: int | None = parameters.priority()
    engine: BuildEngine = group(BuildEngine)


@click.command(cls=Command, broker=True, examples=EXAMPLES)
@takes(Given)
@click.pass_obj
def build(settings: Settings, given: Given) -> None:
    """Build a book: exact scores of all positions with up to N stones.

    Only the deepest ply is searched, as a job; the other scores follow from it. You can interrupt
    the command as often as you like: give it again to continue. The bytes of the file depend only
    on board and plies. The command does nothing if another file has that name, unless
    --force is given.

    With --broker, workers do the work with their own --threads and --table-mb, and Ctrl-C only
    stops watching.
    """
    refuse(
        (
            given.detach and given.output is not None,
            "a detached job writes no file: leave out --output",
        ),
        (given.detach and given.force, "a detached job writes no file: leave out --force"),
    )

    name = given.output or default_name(given.board, given.plies)

    def check_free() -> None:
        """Refuse to replace a file that is not this book, unless ``force`` is set."""
        is_replaced = not given.force and Path(name).exists()
        if is_replaced and not is_book_of(name, given.board, given.plies):
            options.refuse_existing(name)

    if not given.detach:
        writable_path(name, option="--output")
        check_free()
    settings.say_if_verbose(f"enumerating {given.board} to ply {given.plies}")
    book = BookPlan(given.board, given.plies)
    backend = Backend.found(settings, given.engine, priority=given.priority)
    with settings.open_database(create=True) as database:
        work = JobContext(settings, database, backend)
        jobs: list[int] = []

        def finish(job_id: int) -> None:
            jobs.append(job_id)
            work.finish(job_id, makes="the book")

        source = ScoreSource(database, finish, fresh=given.fresh)
        if given.detach:
            job_id = source.job(book.task, book.levels)
            work.detach(job_id, afterwards="without --detach writes the book")
            return
        _write(settings, book, source, name, jobs=jobs, check_free=check_free)


def _write(
    settings: Settings,
    book: BookPlan,
    source: ScoreSource,
    name: str,
    *,
    jobs: list[int],
    check_free: Callable[[], None],
) -> None:
    began = time.monotonic()
    levels = book.scored(source)
    check_free()  # check again: hours may have passed
    try:
        info = write_scored(book.board, levels, name)
    except OSError as error:
        error.filename = name  # "disk full" errors do not name the file
        settings.say("The scores are kept: give the same command again to write the book.")
        raise
    seconds = time.monotonic() - began
    settings.say(
        f"{name}: {count(info.positions, 'position')}, {count(info.file_bytes, 'byte')}, "
        f"in {duration(seconds)}"
    )
    if settings.json:
        about = {"jobs": jobs, "seconds": round(seconds, 3)}
        write_object({"file": name, **as_object(info), **about})
