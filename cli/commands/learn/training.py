"""``c4 learn train``: train a model of each kind."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cli.commands.learn.shared import (
    figure_texts,
    games_options,
    labelled_games,
    number_option,
    require,
    seed_option,
    write_report,
)
from cli.output import drawing
from cli.shell.commands import Command, refuse
from cli.shell.parameters import FiniteFloat, IntRange, WholeNumber, board_option, option_group

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from c4core.models.files import Model
    from c4core.models.labels import Positions
    from c4core.models.loop import Course
    from c4core.models.torch.courses import NetworkCourse
    from cli.shell.settings import Decorated, Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Training:
    """The options of all training commands."""

    path: Path
    epochs: int
    earlier: Model | None
    plots: tuple[str, ...]


def training_options(
    *, kind: str, epochs: int, curves: str, pytorch: bool = True
) -> Callable[[Decorated], Decorated]:
    """Add the options that :func:`training_of` collects, and ``--seed``.

    ``epochs`` is the default, ``curves`` describes what ``--plot`` draws. With ``pytorch``, PyTorch
    trains, possibly with several threads.
    """
    threads = number_option(
        "--threads",
        IntRange(1, 1024),
        "Threads of PyTorch; another number gives slightly different weights.",
        default=1,
    )

    return option_group(
        click.option(
            "-o",
            "--output",
            metavar="FILE",
            default=f"{kind}.safetensors",
            show_default=True,
            help="The model file to write.",
        ),
        number_option(
            "--epochs",
            WholeNumber(1),
            "Total number of epochs, including earlier runs.",
            default=epochs,
        ),
        seed_option,
        click.option("--resume", is_flag=True, help="Continue from the file if it exists."),
        click.option("--fresh", is_flag=True, help="Start again even if the file exists."),
        *([threads] if pytorch else []),
        drawing.plot_option(f"Draw {curves} into an .svg, .png or .pdf; can be given again."),
    )


def training_of(context: click.Context, options: dict[str, Any]) -> Training:
    """Pop the options of :func:`training_options` from a command's options, and check them."""
    from cli.output.formats import writable_path

    threads = options.pop("threads", None)
    if threads is not None:
        require()
    resume, fresh, output = (options.pop(name) for name in ("resume", "fresh", "output"))
    refuse(context, (resume and fresh, "--resume and --fresh cannot be used together"))
    path = writable_path(output, option="--output")
    drawn = tuple(options.pop("plots"))
    drawing.check_charts(drawn)
    refuse(
        context,
        (
            path.exists() and not (resume or fresh),
            f"{output} exists: continue it with --resume, or start again with --fresh",
        ),
    )
    earlier = None
    if resume and path.exists():
        from c4core.models.files import read_model

        earlier = read_model(path)
    if threads is not None:
        import torch

        torch.set_num_threads(threads)
    return Training(path=path, epochs=options.pop("epochs"), earlier=earlier, plots=drawn)


_DIRECTORY = click.Path(exists=True, file_okay=False, path_type=Path)

data_options = option_group(
    click.option(
        "--data",
        type=_DIRECTORY,
        required=True,
        multiple=True,
        metavar="DIR",
        help="A data set of c4 dataset build, with NPZ files; can be given again to join several.",
    ),
    click.option(
        "--apart-from",
        type=_DIRECTORY,
        multiple=True,
        metavar="DIR",
        help="Do not learn from positions of this data set or their neighbours.",
    ),
)
"""The options that :func:`positions_of` collects."""


def positions_of(options: dict[str, Any]) -> tuple[Positions, Positions]:
    """Pop the options of :data:`data_options`; read positions to learn from and to test."""
    from c4core.models.labels import read_joined

    return read_joined(options.pop("data"), apart_from=options.pop("apart_from"))


def step_options(*, batch: int, rate: float) -> Callable[[Decorated], Decorated]:
    """Add the options of a training step, with their defaults."""
    return option_group(
        number_option("--batch", WholeNumber(1), "Positions per step.", default=batch),
        number_option(
            "--rate",
            FiniteFloat(0, 1, min_open=True),
            "Adam's initial learning rate.",
            default=rate,
        ),
    )


def decay_option(default: float) -> Callable[[Decorated], Decorated]:
    """Add the option for the decay of the learning rate."""
    text = "Factor of the learning rate from epoch to epoch."
    return number_option("--decay", FiniteFloat(0, 1, min_open=True), text, default=default)


