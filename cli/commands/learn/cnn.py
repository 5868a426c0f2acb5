"""``c4 learn train cnn``: a network on final grids."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from cli.commands.learn import options
from cli.commands.learn.games import games_options, labelled_games
from cli.shell import parameters
from cli.shell.commands import Command

if TYPE_CHECKING:
    from c4core.models.torch.networks import Padding
    from c4core.notation import BoardSize

GAMES = 300_000
EPOCHS = 100

EXAMPLES = (
    "c4 learn train cnn --games 2000 --epochs 5 --output won.safetensors",
    "c4 learn train cnn --csv games.csv --epochs 2 --padding valid",
)


@click.command(cls=Command, examples=EXAMPLES)
@games_options(default=GAMES)
@click.option(
    "--padding",
    type=click.Choice(["same", "valid"]),
    default="same",
    show_default=True,
    help="Padding of the convolution; Brewer's program has same.",
)
@click.option(
    "--batch",
    type=parameters.WholeNumber(1),
    metavar="N",
    default=1000,
    show_default=True,
    help="Grids of a step.",
)
@click.option(
    "--rate",
    type=parameters.FiniteFloat(0, 1, min_open=True),
    metavar="X",
    default=0.01,
    show_default=True,
    help="Adam's learning rate.",
)
@options.training_options(kind="cnn", epochs=EPOCHS, curves="accuracy and error by epoch")
@click.pass_context
def cnn(
    context: click.Context,
    /,
    *,
    games: int | None,
    csv_file: Any,
    matches: tuple[int, ...],
    board: BoardSize,
    padding: Padding,
    batch: int,
    rate: float,
    seed: int,
    **others: Any,
) -> None:
    """Train the network of Brewer 2017 on final grids of games.

    It learns to tell from the final grid whether player 1 has won. Either player may be player 1,
    by lot for each game. Repeated grids are left out. The network is trained on 70% of the others
    and tested on the rest; the confusion matrix of the test is printed. The model plays as
    learning-cnn:model=FILE.
    """
    training = options.training_of(context, others)
    found = labelled_games(
        context,
        games=games,
        csv_file=csv_file,
        matches=matches,
        board=board,
        seed=seed,
        default=GAMES,
    )
    from c4core.models.torch.courses import FinalGridCourse
    from c4core.models.torch.networks import parameter_count
    from c4core.models.torch.report import Confusion
    from cli.commands.learn.view import write_report

    course = FinalGridCourse(found, padding=padding, batch=batch, rate=rate, seed=seed)
    model = options.run(context.obj, course, training)
    write_report(
        context.obj,
        training.path,
        model,
        parameters=parameter_count(course.network),
        confusion=Confusion.of(course.network, *course.test),
        with_history=True,
    )
