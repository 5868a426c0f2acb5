"""Train the network that orders the engine's moves.

::

    python -m benchmarks.order.build
    python -m benchmarks order train --board 6x6 --output c4-6x6.c4order

``build`` compiles the module ``samples``. Training needs PyTorch.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from benchmarks.options import WITH_HELP, failures, seed_option, threads_option
from c4core.errors import LearningError
from c4core.files import atomic_file
from c4core.notation import parse_board


@click.group(context_settings=WITH_HELP)
def main() -> None:
    """Train the network that orders the engine's moves."""


@main.command()
@click.option("--board", type=parse_board, default="7x6", show_default=True)
@click.option("--roots", type=click.IntRange(1), default=3000, show_default=True)
@click.option("--empty", type=click.IntRange(0), default=2, show_default=True)
@click.option("--rounds", type=click.IntRange(1), default=2, show_default=True)
@click.option("--epochs", type=click.IntRange(1), default=3, show_default=True)
@click.option("--last-ply", type=click.IntRange(0), default=18, show_default=True)
@click.option("--density", type=click.FloatRange(0, min_open=True), default=1.0, show_default=True)
@seed_option
@threads_option
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), required=True)
def train(*, output: Path, **plan: Any) -> None:  # noqa: ANN401 (click's values)
    """Train a network in rounds.

    In every round, --roots positions after random moves are solved, and the empty board --empty
    times. At some random nodes every move is searched: the network learns which of them cut off for
    the fewest nodes. One position in 24 is held out. The network is used with up to --last-ply
    stones. Small boards have few nodes: take --density times as many samples. The same command
    gives the same file on the same machine; it takes about twenty minutes for 7x6.
    """
    from benchmarks.order.course import OrderPlan, learn_order  # noqa: PLC0415 (imports PyTorch)

    with failures(LearningError):
        data = learn_order(OrderPlan(**plan), tell=click.echo)
    with atomic_file(output) as beside:
        beside.write_bytes(data)
