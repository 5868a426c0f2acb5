"""``c4 dataset build``: build a data set, labelled by a job."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec import to_builtins

from c4core.dataset.card import JSON_NAME, check_license
from c4core.dataset.lots import Shares
from c4core.dataset.writing import check_free
from c4core.errors import DatasetError, DatasetExistsError
from c4core.extras import load_pyarrow
from cli.output import progress
from cli.output.formats import write_object
from cli.output.render import duration
from cli.positions.books import Books
from cli.shell import parameters
from cli.shell.commands import Command, refuse
from cli.shell.parameters import Engine, choice, flag, group, number, option, takes, writable_path
from cli.shell.process import Exit
from cli.work.job import Backend, JobContext
from workers.answers.question import find_book
from workers.dataset.making import Draft, find_and_label
from workers.dataset.sources import BLUNDER, Order
from workers.text import count

if TYPE_CHECKING:
    from c4core.dataset.card import Card
    from c4core.notation import BoardSize
    from cli.shell.parameters import Range
    from cli.shell.settings import Settings
    from workers.dataset.making import Labelled

LARGEST_SEED = 2**63 - 1
MAX_POSITIONS = 100_000_000


@dataclass(frozen=True, kw_only=True)
class Given:
    """Parameters of ``c4 dataset build``."""

    source: str = choice(
        ["plies", "play", "strong", "games", "book", "file"],
        "plies: random games, equally many positions of each ply; play: random games, one "
        "position per game; strong: games of perfect play with errors; games: stored games; "
        "book: a book; file: positions with scores, such as public evaluation sets.",
        "--from",
        default="plies",
    )
    count: int = number(
        parameters.IntRange(1, MAX_POSITIONS), "Number of different positions.", default=10_000
    )
    plies: Range | None = option(
        "Only positions with this many stones; an end can be left open.  [default: all]",
        metavar="N|A..B",
        read=parameters.read_range,
    )
    only: tuple[str, ...] = choice(
        ["quiet", "decisive"],
        "quiet: neither side can win with its next stone; decisive: columns differ in their "
        "results. Give the option twice for both.",
        multiple=True,
    )
    blunder: float | None = number(
        parameters.FiniteFloat(0, 1),
        "With strong: share of moves that are not best.  [default: 0.1]",
        metavar="P",
    )
    corpus: tuple[int, ...] = number(
        parameters.WholeNumber(1),
        "With games: only games of this match; can be given again.   "
        "[default: all finished matches]",
        multiple=True,
        metavar="MATCH",
    )
    file: str | None = option(
        "With file: the file of moves and scores, or a ConnectX validation set.",
        "--input",
        type=click.Path(exists=True, dir_okay=False),
        metavar="FILE",
    )
    board: BoardSize = parameters.board()
    seed: int = number(
        parameters.IntRange(0, LARGEST_SEED),
        "Seed of all random numbers: the same seed gives the same files.",
        default=1,
        metavar="S",
    )
    shares: Shares = option(
        "Shares of train, validation and test; a part with 0 has no file.",
        "--split",
        metavar="A/B/C",
        default="80/10/10",
        read=Shares.parse,
    )
    formats: tuple[str, ...] = choice(
        ["npz", "parquet", "jsonl"],
        "Format of the files; can be given again. parquet needs pyarrow.",
        "--format",
        multiple=True,
        default=["npz"],
    )
    representations: tuple[str, ...] = choice(
        ["planes", "moves"],
        "Representation of positions; can be given again.",
        "--representation",
        multiple=True,
        default=["planes"],
    )
    license: str = option(
        "License under which you publish the data set.",
        metavar="ID",
        default="cc0-1.0",
        read=check_license,
    )
    output: str | None = option("Directory for the files.", "-o", "--output", metavar="DIR")
    books: Books = group(Books)
    force: bool = flag("Replace another data set in DIR.")
    fresh: bool = flag("Start a new job even if one for this data set exists.")
    detach: bool = parameters.detach()
    priority: int | None = parameters.priority()
    engine: Engine = group(Engine)

    def order(self) -> Order:
        """The data set to build."""
        board, plies = self.board, self.plies
        first = 0 if plies is None or plies.first is None else plies.first
        last = board.cells - 1 if plies is None or plies.last is None else plies.last
        if not 0 <= first <= last < board.cells:
            raise click.BadParameter(
                f"on {board} positions that are not over have 0 to {board.cells - 1} stones",
                param_hint="'--plies'",
            )
        return Order(
            source=self.source,
            board=board,
            first_ply=first,
            last_ply=last,
            matches=tuple(sorted(set(self.corpus))),
            book=self.books.book,
            count=self.count,
            seed=self.seed,
            shares=self.shares,
            formats=tuple(dict.fromkeys(self.formats)),
            representations=tuple(dict.fromkeys(self.representations)),
            file=self.file,
            blunder=BLUNDER if self.blunder is None else self.blunder,
            quiet="quiet" in self.only,
            decisive="decisive" in self.only,
            license=self.license,
        )


_FORCE = "--force replaces it"

EXAMPLES = (
    "c4 dataset build --count 1000 --plies 18..30 --output mid",
    "c4 dataset build --board 5x4 --count 500 --only quiet --output small",
    "c4 dataset build --from games --corpus 1 --format jsonl --output games",
    "c4 dataset build --from book --count 2000 --output openings",
)


@click.command(cls=Command, broker=True, examples=EXAMPLES)
@takes(Given)
@click.pass_obj
def build(settings: Settings, given: Given) -> None:
    """Build a data set of positions with exact labels.

    Every position has the exact score of each column, found by a job like that of "c4 analyze".
    Positions that are stored or in a book are not searched. Ctrl-C loses nothing: give the same
    command again to continue. The bytes of the files depend only on the positions and the options,
    not on threads or interruptions.

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
    refuse(
        (bool(given.corpus) and given.source != "games", "--corpus needs --from games"),
        (given.blunder is not None and given.source != "strong", "--blunder needs --from strong"),
        (given.file is not None and given.source != "file", "--input needs --from file"),
        (given.file is None and given.source == "file", "--from file needs --input FILE"),
        (
            given.books.no_book and given.source == "book",
            "--no-book cannot be used with --from book",
        ),
        (
            given.detach and given.output is not None,
            "a detached job writes no file: leave out --output",
        ),
        (given.detach and given.force, "a detached job writes no file: leave out --force"),
        (
            given.detach and given.source == "strong",
            "--from strong cannot be detached: this process must play the games first",
        ),
        (not given.detach and given.output is None, "give a directory for the files: --output DIR"),
    )

    order = given.order()
    chosen_book = given.books.path()
    find_book(chosen_book, order.board)  # fail now if the book cannot be used
    if "parquet" in order.formats:
        load_pyarrow(DatasetError)  # fail now, not after all positions are labelled
    directory = None if given.output is None else _directory(given.output, order, force=given.force)
    backend = Backend.found(settings, given.engine, priority=given.priority)
    with settings.open_database(create=True) as database:
        work = JobContext(settings, database, backend)
        began = time.monotonic()
        settings.say_if_verbose(f"looking for positions: {order.source}")

        def job_of(draft: Draft) -> int:
            with progress.counting(
                "reading positions", shown=progress.is_shown(settings)
            ) as update:
                return draft.job(database, book=chosen_book, fresh=given.fresh, on_planned=update)

        def run(job_id: int) -> None:
            work.finish(job_id, makes="the files")

        if directory is None:
            way = "with --output instead of --detach writes the files"
            job_id = job_of(Draft.of(database, order))
            work.detach(job_id, afterwards=way)
            return
        labelled, job_id = find_and_label(database, order, run, job_of=job_of)
        card = _written(settings, labelled, directory, force=given.force)
    seconds = round(time.monotonic() - began, 3)
    _report(settings, card, directory, {"job": job_id, "seconds": seconds})
    if _report_difference(settings, labelled):
        raise click.exceptions.Exit(Exit.PROBLEMS)


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


