"""Trains models, tests them, and keeps the figures part by part.

An interrupted training continues from its model's file. If the training is complete, the model is
only tested. The modules that need PyTorch are imported when they are used: that takes seconds.
"""

from __future__ import annotations

from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from benchmarks.options import WITH_HELP, seed_option

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.record import Results

    Option = Callable[[Any], Any]
    Figures = dict[str, Any]

LAST_EPOCHS: Final = 10
"""The smallest and the largest accuracy of these epochs are kept."""

_DIRECTORY: Final = click.Path(exists=True, file_okay=False, path_type=Path)

models_option = click.option(
    "--models",
    type=_DIRECTORY,
    default=Path(),
    show_default=True,
    help="The directory of cnn.safetensors, exact.safetensors and selfplay.safetensors.",
)
data_option = click.option(
    "--data",
    type=_DIRECTORY,
    required=True,
    help="A data set that c4 dataset build has made, with NPZ files.",
)


def number_option(name: str, default: int) -> Option:
    """A positive number."""
    return click.option(f"--{name}", type=click.IntRange(1), default=default, show_default=True)


JOINED: Final = (
    click.option(
        "--data",
        type=_DIRECTORY,
        multiple=True,
        required=True,
        help="A data set to learn from; several are joined.",
    ),
    click.option(
        "--test",
        type=_DIRECTORY,
        required=True,
        help="A data set; its test part is measured on, and nothing near it is learned from.",
    ),
    click.option(
        "--epochs", type=click.IntRange(1), help="Of every training.  [default: the learner's]"
    ),
)
"""The options that are the fields of a ``Plan``, apart from ``models``."""


@click.group(context_settings=WITH_HELP)
def main() -> None:
    """Train players that learn, and measure how strong they are."""


def part(*options: Option) -> Callable[[Callable[..., Figures]], click.Command]:
    """Make a command of a function, with these options, that keeps what it returns as a part."""

    def register(function: Callable[..., Figures]) -> click.Command:
        def run(**values: Any) -> None:  # noqa: ANN401 (click's)
            results: Results = click.get_current_context().obj
            figures = function(**values)
            versions = {"PyTorch": metadata.version("torch")}
            results.keep("learning", function.__name__, figures, **versions)

        for option in reversed((models_option, *options, seed_option)):
            run = option(run)
        return main.command(function.__name__, help=function.__doc__)(run)

    return register


@part(number_option("games", 300_000), number_option("epochs", 100))
def cnn(models: Path, games: int, epochs: int, seed: int) -> Figures:
    """Train the source's network on games of set against set."""
    from benchmarks.learning.training import train_cnn  # noqa: PLC0415 (PyTorch is slow to import)

    return train_cnn(models / "cnn.safetensors", games=games, epochs=epochs, seed=seed)


@part(number_option("games", 500))
def games(models: Path, games: int, seed: int) -> Figures:
    """Let the source's network, and random, play against set; the first move is drawn by lot."""
    from benchmarks.learning.training import drawn_games  # noqa: PLC0415

    players = {"learning-cnn": _model(models, "cnn"), "random": "random"}
    return {
        "marks": {
            name: drawn_games(player, "set", games=games, seed=seed)
            for name, player in players.items()
        }
    }


@part(
    number_option("trainings", 3),
    number_option("games", 300_000),
    number_option("epochs", 100),
    number_option("tries", 500),
)
def seeds(
    *, models: Path, trainings: int, games: int, epochs: int, tries: int, seed: int
) -> Figures:
    """Train the source's network with several seeds, and let each play --tries games against set.

    Their files are named by the seed: cnn-1.safetensors, cnn-2.safetensors and so on.
    """
    from benchmarks.learning.training import drawn_games, train_cnn  # noqa: PLC0415

    found = []
    for each in range(seed, seed + trainings):
        name = f"cnn-{each}"
        figures = train_cnn(models / f"{name}.safetensors", games=games, epochs=epochs, seed=each)
        last = [epoch["test_accuracy"] for epoch in figures["history"][-LAST_EPOCHS:]]
        found.append(
            {
                "seed": each,
                "weights": figures["weights"],
                "marks": drawn_games(_model(models, name), "set", games=tries, seed=seed),
                "accuracy": figures["confusion"]["accuracy"],
                "least": min(last),
                "most": max(last),
            }
        )
    return {"trainings": found}


