"""``python -m benchmarks.learning``: train models, test them, and write the page, part by part.

An interrupted training continues from its model's file. If the training is complete, the model is
only tested.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from benchmarks.learning import pages, plots, results
from benchmarks.options import WITH_HELP, failures, file_argument, output_option, page_option
from benchmarks.page import fill_file
from cli.shell import signals

if TYPE_CHECKING:
    from collections.abc import Callable

Decorated = TypeVar("Decorated", bound="Callable[..., Any]")

FILE: Final = Path("benchmarks/results/learning.json")
PAGE: Final = Path("docs/learning.md")
LAST_EPOCHS: Final = 10
"""The smallest and the largest accuracy of these epochs are kept."""

models_option = click.option(
    "--models",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=Path(),
    show_default=True,
    help="Where cnn.safetensors, exact.safetensors and selfplay.safetensors are.",
)
data_option = click.option(
    "--data",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    required=True,
    help="A data set that c4 dataset build has made, with NPZ files.",
)
seed_option = click.option("--seed", type=click.IntRange(0), default=1, show_default=True)


_DIRECTORY: Final = click.Path(exists=True, file_okay=False, path_type=Path)


def joined_options(function: Decorated) -> Decorated:
    """Add the options that are the fields of a ``Plan``, apart from ``models``."""
    for option in (
        click.option(
            "--epochs", type=click.IntRange(1), help="Of every training.  [default: the learner's]"
        ),
        click.option(
            "--test",
            type=_DIRECTORY,
            required=True,
            help="A data set; its test part is measured on, and nothing near it is learned from.",
        ),
        click.option(
            "--data",
            type=_DIRECTORY,
            multiple=True,
            required=True,
            help="A data set to learn from; several are joined.",
        ),
    ):
        function = option(function)
    return function


def _epochs_option(default: int) -> Callable[[Decorated], Decorated]:
    return click.option("--epochs", type=click.IntRange(1), default=default, show_default=True)


def _games_option(default: int) -> Callable[[Decorated], Decorated]:
    return click.option("--games", type=click.IntRange(1), default=default, show_default=True)


@click.group(context_settings=WITH_HELP)
def main() -> None:
    """Train players that learn, and measure how strong they are."""


@main.command()
@models_option
@_games_option(300_000)
@_epochs_option(100)
@seed_option
@output_option(FILE, "file")
def cnn(*, models: Path, games: int, epochs: int, seed: int, file: Path) -> None:
    """Train the source's network on games of set against set."""
    from benchmarks.learning.measure import train_cnn  # noqa: PLC0415 (PyTorch is slow to import)

    part = train_cnn(models / "cnn.safetensors", games=games, epochs=epochs, seed=seed)
    results.write_part(file, "cnn", part)


@main.command()
@models_option
@_games_option(500)
@seed_option
@output_option(FILE, "file")
def games(*, models: Path, games: int, seed: int, file: Path) -> None:
    """Let the source's network, and random, play against set. Lots are drawn for the first move."""
    from benchmarks.learning.measure import drawn_games  # noqa: PLC0415

    players = {"learning-cnn": _model(models, "cnn"), "random": "random"}
    marks = {
        name: drawn_games(player, "set", games=games, seed=seed) for name, player in players.items()
    }
    results.write_part(file, "games", {"marks": marks})


@main.command()
@models_option
@click.option("--trainings", type=click.IntRange(1), default=3, show_default=True)
@_games_option(300_000)
@_epochs_option(100)
@click.option("--tries", type=click.IntRange(1), default=500, show_default=True)
@seed_option
@output_option(FILE, "file")
def seeds(
    *, models: Path, trainings: int, games: int, epochs: int, tries: int, seed: int, file: Path
) -> None:
    """Train the source's network with several seeds, and let each play --tries games against set.

    Their files are named by the seed: cnn-1.safetensors, cnn-2.safetensors and so on.
    """
    from benchmarks.learning.measure import drawn_games, train_cnn  # noqa: PLC0415

    found = []
    for each in range(seed, seed + trainings):
        name = f"cnn-{each}"
        part = train_cnn(models / f"{name}.safetensors", games=games, epochs=epochs, seed=each)
        marks = drawn_games(_model(models, name), "set", games=tries, seed=seed)
        found.append({"seed": each, "weights": part["weights"], "marks": marks} | _ending(part))
    results.write_part(file, "seeds", {"trainings": found})


