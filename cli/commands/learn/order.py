"""``c4 learn order``: train the network that orders the engine's moves."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import click

from cli.commands.learn.shared import number_option, require, seed_option
from cli.shell import parameters
from cli.shell.commands import Command, refuse

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from c4core.notation import BoardSize
    from c4core.order_training.course import OrderPlan, OrderRound
    from cli.shell.settings import Settings


EXAMPLES = (
    "c4 learn order --board 5x4 --roots 60 --last-ply 9 --density 20",
    "c4 learn order --board 5x4 --roots 60 --last-ply 8 --density 20 --fresh --json",
)


@click.command(cls=Command, database=False, examples=EXAMPLES)
@parameters.board_option
@number_option(
    "--roots", parameters.WholeNumber(1, 10**7), "Positions to solve per round.", default=3000
)
@number_option(
    "--empty", parameters.WholeNumber(0, 1000), "Also solve the empty board N times.", default=2
)
@number_option(
    "--rounds",
    parameters.IntRange(1, 100),
    "Number of rounds; from the second on, the new network orders moves.",
    default=2,
)
@number_option("--epochs", parameters.IntRange(1, 1000), "Epochs of training per round.", default=3)
@number_option(
    "--last-ply",
    parameters.IntRange(0, 63),
    "Use the network with up to N stones on the board.",
    default=18,
)
@number_option(
    "--density",
    parameters.FiniteFloat(0, 1000, min_open=True),
    "Take X times as many samples; small boards have few nodes.",
    default=1.0,
)
@seed_option
@number_option(
    "--threads",
    parameters.IntRange(1, 1024),
    "Threads that solve positions; the file does not depend on them.",
    default=1,
)
@click.option("--fresh", is_flag=True, help="Start again even if the file exists.")
@click.option("-o", "--output", metavar="FILE", help="The network.  [default: c4-BOARD.c4order]")
@click.pass_context
def order(
    context: click.Context,
    /,
    *,
    board: BoardSize,
    last_ply: int,
    fresh: bool,
    output: str | None,
    **others: Any,
) -> None:
    """Train the network that orders the engine's moves.

    Positions after random moves are solved. At some random nodes every move is searched: the
    network learns which of them cut off for the fewest nodes. One position in 24 is held out. For
    its samples the report says how far today's order and the network's order are from the best one.
    c4 includes networks for 7x6, 6x7, 6x6, 5x7, 7x7, 8x6 and 10x4. A network changes which nodes a
    search visits, never its result. The same command gives the same file on the same machine; it
    takes about twenty minutes for 7x6.
    """
    require()
    from cli.output.formats import writable_path

    settings: Settings = context.obj
    output = output or f"c4-{board}.c4order"
    path = writable_path(output, option="--output")
    refuse(
        context,
        (path.exists() and not fresh, f"{output} exists: start again with --fresh"),
        (
            last_ply >= board.cells,
            f"--last-ply {last_ply} is too large: {board} has {board.cells} squares",
        ),
    )
    from c4core.files import atomic_file
    from c4core.order_training.course import OrderPlan

    plan = OrderPlan(board=board, last_ply=last_ply, **others)
    data, rounds = _train(settings, plan)
    with atomic_file(path) as beside:
        beside.write_bytes(data)
    _write(settings, path, plan, len(data), rounds)


def _train(settings: Settings, plan: OrderPlan) -> tuple[bytes, list[OrderRound]]:
    from c4core.order_training.course import learn_order
    from cli.output import progress
    from cli.output.render import duration
    from cli.shell.process import check_signals

    shown = progress.is_shown(settings, over_output=False)
    with ExitStack() as bars:
        running: dict[str, Callable[[int], None]] = {}

        def look(what: str, done: int, total: int) -> None:
            check_signals()
            if what not in running:
                running.clear()
                bars.close()
                running[what] = bars.enter_context(progress.counting(what, total, shown=shown))
            running[what](done)

        def tell_round(done: OrderRound) -> None:
            running.clear()
            bars.close()
            settings.say_if_verbose(
                f"round {done.number}: {done.samples:,} samples, solved in "
                f"{duration(done.solving_seconds)}, trained in {duration(done.training_seconds)}, "
                f"regret {done.before.regret:.4f} -> {done.after.regret:.4f}"
            )

        return learn_order(plan, tell=look, tell_round=tell_round)


def _write(
    settings: Settings, path: Path, plan: OrderPlan, size: int, rounds: list[OrderRound]
) -> None:
    if settings.json:
        from dataclasses import asdict

        from cli.output.formats import write_object

        about = asdict(plan) | {"board": str(plan.board), "rounds": [asdict(r) for r in rounds]}
        write_object({"network": str(path), "bytes": size} | about)
        return
    from cli.output.render import duration
    from cli.output.tables import Facts, Table, write_parts

    facts = [
        ("network", str(path)),
        ("board", str(plan.board)),
        ("bytes", f"{size:,}"),
        ("seconds", duration(sum(r.solving_seconds + r.training_seconds for r in rounds))),
    ]
    rows = [
        [
            str(done.number),
            f"{done.samples:,}",
            f"{done.held_out:,}",
            *(f"{figures.cross_entropy:.4f}" for figures in (done.before, done.after)),
            *(f"{figures.regret:.4f}" for figures in (done.before, done.after)),
        ]
        for done in rounds
    ]
    headings = (
        "round", "samples", "held out", "cross entropy", "with it", "regret", "with it",
    )  # fmt: skip
    title = "Held-out samples, without and with the network"
    write_parts([Facts(facts), Table(headings, rows, left=0, title=title)])
