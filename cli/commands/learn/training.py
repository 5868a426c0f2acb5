"""``c4 learn train``: train a model of each kind."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from c4core.models.files import read_model
from c4core.models.labels import read_joined
from c4core.models.loop import Step, draw_curves, train
from c4core.models.players import LearningResidual
from c4core.models.quality import evaluate_player
from cli.commands.learn.shared import (
    figure_texts,
    games_options,
    labelled_games,
    number_option,
    require,
    seed_option,
    write_report,
)
from cli.output import drawing, progress
from cli.output.formats import writable_path
from cli.shell.commands import Command, refuse
from cli.shell.parameters import FiniteFloat, IntRange, WholeNumber, option_group
from cli.shell.process import check_signals

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from c4core.models.files import Model
    from c4core.models.loop import Course
    from cli.shell.settings import Decorated, Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Training:
    """The options of all training commands."""

    path: Path
    epochs: int
    earlier: Model | None
    plots: tuple[str, ...]


def training_options(*, kind: str, epochs: int, curves: str) -> Callable[[Decorated], Decorated]:
    """Add the options that :func:`training_of` collects, and ``--seed``.

    ``epochs`` is the default, ``curves`` describes what ``--plot`` draws.
    """
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
        number_option(
            "--threads",
            IntRange(1, 1024),
            "Threads of PyTorch; another number gives slightly different weights.",
            default=1,
        ),
        drawing.plot_option(f"Draw {curves} into an .svg, .png or .pdf; can be given again."),
    )


def training_of(context: click.Context, options: dict[str, Any]) -> Training:
    """Pop the options of :func:`training_options` from a command's options, and check them."""
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
        earlier = read_model(path)
    import torch

    torch.set_num_threads(options.pop("threads"))
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


RESIDUAL_EXAMPLES = (
    "c4 learn train residual --data positions --epochs 2 --steps 10 --channels 8",
    "c4 learn train residual --data positions --epochs 1 --steps 9 --games 0 --json",
)


@click.command(cls=Command, database=False, examples=RESIDUAL_EXAMPLES)
@data_options
@number_option(
    "--channels", IntRange(8, 128), "Filters per convolution, a multiple of 8.", default=32
)
@number_option("--blocks", IntRange(1, 16), "Pairs of convolutions after the first.", default=5)
@number_option(
    "--hidden",
    IntRange(8, 256),
    "Units per column before the outputs, a multiple of 8.",
    default=64,
)
@number_option("--steps", WholeNumber(1), "Steps per epoch.", default=1000)
@number_option("--batch", WholeNumber(1), "Positions per step.", default=2048)
@number_option(
    "--rate", FiniteFloat(0, 1, min_open=True), "Muon's highest learning rate.", default=0.035
)
@number_option(
    "--games",
    WholeNumber(0),
    "Games against perfect play, as first player, after every epoch.",
    default=200,
)
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
@training_options(kind="residual", epochs=8, curves="shares and losses by epoch")
@click.pass_context
def residual(context: click.Context, /, **others: Any) -> None:
    """Train a network that sees threats, using exact labels.

    It learns the best columns, the winner, and the scores of all columns from train.npz, and from
    its own games against perfect play. Use --games 0 on a large board without a book, where perfect
    play takes long. After every epoch, and in the report, the network is evaluated on
    validation.npz. The learning rate falls until the last epoch, so give the same --epochs with
    --resume. The model plays as learning-residual:model=FILE, without PyTorch.
    """
    training = training_of(context, others)
    from c4core.models.torch.courses import ResidualCourse
    from c4core.models.torch.networks import parameter_count

    learned, held_out, apart = read_joined(others.pop("data"), apart_from=others.pop("apart_from"))
    course = ResidualCourse(learned, held_out, others=apart, epochs=training.epochs, **others)
    model = run(context.obj, course, training)
    player = LearningResidual(model=str(training.path))
    write_report(
        context.obj,
        training.path,
        model,
        parameters=parameter_count(course.network),
        quality=evaluate_player(player, held_out).quality,
        with_history=True,
    )


def run(settings: Settings, course: Course, training: Training) -> Model:
    """Train with progress, and draw the curves.

    After an interruption, a message reports the completed epochs and how to continue. If the model
    to continue from belongs to another training, ModelMismatchError is raised.
    """
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
