"""``c4 learn train``: train a model of each kind."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from c4core.models.files import read_model
from c4core.models.labels import read_joined
from c4core.models.loop import Step, train
from c4core.models.players import LearningResidual
from c4core.models.quality import evaluate_player
from cli.commands.learn.shared import (
    Finals,
    figure_texts,
    labelled_games,
    require,
    write_report,
)
from cli.output import progress
from cli.shell import parameters
from cli.shell.commands import Command, refuse
from cli.shell.parameters import (
    FiniteFloat,
    IntRange,
    WholeNumber,
    choice,
    flag,
    group,
    number,
    option,
    takes,
    writable_path,
)
from cli.shell.process import check_signals

if TYPE_CHECKING:
    from collections.abc import Mapping

    from c4core.models.files import Model
    from c4core.models.loop import Course
    from cli.shell.settings import Settings


def output_model(kind: str) -> Any:
    """The option ``--output`` of a model."""
    default = f"{kind}.safetensors"
    return option("The model file to write.", "-o", "--output", metavar="FILE", default=default)


def epochs(default: int) -> Any:
    """The option ``--epochs``."""
    text = "Total number of epochs, including earlier runs."
    return number(WholeNumber(1), text, default=default)


@dataclass(frozen=True, kw_only=True)
class CnnTraining:
    """A training of a convolutional network."""

    output: str = output_model("cnn")
    epochs: int = epochs(100)
    seed: int = parameters.seed("Seed of all random numbers.", metavar="N")
    resume: bool = flag("Continue from the file if it exists.")
    fresh: bool = flag("Start again even if the file exists.")
    threads: int = number(
        IntRange(1, 1024),
        "Threads of PyTorch; another number gives slightly different weights.",
        default=1,
    )

    def path(self) -> Path:
        """The model's file. The options are checked, and PyTorch gets its threads."""
        require()
        refuse((self.resume and self.fresh, "--resume and --fresh cannot be used together"))
        path = writable_path(self.output, option="--output")
        refuse(
            (
                path.exists() and not (self.resume or self.fresh),
                f"{self.output} exists: continue it with --resume, or start again with --fresh",
            )
        )
        import torch

        torch.set_num_threads(self.threads)
        return path

    def earlier(self, path: Path) -> Model | None:
        """The model to continue from."""
        return read_model(path) if self.resume and path.exists() else None


@dataclass(frozen=True, kw_only=True)
class ResidualTraining(CnnTraining):
    """A training of a residual network."""

    output: str = output_model("residual")
    epochs: int = epochs(8)


DIRECTORY = click.Path(exists=True, file_okay=False, path_type=Path)

CNN_EXAMPLES = (
    "c4 learn train cnn --games 2000 --epochs 5 --output won.safetensors",
    "c4 learn train cnn --csv games.csv --epochs 2 --padding valid",
)


@dataclass(frozen=True, kw_only=True)
class CnnGiven:
    """Parameters of ``c4 learn train cnn``."""

    finals: Finals = group(Finals)
    padding: Literal["same", "valid"] = choice(
        ["same", "valid"],
        "Padding of the convolution; Brewer's program uses same.",
        default="same",
    )
    batch: int = number(WholeNumber(1), "Grids per step.", default=1000)
    rate: float = number(
        FiniteFloat(0, 1, min_open=True), "Adam's learning rate.", metavar="X", default=0.01
    )
    training: CnnTraining = group(CnnTraining)


@click.command(cls=Command, examples=CNN_EXAMPLES)
@takes(CnnGiven)
@click.pass_obj
def cnn(settings: Settings, given: CnnGiven) -> None:
    """Train the network of Brewer 2017 on final grids of games.

    It learns to decide from the final grid whether player 1 has won. In each game, player 1
    is chosen at random. Repeated grids are left out. The network is trained on 70% of the
    others and tested on the rest. The model plays as learning-cnn:model=FILE.
    """
    training = given.training
    path = training.path()
    found = labelled_games(settings, given.finals, seed=training.seed)
    from c4core.models.torch.courses import FinalGridCourse
    from c4core.models.torch.networks import parameter_count

    course = FinalGridCourse(
        found, seed=training.seed, padding=given.padding, batch=given.batch, rate=given.rate
    )
    model = run(settings, course, training, path)
    write_report(
        settings,
        path,
        model,
        parameters=parameter_count(course.network),
        with_history=True,
    )


