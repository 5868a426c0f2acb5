"""``c4 book info``: what is in a book."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from cli.positions import books as options
from cli.shell import echo
from cli.shell.commands import Command

if TYPE_CHECKING:
    from cli.shell.settings import Settings

EXAMPLES = (
    "c4 book info small.c4book",
    "c4 book info small.c4book --values",
    "c4 book info small.c4book --json",
)


@click.command(cls=Command, database=False, examples=EXAMPLES)
@options.book_argument
@click.option(
    "--values",
    is_flag=True,
    help="Also count the positions won by x, drawn, and won by o; this reads the whole book.",
)
@click.pass_obj
def info(settings: Settings, *, file: str | None, values: bool) -> None:
    """Show what is in a book, by default in the one that came with c4."""
    from cli.commands.book.facts import (
        COLUMNS,
        VALUE_COLUMNS,
        as_facts,
        as_object,
        ply_rows,
        value_rows,
    )
    from cli.output import render
    from cli.output.formats import write_object, write_rows
    from cli.output.tables import write_facts

    book = options.open_book(file)
    rows = list(value_rows(book)) if values else ply_rows(book.info)
    if settings.json:
        write_object({"file": book.path, **as_object(book.info), "plies": rows})
        return
    write_facts(as_facts(book.info, book.path))
    if book.info.first_ply:
        out = render.console()
        out.print()
        out.print(render.board(book.info.start, None))
    echo.line()
    write_rows(rows, "table", VALUE_COLUMNS if values else COLUMNS)
