"""``c4 dataset export`` and ``info``: work with the files of a data set."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec import to_builtins

from c4core.dataset.card import OUTCOMES, TRAITS, total
from c4core.dataset.exchange import exchange_lines
from c4core.dataset.reading import inspect, read_part
from cli.output.formats import (
    Column,
    check_writable,
    opened,
    output_file,
    write_object,
    write_rows,
)
from cli.output.tables import write_facts
from cli.shell.commands import Command, refuse
from cli.shell.parameters import argument, choice, flag, takes
from cli.shell.process import Exit, echo
from workers.text import count

if TYPE_CHECKING:
    from collections.abc import Iterable

    from c4core.dataset.card import Card
    from c4core.dataset.exchange import ExchangeFormat
    from cli.output.formats import Row
    from cli.shell.settings import Settings

EXPORT_EXAMPLES = (
    "c4 dataset export mid --format refmoves --output moves.jsonl",
    "c4 dataset export mid --split train --all-moves | head -3",
)


@dataclass(frozen=True, kw_only=True)
class ExportGiven:
    """Parameters of ``c4 dataset export``."""

    directory: str = argument("DIR", type=click.Path(exists=True, file_okay=False))
    split: str = choice(
        ["train", "validation", "test"], "The part of the data set.", default="test"
    )
    format_name: ExchangeFormat = choice(
        ["c4solver", "refmoves"],
        "c4solver: lines of moves and scores; refmoves: as ConnectX's validation set.",
        "--format",
        default="c4solver",
    )
    all_moves: bool = flag("With c4solver: write the scores of all columns.")
    output: str | None = output_file()


@click.command(cls=Command, database=False, json=False, examples=EXPORT_EXAMPLES)
@takes(ExportGiven)
@click.pass_obj
def export(settings: Settings, given: ExportGiven) -> None:
    """Write a part of a data set in a format of public evaluation sets.

    c4solver is the format of Pascal Pons's program and of his six classes of positions: the moves,
    a blank, and the score. With --all-moves it has the scores of all columns, -1000 for a full one.
    refmoves is the format of the validation set for Kaggle's ConnectX: JSON Lines with "board",
    "score" and "move score", -99 for a full column. "c4 dataset build --from file" reads both.
    """
    refuse(
        (
            given.all_moves and given.format_name != "c4solver",
            "--all-moves needs --format c4solver",
        ),
    )
    check_writable(given.output)

    records, card = read_part(Path(given.directory), given.split)
    lines = exchange_lines(
        records,
        card.size,
        card.seed,
        given.format_name,
        all_moves=given.all_moves,
    )
    with opened(given.output) as target:
        target.writelines(f"{line}\n" for line in lines)
    settings.say(
        f"{count(len(records['key']), 'position')} of {given.split}, as {given.format_name}"
    )


INFO_EXAMPLES = ("c4 dataset info mid", "c4 dataset info mid/train.npz --json")


def _counts(heading: str, width: int, names: Iterable[str]) -> tuple[Column, ...]:
    return (
        Column(heading, width, lambda row: str(row[heading]), right=heading == "ply"),
        *(_number(name) for name in names),
    )


def _number(name: str) -> Column:
    heading = name.replace("_", " ")
    return Column(heading, max(11, len(heading)), lambda row: f"{row[name]:,}", right=True)


@click.command(cls=Command, database=False, examples=INFO_EXAMPLES)
@click.argument("path", type=click.Path(exists=True), metavar="DIR|FILE")
@click.pass_obj
def info(settings: Settings, *, path: str) -> None:
    """Show the card of a data set and check its files, or one of them.

    The files must be those written with the card. Every position must occur once, in the part that
    its hash selects, so that no position is in two parts. Planes, moves, plies, values, distances,
    flags and best columns must follow from key and scores. The numbers of the card must be right.
    Errors are listed, and the exit code is 1.
    """
    found = inspect(Path(path))
    if settings.json:
        write_object({"path": path, "problems": found.problems, **to_builtins(found.card)})
    else:
        _show(path, found.card)
        for problem in found.problems:
            echo(f"wrong: {problem}")
    if found.problems:
        raise click.exceptions.Exit(Exit.PROBLEMS)
    settings.say(f"{', '.join(found.files)}: match the card")


def _show(path: str, card: Card) -> None:
    everything = total(card.splits)
    write_facts(_facts(path, card))
    echo()
    parts: list[Row] = [{"part": name, **part} for name, part in card.splits.items()]
    parts.append({"part": "all", **everything})
    outcomes = ("positions", *OUTCOMES)
    write_rows(parts, "table", _counts("part", 10, outcomes))
    echo()
    write_rows(parts, "table", _counts("part", 10, TRAITS))
    echo()
    write_rows(everything["plies"], "table", _counts("ply", 3, outcomes))


def _facts(path: str, card: Card) -> dict[str, str]:
    source = card.source
    others = {name: fact for name, fact in source.items() if name not in _TOLD}
    linked = ", ".join(f"{number:,} of {name}" for name, number in card.neighbours.items())
    return {
        "data set": f"{path}: {card.title}",
        "made by": card.command,
        "with": f"c4 {card.c4_version}, engine {card.engine_version}",
        "source": f"{source['kind']}, plies {source['first_ply']} to {source['last_ply']}",
        **{name.replace("_", " "): str(fact) for name, fact in others.items()},
        "asked for": f"{card.asked:,}{'; the source has no more' if card.is_all else ''}",
        "duplicates": f"{card.duplicates:,} dropped of {card.drawn:,} looked at",
        "split": card.split.shares,
        "neighbours": f"in other parts: {linked}",
        "columns": ", ".join(column.name for column in card.columns),
    }


_TOLD = frozenset({"kind", "first_ply", "last_ply"})
"""Facts that the line "source" shows already."""