@main.command()
@models_option
@data_option
@_epochs_option(20)
@seed_option
@output_option(FILE, "file")
def exact(*, models: Path, data: Path, epochs: int, seed: int, file: Path) -> None:
    """Train the network with policy and value on exact labels."""
    from benchmarks.learning.measure import train_exact  # noqa: PLC0415

    part = train_exact(models / "exact.safetensors", data, epochs=epochs, seed=seed)
    results.write_part(file, "exact", part)


@main.command()
@models_option
@_epochs_option(100)
@seed_option
@output_option(FILE, "file")
def selfplay(*, models: Path, epochs: int, seed: int, file: Path) -> None:
    """Train the network that learns from its own games."""
    from benchmarks.learning.measure import train_selfplay  # noqa: PLC0415

    part = train_selfplay(models / "selfplay.safetensors", epochs=epochs, seed=seed)
    results.write_part(file, "selfplay", part)


@main.command()
@models_option
@data_option
@_games_option(200)
@seed_option
@output_option(FILE, "file")
def matches(*, models: Path, data: Path, games: int, seed: int, file: Path) -> None:
    """Let all three networks play; compare the other two with exact labels as well."""
    from benchmarks.learning.measure import match, shares_of  # noqa: PLC0415

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
    results.write_part(file, "matches", {"matches": played, "shares": shares})


@main.command()
@models_option
@joined_options
@click.option("--trainings", type=click.IntRange(1), default=3, show_default=True)
@click.option("--depth", type=click.IntRange(1, 12), default=4, show_default=True)
@click.option("--sample", type=click.IntRange(1), default=5000, show_default=True)
@seed_option
@output_option(FILE, "file")
def learners(
    *,
    trainings: int,
    depth: int,
    sample: int,
    seed: int,
    file: Path,
    **plan: Any,  # noqa: ANN401 (the fields of a Plan)
) -> None:
    """Train the network that sees threats and the n-tuples with several seeds, and measure them.

    Searching players are asked in --sample of the test positions.
    """
    from benchmarks.learning.learners import Plan, measure_learners  # noqa: PLC0415

    seeds = range(seed, seed + trainings)
    part = measure_learners(Plan(**plan), seeds=seeds, depth=depth, sample=sample)
    results.write_part(file, "learners", part)


@main.command()
@models_option
@joined_options
@seed_option
@output_option(FILE, "file")
def curve(*, seed: int, file: Path, **plan: Any) -> None:  # noqa: ANN401 (the fields of a Plan)
    """Train the network that sees threats on less data, and smaller ones."""
    from benchmarks.learning.learners import Plan, measure_curve  # noqa: PLC0415

    results.write_part(file, "curve", measure_curve(Plan(**plan), seed=seed))


@main.command()
@models_option
@_games_option(400)
@click.option("--player", default="learning-residual", show_default=True, help="Who plays.")
@click.option("--only", multiple=True, metavar="NAME", help="Not all opponents but these.")
@seed_option
@output_option(FILE, "file")
def opponents(
    *, models: Path, games: int, player: str, only: tuple[str, ...], seed: int, file: Path
) -> None:
    """Let a learner play against every other player. Those without a model are left out."""
    from benchmarks.learning.opponents import OPPONENTS, play_opponent  # noqa: PLC0415

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
    part = {"player": player, "matches": played, "left_out": left_out}
    results.write_part(file, "opponents", part)


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
    from benchmarks.learning.learners import ship as write  # noqa: PLC0415

    write(model, file)


@main.command()
@file_argument(FILE)
@page_option(PAGE, "Replace the tables between the page's markers, and draw the plots beside it.")
def report(*, file: Path, page: Path) -> None:
    """Write the page's tables and the plots."""
    with failures(ValueError):
        found = results.read(file)
        fill_file(page, pages.sections(found))
    plots.draw_all(found, file.parent)


def _model(models: Path, name: str) -> str:
    """The description of a model's player; the file's name begins with the kind."""
    return f"learning-{name.partition('-')[0]}:model={models / f'{name}.safetensors'}"


def _ending(part: dict[str, Any]) -> dict[str, float]:
    """The last figures of a training of Brewer's network."""
    last = [epoch["test_accuracy"] for epoch in part["history"][-LAST_EPOCHS:]]
    return {"accuracy": part["confusion"]["accuracy"], "least": min(last), "most": max(last)}


if __name__ == "__main__":
    signals.install()  # only here: other callers of the command keep their own handlers
    main(prog_name="python -m benchmarks.learning")
