"""``c4 db``: the database itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from cli.shell import exits
from cli.shell.commands import Command, LazyGroup

if TYPE_CHECKING:
    from collections.abc import Callable

    from cli.output.formats import Row
    from cli.shell.settings import Settings
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
    """Make, upgrade, measure, check and copy the database.

    Without --db or C4_DB it is a SQLite file in your data directory, made at first use.
    """


@database.command(cls=Command, examples=["c4 db init", "c4 --db ./book.db db init"])
@click.pass_obj
def init(settings: Settings) -> None:
    """Make the database ready, if it is not."""
    from cli.output.formats import write_object

    with settings.open_database(create=True) as opened:
        if settings.json:
            write_object({"database": opened.url, "created": opened.created})
        else:
            click.echo(f"{opened.url}: {'created' if opened.created else 'was ready already'}")


@database.command(cls=Command, examples=["c4 db upgrade", "c4 --db ./book.db db upgrade"])
@click.pass_obj
def upgrade(settings: Settings) -> None:
    """Bring the tables up to date; what is stored stays.

    A database that was made by an older version needs this once.
    """
    from cli.output.formats import write_object
    from db.database import Database

    before, after = Database.upgrade(settings.url)
    if settings.json:
        write_object({"before": before, "after": after})
    elif before == after:
        click.echo(f"schema {after}: was up to date already")
    else:
        click.echo(f"schema {before or 'none'} -> {after}")


@database.command(cls=Command, examples=["c4 db stats", "c4 db stats --json"])
@click.pass_obj
def stats(settings: Settings) -> None:
    """Show what is stored, and how large it is.

    Evaluations are counted by board and by ply, the number of stones. Wins, draws and losses are
    those of the side to move; positions without a proven outcome are in none of the three.
    """
    from db import maintenance

    with settings.open_database() as opened:
        found = maintenance.stats(opened)
    if settings.json:
        from cli.output.formats import write_object

        write_object(_as_object(found))
    else:
        _show(found)


@database.command(cls=Command, examples=["c4 db check", "c4 db check -q || echo damaged"])
@click.pass_context
def check(context: click.Context) -> None:
    """Look for damage; the exit code is 1 if there is any.

    Checked are the pages of the file, references, schema, bounds, keys and scores of evaluations,
    and the state of jobs. Nothing is changed.
    """
    import json

    from cli.output.render import count
    from db import maintenance

    settings: Settings = context.obj
    problems = 0
    with settings.open_database() as opened:
        for problem in maintenance.check(opened):
            problems += 1
            click.echo(
                json.dumps(problem._asdict())
                if settings.json
                else f"{problem.kind}: {problem.message}"
            )
        settings.say(f"{opened.url}: {count(problems, 'problem') if problems else 'no problems'}")
    if problems:
        context.exit(exits.PROBLEMS)


@database.command(cls=Command, examples=["c4 db backup copy.db"])
@click.argument("file", type=click.Path(dir_okay=False))
@click.pass_obj
def backup(settings: Settings, file: str) -> None:
    """Copy the database into a new SQLite FILE.

    It may be in use meanwhile. The copy of a PostgreSQL database is a SQLite file as well.
    """
    from pathlib import Path

    from cli.output import targets
    from cli.output.formats import write_object
    from db import maintenance

    with settings.open_database() as opened:
        targets.checked(file, option="FILE")
        try:
            size = maintenance.backup(opened, Path(file))
        except FileExistsError:
            raise click.BadParameter(f"{file!r} exists already", param_hint="FILE") from None
    if settings.json:
        write_object({"file": file, "bytes": size})
    else:
        click.echo(f"{file}: {size_text(size)}")


def size_text(size: int | None) -> str:
    """Bytes for people: ``1.5 MiB``; a dash where unknown."""
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
    from cli.output.formats import Column, write_facts, write_rows

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
        click.echo(f"\n{board}")
        total = {name: sum(getattr(row, name) for row in rows) for name in names[1:]}
        write_rows([*(row._asdict() for row in rows), {"ply": "all", **total}], "table", columns)


def _table_text(table: TableStats) -> str:
    from cli.output.render import count

    size = "" if table.bytes is None else f", {size_text(table.bytes)}"
    return count(table.rows, "row") + size


def _number(name: str) -> Callable[[Row], str]:
    return lambda row: row[name] if isinstance(row[name], str) else f"{row[name]:,}"
