"""Options that select games."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import click

from cli.positions.books import read_board
from cli.shell import parameters

if TYPE_CHECKING:
    from collections.abc import Iterable

    from c4core.notation import BoardSize
    from c4core.position import Side
    from cli.shell.parameters import Range
    from db.database import Database
    from db.records.games import GameCursor, GameFilter

ENDINGS = (
    "four",
    "full",
    "illegal",
    "time",
    "error",
    "crash",
    "nonsense",
    "resigned",
    "unfinished",
)


def read_game(_context: click.Context, _parameter: click.Parameter, text: str) -> GameCursor:
    """Parse a game: ``MATCH:NUMBER``."""
    from db.records.games import GameCursor

    try:
        return GameCursor.parse(text)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


def read_place(
    context: click.Context, parameter: click.Parameter, text: str | None
) -> GameCursor | None:
    """Parse the last game of the previous page."""
    if text is None:
        return None
    place = read_game(context, parameter, text)
    if place.match_id > parameters.LARGEST_WHOLE or place.number > parameters.LARGEST_GAME:
        raise click.BadParameter(f"no game has the number {text}")
    return place


matches_argument = click.argument(
    "matches", type=parameters.IntRange(1), nargs=-1, metavar="[MATCH]..."
)
game_argument = click.argument("game", metavar="MATCH:NUMBER", callback=read_game)


filter_options = parameters.option_group(
    click.option(
        "--board",
        metavar="WxH",
        callback=read_board,
        help="Only games on this board.",
    ),
    click.option(
        "--winner",
        type=click.Choice(["x", "o", "none"]),
        help="Only games won by the first mover (x), the second (o), or nobody.",
    ),
    click.option(
        "--ending",
        "endings",
        type=click.Choice(ENDINGS),
        multiple=True,
        help="Only games that ended in this way; can be given again.",
    ),
    click.option(
        "--length",
        metavar="N|A..B",
        callback=parameters.read_range,
        help="Only games with this many moves; an end can be left open.",
    ),
)
"""The options that :func:`filter_of` collects."""


def filter_of(matches: tuple[int, ...], options: dict[str, Any]) -> GameFilter:
    """Pop the options of :data:`filter_options` from a command's options."""
    from db.records.games import GameFilter

    winner: Side | Literal["none"] | None = options.pop("winner")
    length: Range | None = options.pop("length")
    endings: tuple[str, ...] = options.pop("endings")
    board: BoardSize | None = options.pop("board")
    return GameFilter(
        matches=matches or None,
        board=board,
        winner=None if winner == "none" else winner,
        is_draw=True if winner == "none" else None,
        endings=endings or None,
        min_length=length.first if length else None,
        max_length=length.last if length else None,
    )


def check_games(database: Database, places: Iterable[GameCursor]) -> None:
    """Refuse games that do not exist."""
    from db import games

    with database.read() as session:
        for place in places:
            games.get_terms(session, place.match_id)
            games.find_game(session, place.match_id, place.number)
