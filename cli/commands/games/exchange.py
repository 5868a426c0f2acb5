"""``c4 games export`` and ``import``: exchange games as files."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, BinaryIO

import click

from c4core.arena.file_formats import (
    csv_line,
    csv_names,
    json_line,
    read_csv_games,
    read_json_games,
)
from c4core.arena.files import ON_THE_BOARD
from c4core.notation import DEFAULT_BOARD
from cli.commands.games.listing import GameSelection
from cli.output.formats import format_by_ending, opened, output_file, write_object
from cli.shell import parameters
from cli.shell.commands import Command
from cli.shell.parameters import argument, choice, flag, group, takes
from cli.shell.process import Exit, echo, input_name, reading
from workers.match.files import Collection, import_matches, stream_entries
from workers.match.judging import check_matches
from workers.text import count

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from c4core.arena.files import GameEntry
    from c4core.lines import BadLine
    from c4core.notation import BoardSize
    from cli.shell.settings import Settings
    from workers.match.files import ImportSummary

ENDINGS = {".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv"}

EXPORT_EXAMPLES = (
    "c4 games export 1 > games.jsonl",
    "c4 games export --format csv --output games.csv",
    "c4 games export --winner x | head -3",
)


@dataclass(frozen=True, kw_only=True)
class ExportGiven:
    """Parameters of ``c4 games export``."""

    chosen: GameSelection = group(GameSelection)
    format_name: str | None = choice(
        ["jsonl", "csv"],
        "jsonl: everything about a game; csv: final grids of one board.  "
        "[default: by the ending of --output, else jsonl]",
        "--format",
    )
    output: str | None = output_file()


@click.command(cls=Command, json=False, examples=EXPORT_EXAMPLES)
@takes(ExportGiven)
@click.pass_obj
def export(settings: Settings, given: ExportGiven) -> None:
    """Write games of all or some matches as a file.

    jsonl has one game per line, with players, seed, moves and result. csv has one row per game, as
    learning programs read it: the 42 cells of its last position, row by row from the top, and the
    winner. A cell is 1 for the first mover, -1 for the second, 0 for empty; the winner is 1, -1 or
    0. The first row has the names pos_01 to pos_42 and winner. Games without a final grid are left
    out, and games on other boards than --board.
    """
    filters = given.chosen.filters()
    format_name = given.format_name or format_by_ending(
        given.output, endings=ENDINGS, default="jsonl", what="games", option="--format"
    )
    with settings.open_database() as database:
        check_matches(database, given.chosen.matches)
        size = filters.board or DEFAULT_BOARD
        if format_name == "csv":
            filters = replace(filters, board=size)
        entries = stream_entries(database, filters)
        with opened(given.output) as target:
            out = target or sys.stdout
            if format_name == "csv":
                written, forfeits = _write_csv(out, entries, size)
            else:
                written, forfeits = _write_json(out, entries), 0
    parts = [f"{count(written, 'game')} written"]
    if forfeits:
        parts.append(f"{count(forfeits, 'game')} without an end on the board left out")
    settings.say(", ".join(parts))


def _write_json(out: IO[str], entries: Iterable[GameEntry]) -> int:
    """Write a line per game; return the number of games."""
    written = 0
    for entry in entries:
        out.write(json_line(entry) + "\n")
        written += 1
    return written


def _write_csv(out: IO[str], entries: Iterable[GameEntry], board: BoardSize) -> tuple[int, int]:
    """Write a row per game; return the numbers of games written and without an end on the board."""
    out.write(csv_names(board) + "\n")
    written = forfeits = 0
    for entry in entries:
        if entry.ending in ON_THE_BOARD:
            out.write(csv_line(entry.final, entry.winner) + "\n")
            written += 1
        else:
            forfeits += 1
    return written, forfeits


IMPORT_EXAMPLES = (
    "c4 games import games.jsonl",
    "c4 games import games.csv",
)


@dataclass(frozen=True, kw_only=True)
class ImportGiven:
    """Parameters of ``c4 games import``."""

    file: BinaryIO = argument("FILE|-", type=click.File("rb"))
    format_name: str | None = choice(
        ["jsonl", "csv"],
        "Format as in c4 games export.  [default: by the file's name, else jsonl]",
        "--format",
    )
    board: BoardSize = parameters.board()
    skip_bad: bool = flag("Leave out bad lines instead of importing nothing.")
    label: str | None = parameters.label("the matches.  [default: the file's]")


@click.command("import", cls=Command, examples=IMPORT_EXAMPLES)
@takes(ImportGiven)
@click.pass_obj
def import_(settings: Settings, given: ImportGiven) -> None:
    """Store the games of a file.

    The games between the same two players become a match. Every game is replayed: moves must be
    legal, and the result must be that of the board. If a line is bad, nothing is stored without
    --skip-bad; the exit code is 1 in both cases. --board is the board of games that do not name
    one.

    csv is the format that "c4 games export" writes and learning programs use: final grids, without
    moves and players. If -1 began in a grid, the players are exchanged, so that x begins.
    """
    name = input_name(given.file)
    kind = given.format_name or ("csv" if name.lower().endswith(".csv") else "jsonl")
    with settings.open_database(create=True) as database:
        found = Collection()
        with reading(name):
            found.read(_entries(given.file, kind, given.board))
        if not found.lines:
            raise click.BadParameter(f"{name} is empty", param_hint="FILE")
        for line in found.bad:
            echo(f"{name}, line {line.line}: {line.error}", err=True)
        if found.bad and not given.skip_bad:
            settings.say(f"{count(found.bad_lines, 'bad line')}: nothing was imported")
            raise click.exceptions.Exit(Exit.PROBLEMS)
        label = given.label or parameters.readable(Path(name).name)
        stored = import_matches(database, found.matches, label=label)
    _report(settings, stored, bad=found.bad_lines)
    if found.bad:
        raise click.exceptions.Exit(Exit.PROBLEMS)


def _entries(file: BinaryIO, kind: str, board: BoardSize) -> Iterator[GameEntry | BadLine]:
    return (read_csv_games if kind == "csv" else read_json_games)(file, board=board)


def _report(settings: Settings, stored: list[ImportSummary], *, bad: int) -> None:
    number = sum(match.games for match in stored)
    if settings.json:
        write_object(
            {
                "games": number,
                "matches": [match.match_id for match in stored],
                "bad_lines": bad,
            }
        )
        return
    names = ", ".join(str(match.match_id) for match in stored)
    where = f" as {'match' if len(stored) == 1 else 'matches'} {names}" if stored else ""
    parts = [f"{count(number, 'game')} stored{where}"]
    if bad:
        parts.append(f"{count(bad, 'bad line')} left out")
    settings.say(", ".join(parts))
