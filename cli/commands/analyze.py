"""``c4 analyze``: analyze a batch of positions as a job."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, BinaryIO

import click

from c4core.lines import HeadingError, read_csv, read_lines
from cli.output import progress
from cli.output.formats import output_file, result_formats
from cli.positions.books import Books
from cli.shell import parameters
from cli.shell.commands import Command, refuse
from cli.shell.parameters import Engine, argument, choice, flag, group, takes
from cli.shell.process import Exit, input_name, reading
from cli.work.job import Backend, JobContext, open_results, result_format
from workers.analyze import job as analysis
from workers.analyze.job import KIND
from workers.answers.question import Question, find_book
from workers.text import count

if TYPE_CHECKING:
    from c4core.notation import BoardSize
    from cli.shell.settings import Settings
    from db.database import Database

SAMPLE = Path(__file__).parents[1] / "data" / "sample-positions.txt"
BINARY_SAMPLE = 8192


class PositionsFile(click.File):
    """A file; the message for one that does not exist explains where moves go."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> IO[Any]:
        """Open the file."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            if str(value).isdigit():
                self.fail(f"{error.message}; for moves, use c4 solve", param, ctx)
            raise


EXAMPLES = (
    "c4 analyze positions.txt > scores.jsonl",
    "c4 analyze positions.csv --score-only --output scores.csv",
    """echo '{"id": "a17", "moves": "4455"}' | c4 analyze --score-only -""",
    "c4 analyze --sample --score-only --label demo | head -3",
    "c4 analyze --detach --label tonight positions.txt",
)


@dataclass(frozen=True, kw_only=True)
class Given:
    """Parameters of ``c4 analyze``."""

    file: BinaryIO | None = argument("[FILE|-]", required=False, type=PositionsFile("rb"))
    sample: bool = flag("Analyze the positions included with c4.")
    board: BoardSize = parameters.board()
    score_only: bool = flag("Leave out the columns' scores, which is faster.")
    zero_based: bool = parameters.zero_based()
    books: Books = group(Books)
    label: str | None = parameters.label("the job.")
    detach: bool = parameters.detach()
    output: str | None = output_file()
    format_name: str | None = result_formats()
    input_format: str | None = choice(
        ["lines", "csv", "c4solver"],
        "Lines, CSV with a heading, or lines of moves and scores.  "
        "[default: by the ending of FILE, else lines]",
    )
    priority: int | None = parameters.priority()
    engine: Engine = group(Engine)


@click.command(cls=Command, broker=True, json=False, examples=EXAMPLES)
@takes(Given)
@click.pass_context
def analyze(context: click.Context, given: Given) -> None:
    """Analyze a batch of positions, one per line, as a job.

    A line is the moves, as in 4453, or a JSON object with "moves", "grid" or "key", and an optional
    "id" that is echoed. If the name of FILE ends in .csv, FILE is a table with these names in its
    heading.

    The answers are JSON Lines in the order of the input. The answer to a bad line is an object with
    "error", "field" and "line". --output writes a file; its ending selects the format: .csv, .json,
    .jsonl or .parquet.

    All results are stored. Positions that are stored or in the book are not searched again. The job
    is in the database: Ctrl-C keeps what is done, and "c4 jobs resume" continues the job. With
    --broker, workers do the work with their own --threads and --table-mb, and Ctrl-C only stops
    watching. They use --book if the file exists under the same path on their machine.
    """
    settings: Settings = context.obj
    file = given.file
    refuse(
        (given.sample and file is not None, "give either --sample or FILE"),
        (
            given.detach and (given.output is not None or given.format_name is not None),
            "a detached job writes nothing: use c4 jobs results later",
        ),
        (
            file is None and not given.sample and sys.stdin.isatty(),
            "no FILE: give a FILE, --sample, or - to type positions",
        ),
    )
    if given.sample:
        file = context.with_resource(SAMPLE.open("rb"))
    elif file is None:
        file = sys.stdin.buffer
    _refuse_binary(file)
    chosen = result_format(settings, given.output, given.format_name, KIND)
    book = given.books.path()
    find_book(book, given.board)  # fail now: a job continues without a book that it cannot read
    backend = Backend.found(settings, given.engine, priority=given.priority)
    with (
        settings.open_database(create=True) as database,
        nullcontext() if given.detach else open_results(given.output, chosen) as target,
    ):
        work = JobContext(settings, database, backend)
        job_id = _submit(settings, database, file, given, book)
        if given.detach:
            work.detach(job_id)
            return
        is_well = work.run(job_id, target)
    if not is_well:
        raise click.exceptions.Exit(Exit.PROBLEMS)


def _submit(
    settings: Settings,
    database: Database,
    file: BinaryIO,
    given: Given,
    book: str | None,
) -> int:
    """Create the job; return its number."""
    by_name = "csv" if input_name(file).lower().endswith(".csv") else "lines"
    input_format = given.input_format or by_name
    is_classic = input_format == "c4solver"
    read = read_csv if input_format == "csv" else partial(read_lines, classic=is_classic)
    shown = progress.is_shown(settings)
    try:
        with progress.counting("reading lines", shown=shown) as update, reading(input_name(file)):
            submission = analysis.submit(
                database,
                read(file, board=given.board, zero_based=given.zero_based),
                board=given.board,
                question=Question(columns=not given.score_only),
                zero_based=given.zero_based,
                book=book,
                label=given.label or ("sample" if given.sample else None),
                on_planned=update,
            )
    except analysis.NoInputError:
        raise click.BadParameter(f"{_name(file)} is empty", param_hint="FILE") from None
    except HeadingError as error:
        raise click.BadParameter(f"{_name(file)}: {error}", param_hint="FILE") from None
    except KeyboardInterrupt:
        settings.say("Reading was interrupted: nothing was analyzed.")
        raise
    bad = submission.bad_lines
    remark = f", {count(bad, 'bad line')}" if bad else ""
    if shown:
        positions = count(submission.positions, "position")
        settings.say(f"job {submission.job_id}: {positions}{remark}")
    return submission.job_id


def _refuse_binary(file: BinaryIO) -> None:
    """Refuse a binary file at once, instead of line by line."""
    peek = getattr(file, "peek", None)
    with reading(input_name(file)):
        sample = b"" if peek is None else peek(BINARY_SAMPLE)[:BINARY_SAMPLE]
    if b"\0" in sample:
        raise click.BadParameter(
            f"{_name(file)} is binary, or text in UTF-16; give lines of UTF-8 text",
            param_hint="FILE",
        )


def _name(file: BinaryIO) -> str:
    name = input_name(file)
    return name if name == "standard input" else repr(name)
