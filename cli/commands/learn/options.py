"""Shared parts of training and evaluation: options, final grids, the training loop."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cli.output import drawing
from cli.shell import parameters
from cli.shell.commands import refuse
from cli.shell.process import input_name, reading

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from c4core.models.files import Model
    from c4core.models.labels import Labelled
    from c4core.models.loop import Course
    from c4core.notation import BoardSize
    from c4core.players import FinalGrids
    from cli.shell.settings import Decorated, Settings


seed_option = click.option(
    "--seed",
    type=parameters.IntRange(0, parameters.LARGEST_SEED),
    metavar="N",
    default=0,
    show_default=True,
    help="Seed of all random numbers.",
)


def require() -> None:
    """Check that PyTorch is installed."""
    from c4core import extras
    from c4core.errors import LearningMissingError

    extras.require(extras.LEARN, LearningMissingError)


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
    threads = click.option(
        "--threads",
        type=parameters.IntRange(1, 1024),
        metavar="N",
        default=1,
        show_default=True,
        help="Threads of PyTorch; another number gives slightly different weights.",
    )

    return parameters.option_group(
        click.option(
            "-o",
            "--output",
            metavar="FILE",
            default=f"{kind}.safetensors",
            show_default=True,
            help="The model file to write.",
        ),
        click.option(
            "--epochs",
            type=parameters.WholeNumber(1),
            metavar="N",
            default=epochs,
            show_default=True,
            help="Total number of epochs, including earlier runs.",
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


def _remark(figures: Any) -> str:
    left_out = ("epoch", "seconds")
    return ", ".join(
        f"{name.replace('_', ' ')} {value:.4g}"
        for name, value in figures.items()
        if name not in left_out
    )


_DIRECTORY = click.Path(exists=True, file_okay=False, path_type=Path)

data_option = click.option(
    "--data",
    type=_DIRECTORY,
    required=True,
    multiple=True,
    metavar="DIR",
    help="A data set of c4 dataset build, with NPZ files; can be given again to join several.",
)

apart_option = click.option(
    "--apart-from",
    type=_DIRECTORY,
    multiple=True,
    metavar="DIR",
    help="Do not learn from positions of this data set or their neighbours.",
)


def step_options(*, batch: int, rate: float) -> Callable[[Decorated], Decorated]:
    """Add the options of a training step, with their defaults."""
    return parameters.option_group(
        click.option(
            "--batch",
            type=parameters.WholeNumber(1),
            metavar="N",
            default=batch,
            show_default=True,
            help="Positions per step.",
        ),
        click.option(
            "--rate",
            type=parameters.FiniteFloat(0, 1, min_open=True),
            metavar="X",
            default=rate,
            show_default=True,
            help="Adam's initial learning rate.",
        ),
    )


def decay_option(default: float) -> Callable[[Decorated], Decorated]:
    """Add the option for the decay of the learning rate."""
    return click.option(
        "--decay",
        type=parameters.FiniteFloat(0, 1, min_open=True),
        metavar="X",
        default=default,
        show_default=True,
        help="Factor of the learning rate from epoch to epoch.",
    )


def weight_options(function: Decorated) -> Decorated:
    """Add the weights of quiet and decisive positions."""
    for kind, meaning in (
        ("decisive", "in which the result is at stake"),
        ("quiet", "in which nobody has a win in one"),
    ):
        function = click.option(
            f"--{kind}-weight",
            type=parameters.FiniteFloat(0, 1000, min_open=True),
            metavar="X",
            default=1.0,
            show_default=True,
            help=f"Weight of positions {meaning}; of others it is 1.",
        )(function)
    return function


def network_options(
    *, channels: int, layers: int, hidden: int, batch: int, rate: float
) -> Callable[[Decorated], Decorated]:
    """Add the options of networks with an output per column, with their defaults."""
    return parameters.option_group(
        click.option(
            "--channels",
            type=parameters.IntRange(1, 1024),
            metavar="N",
            default=channels,
            show_default=True,
            help="Filters per convolution.",
        ),
        click.option(
            "--layers",
            type=parameters.IntRange(1, 64),
            metavar="N",
            default=layers,
            show_default=True,
            help="Convolutions.",
        ),
        click.option(
            "--hidden",
            type=parameters.IntRange(1, 4096),
            metavar="N",
            default=hidden,
            show_default=True,
            help="Units of the layer before the outputs.",
        ),
        step_options(batch=batch, rate=rate),
    )


def games_options(*, default: int) -> Callable[[Decorated], Decorated]:
    """Add the options that :func:`labelled_games` takes."""
    return parameters.option_group(
        click.option(
            "--games",
            type=parameters.WholeNumber(1),
            metavar="N",
            help=f"Play N games, set against set.  [default: {default}]",
        ),
        click.option(
            "--csv",
            "csv_file",
            type=click.File("rb"),
            metavar="FILE",
            help="Final grids of a file, as c4 games export --format csv writes them.",
        ),
        click.option(
            "--match",
            "matches",
            type=parameters.WholeNumber(1),
            metavar="MATCH",
            multiple=True,
            help="The stored games of this match; can be given again.",
        ),
        parameters.board_option,
    )


def labelled_games(
    context: click.Context,
    *,
    games: int | None,
    csv_file: Any,
    matches: tuple[int, ...],
    board: BoardSize,
    seed: int,
    default: int,
) -> Labelled:
    """The labelled final grids of the selected games, without repeated ones."""
    from c4core.models.labels import labelled, play_finals, read_finals
    from cli.output import progress
    from cli.output.render import count

    settings: Settings = context.obj
    given = sum((games is not None, csv_file is not None, bool(matches)))
    refuse(context, (given > 1, "--games, --csv and --match cannot be used together"))
    if csv_file is not None:
        name = input_name(csv_file)
        with reading(name):
            finals = read_finals(csv_file, name=name, board=board)
    elif matches:
        finals = _stored(settings, matches, board)
    else:
        number = default if games is None else games
        shown = progress.is_shown(settings, over_output=False)
        with progress.counting("playing games", number, shown=shown) as update:
            finals = play_finals(number, seed=seed, board=board, tell=update)
    found = labelled(finals, seed=seed)
    repeated = len(finals) - len(found)
    settings.say(
        count(len(found), "game") + (f", {repeated:,} repeated ones left out" if repeated else "")
    )
    return found


def _stored(settings: Settings, matches: tuple[int, ...], board: BoardSize) -> FinalGrids:
    from db import games
    from workers.match.table import read_corpus

    with settings.open_database() as database:
        with database.read() as session:
            for match in matches:
                other = games.get_terms(session, match).board
                if other != board:
                    raise click.BadParameter(
                        f"match {match} was played on {other}, not on {board}",
                        param_hint="'--match'",
                    )
        return read_corpus(database, board, matches)
