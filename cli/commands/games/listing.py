"""``c4 games matches``, ``list`` and ``delete``, and the options that select stored games."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Literal

import click

from c4core.arena.file_formats import json_object
from c4core.arena.game import Ending
from c4core.notation import parse_board
from cli.output.formats import Column, chosen_format, list_formats, write_rows
from cli.reports.tables import short
from cli.shell import parameters
from cli.shell.commands import Command
from cli.shell.parameters import argument, choice, group, number, option, takes
from db import games
from db.records.games import GameCursor, GameFilter
from workers.match.files import stream_entries
from workers.match.judging import check_matches
from workers.match.report import match_state
from workers.text import count, time_text

if TYPE_CHECKING:
    from c4core.arena.files import GameEntry
    from c4core.notation import BoardSize
    from c4core.position import Side
    from cli.output.formats import Row
    from cli.shell.parameters import Range
    from cli.shell.settings import Settings
    from db.records.matches import MatchInfo


def read_game(text: str) -> GameCursor:
    """Parse a game: ``MATCH:NUMBER``."""
    try:
        return GameCursor.parse(text)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


@dataclass(frozen=True, kw_only=True)
class GameSelection:
    """The stored games of a command."""

    matches: tuple[int, ...] = argument("[MATCH]...", type=parameters.IntRange(1), nargs=-1)
    board: BoardSize | None = option("Only games on this board.", metavar="WxH", read=parse_board)
    winner: Side | Literal["none"] | None = choice(
        ["x", "o", "none"], "Only games won by the first mover (x), the second (o), or nobody."
    )
    endings: tuple[str, ...] = choice(
        [str(ending) for ending in Ending],
        "Only games that ended in this way; can be given again.",
        "--ending",
        multiple=True,
    )
    length: Range | None = option(
        "Only games with this many moves; an end can be left open.",
        metavar="N|A..B",
        read=parameters.read_range,
    )

    def filters(self) -> GameFilter:
        """The filter that selects the games."""
        return GameFilter(
            matches=self.matches or None,
            board=self.board,
            winner=None if self.winner == "none" else self.winner,
            is_draw=True if self.winner == "none" else None,
            endings=self.endings or None,
            min_length=self.length.first if self.length else None,
            max_length=self.length.last if self.length else None,
        )


TABLE_LIMIT = 50


@dataclass(frozen=True, kw_only=True)
class MatchesGiven:
    """Parameters of ``c4 games matches``."""

    limit: int = number(parameters.WholeNumber(1), "List at most N matches.", default=20)
    format_name: str | None = list_formats()


@click.command(
    cls=Command, json=False, examples=["c4 games matches", "c4 games matches --limit 5 --json"]
)
@takes(MatchesGiven)
@click.pass_obj
def matches(settings: Settings, given: MatchesGiven) -> None:
    """List matches, the newest first.

    Results are A's. Use "c4 jobs resume JOB" to continue an unfinished match.
    """
    with settings.open_database() as database, database.read() as session:
        found = games.list_matches(session, limit=given.limit)
    chosen = chosen_format(settings, given.format_name)
    rows = map(_match_row, found)
    if not write_rows(rows, chosen, _match_columns()) and chosen == "table":
        settings.say("No matches.")


@dataclass(frozen=True, kw_only=True)
class ListGiven:
    """Parameters of ``c4 games list``."""

    chosen: GameSelection = group(GameSelection)
    limit: int | None = number(
        parameters.WholeNumber(1),
        f"List at most N games.  [default: {TABLE_LIMIT} in a table, all otherwise]",
    )
    format_name: str | None = list_formats()


@click.command(
    "list",
    cls=Command,
    json=False,
    examples=["c4 games list 1 --limit 5", "c4 games list --winner o --length ..12 --jsonl"],
)
@takes(ListGiven)
@click.pass_obj
def list_(settings: Settings, given: ListGiven) -> None:
    """List games of all or some matches.

    x moved first. The moves are columns counted from 1.
    """
    filters = given.chosen.filters()
    chosen = chosen_format(settings, given.format_name)
    limit = TABLE_LIMIT if given.limit is None and chosen == "table" else given.limit
    with settings.open_database() as database:
        check_matches(database, given.chosen.matches)
        entries = stream_entries(database, filters)
        written = write_rows(map(_game_row, islice(entries, limit)), chosen, _game_columns())
        has_more = next(entries, None) is not None
    if not written:
        settings.say("No such games.")
    elif has_more:
        settings.say(f"There are more than {limit:,}: --limit N lists more")


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


def _game_row(entry: GameEntry) -> Row:
    row = dict.fromkeys(_FIELDS)
    return row | {"length": entry.final.ply - entry.start.ply} | json_object(entry)


def _game_columns() -> tuple[Column, ...]:
    return (
        Column("game", 9, lambda row: f"{row['match']}:{row['number']}"),
        Column("winner", 6, lambda row: row["winner"] or "-"),
        Column("ending", 10, lambda row: row["ending"]),
        Column("moves", 5, lambda row: str(row["length"]), right=True),
        Column("", 0, lambda row: "(unknown)" if row["moves"] is None else row["moves"]),
    )
