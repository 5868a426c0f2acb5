"""Final grids for learning: of games that are played now, read from a file, or stored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import click

from cli.shell import parameters
from cli.shell.commands import refuse
from cli.shell.streams import input_name, reading

if TYPE_CHECKING:
    from collections.abc import Callable

    from c4core.models.grids import Labelled
    from c4core.notation import BoardSize
    from c4core.players import FinalGrids
    from cli.shell.settings import Settings

Decorated = TypeVar("Decorated", bound="Callable[..., Any]")


def games_options(*, default: int) -> Callable[[Decorated], Decorated]:
    """Add the options that :func:`labelled_games` takes.

    Args:
        default: games to play where no option says otherwise.
    """

    def add(function: Decorated) -> Decorated:
        for option in (
            parameters.board_option,
            click.option(
                "--match",
                "matches",
                type=parameters.WholeNumber(1),
                metavar="MATCH",
                multiple=True,
                help="The stored games of this match; can be given again.",
            ),
            click.option(
                "--csv",
                "csv_file",
                type=click.File("rb"),
                metavar="FILE",
                help="Final grids of a file, as c4 games export --format csv writes them.",
            ),
            click.option(
                "--games",
                type=parameters.WholeNumber(1),
                metavar="N",
                help=f"Play so many games, set against set.  [default: {default}]",
            ),
        ):
            function = option(function)
        return function

    return add


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
    """The grids that the options ask for, all different.

    Raises:
        click.UsageError: the options contradict each other.
        DatasetError: a line of the file is no finished game.
        StorageError: the database cannot be read.
    """
    from c4core.models.grids import labelled, play_finals, read_finals
    from cli.output import progress
    from cli.output.render import count

    settings: Settings = context.obj
    given = sum((games is not None, csv_file is not None, bool(matches)))
    refuse(context, (given > 1, "--games, --csv and --match do not go together"))
    if csv_file is not None:
        name = input_name(csv_file)
        with reading(name):
            finals = read_finals(csv_file, name=name, board=board)
    elif matches:
        finals = _stored(settings, matches, board)
    else:
        number = default if games is None else games
        shown = progress.is_shown(settings, over_output=False)
        with progress.counting("playing games", number, shown=shown) as tell:
            finals = play_finals(number, seed=seed, board=board, tell=tell)
    found = labelled(finals, seed=seed)
    repeated = len(finals) - len(found)
    settings.say(
        count(len(found), "game") + (f", {repeated:,} repeated ones left out" if repeated else "")
    )
    return found


def _stored(settings: Settings, matches: tuple[int, ...], board: BoardSize) -> FinalGrids:
    """The games of some matches."""
    from db import games
    from workers.matches.corpora import read_corpus

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
