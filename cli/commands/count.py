"""``c4 count``: count the positions of a board."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import click

from c4core.counting import begin, count as count_on, load_count, save_count
from cli.output.formats import writable_path, write_object
from cli.output.render import duration
from cli.shell import parameters
from cli.shell.commands import Command
from cli.shell.options import number, option, takes
from cli.shell.process import echo

if TYPE_CHECKING:
    from c4core.counting import PlyCount, Progress
    from c4core.notation import BoardSize
    from cli.shell.settings import Settings

KEEP: Final = "--keep"
LARGEST_MEMORY_MB: Final = 1 << 20
"""One terabyte; the nodes of a level are numbered with 32 bits."""
WIDTH: Final = 20
"""Width of a table column in characters."""

EXAMPLES: Final = (
    "c4 count --board 5x5",
    "c4 count --board 5x4 --json",
    "c4 count --board 4x4 --keep small.c4count",
)


@dataclass(frozen=True, kw_only=True)
class Given:
    """Parameters of ``c4 count``."""

    board: BoardSize = parameters.board()
    keep: str | None = option(
        "Store finished plies in this file; give the same command again to continue.",
        KEEP,
        metavar="FILE",
    )
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
    path = None if given.keep is None else writable_path(given.keep, option=KEEP)
    progress = begin(given.board.width, given.board.height)
    if path is not None and path.exists():
        progress = load_count(path)
        _check_board(progress, given.board)
        settings.say(f"{given.keep}: {len(progress.plies)} plies are counted already")
    if not settings.json:
        echo(_row("ply", "positions", "won", "nodes"))
        for ply, counts in enumerate(progress.plies):
            _write(ply, counts)
    try:
        for counted in count_on(progress, most_bytes=given.memory_mb << 20):
            progress = counted
            if path is not None:
                save_count(path, progress)
            if not settings.json:
                _write(len(progress.plies) - 1, progress.plies[-1])
    except KeyboardInterrupt:
        if path is not None:
            settings.say(
                f"{given.keep}: finished plies are kept; give the same command again to continue"
            )
        raise
    _conclude(settings, given.board, progress, time.monotonic() - began)


def _check_board(progress: Progress, board: BoardSize) -> None:
    kept = progress.open_positions
    if (kept.width, kept.height) != (board.width, board.height):
        text = f"it counts a board of {kept.width}x{kept.height}, not of {board}"
        raise click.BadParameter(text, param_hint=f"'{KEEP}'")


def _row(*cells: str) -> str:
    return f"{cells[0]:>3}" + "".join(f"  {cell:>{WIDTH}}" for cell in cells[1:])


def _write(ply: int, counts: PlyCount) -> None:
    numbers = (counts.positions, counts.won, counts.nodes)
    echo(_row(str(ply), *(f"{number:,}" for number in numbers)))


def _conclude(settings: Settings, board: BoardSize, progress: Progress, seconds: float) -> None:
    if settings.json:
        plies = [
            {"ply": ply, "positions": one.positions, "won": one.won, "nodes": one.nodes}
            for ply, one in enumerate(progress.plies)
        ]
        write_object(
            {
                "board": str(board),
                "positions": progress.positions,
                "plies": plies,
                "seconds": round(seconds, 3),
            }
        )
        return

    won = sum(one.won for one in progress.plies)
    echo(_row("all", f"{progress.positions:,}", f"{won:,}", ""))
    settings.say(f"{board}: {progress.positions:,} positions, in {duration(seconds)}")
