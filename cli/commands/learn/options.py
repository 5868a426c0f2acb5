"""What all commands that train have in common: options, the model's file, the loop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from cli.output import plots
from cli.shell import parameters
from cli.shell.commands import refuse

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from c4core.models.files import Model
    from c4core.models.loop import Course
    from cli.shell.settings import Settings

Decorated = TypeVar("Decorated", bound="Callable[..., Any]")

LARGEST_SEED = (1 << 64) - 1

seed_option = click.option(
    "--seed",
    type=parameters.IntRange(0, LARGEST_SEED),
    metavar="N",
    default=0,
    show_default=True,
    help="Start of all random numbers.",
)


def require() -> None:
    """Make sure that PyTorch is installed.

    Raises:
        LearningMissingError: it is not.
    """
    from c4core import extras
    from c4core.models.kinds import LearningMissingError

    extras.require(extras.LEARN, LearningMissingError)


@dataclass(frozen=True, slots=True, kw_only=True)
class Training:
    """The options of all commands that train."""

    path: Path
    epochs: int
    earlier: Model | None
    plots: tuple[str, ...]


def training_options(
    *, kind: str, epochs: int, curves: str, pytorch: bool = True
) -> Callable[[Decorated], Decorated]:
    """Add the options that :func:`training_of` collects, and ``--seed``.

    Args:
        kind: of model.
        epochs: the default.
        curves: what ``--plot`` draws.
        pytorch: whether PyTorch trains; it may have several threads.
    """
    threads = click.option(
        "--threads",
        type=parameters.IntRange(1, 1024),
        metavar="N",
        default=1,
        show_default=True,
        help="Threads of PyTorch; with another number the weights differ a little.",
    )

    def add(function: Decorated) -> Decorated:
        for option in (
            plots.plot_option(f"Draw {curves} into an .svg, .png or .pdf; can be given again."),
            *([threads] if pytorch else []),
            click.option("--fresh", is_flag=True, help="Begin again even if the file exists."),
            click.option("--resume", is_flag=True, help="Go on from the file, if it exists."),
            seed_option,
            click.option(
                "--epochs",
                type=parameters.WholeNumber(1),
                metavar="N",
                default=epochs,
                show_default=True,
                help="Epochs in the end, with those of earlier runs.",
            ),
            click.option(
                "-o",
                "--output",
                metavar="FILE",
                default=f"{kind}.safetensors",
                show_default=True,
                help="The model.",
            ),
        ):
            function = option(function)
        return function

    return add


def training_of(context: click.Context, options: dict[str, Any]) -> Training:
    """Take what :func:`training_options` has added out of a command's options, and check it.

    Raises:
        LearningMissingError: PyTorch is not installed.
        ModelError: the file to go on from is no model.
        click.UsageError: the options contradict each other or the files.
    """
    from cli.output import targets

    threads = options.pop("threads", None)
    if threads is not None:
        require()
    resume, fresh, output = (options.pop(name) for name in ("resume", "fresh", "output"))
    refuse(context, (resume and fresh, "--resume and --fresh do not go together"))
    path = targets.checked(output, option="--output")
    drawn = tuple(options.pop("plots"))
    plots.check(drawn)
    refuse(
        context,
        (
            path.exists() and not (resume or fresh),
            f"{output} exists: --resume goes on from it, --fresh begins again",
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


def run(settings: Settings, course: Course, training: Training) -> Model:
    """Train, with progress, and draw the curves.

    Raises:
        ModelMismatchError: the model to go on from belongs to another training.
        OSError: a file cannot be written.
        KeyboardInterrupt: after it was said what is done and how to go on.
    """
    from c4core.models.loop import Step, draw_curves, train
    from cli.output import progress
    from cli.shell import signals

    complete = 0
    shown = progress.is_shown(settings, over_output=False)
    try:
        with progress.training(training.epochs, shown=shown) as tell:

            def look(step: Step) -> None:
                nonlocal complete
                complete = step.epoch
                signals.check()
                tell(step.epoch + step.done / max(step.parts, 1), _remark(step.figures))
                if step.parts == 0:
                    settings.tell(f"epoch {step.epoch}: {_remark(step.figures)}")

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
                "go on with the same command and --resume"
            )
        raise

    def draw(paths: Sequence[Path]) -> None:
        for path in paths:
            draw_curves(model, path)

    plots.draw_into(training.plots, draw)
    return model


def _remark(figures: Any) -> str:
    """The figures of an epoch in a line."""
    left_out = ("epoch", "seconds")
    return ", ".join(
        f"{name.replace('_', ' ')} {value:.4g}"
        for name, value in figures.items()
        if name not in left_out
    )