def _weight_option(kind: str, meaning: str) -> Callable[[Decorated], Decorated]:
    text = f"Weight of positions {meaning}; of others it is 1."
    return number_option(f"--{kind}-weight", FiniteFloat(0, 1000, min_open=True), text, default=1.0)


weight_options = option_group(
    _weight_option("quiet", "in which nobody has a win in one"),
    _weight_option("decisive", "in which the result is at stake"),
)


def network_options(
    *, channels: int, layers: int, hidden: int, batch: int, rate: float
) -> Callable[[Decorated], Decorated]:
    """Add the options of networks with an output per column, with their defaults."""
    return option_group(
        number_option(
            "--channels", IntRange(1, 1024), "Filters per convolution.", default=channels
        ),
        number_option("--layers", IntRange(1, 64), "Convolutions.", default=layers),
        number_option(
            "--hidden", IntRange(1, 4096), "Units of the layer before the outputs.", default=hidden
        ),
        step_options(batch=batch, rate=rate),
    )


CNN_GAMES = 300_000

CNN_EXAMPLES = (
    "c4 learn train cnn --games 2000 --epochs 5 --output won.safetensors",
    "c4 learn train cnn --csv games.csv --epochs 2 --padding valid",
)


@click.command(cls=Command, examples=CNN_EXAMPLES)
@games_options(default=CNN_GAMES)
@click.option(
    "--padding",
    type=click.Choice(["same", "valid"]),
    default="same",
    show_default=True,
    help="Padding of the convolution; Brewer's program uses same.",
)
@number_option("--batch", WholeNumber(1), "Grids per step.", default=1000)
@number_option("--rate", FiniteFloat(0, 1, min_open=True), "Adam's learning rate.", default=0.01)
@training_options(kind="cnn", epochs=100, curves="accuracy and error by epoch")
@click.pass_context
def cnn(context: click.Context, /, *, seed: int, **others: Any) -> None:
    """Train the network of Brewer 2017 on final grids of games.

    It learns to decide from the final grid whether player 1 has won. In each game, lots decide
    which player is player 1. Repeated grids are left out. The network is trained on 70% of the
    others and tested on the rest; the confusion matrix of the test is printed. The model plays as
    learning-cnn:model=FILE.
    """
    training = training_of(context, others)
    found = labelled_games(context, others, seed=seed, default=CNN_GAMES)
    from c4core.models.torch.courses import FinalGridCourse
    from c4core.models.torch.networks import parameter_count
    from c4core.models.torch.playing import Confusion

    course = FinalGridCourse(found, seed=seed, **others)
    model = run(context.obj, course, training)
    write_report(
        context.obj,
        training.path,
        model,
        parameters=parameter_count(course.network),
        confusion=Confusion.of(course.network, *course.test),
        with_history=True,
    )


EXACT_EXAMPLES = (
    "c4 learn train exact --data positions --epochs 2 --channels 8",
    "c4 learn train exact --data positions --epochs 1 --json",
)


@click.command(cls=Command, database=False, examples=EXACT_EXAMPLES)
@data_options
@network_options(channels=64, layers=3, hidden=128, batch=256, rate=0.002)
@training_options(kind="exact", epochs=20, curves="shares and losses by epoch")
@click.pass_context
def exact(context: click.Context, /, **others: Any) -> None:
    """Train a network on positions with exact labels.

    It learns the best columns and the winner. It is trained on train.npz; after every epoch, and in
    the report, it is evaluated on validation.npz. The model plays as learning-exact:model=FILE.
    """
    training = training_of(context, others)
    from c4core.models.torch.courses import ExactCourse

    learned, held_out = positions_of(others)
    course = ExactCourse(learned, held_out, **others)
    _train_network(context.obj, course, training, held_out)


RESIDUAL_EXAMPLES = (
    "c4 learn train residual --data positions --epochs 2 --channels 8",
    "c4 learn train residual --data positions --epochs 1 --quiet-weight 3 --json",
)


@click.command(cls=Command, database=False, examples=RESIDUAL_EXAMPLES)
@data_options
@number_option(
    "--channels", IntRange(8, 128), "Filters per convolution, a multiple of 8.", default=32
)
@number_option("--blocks", IntRange(1, 16), "Pairs of convolutions after the first.", default=4)
@number_option(
    "--hidden",
    IntRange(8, 256),
    "Units per column before the outputs, a multiple of 8.",
    default=32,
)
@step_options(batch=256, rate=0.004)
@decay_option(0.6)
@weight_options
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
@training_options(kind="residual", epochs=7, curves="shares and losses by epoch")
@click.pass_context
def residual(context: click.Context, /, **others: Any) -> None:
    """Train a network that sees threats, using exact labels.

    It learns the best columns, the winner, and the scores of all columns. It is trained on
    train.npz; after every epoch, and in the report, it is evaluated on validation.npz. The model
    plays as learning-residual:model=FILE, without PyTorch.
    """
    training = training_of(context, others)
    from c4core.models.torch.courses import ResidualCourse

    learned, held_out = positions_of(others)
    course = ResidualCourse(learned, held_out, **others)
    _train_network(context.obj, course, training, held_out)


