"""Measure networks on held-out positions, and in games against perfect play.

::

    python -m benchmarks learning measure learning-residual --data tests

``c4 learn train residual`` trains the shipped network (docs/learning.md). The data set has quiet
positions with 8 to 31 stones, the same number of each.
"""

from __future__ import annotations

from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING, Any, Final

import click
import numpy as np

from benchmarks.options import WITH_HELP, seed_option
from benchmarks.page import run_lines, table
from c4core.book import Book
from c4core.dataset.lots import SPLITS
from c4core.dice import Dice
from c4core.models.labels import read_positions
from c4core.models.perfect_play import PerfectPlay
from c4core.models.quality import evaluate_player, quality_object
from c4core.notation import DEFAULT_BOARD
from c4core.players.registry import parse_player
from c4core.solver import Solver
from cli.output.render import percent
from workers.configuration import usable_cores

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from benchmarks.record import Part, Results
    from c4core.models.labels import Positions
    from c4core.players import Player
    from c4core.position import Position

BANDS: Final = ((8, 13), (14, 19), (20, 25), (26, 31))
"""The least and most stones of the positions that are counted together."""


@click.group(context_settings=WITH_HELP)
def main() -> None:
    """Measure networks."""


@main.command()
@click.argument("players", nargs=-1, required=True)
@click.option(
    "--data",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    required=True,
    help="A data set of c4 dataset build, with NPZ files.",
)
@click.option("--split", type=click.Choice(SPLITS), default="test", show_default=True)
@click.option("--sample", type=click.IntRange(1), help="Only this many positions of each band.")
@click.option("--games", type=click.IntRange(1), default=200, show_default=True)
@seed_option
@click.option("--threads", type=click.IntRange(1), default=usable_cores(), show_default="all cores")
@click.option("--table-mb", type=click.IntRange(1), default=1024, show_default=True)
@click.pass_obj
def measure(
    results: Results,
    *,
    players: tuple[str, ...],
    data: Path,
    split: str,
    sample: int | None,
    games: int,
    seed: int,
    threads: int,
    table_mb: int,
) -> None:
    """Measure players on held-out positions, and in games against perfect play.

    The games begin on the empty board. The player plays --games games as first player, and as
    many as second player.
    """
    positions = read_positions(data, split)
    solver = Solver(table_mb=table_mb, threads=threads, book=Book.shipped())
    perfect, random = PerfectPlay(DEFAULT_BOARD, solver), np.random.default_rng(seed)
    measured = []
    for description in players:
        spec = parse_player(description)
        with spec.make() as player:
            bands = [
                band_figures(player, positions, first, last, sample=sample) for first, last in BANDS
            ]

            def choose(asked: Sequence[Position], player: Player = player) -> list[int]:
                return [player.choose(position, Dice(0)) for position in asked]

            played = [
                perfect.play(choose, games=games, moves_first=moves_first, random=random)
                for moves_first in (True, False)
            ]
        measured.append(
            {
                "player": spec.text,
                "bands": bands,
                "first": [played[0].results.count(result) for result in (1, 0, -1)],
                "second": [played[1].results.count(result) for result in (1, 0, -1)],
                "stones": [float(np.median(each.lengths)) for each in played],
            }
        )
        click.echo(f"{description}: {measured[-1]}", err=True)
    figures = {"set": split, "games": games, "sample": sample, "players": measured}
    results.keep("learning", f"network-{split}", figures)


def band_figures(
    player: Player, positions: Positions, first: int, last: int, *, sample: int | None
) -> dict[str, Any]:
    """The figures of a player for positions with ``first`` to ``last`` stones."""
    band = positions.take(np.flatnonzero((first <= positions.ply) & (positions.ply <= last)))
    if sample is not None:
        band = band.sample(sample, seed=0)
    found = evaluate_player(player, band)
    quality = quality_object(found.quality)
    return {
        "stones": [first, last],
        "move_processor_microseconds": round(1e6 * found.processor_seconds, 1),
        "quality": {kind: quality[kind] for kind in ("all", "quiet_decisive")},
    }


def places(parts: Mapping[str, Part]) -> dict[str, str]:
    """The text of each place in ``docs/learning-log.md``: means over the bands, and games."""
    made, figures = parts["network-test"].made, parts["network-test"].figures
    rows = []
    for each in figures["players"]:
        bands = [band["quality"] for band in each["bands"]]
        microseconds = mean(band["move_processor_microseconds"] for band in each["bands"])
        rows.append(
            [
                f"`{each['player'].partition(':')[0]}`",
                mean_text(band["all"]["strict"] for band in bands),
                mean_text(band["all"]["outcome"] for band in bands),
                mean_text(band["quiet_decisive"]["outcome"] for band in bands),
                *(percent(band["all"]["outcome"]) for band in bands),
                f"{microseconds:,.0f} us",
                *("-".join(map(str, each[seat])) for seat in ("first", "second")),
                f"{each['stones'][1]:.0f}",
            ]
        )
    ranges = " | ".join(f"{first} to {last}" for first, last in BANDS)
    headings = (
        f"player | best column | result kept | decisive | {ranges} | processor time per move | "
        "moving first | second | stones"
    )
    return {"network": table(headings, rows), "run": run_lines(made)}


def mean_text(shares: Iterable[float | None]) -> str:
    """The mean share, without bands that have no such position."""
    known = [share for share in shares if share is not None]
    return percent(mean(known) if known else None)
