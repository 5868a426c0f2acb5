"""``c4 dataset export``: a part of a data set in the format of a public evaluation set."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cli.output import outfile
from cli.shell.commands import Command, refuse

if TYPE_CHECKING:
    from c4core.dataset.exchange import ExchangeFormat
    from cli.shell.settings import Settings

EXAMPLES = (
    "c4 dataset export mid --format refmoves --output moves.jsonl",
    "c4 dataset export mid --split train --all-moves --weak | head -3",
)


@click.command(cls=Command, database=False, json=False, examples=EXAMPLES)
@click.argument("directory", type=click.Path(exists=True, file_okay=False), metavar="DIR")
@click.option(
    "--split",
    type=click.Choice(["train", "validation", "test"]),
    default="test",
    show_default=True,
    help="Which part of the data set.",
)
@click.option(
    "--format",
    "format_name",
    type=click.Choice(["c4solver", "refmoves"]),
    default="c4solver",
    show_default=True,
    help="c4solver: lines of moves and scores; refmoves: as ConnectX's validation set.",
)
@click.option("--all-moves", is_flag=True, help="With c4solver: the scores of all columns.")
@click.option("--weak", is_flag=True, help="Only who wins: 1, 0 or -1 instead of scores.")
@outfile.output_option
@click.pass_context
def export(
    context: click.Context,
    *,
    directory: str,
    split: str,
    format_name: ExchangeFormat,
    all_moves: bool,
    weak: bool,
    output: str | None,
) -> None:
    """Write a part of a data set in the form of public evaluation sets.

    c4solver is the format of Pascal Pons's program and of his six classes of positions: the moves,
    a blank, and the score, or with --all-moves the scores of all columns, -1000 for a full one.
    refmoves is that of the validation set for Kaggle's ConnectX: JSON Lines with "board", "score"
    and "move score", -99 for a full column. "c4 dataset build --from file" reads both.
    """
    settings: Settings = context.obj
    refuse(
        context,
        (all_moves and format_name != "c4solver", "--all-moves belongs to --format c4solver"),
    )
    outfile.check(output)
    from c4core.dataset.exchange import exchange_lines
    from c4core.dataset.reading import read_part
    from cli.output.render import count

    records, terms = read_part(Path(directory), split)
    lines = exchange_lines(
        records, terms.board, terms.seed, format_name, all_moves=all_moves, weak=weak
    )
    with outfile.opened(output or outfile.STANDARD_OUTPUT) as target:
        (target or sys.stdout).writelines(f"{line}\n" for line in lines)
    settings.say(f"{count(len(records['key']), 'position')} of {split}, as {format_name}")
