"""``c4 learn evaluate --player``: a player that is asked for its columns in a data set."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from c4core.models.labels import Positions
    from c4core.models.quality import TimedQuality
    from c4core.notation import BoardSize
    from c4core.players.player import PlayerSpec, Resources
    from cli.shell.settings import Settings


def write_evaluation(
    settings: Settings, description: str, positions: Positions, *, seed: int
) -> None:
    """Ask a player in every position, and write its measures and the time of a move.

    Raises:
        PlayerError: the player is unknown, or does not play on this board.
        PlayerFailure: it cannot go on, or its answer is not legal.
        StorageError: the stored games that it looks up cannot be read.
        KeyboardInterrupt: somebody pressed Ctrl-C.
    """
    from c4core.models.quality import quality_object
    from c4core.players.registry import parse_player
    from cli.commands.learn.quality_view import quality_parts
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
    """Ask a player, with progress. A program is started: whoever named it has agreed.

    Raises:
        PlayerError: it does not play on this board.
        PlayerFailure: it cannot go on, or its answer is not legal.
        StorageError: the stored games that it looks up cannot be read.
        KeyboardInterrupt: somebody pressed Ctrl-C.
    """
    from c4core.models.quality import evaluate_player
    from cli.output import progress
    from cli.shell import signals

    with spec.make(_resources(settings, spec, positions.board)) as player:
        mirrors = not player.is_random
        shown = progress.is_shown(settings, over_output=False)
        total = len(positions) * (1 + mirrors)
        with progress.counting("asking for moves", total, shown=shown) as tell:

            def look(done: int) -> None:
                signals.check()
                tell(done)

            return evaluate_player(player, positions, seed=seed, tell=look)


def _resources(settings: Settings, spec: PlayerSpec, board: BoardSize) -> Resources:
    """What a player needs: consent to be started, and stored games if it looks some up."""
    from c4core.players.player import ANY_PROGRAM, Resources
    from workers.matches.terms import looks_games_up

    if not looks_games_up(spec):
        return Resources(programs=ANY_PROGRAM)
    from db import games
    from workers.matches.corpora import read_corpus

    with settings.open_database() as database:
        with database.read() as session:
            matches = games.finished_matches(session, board)
        return Resources(final_games=read_corpus(database, board, matches), programs=ANY_PROGRAM)
