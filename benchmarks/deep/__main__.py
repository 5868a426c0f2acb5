"""``python -m benchmarks.deep``: measure pieces, simulate workers, draw the speed-up."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import click

from benchmarks.deep.boards import keep, prove, table
from benchmarks.deep.costs import Costs, UnknownPieceError
from benchmarks.deep.plot import Line, draw
from benchmarks.deep.simulation import Outcome, best
from benchmarks.options import WITH_HELP
from benchmarks.page import DOCS, fill_file
from c4core.notation import parse_board
from c4core.position import Position
from cli.shell.parameters import usable_cores

PROOFS: Final = DOCS / "deep.json"
PAGE: Final = DOCS / "deep.md"

WORKERS: Final = (1, 2, 4, 8, 16, 32, 64)

path_argument = click.Path(exists=True, dir_okay=False, path_type=Path)
plies_option = click.option(
    "--plies", default="1-6", show_default=True, help="Depths of splitting to try, FIRST-LAST."
)
overhead_option = click.option(
    "--overhead",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Nodes in the time that a unit takes beside its search.",
)


@click.group(context_settings=WITH_HELP)
def main() -> None:
    """Measure what splitting one position over many workers gains."""


@main.command()
@click.argument("moves")
@click.option("--board", default="7x6", show_default=True)
@click.option("--unit-nodes", type=click.IntRange(1), default=200_000_000, show_default=True)
@click.option("--table-mb", type=click.IntRange(1), default=8, show_default=True)
@click.option(
    "--output", type=click.Path(dir_okay=False, path_type=Path), required=True, metavar="FILE"
)
@plies_option
@overhead_option
def measure(
    *,
    moves: str,
    board: str,
    unit_nodes: int,
    table_mb: int,
    output: Path,
    plies: str,
    overhead: int,
) -> None:
    """Search every piece that 1 to 64 workers would search, and keep what each costs.

    This takes several times as long as one search of the position.
    """
    size = parse_board(board)
    start = Position(moves, width=size.width, height=size.height)
    costs = Costs.measured(start, moves, unit_nodes=unit_nodes, table_mb=table_mb)
    _tell(costs, [_outcome(costs, workers, plies, overhead) for workers in WORKERS])
    costs.write(output)


@main.command()
@click.argument("files", type=path_argument, nargs=-1, required=True)
@plies_option
@overhead_option
@click.option(
    "--plot",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Draw the speed-up into this file, as SVG.",
)
def simulate(*, files: tuple[Path, ...], plies: str, overhead: int, plot: Path | None) -> None:
    """Simulate workers on pieces that were measured."""
    curves: list[Line] = []
    for file in files:
        try:
            costs = Costs.read(file)
            outcomes = [_outcome(costs, workers, plies, overhead) for workers in WORKERS]
        except (ValueError, UnknownPieceError) as error:
            raise click.ClickException(f"{file}: {error}") from None
        _tell(costs, outcomes)
        points = [(each.workers, each.speed_up(costs.single_nodes)) for each in outcomes]
        curves.append(Line(f"{costs.moves or 'empty'} on {costs.board}", points))
    if plot is not None:
        draw(plot, curves, WORKERS)


@main.command()
@click.argument("names", metavar="BOARD", nargs=-1, required=True)
@click.option("--minutes", type=click.FloatRange(0, min_open=True), default=30.0, show_default=True)
@click.option("--threads", type=click.IntRange(1), default=usable_cores(), show_default="all cores")
@click.option("--table-mb", type=click.IntRange(1), default=64, show_default=True)
@click.option("--single/--no-single", default=True, help="Search by one thread as well.")
def boards(
    *, names: tuple[str, ...], minutes: float, threads: int, table_mb: int, single: bool
) -> None:
    """Prove empty boards by c4 deep, and keep what they took in docs/deep.json and docs/deep.md."""
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


def _outcome(costs: Costs, workers: int, plies: str, overhead: int) -> Outcome:
    first, _, last = plies.partition("-")
    if not (first.isdecimal() and (last or first).isdecimal()):
        raise click.BadParameter(f"{plies!r} is not FIRST-LAST", param_hint="--plies")
    depths = range(int(first), int(last or first) + 1)
    return best(costs, workers=workers, plies=depths, overhead=overhead)


def _tell(costs: Costs, outcomes: list[Outcome]) -> None:
    """Print a table in Markdown."""
    print(
        f"\n{costs.moves or 'empty'} on {costs.board}: {costs.single_nodes:,} nodes in one search"
    )
    print("| workers | split plies | nodes, all | of one search | speed-up | cut off | idle |")
    print("|---:|---:|---:|---:|---:|---:|---:|")
    for outcome in outcomes:
        print(
            f"| {outcome.workers} | {outcome.split_plies} | {outcome.nodes:,} "
            f"| {outcome.nodes / costs.single_nodes:.2f} "
            f"| {outcome.speed_up(costs.single_nodes):.2f} "
            f"| {outcome.cut} of {outcome.pieces} | {outcome.idle:.0%} |"
        )


if __name__ == "__main__":
    main(prog_name="python -m benchmarks.deep")
