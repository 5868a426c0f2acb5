"""``c4 analyze``: analyze a batch of positions as a job."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, BinaryIO

import click

from cli.output import progress
from cli.output.formats import output_option, result_options
from cli.positions.books import book_options, book_path
from cli.shell import parameters
from cli.shell.commands import Command, refuse
from cli.shell.process import Exit, input_name, reading

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


@click.command(cls=Command, broker=True, json=False, examples=EXAMPLES)
@click.argument("file", required=False, type=PositionsFile("rb"), metavar="[FILE|-]")
@click.option("--sample", is_flag=True, help="Analyze the positions included with c4.")
@parameters.board_option
@click.option("--score-only", is_flag=True, help="Leave out the columns' scores, which is faster.")
@parameters.zero_based_option
@book_options
@parameters.label_option("the job.")
@parameters.detach_option()
@output_option
@result_options
@click.option(
    "--input-format",
    type=click.Choice(["lines", "csv", "c4solver"]),
    help="Lines, CSV with a heading, or lines of moves and scores.  "
    "[default: by the ending of FILE, else lines]",
)
@parameters.priority_option
@parameters.threads_option
@parameters.table_option
@click.pass_context
def analyze(
    context: click.Context,
    *,
    file: BinaryIO | None,
    sample: bool,
    board: BoardSize,
    score_only: bool,
    zero_based: bool,
    book: str | None,
    no_book: bool,
    label: str | None,
    detach: bool,
    output: str | None,
    format_name: str | None,
    input_format: str | None,
    threads: int,
    table_mb: int,
) -> None:
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
    refuse(
        context,
        (sample and file is not None, "give either --sample or FILE"),
        (
            detach and (output is not None or format_name is not None),
            "a detached job writes nothing: use c4 jobs results later",
        ),
        (
            file is None and not sample and sys.stdin.isatty(),
            "no FILE: give a FILE, --sample, or - to type positions",
        ),
    )
    if sample:
        file = context.with_resource(SAMPLE.open("rb"))
    elif file is None:
        file = sys.stdin.buffer
    _refuse_binary(file)
    if input_format is None and input_name(file).lower().endswith(".csv"):
        input_format = "csv"

    from cli.work.job import Backend, JobContext, open_results, result_format
    from workers.analyze.job import KIND
    from workers.answers.question import find_book

    chosen = result_format(settings, output, format_name, KIND)

    chosen_book = book_path(context, book, no_book=no_book)
    find_book(chosen_book, board)  # fail now: a job continues without a book that it cannot read
    backend = Backend.found(settings, threads=threads, table_mb=table_mb)
    with (
        settings.open_database(create=True) as database,
        nullcontext() if detach else open_results(output, chosen) as target,
    ):
        work = JobContext(settings, database, backend)
        job_id = _submit(
            settings,
            database,
            file,
            input_format=input_format,
            board=board,
            score_only=score_only,
            zero_based=zero_based,
            book=chosen_book,
            label=label or ("sample" if sample else None),
        )
        if detach:
            work.detach(job_id)
            return
        is_well = work.run(job_id, target)
    if not is_well:
        context.exit(Exit.PROBLEMS)


def _submit(
    settings: Settings,
    database: Database,
    file: BinaryIO,
    *,
    input_format: str | None,
    board: BoardSize,
    score_only: bool,
    zero_based: bool,
    book: str | None,
    label: str | None,
) -> int:
    """Create the job; return its number."""
    from functools import partial

    from c4core.lines import HeadingError, read_csv, read_lines
    from cli.output.render import count
    from workers.analyze import job as analysis
    from workers.answers.question import Question

    is_classic = input_format == "c4solver"
    read = read_csv if input_format == "csv" else partial(read_lines, classic=is_classic)
    shown = progress.is_shown(settings, over_output=False)
    try:
        with progress.planning(shown=shown) as update, reading(input_name(file)):
            submission = analysis.submit(
                database,
                read(file, board=board, zero_based=zero_based),
                board=board,
                question=Question(columns=not score_only),
                zero_based=zero_based,
                book=book,
                label=label,
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
