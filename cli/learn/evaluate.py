"""``c4 learn evaluate``: how good a model is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cli.learn import options
from cli.learn.games import games_options, labelled_games
from cli.shell import parameters
from cli.shell.commands import Command, refuse

if TYPE_CHECKING:
    from c4core.notation import BoardSize
    from c4core.training.labels import Split
    from c4core.training.report import BestShares, Confusion

GAMES = 10_000

EXAMPLES = (
    "c4 learn evaluate model.safetensors --games 1000",
    "c4 learn evaluate model.safetensors --data positions --split test --json",
)


@click.command(cls=Command, examples=EXAMPLES)
@options.model_argument
@click.option(
    "--data",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="Positions with exact labels: a data set of c4 dataset build.",
)
@click.option(
    "--split",
    type=click.Choice(["train", "validation", "test"]),
    default="test",
    show_default=True,
    help="Which part of the data set.",
)
@games_options(default=GAMES)
@options.seed_option
@click.pass_context
def evaluate(
    context: click.Context,
    *,
    model: Path,
    data: Path | None,
    split: Split,
    games: int | None,
    csv_file: Any,
    matches: tuple[int, ...],
    board: BoardSize,
    seed: int,
) -> None:
    """Evaluate a model on what it was not trained on.

    With --data, for any model: how often its column is a best one, by the stones on the board.
    Without --data, for a model of kind cnn: the confusion matrix on final grids of games that are
    played now, read or stored. The seed of its training would give the same games again.
    """
    options.require()
    parameters.check_exists(str(model), option="MODEL")
    from c4core.learning.modelfile import read_model
    from c4core.learning.networks import network_of, parameter_count
    from cli.learn.view import write_report

    found = read_model(model)
    network = network_of(found, model)
    by_games = games is not None or csv_file is not None or bool(matches)
    refuse(
        context,
        (data is not None and by_games, "--data does not go with --games, --csv and --match"),
        (
            data is None and found.kind != "cnn",
            f"{model} is a model of kind {found.kind}: it is evaluated with --data",
        ),
        (
            data is None and found.board != board,
            f"{model} plays on {found.board}: give --board {found.board}",
        ),
    )
    confusion: Confusion | None = None
    shares: BestShares | None = None
    if data is not None:
        from c4core.training.labels import read_positions
        from c4core.training.report import share_of_best

        positions = read_positions(data, split)
        refuse(
            context,
            (
                positions.board != found.board,
                f"{model} plays on {found.board}, the positions are on {positions.board}",
            ),
        )
        shares = share_of_best(network, found.kind, positions)
    else:
        import torch

        from c4core.training.report import Confusion

        tested = labelled_games(
            context,
            games=games,
            csv_file=csv_file,
            matches=matches,
            board=board,
            seed=seed,
            default=GAMES,
        )
        grids, won = torch.from_numpy(tested.grids), torch.from_numpy(tested.won)
        confusion = Confusion.of(network, grids, won)
    write_report(
        context.obj,
        model,
        found,
        parameters=parameter_count(network),
        confusion=confusion,
        shares=shares,
    )
