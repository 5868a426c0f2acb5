"""``c4 deep`` by real workers of one thread, each time beside one search by one thread."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Final

from benchmarks.deep.boards import answer
from benchmarks.fleet import Fleet, clear
from c4core.notation import parse_board
from c4core.position import Position
from c4core.solver import Solver
from db.database import Database

if TYPE_CHECKING:
    from collections.abc import Sequence

PATIENCE_SECONDS: Final = 3600.0


@dataclass(frozen=True, slots=True)
class Pair:
    """One search, and the search of workers that came after it."""

    board: str
    single_seconds: float
    single_nodes: int
    seconds: float
    """The seconds that ``c4 deep`` reports."""
    nodes: int
    """Nodes of all workers, without those of pieces that were cut off."""

    @property
    def speed_up(self) -> float:
        """How many times as fast as one search the workers were."""
        return self.single_seconds / self.seconds

    @property
    def more_nodes(self) -> float:
        """The workers' nodes in nodes of the one search."""
        return self.nodes / self.single_nodes


def compare(board: str, database_url: str, broker_url: str, *, workers: int, table_mb: int) -> Pair:
    """Search an empty board by one thread, and then by workers of one thread each.

    Args:
        board: WxH.
        database_url: a scratch database in PostgreSQL, which is emptied before and after.
        broker_url: a broker that nobody else uses.
        workers: the number of workers.
        table_mb: the size of the table of each, and of the table of the one search.

    Raises:
        RuntimeError: the command failed, took too long or found another score.
        FleetError: the workers do not start.
        StorageError: the database cannot be opened.
    """
    size = parse_board(board)
    start = Position(width=size.width, height=size.height)
    alone = Solver(table_mb=table_mb).solve(start)
    command = ["deep", "", f"--board={board}", f"--db={database_url}", f"--broker={broker_url}"]
    with Database.open(database_url) as database:
        clear(database)
        try:
            with Fleet(database_url, broker_url, workers=workers, table_mb=table_mb) as fleet:
                fleet.await_registered(database)
                found = answer([*command, "--json", "--quiet"], PATIENCE_SECONDS)
        finally:
            clear(database)
    if found is None:
        raise RuntimeError(f"{board}: no answer by workers in {PATIENCE_SECONDS:.0f} s")
    if found["score"] != alone.score:
        raise RuntimeError(f"{board}: {found['score']} by workers, {alone.score} by one search")
    return Pair(board, alone.seconds, alone.nodes, found["seconds"], found["nodes"])


def line(pairs: Sequence[Pair]) -> str:
    """A line of a table in Markdown: medians, with the range of all speed-ups."""
    speed_ups = sorted(pair.speed_up for pair in pairs)
    cells = [
        pairs[0].board,
        f"{median(pair.single_seconds for pair in pairs):.1f} s",
        f"{median(pair.seconds for pair in pairs):.1f} s",
        f"{median(speed_ups):.2f} ({speed_ups[0]:.2f} to {speed_ups[-1]:.2f})",
        f"{median(pair.more_nodes for pair in pairs):.2f}",
    ]
    return f"| {' | '.join(cells)} |"