SELFPLAY_EXAMPLES = (
    "c4 learn train selfplay --games 256 --epochs 1 --output self.safetensors",
    "c4 learn train selfplay --board 5x4 --games 256 --epochs 1 --seed 7",
)


@click.command(cls=Command, database=False, examples=SELFPLAY_EXAMPLES)
@number_option("--games", WholeNumber(1), "Games per epoch.", default=2048)
@board_option
@network_options(channels=64, layers=1, hidden=128, batch=512, rate=0.001)
@training_options(kind="selfplay", epochs=100, curves="wins and error by epoch")
@click.pass_context
def selfplay(context: click.Context, /, **others: Any) -> None:
    """Train a network from scratch by playing against itself.

    It has an output for each column, and learns only from the results of its games. After every
    epoch it plays 100 games against random and 100 against set. It does not learn from them; their
    results are its curve. The model plays as learning-selfplay:model=FILE.
    """
    training = training_of(context, others)
    from c4core.models.torch.selfplay import SelfPlayCourse

    course = SelfPlayCourse(**others)
    _train_network(context.obj, course, training)


TUPLES_EXAMPLES = (
    "c4 learn train tuples --data positions --epochs 2 --tuples 20 --length 5",
    "c4 learn train tuples --data positions --epochs 1 --length 4 --json",
)


@click.command(cls=Command, database=False, examples=TUPLES_EXAMPLES)
@data_options
@number_option("--tuples", IntRange(1, 256), "Number of tuples, each with two tables.", default=60)
@number_option(
    "--length",
    IntRange(1, 10),
    "Squares per tuple; one more makes the tables four times as large.",
    default=7,
)
@number_option(
    "--rate",
    FiniteFloat(0, 100, min_open=True),
    "Initial share of an error by which a sum changes.",
    default=0.5,
)
@decay_option(0.8)
@weight_options
@training_options(kind="tuples", epochs=10, curves="shares and losses by epoch", pytorch=False)
@click.pass_context
def tuples(context: click.Context, /, **others: Any) -> None:
    """Train an n-tuple network on positions with exact labels.

    It adds up table entries, chosen by the contents of each tuple's squares. It is trained on
    train.npz; after every epoch, and in the report, it is evaluated on validation.npz. Neither
    training nor playing needs PyTorch. The model plays as learning-tuples:model=FILE.
    """
    training = training_of(context, others)
    from c4core.models.loop import TupleCourse
    from c4core.models.quality import quality_of_engine

    learned, held_out = positions_of(others)
    course = TupleCourse(learned, held_out, **others)
    model = run(context.obj, course, training)
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

    model = run(settings, course, training)
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


def run(settings: Settings, course: Course, training: Training) -> Model:
    """Train with progress, and draw the curves.

    After an interruption, a message reports the completed epochs and how to continue. If the model
    to continue from belongs to another training, ModelMismatchError is raised.
    """
    from c4core.models.loop import Step, draw_curves, train
    from cli.output import progress
    from cli.shell.process import check_signals

    complete = 0
    shown = progress.is_shown(settings, over_output=False)
    try:
        with progress.training(training.epochs, shown=shown) as update:

            def look(step: Step) -> None:
                nonlocal complete
                complete = step.epoch
                check_signals()
                update(step.epoch + step.done / max(step.parts, 1), _remark(step.figures))
                if step.parts == 0:
                    settings.say_if_verbose(f"epoch {step.epoch}: {_remark(step.figures)}")

            model = train(
                course,
                training.path,
                epochs=training.epochs,
                resume=training.earlier,
                tell=look,
            )
    except KeyboardInterrupt:
        if training.path.exists():
            settings.say(
                f"{training.path.name} has {complete} of {training.epochs} epochs and can play; "
                "continue with the same command and --resume"
            )
        raise

    def draw(paths: Sequence[Path]) -> None:
        for path in paths:
            draw_curves(model, path)

    drawing.draw_charts(training.plots, draw)
    return model


def _remark(figures: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {text}" for name, text in figure_texts(figures).items())
