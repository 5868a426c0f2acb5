"""The group ``c4 dataset``."""

from __future__ import annotations

import click

from cli.shell.commands import LazyGroup


@click.group(
    cls=LazyGroup,
    lazy={
        "build": "cli.commands.dataset.build:build",
        "export": "cli.commands.dataset.files:export",
        "info": "cli.commands.dataset.files:info",
    },
    examples=[
        "c4 dataset build --from plies --plies 18..30 --output mid",
        "c4 dataset info mid",
        "c4 dataset export mid --format refmoves",
    ],
)
def dataset() -> None:
    """Make and check data sets with exact labels.

    A data set is a directory of positions to learn from: the parts train, validation and test as
    files, and a card that says how they were made and what is in them. docs/datasets.md tells more.
    "c4 games export --format csv" writes the final grids of stored games, from which some programs
    learn.
    """
