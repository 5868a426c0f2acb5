"""``c4 book export`` and ``c4 book import``: exchange books with other programs."""

from __future__ import annotations

from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from c4core.book.exchange import (
    csv_lines,
    json_lines,
    read_csv_lines,
    read_json_lines,
    read_parquet,
    text_lines,
    write_parquet,
)
from c4core.book.foreign import content_of_rows, read_pons, uci_lines, write_pons
from c4core.errors import C4Error
from c4core.files import atomic_file
from c4core.notation import DEFAULT_BOARD, parse_board
from cli.output.formats import (
    STANDARD_OUTPUT,
    format_by_ending,
    opened,
    output_file,
    writable_path,
)
from cli.positions import books as options
from cli.shell.commands import Command, refuse
from cli.shell.options import argument, choice, flag, option, takes
from cli.shell.process import Exit, echo
from workers.text import count

if TYPE_CHECKING:
    from collections.abc import Iterator

    from c4core.book import Book
    from c4core.book.exchange import BookContent
    from c4core.notation import BoardSize
    from cli.shell.settings import Settings

TEXTS = ("jsonl", "csv", "uci")
FORMATS = (*TEXTS, "pons", "parquet")
ENDINGS = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".book": "pons",
    ".parquet": "parquet",
}

EXPORTS = (
    "c4 book export small.c4book | head -3",
    "c4 book export small.c4book --output small.csv",
    "c4 book export small.c4book --format pons --output small.book",
)
IMPORTS = (
    "c4 book import small.jsonl --output again.c4book",
    "c4 book import small.csv --board 5x4 --output again.c4book",
)


def format_option(file: str) -> Any:
    """The option ``--format``."""
    return choice(
        FORMATS,
        "jsonl, csv, uci (the data set), pons (books of his solver), or parquet.  "
        f"[default: by the ending of {file}, else jsonl]",
        "--format",
    )


@dataclass(frozen=True, kw_only=True)
class ExportGiven:
    """Parameters of ``c4 book export``."""

    file: str | None = options.book_argument()
    format_name: str | None = format_option("--output")
    output: str | None = output_file()


@click.command(cls=Command, database=False, json=False, examples=EXPORTS)
@takes(ExportGiven)
@click.pass_obj
def export(settings: Settings, given: ExportGiven) -> None:
    """Write the positions and scores of a book in another format.

    jsonl and csv have one position per line: its ply, its key, which "c4 solve -" reads as {"key":
    KEY}, and its score for the side to move. jsonl also describes the book, so that it can be built
    from the file again. uci writes the rows of the data set "connect-4.data": positions with 8
    stones on 7x6, and their value for the first player. pons writes a book for the solver of Pascal
    Pons. It cannot hold all positions: a message says how many are left out. parquet needs pyarrow.

    Without --output the text formats go to standard output.
    """
    format_name = given.format_name
    format_name = format_name or format_by_ending(
        given.output, endings=ENDINGS, default="jsonl", what="books", option="--format"
    )
    is_text = format_name in TEXTS
    if not is_text and given.output in (None, STANDARD_OUTPUT):
        raise click.UsageError(f"--format {format_name} needs a file: --output FILE")
    with closing(options.open_book(given.file)) as book:
        if is_text:
            lines = _lines(book, format_name)
            first = next(lines)  # fails here if the format cannot hold the book
            with opened(given.output) as target:
                for line in chain([first], lines):
                    target.write(line + "\n")
            return
        remark = _write_file(book, format_name, given.output or "")
        if remark:
            settings.say(remark)


def _lines(book: Book, format_name: str) -> Iterator[str]:
    return {"jsonl": json_lines, "csv": csv_lines, "uci": uci_lines}[format_name](book)


def _write_file(book: Book, format_name: str, output: str) -> str:
    """Write a binary format; return a remark about the result, or an empty text."""
    path = writable_path(output, option="--output")
    with atomic_file(path) as beside:
        if format_name == "parquet":
            write_parquet(book, beside)
            return ""

        written = write_pons(book, beside)
    return f"{output}: {count(written.stored, 'position')}, {count(written.bytes, 'byte')}" + (
        f"; {written.lost:,} do not fit" if written.lost else ""
    )


