"""``c4 learn train``: train a model of each kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from cli.commands.learn import options
from cli.shell import parameters
from cli.shell.commands import Command

if TYPE_CHECKING:
    from pathlib import Path

    from c4core.models.labels import Positions
    from c4core.models.torch.courses import NetworkCourse
    from c4core.models.torch.networks import Padding
    from c4core.notation import BoardSize
    from cli.commands.learn.options import Training
    from cli.shell.settings import Settings

CNN_GAMES = 300_000
CNN_EPOCHS = 100

CNN_EXAMPLES = (
    "c4 learn train cnn --games 2000 --epochs 5 --output won.safetensors",
    "c4 learn train cnn --csv games.csv --epochs 2 --padding valid",
)


@click.command(cls=Command, examples=CNN_EXAMPLES)
@options.games_options(default=CNN_GAMES)
@click.option(
    "--padding",
    type=click.Choice(["same", "valid"]),
    default="same",
    show_default=True,
    help="Padding of the convolution; Brewer's program uses same.",
)
@click.option(
    "--batch",
    type=parameters.WholeNumber(1),
    metavar="N",
    default=1000,
    show_default=True,
    help="Grids per step.",
)
@click.option(
    "--rate",
    type=parameters.FiniteFloat(0, 1, min_open=True),
    metavar="X",
    default=0.01,
    show_default=True,
    help="Adam's learning rate.",
)
@options.training_options(kind="cnn", epochs=CNN_EPOCHS, curves="accuracy and error by epoch")
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

    It learns to decide from the final grid whether player 1 has won. In each game, lots decide
    which player is player 1. Repeated grids are left out. The network is trained on 70% of the
    others and tested on the rest; the confusion matrix of the test is printed. The model plays as
    learning-cnn:model=FILE.
    """
    training = options.training_of(context, others)
    found = options.labelled_games(
        context,
        games=games,
        csv_file=csv_file,
        matches=matches,
        board=board,
        seed=seed,
        default=CNN_GAMES,
    )
    from c4core.models.torch.courses import FinalGridCourse
    from c4core.models.torch.networks import parameter_count
    from c4core.models.torch.playing import Confusion
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


EXACT_EPOCHS = 20

EXACT_EXAMPLES = (
    "c4 learn train exact --data positions --epochs 2 --channels 8",
    "c4 learn train exact --data positions --epochs 1 --json",
)


@click.command(cls=Command, database=False, examples=EXACT_EXAMPLES)
@options.data_option
@options.apart_option
@options.network_options(channels=64, layers=3, hidden=128, batch=256, rate=0.002)
@options.training_options(kind="exact", epochs=EXACT_EPOCHS, curves="shares and losses by epoch")
@click.pass_context
def exact(
    context: click.Context,
    /,
    *,
    data: tuple[Path, ...],
    apart_from: tuple[Path, ...],
    seed: int,
    **others: Any,
) -> None:
    """Train a network on positions with exact labels.

    It learns the best columns and the winner. It is trained on train.npz; after every epoch, and in
    the report, it is evaluated on validation.npz. The model plays as learning-exact:model=FILE.
    """
    training = options.training_of(context, others)
    from c4core.models.labels import read_joined
    from c4core.models.torch.courses import ExactCourse

    learned, held_out = read_joined(data, apart_from=apart_from)
    course = ExactCourse(learned, held_out, seed=seed, **others)
    _train_network(context.obj, course, training, held_out)


RESIDUAL_EPOCHS = 7

RESIDUAL_EXAMPLES = (
    "c4 learn train residual --data positions --epochs 2 --channels 8",
    "c4 learn train residual --data positions --epochs 1 --quiet-weight 3 --json",
)


@click.command(cls=Command, database=False, examples=RESIDUAL_EXAMPLES)
@options.data_option
@options.apart_option
@click.option(
    "--channels",
    type=parameters.IntRange(8, 128),
    metavar="N",
    default=32,
    show_default=True,
    help="Filters per convolution, a multiple of 8.",
)
@click.option(
    "--blocks",
    type=parameters.IntRange(1, 16),
    metavar="N",
    default=4,
    show_default=True,
    help="Pairs of convolutions after the first.",
)
@click.option(
    "--hidden",
    type=parameters.IntRange(8, 256),
    metavar="N",
    default=32,
    show_default=True,
    help="Units per column before the outputs, a multiple of 8.",
)
@options.step_options(batch=256, rate=0.004)
@options.decay_option(0.6)
@options.weight_options
@click.option(
    "--precision",
    type=click.Choice(["float32", "bfloat16"]),
    default="float32",
    show_default=True,
    help="Number format used in training; bfloat16 is faster on newer processors.",
)
@click.option(
    "--device",
    metavar="NAME",
    default="cpu",
    show_default=True,
    help="PyTorch's device, such as cuda; larger batches use a graphics card better.",
)
@options.training_options(
    kind="residual", epochs=RESIDUAL_EPOCHS, curves="shares and losses by epoch"
)
@click.pass_context
def residual(
    context: click.Context,
    /,
    *,
    data: tuple[Path, ...],
    apart_from: tuple[Path, ...],
    seed: int,
    **others: Any,
) -> None:
    """Train a network that sees threats, using exact labels.

    It learns the best columns, the winner, and the scores of all columns. It is trained on
    train.npz; after every epoch, and in the report, it is evaluated on validation.npz. The model
    plays as learning-residual:model=FILE, without PyTorch.
    """
    training = options.training_of(context, others)
    from c4core.models.labels import read_joined
    from c4core.models.torch.courses import ResidualCourse

    learned, held_out = read_joined(data, apart_from=apart_from)
    course = ResidualCourse(learned, held_out, seed=seed, **others)
    _train_network(context.obj, course, training, held_out)


