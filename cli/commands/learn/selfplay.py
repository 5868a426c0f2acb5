"""``c4 learn train selfplay``: a network that learns from its own games."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from cli.commands.learn import options, sizes
from cli.shell import parameters
from cli.shell.commands import Command

if TYPE_CHECKING:
    from c4core.notation import BoardSize

GAMES = 2048
EPOCHS = 100

EXAMPLES = (
    "c4 learn train selfplay --games 256 --epochs 1 --output self.safetensors",
    "c4 learn train selfplay --board 5x4 --games 256 --epochs 1 --seed 7",
)


@click.command(cls=Command, database=False, examples=EXAMPLES)
@click.option(
    "--games",
    type=parameters.WholeNumber(1),
    metavar="N",
    default=GAMES,
    show_default=True,
    help="Games of an epoch.",
)
@parameters.board_option
@sizes.network_options(channels=64, layers=1, hidden=128, batch=512, rate=0.001)
@options.training_options(kind="selfplay", epochs=EPOCHS, curves="wins and error by epoch")
@click.pass_context
def selfplay(
    context: click.Context, /, *, games: int, board: BoardSize, seed: int, **others: Any
) -> None:
    """Train a network from scratch, by its own games.

    It has an output for each column, and learns only from how its games end. After every epoch it
    plays 100 games against random and 100 against set, from which it does not learn; their results
    are its curve. The model plays as learning-selfplay:model=FILE.
    """
    training = options.training_of(context, others)
    from c4core.models.torch.networks import parameter_count
    from c4core.models.torch.selfplay import SelfPlayCourse
    from cli.commands.learn.view import write_report

    course = SelfPlayCourse(board=board, games=games, seed=seed, **others)
    model = options.run(context.obj, course, training)
    write_report(
        context.obj,
        training.path,
        model,
        parameters=parameter_count(course.network),
        with_history=True,
    )
