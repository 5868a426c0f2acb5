"""``c4 db``: commands for the database itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cli.output.formats import Column, write_object, write_rows
from cli.output.tables import write_facts
from cli.shell.commands import Command, LazyGroup
from cli.shell.parameters import FiniteFloat, WholeNumber, writable_path
from cli.shell.process import Exit, echo
from db import checking, maintenance
from db.database import Database
from workers.text import count

if TYPE_CHECKING:
    from collections.abc import Callable

    from cli.output.formats import Row
    from cli.shell.settings import Settings
    from db.checking import Problem
    from db.maintenance import DatabaseStats, TableStats


@click.group(
    "db",
    cls=LazyGroup,
    examples=[
        "c4 db stats",
        "c4 --db ./book.db db init",
        "c4 db check && echo fine",
    ],
)
def database() -> None:
    """Create, upgrade, check and copy the database.

    Without --db or C4_DB it is a SQLite file in your data directory, created on first use.
    """


@database.command(cls=Command, examples=["c4 db init", "c4 --db ./book.db db init"])
@click.pass_obj
def init(settings: Settings) -> None:
    """Create the database if it does not exist."""
    with settings.open_database(create=True) as opened:
        if settings.json:
            write_object({"database": opened.url, "created": opened.created})
        else:
            echo(f"{opened.url}: {'created' if opened.created else 'exists already'}")


@database.command(cls=Command, examples=["c4 db upgrade", "c4 --db ./book.db db upgrade"])
@click.pass_obj
def upgrade(settings: Settings) -> None:
    """Bring the tables up to date; stored data is kept.

    A database of an older version needs this once. Processes that are using it notice the upgrade
    and stop.
    """
    before, after = Database.upgrade(settings.url)
    if settings.json:
        write_object({"before": before, "after": after})
    elif before == after:
        echo(f"schema {after}: already up to date")
    else:
        echo(f"schema {before or 'none'} -> {after}")


@database.command(cls=Command, examples=["c4 db stats", "c4 db stats --json"])
@click.pass_obj
def stats(settings: Settings) -> None:
    """Show the contents of the database, and its size.

    Evaluations are counted by board and ply, the number of stones. Wins, draws and losses are those
    of the side to move. A position without a proven outcome counts as none of them.
    """
    with settings.open_database() as opened:
        found = maintenance.stats(opened)
    if settings.json:
        write_object(_as_object(found))
    else:
        _show(found)


@database.command(
    cls=Command,
    examples=["c4 db check", "c4 db check -q || echo damaged", "c4 db check --solve 100"],
)
@click.option(
    "--solve",
    "number",
    type=WholeNumber(0),
    metavar="N",
    default=0,
    help="Search N random stored evaluations again.",
)
@click.option(
    "--seed",
    type=WholeNumber(0),
    metavar="N",
    default=0,
    show_default=True,
    help="Seed of the choice: the same seed chooses the same evaluations.",
)
@click.option(
    "--solve-seconds",
    type=FiniteFloat(min=0, min_open=True),
    metavar="S",
    default=10.0,
    show_default=True,
    help="Time limit for each; the bounds proven by then must agree.",
)
@click.pass_obj
def check(settings: Settings, number: int, seed: int, solve_seconds: float) -> None:
    """Look for damage; the exit code is 1 if there is any.

    The database checks its own pages. SQLite compares its tables with their indexes, and checks
    references; PostgreSQL compares each page with its checksum if data_checksums is on. The check
    also finds impossible bounds, inconsistent jobs, and matches without all their games. Nothing is
    changed. Each problem is one line; notes are not problems.

    Only --solve finds wrong scores.
    """
    problems = 0
    with settings.open_database() as opened:
        for problem in checking.check(opened):
            problems += problem.kind != checking.NOTE
            _tell(problem, as_json=settings.json)
        solved = 0
        for problem_or_none in checking.solve_again(
            opened, number, seed=seed, seconds=solve_seconds
        ):
            solved += 1
            if problem_or_none is not None:
                problems += 1
                _tell(problem_or_none, as_json=settings.json)
        again = f", {count(solved, 'evaluation')} searched again" if number else ""
        found = count(problems, "problem") if problems else "no problems"
        settings.say(f"{opened.url}: {found}{again}")
    if problems:
        raise click.exceptions.Exit(Exit.PROBLEMS)


def _tell(found: Problem, *, as_json: bool) -> None:
    echo(json.dumps(found._asdict()) if as_json else ": ".join(found))


@database.command(cls=Command, examples=["c4 db backup copy.db"])
@click.argument("file", type=click.Path(dir_okay=False))
@click.pass_obj
def backup(settings: Settings, file: str) -> None:
    """Copy the database into a new SQLite FILE.

    The database may be in use. The copy of a PostgreSQL database is also a SQLite file.
    """
    with settings.open_database() as opened:
        writable_path(file, option="FILE")
        try:
            size = maintenance.backup(opened, Path(file))
        except FileExistsError:
            raise click.BadParameter(f"{file!r} exists already", param_hint="FILE") from None
    if settings.json:
        write_object({"file": file, "bytes": size})
    else:
        echo(f"{file}: {size_text(size)}")


def size_text(size: int | None) -> str:
    """A size for people: ``1.5 MiB``; a dash if unknown."""
    if size is None:
        return "-"
    amount, unit = float(size), "B"
    for larger in ("KiB", "MiB", "GiB", "TiB"):
        if amount < 1024:  # noqa: PLR2004
            break
        amount, unit = amount / 1024, larger
    return f"{amount:,.0f} {unit}" if unit == "B" else f"{amount:,.1f} {unit}"


def _as_object(stats: DatabaseStats) -> dict[str, object]:
    return {
        "database": stats.url,
        "dialect": stats.dialect,
        "revision": stats.revision,
        "bytes": stats.bytes,
        "tables": [table._asdict() for table in stats.tables],
        "boards": {
            str(board): [row._asdict() for row in rows] for board, rows in stats.boards.items()
        },
    }


def _show(stats: DatabaseStats) -> None:
    write_facts(
        {
            "database": stats.url,
            "size": size_text(stats.bytes),
            "schema": stats.revision,
            **{table.name: _table_text(table) for table in stats.tables},
        }
    )
    names = ("ply", "positions", "exact", "wins", "draws", "losses", "with_scores")
    headings = ("ply", "positions", "exact", "wins", "draws", "losses", "columns")
    columns = [
        Column(heading, max(len(heading), 3 if name == "ply" else 10), _number(name), right=True)
        for name, heading in zip(names, headings, strict=True)
    ]
    for board, rows in stats.boards.items():
        echo()
        echo(str(board))
        total = {name: sum(getattr(row, name) for row in rows) for name in names[1:]}
        write_rows([*(row._asdict() for row in rows), {"ply": "all", **total}], "table", columns)


def _table_text(table: TableStats) -> str:
    size = "" if table.bytes is None else f", {size_text(table.bytes)}"
    return count(table.rows, "row") + size


def _number(name: str) -> Callable[[Row], str]:
    return lambda row: row[name] if isinstance(row[name], str) else f"{row[name]:,}"