RESIDUAL_EXAMPLES = (
    "c4 learn train residual --data positions --epochs 2 --steps 10 --channels 8",
    "c4 learn train residual --data positions --epochs 1 --steps 9 --games 0 --json",
)


@dataclass(frozen=True, kw_only=True)
class Network:
    """The network, and the steps of its training."""

    channels: int = number(
        IntRange(8, 128), "Filters per convolution, a multiple of 8.", default=32
    )
    blocks: int = number(IntRange(1, 16), "Pairs of convolutions after the first.", default=5)
    hidden: int = number(
        IntRange(8, 256), "Units per column before the outputs, a multiple of 8.", default=64
    )
    steps: int = number(WholeNumber(1), "Steps per epoch.", default=1000)
    batch: int = number(WholeNumber(1), "Positions per step.", default=2048)
    rate: float = number(
        FiniteFloat(0, 1, min_open=True),
        "Muon's highest learning rate.",
        metavar="X",
        default=0.035,
    )
    games: int = number(
        WholeNumber(0),
        "Games against perfect play, as first player, after every epoch.",
        default=200,
    )
    precision: str = choice(
        ["float32", "bfloat16"],
        "Number format used in training; bfloat16 is faster on newer processors.",
        default="float32",
    )
    device: str = option(
        "PyTorch's device, such as cuda; larger batches use a graphics card better.",
        metavar="NAME",
        default="cpu",
    )


@dataclass(frozen=True, kw_only=True)
class ResidualGiven:
    """Parameters of ``c4 learn train residual``."""

    data: tuple[Path, ...] = option(
        "A data set of c4 dataset build, with NPZ files; can be given again to join several.",
        type=DIRECTORY,
        required=True,
        multiple=True,
        metavar="DIR",
    )
    apart_from: tuple[Path, ...] = option(
        "Do not learn from positions of this data set or their neighbours.",
        type=DIRECTORY,
        multiple=True,
        metavar="DIR",
    )
    network: Network = group(Network)
    training: ResidualTraining = group(ResidualTraining)


@click.command(cls=Command, database=False, examples=RESIDUAL_EXAMPLES)
@takes(ResidualGiven)
@click.pass_obj
def residual(settings: Settings, given: ResidualGiven) -> None:
    """Train a network that sees threats, using exact labels.

    It learns the best columns, the winner, and the scores of all columns from train.npz, and from
    its own games against perfect play. Use --games 0 on a large board without a book, where perfect
    play takes long. After every epoch, and in the report, the network is evaluated on
    validation.npz. The learning rate falls until the last epoch, so give the same --epochs with
    --resume. The model plays as learning-residual:model=FILE, without PyTorch.
    """
    training = given.training
    path = training.path()
    from c4core.models.torch.courses import ResidualCourse
    from c4core.models.torch.networks import parameter_count

    learned, held_out, apart = read_joined(given.data, apart_from=given.apart_from)
    course = ResidualCourse(
        learned,
        held_out,
        others=apart,
        epochs=training.epochs,
        seed=training.seed,
        **vars(given.network),
    )
    model = run(settings, course, training, path)
    write_report(
        settings,
        path,
        model,
        parameters=parameter_count(course.network),
        quality=evaluate_player(LearningResidual(model=str(path)), held_out).quality,
        with_history=True,
    )


def run(settings: Settings, course: Course, training: CnnTraining, path: Path) -> Model:
    """Train with progress.

    After an interruption, a message reports the completed epochs and how to continue. If the model
    to continue from belongs to another training, ModelMismatchError is raised.
    """
    complete = 0
    shown = progress.is_shown(settings)
    try:
        with progress.bar(shown=shown, total=training.epochs) as update:

            def look(step: Step) -> None:
                nonlocal complete
                complete = step.epoch
                check_signals()
                done = step.epoch + step.done / max(step.parts, 1)
                text = f"epoch {done:.1f} of {training.epochs}, {_remark(step.figures)}"
                update(completed=done, description=text)
                if step.parts == 0:
                    settings.say_if_verbose(f"epoch {step.epoch}: {_remark(step.figures)}")

            return train(
                course,
                path,
                epochs=training.epochs,
                resume=training.earlier(path),
                tell=look,
            )
    except KeyboardInterrupt:
        if path.exists():
            settings.say(
                f"{path.name} has {complete} of {training.epochs} epochs and can play; "
                "continue with the same command and --resume"
            )
        raise


def _remark(figures: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {text}" for name, text in figure_texts(figures).items())
