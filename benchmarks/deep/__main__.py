"""``python -m benchmarks.deep``: prove empty boards, simulate workers, compare real ones."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import click

from benchmarks.deep import simulation
from benchmarks.deep.boards import keep, prove, table
from benchmarks.deep.pairs import compare, line
from benchmarks.deep.plot import Line, draw
from benchmarks.fleet import FleetError
from benchmarks.options import WITH_HELP, failures
from benchmarks.page import DOCS, RESULTS, fill_file
from c4core.notation import parse_board
from c4core.position import Position
from c4core.solver import Solver
from cli.shell.parameters import usable_cores
from db.errors import StorageError
from workers.deep.task import MAX_SPLIT_PLIES, UNIT_NODES, plies_to_split

PROOFS: Final = RESULTS / "deep.json"
PAGE: Final = DOCS / "deep.md"

SHARE_NODES: Final = 12_000_000
"""What one thread searches in the second from one exchange to the next."""


@click.group(context_settings=WITH_HELP)
def main() -> None:
    """Measure what splitting one position over many workers gains."""


@main.command()
@click.argument("names", metavar="BOARD", nargs=-1, required=True)
@click.option("--workers", default="1,2,4,8,16,32,64", show_default=True, help="Numbers to try.")
@click.option(
    "--split-plies",
    type=click.IntRange(0, MAX_SPLIT_PLIES),
    help="Plies that are split without a search; as `c4 deep` does, by default.",
)
@click.option(
    "--share-nodes",
    type=click.IntRange(0),
    default=SHARE_NODES,
    show_default=True,
    help="Nodes from one exchange to the next, 0 for none.",
)
@click.option("--table-mb", type=click.IntRange(1), default=64, show_default=True)
@click.option(
    "--plot",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Draw the speed-up into this file, as SVG.",
)
def simulate(
    *,
    names: tuple[str, ...],
    workers: str,
    split_plies: int | None,
    share_nodes: int,
    table_mb: int,
    plot: Path | None,
) -> None:
    """Simulate any number of workers on empty boards, with searches that are real.

    This takes as long as all workers together.
    """
    numbers = [int(number) for number in workers.split(",")]
    curves: list[Line] = []
    for name in names:
        width, height = parse_board(name)
        start = Position(width=width, height=height)
        single = Solver(table_mb=table_mb).solve(start)
        print(f"\n{name}: {single.nodes:,} nodes in one search")
        print("| workers | split plies | nodes, all | of one search | speed-up | cut off | idle |")
        print("|---:|---:|---:|---:|---:|---:|---:|")
        points: list[tuple[int, float]] = []
        for number in numbers:
            outcome = simulation.simulate(
                simulation.Setting(
                    start=start,
                    workers=number,
                    split_plies=plies_to_split(number) if split_plies is None else split_plies,
                    unit_nodes=UNIT_NODES,
                    table_mb=table_mb,
                    share_nodes=share_nodes,
                )
            )
            if outcome.score != single.score:
                raise click.ClickException(f"{name}: {outcome.score}, not {single.score}")
            points.append((number, outcome.speed_up(single.nodes)))
            print(
                f"| {number} | {outcome.split_plies} | {outcome.nodes:,} "
                f"| {outcome.nodes / single.nodes:.2f} | {points[-1][1]:.2f} "
                f"| {outcome.cut} of {outcome.pieces} | {outcome.idle:.0%} |",
                flush=True,
            )
        curves.append(Line(f"empty on {name}", points))
    if plot is not None:
        draw(plot, curves, numbers)


@main.command()
@click.argument("names", metavar="BOARD", nargs=-1, required=True)
@click.option("--minutes", type=click.FloatRange(0, min_open=True), default=30.0, show_default=True)
@click.option("--threads", type=click.IntRange(1), default=usable_cores(), show_default="all cores")
@click.option("--table-mb", type=click.IntRange(1), default=64, show_default=True)
@click.option("--single/--no-single", default=True, help="Search by one thread as well.")
def boards(
    *, names: tuple[str, ...], minutes: float, threads: int, table_mb: int, single: bool
) -> None:
    """Prove empty boards by c4 deep, and keep what they took in benchmarks/results/deep.json and docs/deep.md."""
    for name in names:
        with TemporaryDirectory() as directory:
            proof = prove(
                name,
                Path(directory),
                threads=threads,
                table_mb=table_mb,
                minutes=minutes,
                single=single,
            )
        click.echo(proof)
        fill_file(PAGE, {"boards": table(keep(proof, PROOFS))})


@main.command()
@click.argument("names", metavar="BOARD", nargs=-1, required=True)
@click.option("--postgres", metavar="URL", required=True, help="A scratch database: it is emptied.")
@click.option("--broker", metavar="URL", required=True, help="A broker that nobody else uses.")
@click.option("--workers", type=click.IntRange(1), default=2, show_default=True)
@click.option("--times", type=click.IntRange(1), default=3, show_default=True)
@click.option("--table-mb", type=click.IntRange(1), default=64, show_default=True)
def pairs(
    *, names: tuple[str, ...], postgres: str, broker: str, workers: int, times: int, table_mb: int
) -> None:
    """Compare c4 deep by workers of one thread with one search, turn by turn."""
    print(f"| board | one search | {workers} workers | times | nodes, times |")
    print("|---|---:|---:|---:|---:|")
    for name in names:
        with failures(RuntimeError, FleetError, StorageError):
            found = [
                compare(name, postgres, broker, workers=workers, table_mb=table_mb)
                for _ in range(times)
            ]
        print(line(found), flush=True)


if __name__ == "__main__":
    main(prog_name="python -m benchmarks.deep")