SELFPLAY_GAMES = 2048
SELFPLAY_EPOCHS = 100

SELFPLAY_EXAMPLES = (
    "c4 learn train selfplay --games 256 --epochs 1 --output self.safetensors",
    "c4 learn train selfplay --board 5x4 --games 256 --epochs 1 --seed 7",
)


@click.command(cls=Command, database=False, examples=SELFPLAY_EXAMPLES)
@click.option(
    "--games",
    type=parameters.WholeNumber(1),
    metavar="N",
    default=SELFPLAY_GAMES,
    show_default=True,
    help="Games per epoch.",
)
@parameters.board_option
@options.network_options(channels=64, layers=1, hidden=128, batch=512, rate=0.001)
@options.training_options(kind="selfplay", epochs=SELFPLAY_EPOCHS, curves="wins and error by epoch")
@click.pass_context
def selfplay(
    context: click.Context, /, *, games: int, board: BoardSize, seed: int, **others: Any
) -> None:
    """Train a network from scratch by playing against itself.

    It has an output for each column, and learns only from the results of its games. After every
    epoch it plays 100 games against random and 100 against set. It does not learn from them; their
    results are its curve. The model plays as learning-selfplay:model=FILE.
    """
    training = options.training_of(context, others)
    from c4core.models.torch.selfplay import SelfPlayCourse

    course = SelfPlayCourse(board=board, games=games, seed=seed, **others)
    _train_network(context.obj, course, training)


TUPLES_EPOCHS = 10

TUPLES_EXAMPLES = (
    "c4 learn train tuples --data positions --epochs 2 --tuples 20 --length 5",
    "c4 learn train tuples --data positions --epochs 1 --length 4 --json",
)


@click.command(cls=Command, database=False, examples=TUPLES_EXAMPLES)
@options.data_option
@options.apart_option
@click.option(
    "--tuples",
    type=parameters.IntRange(1, 256),
    metavar="N",
    default=60,
    show_default=True,
    help="Number of tuples, each with two tables.",
)
@click.option(
    "--length",
    type=parameters.IntRange(1, 10),
    metavar="N",
    default=7,
    show_default=True,
    help="Squares per tuple; one more makes the tables four times as large.",
)
@click.option(
    "--rate",
    type=parameters.FiniteFloat(0, 100, min_open=True),
    metavar="X",
    default=0.5,
    show_default=True,
    help="Initial share of an error by which a sum changes.",
)
@options.decay_option(0.8)
@options.weight_options
@options.training_options(
    kind="tuples", epochs=TUPLES_EPOCHS, curves="shares and losses by epoch", pytorch=False
)
@click.pass_context
def tuples(
    context: click.Context,
    /,
    *,
    data: tuple[Path, ...],
    apart_from: tuple[Path, ...],
    seed: int,
    **others: Any,
) -> None:
    """Train an n-tuple network on positions with exact labels.

    It adds up table entries, chosen by the contents of each tuple's squares. It is trained on
    train.npz; after every epoch, and in the report, it is evaluated on validation.npz. Neither
    training nor playing needs PyTorch. The model plays as learning-tuples:model=FILE.
    """
    training = options.training_of(context, others)
    from c4core.models.labels import read_joined
    from c4core.models.loop import TupleCourse
    from c4core.models.quality import quality_of_engine
    from cli.commands.learn.view import write_report

    learned, held_out = read_joined(data, apart_from=apart_from)
    course = TupleCourse(learned, held_out, seed=seed, **others)
    model = options.run(context.obj, course, training)
    write_report(
        context.obj,
        training.path,
        model,
        parameters=sum(array.size for array in model.weights.values()),
        quality=quality_of_engine(course.engine(), held_out, mirrors=True),
        with_history=True,
    )


def _train_network(
    settings: Settings,
    course: NetworkCourse,
    training: Training,
    held_out: Positions | None = None,
) -> None:
    from c4core.models.torch.networks import parameter_count
    from c4core.models.torch.playing import quality_of_network, share_of_best
    from cli.commands.learn.view import write_report

    model = options.run(settings, course, training)
    network, kind = course.network, course.kind
    write_report(
        settings,
        training.path,
        model,
        parameters=parameter_count(network),
        shares=None if held_out is None else share_of_best(network, kind, held_out),
        quality=None if held_out is None else quality_of_network(network, kind, held_out),
        with_history=True,
    )
