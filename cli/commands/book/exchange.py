"""``c4 book export``: books for other programs."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from c4core.book.exchange import json_lines, write_pons
from c4core.files import atomic_file
from cli.output.formats import (
    STANDARD_OUTPUT,
    format_by_ending,
    opened,
    output_file,
)
from cli.positions import books as options
from cli.shell.commands import Command
from cli.shell.parameters import choice, takes, writable_path
from workers.text import count

if TYPE_CHECKING:
    from cli.shell.settings import Settings

FORMATS = ("jsonl", "pons")
ENDINGS = {".jsonl": "jsonl", ".ndjson": "jsonl", ".book": "pons"}

EXPORTS = (
    "c4 book export small.c4book | head -3",
    "c4 book export small.c4book --output small.jsonl",
    "c4 book export small.c4book --format pons --output small.book",
)


@dataclass(frozen=True, kw_only=True)
class ExportGiven:
    """Parameters of ``c4 book export``."""

    file: str | None = options.book_argument()
    format_name: str | None = choice(
        FORMATS,
        "jsonl, or pons (a book for his solver).  [default: by the ending of --output, else jsonl]",
        "--format",
    )
    output: str | None = output_file()


@click.command(cls=Command, database=False, json=False, examples=EXPORTS)
@takes(ExportGiven)
@click.pass_obj
def export(settings: Settings, given: ExportGiven) -> None:
    """Write the positions and scores of a book in another format.

    jsonl has a line that describes the book, and then one position per line: its ply, its key,
    which "c4 solve -" reads as {"key": KEY}, and its score for the side to move. pons writes a book
    for the solver of Pascal Pons. It cannot hold all positions: a message says how many are left
    out.

    Without --output, jsonl goes to standard output.
    """
    format_name = given.format_name or format_by_ending(
        given.output, endings=ENDINGS, default="jsonl", what="books", option="--format"
    )
    if format_name == "pons" and given.output in (None, STANDARD_OUTPUT):
        raise click.UsageError("--format pons needs a file: --output FILE")
    with closing(options.open_book(given.file)) as book:
        if format_name == "jsonl":
            with opened(given.output) as target:
                for line in json_lines(book):
                    target.write(line + "\n")
            return
        with atomic_file(writable_path(given.output or "", option="--output")) as beside:
            written = write_pons(book, beside)
    lost = f"; {written.lost:,} do not fit" if written.lost else ""
    settings.say(
        f"{given.output}: {count(written.stored, 'position')}, {count(written.bytes, 'byte')}{lost}"
    )
