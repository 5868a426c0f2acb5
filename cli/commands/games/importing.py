"""``c4 games import``: games of a file into the database."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click

from cli.commands.games.export import repeats_options
from cli.shell import echo, exits, parameters
from cli.shell.commands import Command, refuse
from cli.shell.streams import input_name, reading

if TYPE_CHECKING:
    from collections.abc import Iterator

    from c4core.arena.files import GameEntry, Sameness
    from c4core.lines import BadLine
    from c4core.notation import BoardSize
    from cli.shell.settings import Settings
    from workers.matches.files.importing import ImportSummary

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
    help="As in c4 games export.  [default: by the file's name, else jsonl]",
)
@parameters.board_option
@repeats_options
@click.option(
    "--new", is_flag=True, help="With --distinct: also leave out games that are stored already."
)
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
    and the result must be that of the board. If a line is bad, nothing is stored, unless --skip-bad
    is given; the exit code is 1 in both cases. --board is the board of games that do not name
    theirs.

    csv is what "c4 games export" writes and what learning programs keep: final grids, without moves
    and players. In a grid in which -1 began, the players are exchanged, so that x begins.
    """
    settings: Settings = context.obj
    refuse(
        context,
        (mirrors and distinct is None, "--mirrors belongs to --distinct"),
        (new and distinct is None, "--new belongs to --distinct"),
    )
    from c4core.arena.files import Repeats
    from cli.output.render import count
    from workers.matches.files.collecting import Collection, import_matches, remember_stored

    name = input_name(file)
    kind = format_name or ("csv" if name.lower().endswith(".csv") else "jsonl")
    repeats = None if distinct is None else Repeats(distinct, mirrors=mirrors)
    with settings.open_database(create=True) as database:
        if repeats is not None and new:
            remember_stored(database, repeats)
        found = Collection(repeats)
        with reading(name):
            found.read(_entries(file, kind, board))
        if not found.lines:
            raise click.BadParameter(f"{name} is empty", param_hint="FILE")
        for line in found.bad:
            echo.line(f"{name}, line {line.line}: {line.error}", err=True)
        if found.bad and not skip_bad:
            settings.say(f"{count(found.bad_lines, 'bad line')}: nothing was imported")
            context.exit(exits.PROBLEMS)
        label = label or parameters.readable(Path(name).name)
        stored = import_matches(database, found.matches, label=label)
    _report(settings, stored, repeated=found.repeated, bad=found.bad_lines)
    if found.bad:
        context.exit(exits.PROBLEMS)


def _entries(file: BinaryIO, kind: str, board: BoardSize) -> Iterator[GameEntry | BadLine]:
    from c4core.arena.file_formats import read_csv_games, read_json_games

    return (read_csv_games if kind == "csv" else read_json_games)(file, board=board)


def _report(settings: Settings, stored: list[ImportSummary], *, repeated: int, bad: int) -> None:
    from cli.output.formats import write_object
    from cli.output.render import count

    number = sum(match.games for match in stored)
    if settings.json:
        write_object(
            {
                "games": number,
                "matches": [match.match_id for match in stored],
                "repeated": repeated,
                "bad_lines": bad,
            }
        )
        return
    names = ", ".join(str(match.match_id) for match in stored)
    where = f" as {'match' if len(stored) == 1 else 'matches'} {names}" if stored else ""
    parts = [f"{count(number, 'game')} stored{where}"]
    if repeated:
        parts.append(f"{repeated:,} repeated ones left out")
    if bad:
        parts.append(f"{count(bad, 'bad line')} left out")
    settings.say(", ".join(parts))