@part(data_option, number_option("epochs", 20))
def exact(models: Path, data: Path, epochs: int, seed: int) -> Figures:
    """Train the network with policy and value on exact labels."""
    from benchmarks.learning.training import train_exact  # noqa: PLC0415

    return train_exact(models / "exact.safetensors", data, epochs=epochs, seed=seed)


@part(number_option("epochs", 100))
def selfplay(models: Path, epochs: int, seed: int) -> Figures:
    """Train the network that learns from its own games."""
    from benchmarks.learning.training import train_selfplay  # noqa: PLC0415

    return train_selfplay(models / "selfplay.safetensors", epochs=epochs, seed=seed)


@part(data_option, number_option("games", 200))
def matches(models: Path, data: Path, games: int, seed: int) -> Figures:
    """Let all three networks play; compare the other two with exact labels as well."""
    from benchmarks.learning.training import match, shares_of  # noqa: PLC0415

    own = {f"learning-{kind}": _model(models, kind) for kind in ("exact", "cnn", "selfplay")}
    pairs = [
        *(("learning-exact", other) for other in ("set", "minimax-windows", "mcts-uct")),
        ("learning-exact", "learning-cnn"),
        ("learning-exact", "learning-selfplay"),
        *(("learning-selfplay", other) for other in ("random", "set", "learning-cnn")),
        *(("learning-cnn", other) for other in ("random", "set", "minimax-windows", "mcts-uct")),
    ]
    played = []
    for a, b in pairs:
        played.append(match(own[a], own.get(b, b), games=games, seed=seed))
        click.echo(played[-1], err=True)
    shares = {
        f"learning-{kind}": shares_of(models / f"{kind}.safetensors", data)
        for kind in ("selfplay", "cnn")
    }
    return {"matches": played, "shares": shares}


@part(
    *JOINED,
    number_option("trainings", 3),
    click.option("--depth", type=click.IntRange(1, 12), default=4, show_default=True),
    number_option("sample", 5000),
)
def learners(trainings: int, depth: int, sample: int, seed: int, **plan: Any) -> Figures:  # noqa: ANN401
    """Train the network that sees threats and the n-tuples with several seeds, and measure them.

    Players that search are measured on --sample of the test positions.
    """
    from benchmarks.learning.training import Plan, measure_learners  # noqa: PLC0415

    seeds = range(seed, seed + trainings)
    return measure_learners(Plan(**plan), seeds=seeds, depth=depth, sample=sample)


@part(*JOINED)
def curve(seed: int, **plan: Any) -> Figures:  # noqa: ANN401 (the fields of a Plan)
    """Train the network that sees threats on less data, and smaller ones."""
    from benchmarks.learning.training import Plan, measure_curve  # noqa: PLC0415

    return measure_curve(Plan(**plan), seed=seed)


@part(
    number_option("games", 400),
    click.option("--player", default="learning-residual", show_default=True, help="The learner."),
    click.option("--only", multiple=True, metavar="NAME", help="Only these opponents; repeatable."),
)
def opponents(models: Path, games: int, player: str, only: tuple[str, ...], seed: int) -> Figures:
    """Let a learner play against every other player. Those without a model are left out."""
    from benchmarks.learning.training import OPPONENTS, play_opponent  # noqa: PLC0415

    names = {kind: models / f"{kind}.safetensors" for kind in ("cnn", "exact", "selfplay")}
    names["tuples"] = models / "tuples-1.safetensors"
    played, left_out = [], []
    for each in OPPONENTS:
        name = each.partition(":")[0]
        if only and name not in only:
            continue
        model = names.get(name.removeprefix("learning-"))
        if model is not None and not model.exists():
            left_out.append(name)
            continue
        played.append(play_opponent(player, each.format(**names), games=games, seed=seed))
        click.echo(played[-1], err=True)
    return {"player": player, "matches": played, "left_out": left_out}


@main.command()
@click.argument("model", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--output",
    "file",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("c4core/data/c4-7x6-residual.safetensors"),
    show_default=True,
    help="The shipped model.",
)
def ship(*, model: Path, file: Path) -> None:
    """Write a trained model as the one that is shipped: without the optimizer's state."""
    from dataclasses import replace  # noqa: PLC0415

    from c4core.models.files import read_model, write_model  # noqa: PLC0415

    write_model(file, replace(read_model(model), optimizer={}))


def _model(models: Path, name: str) -> str:
    """The description of a model's player; the file's name begins with the kind."""
    return f"learning-{name.partition('-')[0]}:model={models / f'{name}.safetensors'}"
