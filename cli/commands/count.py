"""``c4 count``: count the positions of a board."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import click

from c4core.counting import count as count_on
from cli.output.formats import write_object
from cli.output.render import duration
from cli.shell import parameters
from cli.shell.commands import Command
from cli.shell.parameters import number, takes
from cli.shell.process import echo

if TYPE_CHECKING:
    from c4core.counting import PlyCount
    from c4core.notation import BoardSize
    from cli.shell.settings import Settings

LARGEST_MEMORY_MB: Final = 1 << 20
"""One terabyte; the nodes of a level are numbered with 32 bits."""
WIDTH: Final = 20
"""Width of a table column in characters."""

EXAMPLES: Final = ("c4 count --board 5x5", "c4 count --board 5x4 --json")


@dataclass(frozen=True, kw_only=True)
class Given:
    """Parameters of ``c4 count``."""

    board: BoardSize = parameters.board()
    memory_mb: int = number(
        parameters.WholeNumber(1, LARGEST_MEMORY_MB),
        "Memory limit for the diagrams.",
        metavar="MB",
        default=8192,
    )


@click.command(cls=Command, database=False, examples=EXAMPLES)
@takes(Given)
@click.pass_obj
def count(settings: Settings, given: Given) -> None:
    """Count the positions of a board, ply by ply.

    Only positions that a game can reach are counted; a game ends with a four. Mirror images are
    counted separately. Positions are not enumerated: each ply is one decision diagram.

    A 5x5 board takes a second, 6x6 a few minutes, 7x6 about ten minutes and 3 GB.
    """
    began = time.monotonic()
    plies: list[PlyCount] = []
    if not settings.json:
        echo(_row("ply", "positions", "won", "nodes"))
    for ply in count_on(given.board, most_bytes=given.memory_mb << 20):
        if not settings.json:
            _write(len(plies), ply)
        plies.append(ply)
    _conclude(settings, given.board, plies, time.monotonic() - began)


def _row(*cells: str) -> str:
    return f"{cells[0]:>3}" + "".join(f"  {cell:>{WIDTH}}" for cell in cells[1:])


def _write(ply: int, counts: PlyCount) -> None:
    numbers = (counts.positions, counts.won, counts.nodes)
    echo(_row(str(ply), *(f"{number:,}" for number in numbers)))


def _conclude(settings: Settings, board: BoardSize, plies: list[PlyCount], seconds: float) -> None:
    positions = sum(ply.positions for ply in plies)
    if settings.json:
        rows = [
            {"ply": ply, "positions": one.positions, "won": one.won, "nodes": one.nodes}
            for ply, one in enumerate(plies)
        ]
        write_object(
            {
                "board": str(board),
                "positions": positions,
                "plies": rows,
                "seconds": round(seconds, 3),
            }
        )
        return

    won = sum(ply.won for ply in plies)
    echo(_row("all", f"{positions:,}", f"{won:,}", ""))
    settings.say(f"{board}: {positions:,} positions, in {duration(seconds)}")