@dataclass(frozen=True, kw_only=True)
class ImportGiven:
    """Parameters of ``c4 book import``."""

    file: str = argument(type=click.Path(exists=True, dir_okay=False))
    format_name: str | None = format_option("FILE")
    output: str = options.output("The book to write.", required=True)
    force: bool = options.force()
    board: BoardSize | None = option(
        "Board of the positions, if the file does not name it.  [default: 7x6]",
        metavar="WxH",
        read=parse_board,
    )
    start: str = option("With csv: the moves before all positions.", metavar="MOVES", default="")
    complete: bool = flag("With csv: the file has every position up to the last ply.")
    scores_from: str | None = option(
        "With uci: the book to take the scores from.  "
        f'[default: "{options.SHIPPED}", the included book]',
        "--book",
        type=options.BookFile(),
        metavar="BOOK",
    )


@click.command("import", cls=Command, database=False, json=False, examples=IMPORTS)
@takes(ImportGiven)
@click.pass_obj
def import_(settings: Settings, given: ImportGiven) -> None:
    """Build a book from positions and scores in another format.

    Scores of another program are not checked here; use "c4 book verify". A file that does not say
    it is complete becomes a sparse book. Rows of the uci data set have winners but no scores. The
    scores come from another book, and every row that contradicts them is reported.
    """
    format_name = given.format_name
    format_name = format_name or ENDINGS.get(Path(given.file).suffix.lower(), "jsonl")
    refuse(
        (
            format_name != "csv" and (bool(given.start) or given.complete),
            "--start and --complete are for csv",
        ),
        (
            format_name not in ("jsonl", "csv") and given.board is not None,
            "--board is for jsonl and csv",
        ),
        (format_name != "uci" and given.scores_from is not None, "--book is for uci"),
    )

    options.out_path(given.output, force=given.force)
    wrong: list[str] = []
    if format_name == "uci":
        told = f"the positions of {Path(given.file).name}"[:100]
        with (
            closing(options.open_book(given.scores_from, DEFAULT_BOARD)) as book,
            _text(given.file) as lines,
        ):
            content, wrong = content_of_rows(lines, book, description=told)
    else:
        content = _content(
            given.file,
            format_name,
            given.board or DEFAULT_BOARD,
            given.start,
            complete=given.complete,
        )
    with _refusing(given.file):
        content.check_complete()
    for problem in wrong:
        echo(problem)
    if wrong:
        settings.say(f"{count(len(wrong), 'row')} of {given.file} wrong; no book was written")
        raise click.exceptions.Exit(Exit.PROBLEMS)
    if not any(len(keys) for keys, _ in content.levels):
        raise click.BadParameter(f"{given.file!r} has no positions", param_hint="FILE")
    info = content.write(Path(writable_path(given.output, option="--output")))
    settings.say(
        f"{given.output}: {count(info.positions, 'position')}, {count(info.file_bytes, 'byte')}"
    )


def _content(
    file: str, format_name: str, board: BoardSize, start: str, *, complete: bool
) -> BookContent:
    if format_name == "pons":
        return read_pons(file)
    if format_name == "parquet":
        return read_parquet(file)

    with _text(file) as lines:
        if format_name == "jsonl":
            return read_json_lines(lines, board=board)
        begins = options.read_start(start, board)
        return read_csv_lines(lines, start=begins, kind="complete" if complete else "sparse")


@contextmanager
def _refusing(file: str) -> Iterator[None]:
    """Refuse a file with wrong content; the message names the file."""
    try:
        yield
    except C4Error as error:
        raise click.BadParameter(f"{file!r}: {error}", param_hint="FILE") from None
    except UnicodeDecodeError as error:
        message = f"{file!r} is not text: byte {error.start} is not UTF-8"
        raise click.BadParameter(message, param_hint="FILE") from None


@contextmanager
def _text(file: str) -> Iterator[Iterator[str]]:
    """Yield the lines of a text file; refuse wrong content."""
    with _refusing(file), Path(file).open(encoding="utf-8-sig", newline="") as lines:
        yield text_lines(lines)
