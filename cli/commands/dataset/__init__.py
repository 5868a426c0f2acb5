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
    """Build and check data sets with exact labels.

    A data set is a directory of positions for training. The parts train, validation and test are
    files; a card describes how they were made and what they contain. See docs/datasets.md. Some
    programs learn from the final grids of games: "c4 games export --format csv" writes them.
    """
