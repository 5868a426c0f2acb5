"""The group ``c4 book``."""

from __future__ import annotations

import click

from cli.shell.commands import LazyGroup


@click.group(
    cls=LazyGroup,
    lazy={
        "build": "cli.commands.book.build:build",
        "info": "cli.commands.book.reading:info",
        "probe": "cli.commands.book.reading:probe",
        "verify": "cli.commands.book.reading:verify",
        "export": "cli.commands.book.exchange:export",
        "import": "cli.commands.book.exchange:import_",
    },
    examples=[
        "c4 book build --board 5x4 --plies 8 --output small.c4book",
        "c4 book probe --book small.c4book 3313",
    ],
)
def book() -> None:
    """Build, query, check and exchange opening books.

    A book is a file with the exact scores of positions with few stones. A complete book has every
    reachable position up to a number of stones. A sparse book has only the positions that good
    play of one side leads to. See docs/books.md.
    """
