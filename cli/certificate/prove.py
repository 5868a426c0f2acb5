"""``c4 prove``: the proof of a score, as a file."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from cli.output import progress
from cli.positions import book_options as options
from cli.shell import parameters
from cli.shell.commands import Command

if TYPE_CHECKING:
    from pathlib import Path

    from c4core.notation import BoardSize
    from c4core.position import Position
    from cli.shell.settings import Settings

LARGEST_TABLE_MB = 1 << 20
"""What the prover takes: a terabyte."""

EXAMPLES = (
    'c4 prove "" --board 5x4 --out small.c4proof',
    "c4 prove 2252576253462244 --out late.c4proof",
    "c4 prove 2252576253462244 --at-least -20 --out half.c4proof",
)


@click.command(cls=Command, database=False, examples=EXAMPLES)
@click.argument("moves")
@parameters.board_option
@click.option(
    "--at-least",
    type=parameters.IntRange(-32, 32),
    metavar="N",
    help="Prove that the score is N or more.",
)
@click.option(
    "--at-most",
    type=parameters.IntRange(-32, 32),
    metavar="N",
    help="Prove that the score is N or less.",
)
@click.option(
    "--rules",
    type=click.Choice(["all", "none"]),
    default="all",
    show_default=True,
    help="The rules that may end a branch; without them the proof goes on to the ends of games.",
)
@options.out_option("The file.", required=True)
@options.force_option
@click.option(
    "--table-mb",
    type=parameters.WholeNumber(1, LARGEST_TABLE_MB),
    metavar="MB",
    default=64,
    show_default=True,
    help="Size of the table of positions met in the search; the file depends on it.",
)
@parameters.zero_based_option
@click.pass_obj
def prove(
    settings: Settings,
    *,
    moves: str,
    board: BoardSize,
    at_least: int | None,
    at_most: int | None,
    rules: str,
    out: str,
    force: bool,
    table_mb: int,
    zero_based: bool,
) -> None:
    """Write the proof of a position's score: a certificate.

    MOVES are the columns played so far; "" is the empty board. Without --at-least and --at-most the
    exact score is found and proven. A bound that does not hold is an error.

    The file holds one move for every position where the side that claims the bound is to move, and
    the rule that ends a branch elsewhere: "c4 certificate verify" checks it without any search. The
    same command writes the same bytes.
    """
    from cli.output import targets
    from cli.positions import given

    position = given.from_arguments([moves], board=board, zero_based=zero_based)[0].position
    path = targets.checked(out, option="--out")
    if path.exists() and not force:
        options.refuse_existing(out)
    began = time.monotonic()
    content = _made(settings, position, at_least, at_most, rules=rules, table_mb=table_mb)
    _write(path, content)
    _conclude(settings, out, content, time.monotonic() - began)


def _made(
    settings: Settings,
    position: Position,
    at_least: int | None,
    at_most: int | None,
    *,
    rules: str,
    table_mb: int,
) -> bytes:
    from c4core.certificate import Prover, make
    from c4core.certificate.values import EVERY_RULE
    from cli.shell.background import run_in_background

    prover = Prover(table_mb=table_mb)
    shown = progress.is_shown(settings, over_output=False)
    with progress.planning(shown=shown, of="positions") as tell:
        return run_in_background(
            lambda: make(
                position,
                at_least=at_least,
                at_most=at_most,
                rules=EVERY_RULE if rules == "all" else 0,
                prover=prover,
                progress=tell,
            ),
            prover.stop,
        )


def _write(path: Path, content: bytes) -> None:
    from c4core.atomic_file import atomic_file

    with atomic_file(path) as beside:
        beside.write_bytes(content)


def _conclude(settings: Settings, name: str, content: bytes, seconds: float) -> None:
    from c4core.certificate import Certificate
    from cli.certificate.options import claim, place
    from cli.output.render import count, duration

    info = Certificate(content, path=name).info
    settings.say(
        f"{name}: {place(info)} {claim(info)}; {count(info.positions, 'position')}, "
        f"{count(info.file_bytes, 'byte')}, in {duration(seconds)}"
    )
    if settings.json:
        from cli.certificate.info import as_object
        from cli.output.formats import write_object

        write_object({"file": name, **as_object(info), "seconds": round(seconds, 3)})
