"""``c4 games matches``, ``list`` and ``delete``, and the options that select stored games."""

from __future__ import annotations

from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal

import click

from c4core.arena.file_formats import json_object
from cli.output.formats import Column, chosen_format, format_options, write_rows
from cli.output.render import count
from cli.positions.books import read_board
from cli.reports.tables import short
from cli.shell import parameters
from cli.shell.commands import Command
from db import games
from db.records.games import GameCursor, GameFilter
from workers.match.files import stream_entries
from workers.match.judging import check_matches
from workers.match.report import match_state
from workers.text import time_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from c4core.notation import BoardSize
    from c4core.position import Side
    from cli.output.formats import Row
    from cli.shell.parameters import Range
    from cli.shell.settings import Settings
    from db.database import Database
    from db.records.matches import MatchInfo

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


def read_game(text: str) -> GameCursor:
    """Parse a game: ``MATCH:NUMBER``."""
    try:
        return GameCursor.parse(text)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


def _read_place(
    _context: click.Context, _parameter: click.Parameter, text: str | None
) -> GameCursor | None:
    """Parse the last game of the previous page."""
    if text is None:
        return None
    place = read_game(text)
    if place.match_id > parameters.LARGEST_WHOLE or place.number > parameters.LARGEST_GAME:
        raise click.BadParameter(f"no game has the number {text}")
    return place


matches_argument = click.argument(
    "matches", type=parameters.IntRange(1), nargs=-1, metavar="[MATCH]..."
)

filter_options = parameters.option_group(
    click.option("--board", metavar="WxH", callback=read_board, help="Only games on this board."),
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


TABLE_LIMIT = 50


@click.command(
    cls=Command, json=False, examples=["c4 games matches", "c4 games matches --limit 5 --json"]
)
@click.option(
    "--limit",
    type=parameters.WholeNumber(1),
    default=20,
    show_default=True,
    metavar="N",
    help="List at most N matches.",
)
@click.option(
    "--before",
    type=parameters.WholeNumber(1),
    metavar="MATCH",
    help="Only matches older than this one.",
)
@format_options
@click.pass_obj
def matches(settings: Settings, *, limit: int, before: int | None, format_name: str | None) -> None:
    """List matches, the newest first.

    Results are A's. Use "c4 jobs resume JOB" to continue an unfinished match.
    """
    with settings.open_database() as database, database.read() as session:
        found = games.list_matches(session, limit=limit, before_id=before)
    chosen = chosen_format(settings, format_name)
    rows = map(_match_row, found)
    if not write_rows(rows, chosen, _match_columns()) and chosen == "table":
        settings.say("No matches.")


@click.command(
    "list",
    cls=Command,
    json=False,
    examples=["c4 games list 1 --limit 5", "c4 games list --winner o --length ..12 --jsonl"],
)
@matches_argument
@filter_options
@click.option(
    "--limit",
    type=parameters.WholeNumber(1),
    metavar="N",
    help=f"List at most N games.  [default: {TABLE_LIMIT} in a table, all otherwise]",
)
@click.option(
    "--after",
    metavar="MATCH:NUMBER",
    callback=_read_place,
    help="Continue after this game, the last one of the previous page.",
)
@format_options
@click.pass_obj
def list_(
    settings: Settings,
    /,
    *,
    matches: tuple[int, ...],
    limit: int | None,
    after: GameCursor | None,
    format_name: str | None,
    **others: Any,
) -> None:
    """List games of all or some matches.

    x moved first. The moves are columns counted from 1.
    """
    filters = filter_of(matches, others)
    chosen = chosen_format(settings, format_name)
    if limit is None and chosen == "table":
        limit = TABLE_LIMIT
    last: GameCursor | None = None
    has_more = False

    def rows(database: Database) -> Iterator[Row]:
        nonlocal last, has_more
        entries = stream_entries(database, filters, after=after)
        for entry in islice(entries, limit):
            last = GameCursor(entry.match or 0, entry.number or 0)
            row = dict.fromkeys(_FIELDS)
            yield row | {"length": entry.final.ply - entry.start.ply} | json_object(entry)
        has_more = next(entries, None) is not None

    with settings.open_database() as database:
        check_matches(database, matches)
        write_rows(rows(database), chosen, _game_columns())
    if last is None:
        settings.say("No such games.")
    elif has_more:
        settings.say(f"There are more: --after {last}")


@click.command(cls=Command, json=False, examples=["c4 games delete 2"])
@click.argument("matches", type=parameters.IntRange(1), nargs=-1, metavar="MATCH...", required=True)
@click.pass_obj
def delete(settings: Settings, *, matches: tuple[int, ...]) -> None:
    """Delete matches with all their games, permanently.

    A match that is being played cannot be deleted: cancel its job first. If the job is resumed
    later, it continues with its other matches. A match whose games another match uses cannot be
    deleted either.
    """
    with settings.open_database() as database:
        check_matches(database, matches)
        # The newest first: it may use the games of an older match.
        for match in sorted(set(matches), reverse=True):
            with database.read() as session:
                number = games.get_match(session, match).tally.games
            database.run(partial(games.delete_match, match_id=match))
            settings.say(f"match {match} deleted, with {count(number, 'game')}")


_FIELDS = (
    "match",
    "number",
    "board",
    "first",
    "second",
    "winner",
    "ending",
    "length",
    "moves",
    "seed",
    "start",
    "final",
    "detail",
    "x_seconds",
    "o_seconds",
    "replaced",
)


def _match_row(match: MatchInfo) -> Row:
    tally = match.tally.a
    return {
        "match": match.id,
        "label": match.label,
        "origin": str(match.origin),
        "job": match.job_id,
        "state": match_state(match),
        "board": str(match.terms.board),
        "a": match.terms.player_a,
        "b": match.terms.player_b,
        "games": match.terms.games,
        "played": match.tally.games,
        "a_wins": tally.wins,
        "b_wins": tally.losses,
        "draws": tally.draws,
        "created": time_text(match.created_at),
    }


def _match_columns() -> tuple[Column, ...]:
    return (
        Column("match", 5, lambda row: str(row["match"]), right=True),
        Column("state", 11, lambda row: row["state"]),
        Column("games", 9, lambda row: f"{row['played']:,}", right=True),
        Column("A won-lost-drawn", 16, _results_text),
        Column("A - B", 0, lambda row: f"{short(row['a'])} - {short(row['b'])}{_label(row)}"),
    )


def _results_text(row: Row) -> str:
    return f"{row['a_wins']}-{row['b_wins']}-{row['draws']}"


def _label(row: Row) -> str:
    return f" ({row['label']})" if row["label"] else ""


def _game_columns() -> tuple[Column, ...]:
    return (
        Column("game", 9, lambda row: f"{row['match']}:{row['number']}"),
        Column("winner", 6, lambda row: row["winner"] or "-"),
        Column("ending", 10, lambda row: row["ending"]),
        Column("moves", 5, lambda row: str(row["length"]), right=True),
        Column("", 0, lambda row: "(unknown)" if row["moves"] is None else row["moves"]),
    )
