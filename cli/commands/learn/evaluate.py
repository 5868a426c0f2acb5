"""``c4 learn evaluate``: measure a model or a player."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from c4core.models.files import read_model
from c4core.models.labels import read_positions
from c4core.models.players import LearningCnn, LearningResidual
from c4core.models.quality import evaluate_player, quality_object
from c4core.players.player import ANY_PROGRAM, Resources
from c4core.players.registry import parse_player
from cli.commands.learn.shared import (
    quality_parts,
    require,
    write_report,
)
from cli.output import progress
from cli.output.formats import write_object
from cli.output.tables import Facts, write_parts
from cli.shell import parameters
from cli.shell.commands import Command, refuse
from cli.shell.parameters import argument, choice, number, option, takes
from cli.shell.process import check_signals
from db import games
from workers.match.table import read_corpus
from workers.match.terms import looks_games_up

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from c4core.models.files import Model
    from c4core.models.labels import Positions
    from c4core.models.quality import TimedQuality
    from c4core.notation import BoardSize
    from c4core.players.player import PlayerSpec
    from cli.shell.settings import Settings

EXAMPLES = (
    "c4 learn evaluate model.safetensors --data positions --split test --json",
    "c4 learn evaluate --player minimax-windows --data positions --sample 20",
)


@dataclass(frozen=True, kw_only=True)
class Given:
    """Parameters of ``c4 learn evaluate``."""

    model: Path | None = argument(required=False, type=click.Path(dir_okay=False, path_type=Path))
    player: str | None = option("Evaluate this player instead of a model.", metavar="PLAYER")
    data: Path = option(
        "Positions with exact labels: a data set of c4 dataset build.",
        type=click.Path(exists=True, file_okay=False, path_type=Path),
        metavar="DIR",
        required=True,
    )
    split: str = choice(
        ["train", "validation", "test"], "The part of the data set.", default="test"
    )
    sample: int | None = number(
        parameters.WholeNumber(1), "Use only N of its positions, drawn by the seed."
    )
    seed: int = parameters.seed("Seed of all random numbers.", metavar="N")

    def positions(self) -> Positions:
        """The positions of the data set."""
        found = read_positions(self.data, self.split)
        return found if self.sample is None else found.sample(self.sample, seed=self.seed)


@click.command(cls=Command, examples=EXAMPLES)
@takes(Given)
@click.pass_obj
def evaluate(settings: Settings, given: Given) -> None:
    """Evaluate a model or a player on positions it was not trained on.

    How often its column is a best one, and how often it keeps the result. There are
    shares for all positions, for decisive ones (the result is at stake), quiet ones (nobody has a
    win in one), and both; and by the stones on the board. Also: missed wins and blocks. A player
    chooses position by position, and its time per move is measured. It may be any player of "c4
    players list". Use --sample for slow ones.
    """
    model, player = given.model, given.player
    refuse(((model is None) == (player is None), "give either MODEL or --player"))
    if player is not None:
        write_evaluation(settings, player, given.positions(), seed=given.seed)
    elif model is not None:
        _by_labels(settings, model, _read_model(model), given.positions())


def _read_model(path: Path) -> Model:
    """Read a model, and check that PyTorch is installed if it needs it."""
    parameters.check_exists(str(path), option="MODEL")
    model = read_model(path)
    if model.kind == "cnn":
        require()
    return model


def _by_labels(settings: Settings, path: Path, model: Model, positions: Positions) -> None:
    refuse(
        (
            positions.board != model.board,
            f"{path} plays on {model.board}, the positions are on {positions.board}",
        ),
    )

    player = {"cnn": LearningCnn, "residual": LearningResidual}[model.kind](model=str(path))
    with _asking(settings, positions) as look:
        quality = evaluate_player(player, positions, tell=look).quality
    count = sum(array.size for array in model.weights.values())
    write_report(settings, path, model, parameters=count, quality=quality)


def write_evaluation(
    settings: Settings, description: str, positions: Positions, *, seed: int
) -> None:
    """Ask a player for a move in every position; write its measures and time per move."""
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
    with (
        spec.make(_resources(settings, spec, positions.board)) as player,
        _asking(settings, positions) as look,
    ):
        return evaluate_player(player, positions, seed=seed, tell=look)


@contextmanager
def _asking(settings: Settings, positions: Positions) -> Iterator[Callable[[int], None]]:
    """Show progress; the function is called with the number of finished moves."""
    shown = progress.is_shown(settings)
    total = len(positions)
    with progress.counting("asking for moves", shown=shown, total=total) as update:

        def look(done: int) -> None:
            check_signals()
            update(done)

        yield look


def _resources(settings: Settings, spec: PlayerSpec, board: BoardSize) -> Resources:
    """A player's resources: consent to start programs, and stored games if it uses them."""
    if not looks_games_up(spec):
        return Resources(programs=ANY_PROGRAM)

    with settings.open_database() as database:
        with database.read() as session:
            matches = games.finished_matches(session, board)
        return Resources(final_games=read_corpus(database, board, matches), programs=ANY_PROGRAM)
