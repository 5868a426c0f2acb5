"""``c4 bench``: measure the speed of the solver on this machine."""

from __future__ import annotations

import platform
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import click

from c4core.version import ENGINE_VERSION, __version__
from cli.measuring import measure, processor, signature, time_with_unit
from cli.output.formats import Column, write_object, write_rows
from cli.output.render import can_write
from cli.output.tables import write_facts
from cli.shell import parameters
from cli.shell.commands import Command
from cli.shell.parameters import Engine, flag, group, takes
from cli.shell.process import Exit, echo
from workers.configuration import usable_cores
from workers.text import count

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cli.measuring import Row
    from cli.shell.settings import Settings

EXAMPLES = (
    "c4 bench",
    "c4 bench --quick --json",
    "c4 bench --threads 1 --table-mb 64",
)


@dataclass(frozen=True, kw_only=True)
class BenchEngine(Engine):
    """The measured searches."""

    table_mb: int = parameters.table_mb(
        "Size of the transposition table; the signature depends on it.", default=8
    )


@dataclass(frozen=True, kw_only=True)
class Given:
    """Parameters of ``c4 bench``."""

    quick: bool = flag("Fewer positions, no empty board: takes a few seconds.")
    engine: BenchEngine = group(BenchEngine)


@click.command(cls=Command, examples=EXAMPLES, database=False)
@takes(Given)
@click.pass_obj
def bench(settings: Settings, given: Given) -> None:
    """Measure how fast this machine solves positions.

    This takes half a minute. Positions of six classes are solved exactly, on one thread, without a
    book. Begin, middle and end are phases of the game; easy, medium and hard say how long the game
    goes on. Then the empty board is solved, exactly and for its outcome only, and some classes with
    more threads. Every score is checked.

    The signature is the number of nodes searched for the six classes. It is the same on every
    machine; it changes when the search changes.
    """
    rows: list[Row] = []
    measured = _noted(
        measure(table_mb=given.engine.table_mb, threads=given.engine.threads, quick=given.quick),
        rows,
    )
    about = _about(given.engine.table_mb, quick=given.quick)
    if settings.json:
        found = list(measured)
        write_object(about | {"signature": signature(rows), "rows": found})
    else:
        _show(about, measured)
        echo(f"signature {signature(rows)}{' (quick)' if given.quick else ''}")
    if wrong := sum(row.wrong for row in rows):
        settings.say(count(wrong, "wrong score"))
        raise click.exceptions.Exit(Exit.PROBLEMS)


def _noted(measured: Iterator[Row], rows: list[Row]) -> Iterator[dict[str, Any]]:
    """Yield each row's fields, with rates, as it comes; append the row to ``rows``."""
    for row in measured:
        rows.append(row)
        yield asdict(row) | {
            "nodes_per_second": round(row.nodes / row.wall_seconds),
            "positions_per_second": row.positions / row.wall_seconds,
        }


def _about(table_mb: int, *, quick: bool) -> dict[str, Any]:
    return {
        "version": __version__,
        "engine": ENGINE_VERSION,
        "python": platform.python_version(),
        "processor": processor(),
        "cores": usable_cores(),
        "table_mb": table_mb,
        "quick": quick,
    }


def _show(about: dict[str, Any], measured: Iterator[dict[str, Any]]) -> None:
    write_facts(
        {
            "c4": f"{about['version']}, engine {about['engine']}, {about['table_mb']} MB table",
            "machine": f"{about['processor']}, {count(about['cores'], 'core')},"
            f" Python {about['python']}",
        }
    )
    echo()
    write_rows(
        measured,
        "table",
        [
            Column("solved", 26, lambda row: str(row["work"])),
            Column("threads", 7, lambda row: str(row["threads"]), right=True),
            Column("positions", 9, lambda row: f"{row['positions']:,}", right=True),
            Column(
                "cpu each",
                9,
                lambda row: _each(row["cpu_seconds"] / row["positions"]),
                right=True,
            ),
            Column(
                "time each",
                9,
                lambda row: _each(row["wall_seconds"] / row["positions"]),
                right=True,
            ),
            Column("nodes", 13, lambda row: f"{row['nodes']:,}", right=True),
            Column("nodes/s", 11, lambda row: f"{row['nodes_per_second']:,}", right=True),
            Column("", 10, _remark, style=lambda row: "red" if row["wrong"] else "yellow"),
        ],
    )


def _remark(row: dict[str, Any]) -> str:
    if row["wrong"]:
        return f"{row['wrong']} wrong"
    return f"{row['unsolved']} given up" if row["unsolved"] else ""


def _each(seconds: float) -> str:
    text = time_with_unit(seconds)
    return text if can_write(text) else text.replace("µ", "u")