def _written(settings: Settings, labelled: Labelled, directory: Path, *, force: bool) -> Card:
    """Write the files; return the data set's card."""
    try:
        return labelled.write(directory, replace=force)
    except DatasetExistsError as error:
        raise click.UsageError(f"{error}: {_FORCE}") from None
    except OSError:
        settings.say("The labels are kept: give the same command again to write the files.")
        raise


def _report(settings: Settings, card: Card, directory: Path, about: dict[str, Any]) -> None:
    positions = card.positions
    text = count(positions, "position")
    if positions < card.asked:
        settings.say(f"{text} instead of {card.asked:,}: no more were found")
    numbers = ", ".join(f"{part['positions']:,} {name}" for name, part in card.splits.items())
    settings.say(f"{directory}: {text} ({numbers}), in {duration(about['seconds'])}")
    if settings.json:
        write_object({"directory": str(directory), **about, **to_builtins(card)})


def _report_difference(settings: Settings, labelled: Labelled) -> bool:
    """Report how a file's labels compare with the exact ones; return whether any differ."""
    found, file = labelled.difference, labelled.draft.order.file
    if found is None:
        return False
    if not found.different:
        settings.say(f"{file}: the scores of {count(found.positions, 'line')} are right")
        return False
    settings.say(
        f"{file}: {found.different:,} of {count(found.positions, 'line')} have wrong scores, the "
        f"first in line {found.first_line}; the data set has the correct ones"
    )
    return True
