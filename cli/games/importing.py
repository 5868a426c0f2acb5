"""``c4 games import``: games of a file into the database."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

import click

from cli.games.export import repeats_options
from cli.shell import echo, exits, parameters
from cli.shell.commands import Command, refuse
from cli.shell.streams import input_name, reading

if TYPE_CHECKING:
    from collections.abc import Iterator

    from c4core.arena.files import GameEntry
    from c4core.arena.repeats import Repeats, Sameness
    from c4core.lines import BadLine
    from c4core.notation import BoardSize
    from c4core.position import Position
    from cli.shell.settings import Settings
    from db.database import Database
    from db.records.games import StoredGame

MAX_TOLD = 10
"""Bad lines that are told one by one."""

EXAMPLES = (
    "c4 games import games.jsonl",
    "c4 games import games.csv --distinct grids",
)


@click.command("import", cls=Command, examples=EXAMPLES)
@click.argument("file", type=click.File("rb"), metavar="FILE|-")
@click.option(
    "--format",
    "format_name",
    type=click.Choice(["jsonl", "csv"]),
    help="As of c4 games export.  [default: by the file's name, else jsonl]",
)
@parameters.board_option
@repeats_options
@click.option("--new", is_flag=True, help="With --distinct: also leave out games that are stored.")
@click.option("--skip-bad", is_flag=True, help="Leave bad lines out, instead of importing nothing.")
@parameters.label_option("the matches.  [default: the file's]")
@click.pass_context
def import_(
    context: click.Context,
    *,
    file: BinaryIO,
    format_name: str | None,
    board: BoardSize,
    distinct: Sameness | None,
    mirrors: bool,
    new: bool,
    skip_bad: bool,
    label: str | None,
) -> None:
    """Store the games of a file.

    The games of every two players become a match. Every game is played through: moves must be legal
    and the result must be that of the board. Nothing is stored if a line is bad, unless --skip-bad;
    the exit code is 1 then. --board is that of games that do not say theirs.

    csv is what "c4 games export" writes and what learning programs keep: final grids, without moves
    and players. In a grid in which -1 began, the players are exchanged, so that x begins.
    """
    settings: Settings = context.obj
    refuse(
        context,
        (mirrors and distinct is None, "--mirrors belongs to --distinct"),
        (new and distinct is None, "--new belongs to --distinct"),
    )
    from c4core.arena.repeats import Repeats
    from cli.output.render import count

    name = input_name(file)
    kind = format_name or ("csv" if name.lower().endswith(".csv") else "jsonl")
    repeats = None if distinct is None else Repeats(distinct, mirrors=mirrors)
    with settings.open_database(create=True) as database:
        if repeats is not None and new:
            _remember_stored(database, repeats)
        known = 0 if repeats is None else repeats.repeated
        games = _Reading(_entries(file, kind, board), repeats)
        with reading(name):
            matches = games.matches()
        if not games.lines:
            raise click.BadParameter(f"{name} is empty", param_hint="FILE")
        _tell_bad_lines(games.bad, name)
        if games.bad and not skip_bad:
            settings.say(f"{count(games.bad_lines, 'bad line')}: nothing was imported")
            context.exit(exits.PROBLEMS)
        stored = _store(database, matches, label or parameters.readable(Path(name).name))
    repeated = 0 if repeats is None else repeats.repeated - known
    _report(settings, stored, repeated=repeated, bad=games.bad_lines)
    if games.bad:
        context.exit(exits.PROBLEMS)


class _MatchGames(NamedTuple):
    """Games that become one match."""

    start: Position
    a: str | None
    b: str | None
    games: list[StoredGame]


class _Reading:
    """Reads games into memory, sorted by match.

    Args:
        entries: games and bad lines.
        repeats: knows games that were there before; None where that does not matter.

    Attributes:
        lines: games and bad lines that were read.
        bad: the first bad lines.
        bad_lines: how many there are.
    """

    def __init__(self, entries: Iterator[GameEntry | BadLine], repeats: Repeats | None) -> None:
        self.lines = 0
        self.bad: list[BadLine] = []
        self.bad_lines = 0
        self._entries = entries
        self._repeats = repeats

    def matches(self) -> list[_MatchGames]:
        """The games, those of every two players who began from the same position together."""
        from c4core.lines import BadLine
        from cli.games.entries import game_of

        found: dict[tuple[Position, frozenset[str | None]], _MatchGames] = {}
        for entry in self._entries:
            self.lines += 1
            if isinstance(entry, BadLine):
                self.bad_lines += 1
                if len(self.bad) < MAX_TOLD:
                    self.bad.append(entry)
            elif self._repeats is None or self._repeats.is_new(entry):
                group = (entry.start, frozenset((entry.first, entry.second)))
                if group not in found:
                    found[group] = _MatchGames(entry.start, entry.first, entry.second, [])
                match = found[group]
                match.games.append(game_of(entry, player_a=match.a))
        return list(found.values())


def _entries(file: BinaryIO, kind: str, board: BoardSize) -> Iterator[GameEntry | BadLine]:
    from c4core.arena.files_csv import read_csv_games
    from c4core.arena.files_json import read_json_games

    return (read_csv_games if kind == "csv" else read_json_games)(file, board=board)


def _remember_stored(database: Database, repeats: Repeats) -> None:
    """Make the games that are stored known."""
    from cli.games.entries import stream_entries
    from db.records.games import GameFilter

    for entry in stream_entries(database, GameFilter()):
        repeats.is_new(entry)


def _tell_bad_lines(bad: list[BadLine], name: str) -> None:
    for line in bad:
        echo.line(f"{name}, line {line.line}: {line.error}", err=True)


def _store(database: Database, matches: list[_MatchGames], label: str) -> list[tuple[int, int]]:
    """Store matches; their numbers and how many games each has."""
    from workers.matches.importing import UNKNOWN_PLAYER, import_games

    stored: list[tuple[int, int]] = []
    with _all_or_nothing(database, stored):
        for match in matches:
            summary = import_games(
                database,
                match.games,
                start=match.start,
                player_a=match.a or UNKNOWN_PLAYER,
                player_b=match.b or UNKNOWN_PLAYER,
                label=label,
            )
            stored.append((summary.match_id, summary.games))
    return stored


@contextmanager
def _all_or_nothing(database: Database, stored: list[tuple[int, int]]) -> Iterator[None]:
    """Take matches away again if the others cannot be stored."""
    from db import games

    try:
        yield
    except BaseException:
        for match, _ in stored:
            with database.write() as session:
                games.delete_match(session, match)
        raise


def _report(settings: Settings, stored: list[tuple[int, int]], *, repeated: int, bad: int) -> None:
    from cli.output.formats import write_object
    from cli.output.render import count

    number = sum(games for _, games in stored)
    if settings.json:
        write_object(
            {
                "games": number,
                "matches": [match for match, _ in stored],
                "repeated": repeated,
                "bad_lines": bad,
            }
        )
        return
    names = ", ".join(str(match) for match, _ in stored)
    where = f" as {'match' if len(stored) == 1 else 'matches'} {names}" if stored else ""
    parts = [f"{count(number, 'game')} stored{where}"]
    if repeated:
        parts.append(f"{repeated:,} repeated ones left out")
    if bad:
        parts.append(f"{count(bad, 'bad line')} left out")
    settings.say(", ".join(parts))
