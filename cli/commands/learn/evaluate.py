"""``c4 learn evaluate``: measure the quality of a model or a player."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cli.commands.learn import options
from cli.shell import parameters
from cli.shell.commands import Command, refuse

if TYPE_CHECKING:
    from c4core.models.files import Model
    from c4core.models.labels import Positions
    from c4core.models.quality import TimedQuality
    from c4core.notation import BoardSize
    from c4core.players.player import PlayerSpec, Resources
    from cli.shell.settings import Settings

GAMES = 10_000

EXAMPLES = (
    "c4 learn evaluate model.safetensors --games 1000",
    "c4 learn evaluate model.safetensors --data positions --split test --json",
    "c4 learn evaluate --player minimax-windows --data positions --sample 20",
)


@click.command(cls=Command, examples=EXAMPLES)
@click.argument("model", required=False, type=click.Path(dir_okay=False, path_type=Path))
@click.option("--player", metavar="PLAYER", help="Evaluate this player instead of a model.")
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
    help="The part of the data set.",
)
@click.option(
    "--sample",
    type=parameters.WholeNumber(1),
    metavar="N",
    help="Use only N of its positions, drawn by the seed.",
)
@options.games_options(default=GAMES)
@options.seed_option
@click.pass_context
def evaluate(
    context: click.Context,
    *,
    model: Path | None,
    player: str | None,
    data: Path | None,
    split: str,
    sample: int | None,
    games: int | None,
    csv_file: Any,
    matches: tuple[int, ...],
    board: BoardSize,
    seed: int,
) -> None:
    """Evaluate a model or a player on positions it was not trained on.

    With --data: how often its column is a best one, and how often it keeps the result. There are
    shares for all positions, for decisive ones (the result is at stake), quiet ones (nobody has a
    win in one), and both; and by the stones on the board. Also: missed wins and blocks, and how
    often it plays the mirrored column in the mirror image. A player chooses position by position,
    and its time per move is measured. It may be any player of "c4 players list". Use --sample for
    slow ones.

    Without --data, for a model of kind cnn: the confusion matrix on final grids of games. The games
    are played now, read or stored. Choose another seed than in training: the same seed gives the
    same games.
    """
    by_games = games is not None or csv_file is not None or bool(matches)
    refuse(
        context,
        ((model is None) == (player is None), "give either MODEL or --player"),
        (player is not None and data is None, "--player needs --data"),
        (data is None and sample is not None, "--sample needs --data"),
        (data is not None and by_games, "--data cannot be used with --games, --csv or --match"),
    )
    found: Model | None = None
    if model is not None:
        parameters.check_exists(str(model), option="MODEL")
        from c4core.models.files import ENGINE_KINDS, read_model

        found = read_model(model)
        if found.kind not in ENGINE_KINDS:
            options.require()
    positions: Positions | None = None
    if data is not None:
        from c4core.models.labels import read_positions

        positions = read_positions(data, split)
        if sample is not None:
            positions = positions.sample(sample, seed=seed)
    if positions is not None and player is not None:
        write_evaluation(context.obj, player, positions, seed=seed)
    elif positions is not None and model is not None and found is not None:
        _by_labels(context, model, found, positions)
    elif model is not None and found is not None:
        _by_games(
            context,
            model,
            found,
            games=games,
            csv_file=csv_file,
            matches=matches,
            board=board,
            seed=seed,
        )


def _by_labels(context: click.Context, path: Path, model: Model, positions: Positions) -> None:
    from cli.commands.learn.view import write_report

    refuse(
        context,
        (
            positions.board != model.board,
            f"{path} plays on {model.board}, the positions are on {positions.board}",
        ),
    )
    from c4core.models.files import ENGINE_KINDS
    from c4core.models.players import engine_of

    if model.kind in ENGINE_KINDS:
        from c4core.models.quality import quality_of_engine

        engine = engine_of(model, path)
        quality = quality_of_engine(engine, positions, mirrors=True)
        count = sum(array.size for array in model.weights.values())
        write_report(context.obj, path, model, parameters=count, quality=quality)
        return
    from c4core.models.torch.networks import network_of, parameter_count
    from c4core.models.torch.playing import quality_of_network, share_of_best

    network = network_of(model, path)
    write_report(
        context.obj,
        path,
        model,
        parameters=parameter_count(network),
        shares=share_of_best(network, model.kind, positions),
        quality=quality_of_network(network, model.kind, positions),
    )


def _by_games(
    context: click.Context, path: Path, model: Model, *, board: BoardSize, **others: Any
) -> None:
    refuse(
        context,
        (
            model.kind != "cnn",
            f"{path} is a model of kind {model.kind}: evaluate it with --data",
        ),
        (model.board != board, f"{path} plays on {model.board}: give --board {model.board}"),
    )
    import torch

    from c4core.models.torch.networks import network_of, parameter_count
    from c4core.models.torch.playing import Confusion
    from cli.commands.learn.view import write_report

    network = network_of(model, path)
    tested = options.labelled_games(context, board=board, default=GAMES, **others)
    grids, won = torch.from_numpy(tested.grids), torch.from_numpy(tested.won)
    write_report(
        context.obj,
        path,
        model,
        parameters=parameter_count(network),
        confusion=Confusion.of(network, grids, won),
    )


def write_evaluation(
    settings: Settings, description: str, positions: Positions, *, seed: int
) -> None:
    """Ask a player for a move in every position; write its measures and time per move."""
    from c4core.models.quality import quality_object
    from c4core.players.registry import parse_player
    from cli.commands.learn.view import quality_parts
    from cli.output.formats import write_object
    from cli.output.tables import Facts, write_parts

    spec = parse_player(description)
    found = _ask(settings, spec, positions, seed=seed)
    times = {
        "move_microseconds": round(1e6 * found.seconds, 1),
        "move_processor_microseconds": round(1e6 * found.processor_seconds, 1),
    }
    if settings.json:
        about = {"player": spec.full, "board": str(positions.board), "seed": seed}
        measures = quality_object(found.quality)
        write_object(about | times | {"quality": measures})
        return
    facts = [
        ("player", spec.text),
        ("board", str(positions.board)),
        ("time a move", f"{times['move_microseconds']:,.1f} us"),
        ("of the processor", f"{times['move_processor_microseconds']:,.1f} us"),
    ]
    write_parts([Facts(facts), *quality_parts(found.quality)])


def _ask(settings: Settings, spec: PlayerSpec, positions: Positions, *, seed: int) -> TimedQuality:
    """Ask a player, with progress. A program is started, because naming it is consent."""
    from c4core.models.quality import evaluate_player
    from cli.output import progress
    from cli.shell.process import check_signals

    with spec.make(_resources(settings, spec, positions.board)) as player:
        mirrors = not player.is_random
        shown = progress.is_shown(settings, over_output=False)
        total = len(positions) * (1 + mirrors)
        with progress.counting("asking for moves", total, shown=shown) as update:

            def look(done: int) -> None:
                check_signals()
                update(done)

            return evaluate_player(player, positions, seed=seed, tell=look)


def _resources(settings: Settings, spec: PlayerSpec, board: BoardSize) -> Resources:
    """A player's resources: consent to start programs, and stored games if it uses them."""
    from c4core.players.player import ANY_PROGRAM, Resources
    from workers.match.terms import looks_games_up

    if not looks_games_up(spec):
        return Resources(programs=ANY_PROGRAM)
    from db import games
    from workers.match.table import read_corpus

    with settings.open_database() as database:
        with database.read() as session:
            matches = games.finished_matches(session, board)
        return Resources(final_games=read_corpus(database, board, matches), programs=ANY_PROGRAM)
