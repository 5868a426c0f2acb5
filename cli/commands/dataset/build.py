"""``c4 dataset build``: build a data set, labelled by a job."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from c4core.dataset.card import JSON_NAME, check_license
from c4core.dataset.lots import Shares
from c4core.dataset.writing import check_free
from c4core.errors import DatasetError, DatasetExistsError
from c4core.extras import load_pyarrow
from cli.output import progress
from cli.output.formats import writable_path, write_object
from cli.output.render import count, duration
from cli.positions.books import book_options, book_path
from cli.shell import parameters
from cli.shell.commands import Command, refuse
from cli.shell.process import Exit
from cli.work.job import Backend, JobContext
from workers.answers.question import find_book
from workers.dataset.making import Draft, find_and_label
from workers.dataset.sources import BLUNDER, Order

if TYPE_CHECKING:
    from c4core.notation import BoardSize
    from cli.shell.parameters import Range
    from cli.shell.settings import Settings
    from workers.dataset.making import Labelled

LARGEST_SEED = 2**63 - 1
MAX_POSITIONS = 100_000_000


def read_shares(_context: click.Context, _parameter: click.Parameter, text: str) -> Shares:
    """Parse shares: ``80/10/10``."""
    try:
        return Shares.parse(text)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


def read_license(_context: click.Context, _parameter: click.Parameter, text: str) -> str:
    """Parse a license identifier: ``cc-by-4.0``."""
    try:
        return check_license(text)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


order_options = parameters.option_group(
    click.option(
        "--from",
        "source",
        type=click.Choice(["plies", "play", "strong", "games", "book", "file"]),
        default="plies",
        show_default=True,
        help="plies: random games, equally many positions of each ply; play: random games, one "
        "position per game; strong: games of perfect play with errors; games: stored games; "
        "book: a book; file: positions with scores, such as public evaluation sets.",
    ),
    click.option(
        "--count",
        type=parameters.IntRange(1, MAX_POSITIONS),
        metavar="N",
        default=10_000,
        show_default=True,
        help="Number of different positions.",
    ),
    click.option(
        "--plies",
        metavar="N|A..B",
        callback=parameters.read_range,
        help="Only positions with this many stones; an end can be left open.  [default: all]",
    ),
    click.option(
        "--only",
        type=click.Choice(["quiet", "decisive"]),
        multiple=True,
        help="quiet: neither side can win with its next stone; decisive: columns differ in their "
        "results. Give the option twice for both.",
    ),
    click.option(
        "--blunder",
        type=parameters.FiniteFloat(0, 1),
        metavar="P",
        help="With strong: share of moves that are not best.  [default: 0.1]",
    ),
    click.option(
        "--corpus",
        type=parameters.WholeNumber(1),
        multiple=True,
        metavar="MATCH",
        help="With games: only games of this match; can be given again.   "
        "[default: all finished matches]",
    ),
    click.option(
        "--input",
        "file",
        type=click.Path(exists=True, dir_okay=False),
        metavar="FILE",
        help="With file: the file of moves and scores, or a ConnectX validation set.",
    ),
    parameters.board_option,
    click.option(
        "--seed",
        type=parameters.IntRange(0, LARGEST_SEED),
        default=1,
        show_default=True,
        metavar="S",
        help="Seed of all random numbers: the same seed gives the same files.",
    ),
    click.option(
        "--split",
        "shares",
        metavar="A/B/C",
        default="80/10/10",
        show_default=True,
        callback=read_shares,
        help="Shares of train, validation and test; a part with 0 has no file.",
    ),
    click.option(
        "--format",
        "formats",
        type=click.Choice(["npz", "parquet", "jsonl"]),
        multiple=True,
        default=["npz"],
        show_default=True,
        help="Format of the files; can be given again. parquet needs pyarrow.",
    ),
    click.option(
        "--representation",
        "representations",
        type=click.Choice(["planes", "moves"]),
        multiple=True,
        default=["planes"],
        show_default=True,
        help="Representation of positions; can be given again.",
    ),
    click.option(
        "--license",
        metavar="ID",
        default="cc0-1.0",
        show_default=True,
        callback=read_license,
        help="License under which you publish the data set.",
    ),
)
"""The options that :func:`order_of` reads."""


def order_of(given: dict[str, Any]) -> Order:
    """Read the :class:`~workers.dataset.sources.Order` from the options."""
    board: BoardSize = given["board"]
    plies: Range | None = given["plies"]
    first = 0 if plies is None or plies.first is None else plies.first
    last = board.cells - 1 if plies is None or plies.last is None else plies.last
    if not 0 <= first <= last < board.cells:
        raise click.BadParameter(
            f"on {board} positions that are not over have 0 to {board.cells - 1} stones",
            param_hint="'--plies'",
        )
    return Order(
        source=given["source"],
        board=board,
        first_ply=first,
        last_ply=last,
        matches=tuple(sorted(set(given["corpus"]))),
        book=given["book"],
        count=given["count"],
        seed=given["seed"],
        shares=given["shares"],
        formats=tuple(dict.fromkeys(given["formats"])),
        representations=tuple(dict.fromkeys(given["representations"])),
        file=given["file"],
        blunder=BLUNDER if given["blunder"] is None else given["blunder"],
        quiet="quiet" in given["only"],
        decisive="decisive" in given["only"],
        license=given["license"],
    )


_FORCE = "--force replaces it"

EXAMPLES = (
    "c4 dataset build --count 1000 --plies 18..30 --output mid",
    "c4 dataset build --board 5x4 --count 500 --only quiet --output small",
    "c4 dataset build --from games --corpus 1 --format jsonl --output games",
    "c4 dataset build --from book --count 2000 --output openings",
)


@click.command(cls=Command, broker=True, examples=EXAMPLES)
@order_options
@click.option("--output", "-o", "output", metavar="DIR", help="Directory for the files.")
@book_options
@click.option("--force", is_flag=True, help="Replace another data set in DIR.")
@click.option("--fresh", is_flag=True, help="Start a new job even if one for this data set exists.")
@parameters.detach_option()
@parameters.priority_option
@parameters.threads_option
@parameters.table_option
@click.pass_context
def build(
    context: click.Context,
    /,
    *,
    output: str | None,
    no_book: bool,
    force: bool,
    fresh: bool,
    detach: bool,
    threads: int,
    table_mb: int,
    **given: Any,
) -> None:
    """Build a data set of positions with exact labels.

    Every position has the exact score of each column, found by a job like that of "c4 analyze".
    Positions that are stored or in a book are not searched. Ctrl-C loses nothing: give the same
    command again to go on. The bytes of the files depend only on the positions and the options, not
    on threads or interruptions.

    Mirror images and transpositions count as one position. A hash of the position decides whether
    it belongs to train, validation or test. If a source has fewer positions than --count, the data
    set has all of them. card.json and README.md describe how it was made and what it contains; "c4
    dataset info" checks that. With --format parquet, Hugging Face's datasets loads DIR without
    changes. Another data set in DIR is replaced only with --force, and only when the new one is
    complete.

    --from book takes the positions from --book, --from file from --input. Scores in that file are
    compared with the labels: if any are wrong, the exit code is 1. With --broker, workers search
    with their own --threads and --table-mb, and Ctrl-C only stops watching.
    """
    settings: Settings = context.obj
    source = given["source"]
    refuse(
        context,
        (bool(given["corpus"]) and source != "games", "--corpus needs --from games"),
        (given["blunder"] is not None and source != "strong", "--blunder needs --from strong"),
        (given["file"] is not None and source != "file", "--input needs --from file"),
        (given["file"] is None and source == "file", "--from file needs --input FILE"),
        (no_book and source == "book", "--no-book cannot be used with --from book"),
        (
            detach and output is not None,
            "a detached job writes no file: leave out --output",
        ),
        (detach and force, "a detached job writes no file: leave out --force"),
        (
            detach and source == "strong",
            "--from strong cannot be detached: this process must play the games first",
        ),
        (not detach and output is None, "give a directory for the files: --output DIR"),
    )

    order = order_of(given)
    chosen_book = book_path(context, order.book, no_book=no_book)
    find_book(chosen_book, order.board)  # fail now if the book cannot be used
    if "parquet" in order.formats:
        load_pyarrow(DatasetError)  # fail now, not after all positions are labelled
    directory = None if output is None else _directory(output, order, force=force)
    backend = Backend.found(settings, threads=threads, table_mb=table_mb)
    with settings.open_database(create=True) as database:
        work = JobContext(settings, database, backend)
        began = time.monotonic()
        settings.say_if_verbose(f"looking for positions: {order.source}")

        def job_of(draft: Draft) -> int:
            with progress.planning(shown=progress.is_shown(settings, over_output=False)) as update:
                return draft.job(database, book=chosen_book, fresh=fresh, on_planned=update)

        def run(job_id: int) -> None:
            work.finish(job_id, makes="the files")

        if directory is None:
            way = "with --output instead of --detach writes the files"
            job_id = job_of(Draft.of(database, order))
            work.detach(job_id, afterwards=way)
            return
        labelled, job_id = find_and_label(database, order, run, job_of=job_of)
        card = _written(settings, labelled, directory, force=force)
    seconds = round(time.monotonic() - began, 3)
    _report(settings, card, directory, {"job": job_id, "seconds": seconds})
    if _report_difference(settings, labelled):
        context.exit(Exit.PROBLEMS)


def _directory(name: str, order: Order, *, force: bool) -> Path:
    """Create the directory, and check that files can be written there."""
    path = Path(os.path.realpath(name))
    try:
        path.mkdir(exist_ok=True)
    except OSError as error:
        reason = "a file has that name" if path.is_file() else error.strerror
        raise click.BadParameter(f"{name!r}: {reason}", param_hint="'--output'") from None
    writable_path(os.path.join(name, JSON_NAME), option="--output")  # noqa: PTH118 (as typed)
    if not force:
        try:
            check_free(path, command=order.command(), formats=order.formats)
        except DatasetExistsError as error:
            raise click.BadParameter(f"{error}: {_FORCE}", param_hint="'--output'") from None
    return path


def _written(
    settings: Settings, labelled: Labelled, directory: Path, *, force: bool
) -> dict[str, Any]:
    """Write the files; return the data set's card."""
    try:
        return labelled.write(directory, replace=force)
    except DatasetExistsError as error:
        raise click.UsageError(f"{error}: {_FORCE}") from None
    except OSError:
        settings.say("The labels are kept: give the same command again to write the files.")
        raise


def _report(
    settings: Settings, card: dict[str, Any], directory: Path, about: dict[str, Any]
) -> None:
    positions = card["positions"]
    text = count(positions, "position")
    if positions < card["asked"]:
        settings.say(f"{text} instead of {card['asked']:,}: no more were found")
    numbers = ", ".join(f"{part['positions']:,} {name}" for name, part in card["splits"].items())
    settings.say(f"{directory}: {text} ({numbers}), in {duration(about['seconds'])}")
    if settings.json:
        write_object({"directory": str(directory), **about, **card})


def _report_difference(settings: Settings, labelled: Labelled) -> bool:
    """Report how a file's labels compare with the exact ones; return whether any differ."""
    found, file = labelled.difference, labelled.draft.order.file
    if found is None:
        return False
    what = "results" if found.is_weak else "scores"
    if not found.different:
        settings.say(f"{file}: the {what} of {count(found.positions, 'line')} are right")
        return False
    settings.say(
        f"{file}: {found.different:,} of {count(found.positions, 'line')} have wrong {what}, the "
        f"first in line {found.first_line}; the data set has the correct ones"
    )
    return True
