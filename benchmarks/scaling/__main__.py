"""``python -m benchmarks.scaling``: measure costs, work out limits, write the page."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from benchmarks.fleet import FleetError
from benchmarks.options import WITH_HELP, failures, file_argument, output_option, page_option
from benchmarks.page import fill_file
from benchmarks.record import this_command
from benchmarks.scaling import pages
from benchmarks.scaling.books import PLIES
from benchmarks.scaling.check import run_and_compare
from benchmarks.scaling.costs import Measured
from benchmarks.scaling.limits import Service, bound, thread_limits, threads_of_a_process
from benchmarks.scaling.measure import measure_everything, open_place
from benchmarks.scaling.meters import MeterError
from db.errors import StorageError
from workers.errors import BrokerError

if TYPE_CHECKING:
    from collections.abc import Callable

FILE: Final = Path("benchmarks/results/scaling.json")

RUNS: Final = (
    {"workers": 1, "threads": 1, "units": 400, "positions": 10},
    {"workers": 2, "threads": 1, "units": 800, "positions": 10},
    {"workers": 1, "threads": 2, "units": 800, "positions": 10},
    {"workers": 2, "threads": 1, "units": 400, "positions": 100},
    {"workers": 2, "threads": 1, "units": 100, "positions": 1_000},
)
"""The jobs of the check with real workers."""

SERVER_ERRORS: Final = (MeterError, FleetError, StorageError, BrokerError)


def servers_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options that name the servers."""
    for name, form in (
        ("redis", "redis://HOST:PORT/NUMBER"),
        ("postgres", "postgresql://.../NAME"),
    ):
        command = click.option(
            f"--{name}",
            metavar="URL",
            required=True,
            help=f"A scratch database on this machine, which is emptied: {form}.",
        )(command)
    return command


@click.group(context_settings=WITH_HELP)
def main() -> None:
    """Measure the costs of units and messages, and calculate how far the service scales."""


@main.command()
@servers_options
@output_option(FILE)
@click.option("--rounds", type=click.IntRange(1), default=7, show_default=True)
def measure(*, postgres: str, redis: str, output: Path, rounds: int) -> None:
    """Measure all costs, on real servers that run on this machine."""
    with ExitStack() as at_end, failures(*SERVER_ERRORS):
        measured = measure_everything(
            open_place(postgres, redis, at_end),
            rounds=rounds,
            command=this_command("benchmarks.scaling"),
            say=lambda what: click.echo(f"measuring {what}", err=True),
        )
    if output.exists():
        before = _read(output)
        measured = replace(measured, runs=before.runs, book_seconds=before.book_seconds)
    measured.write(output)


@main.command()
@servers_options
@file_argument(FILE)
def check(*, postgres: str, redis: str, file: Path) -> None:
    """Let real workers do jobs, and keep in FILE what a unit took and what the costs predict."""
    measured = _read(file)
    runs = []
    with ExitStack() as at_end, failures(*SERVER_ERRORS):
        place = open_place(postgres, redis, at_end)
        for one in RUNS:
            runs.append(run_and_compare(place, measured.costs("analyze"), **one))
            click.echo(str(runs[-1]), err=True)
    replace(measured, runs=runs).write(file)


@main.command()
@file_argument(FILE)
@click.option(
    "--kind", type=click.Choice(["analyze", "book"]), default="analyze", show_default=True
)
@click.option("--workers", type=click.IntRange(1), default=1, show_default=True)
@click.option(
    "--threads", type=click.IntRange(1), default=1, show_default=True, help="Of each worker."
)
@click.option(
    "--unit-seconds", type=click.FloatRange(0, min_open=True), default=1.0, show_default=True
)
@click.option("--unit-positions", type=click.IntRange(1), default=100, show_default=True)
@click.option("--database-cores", type=click.IntRange(1), default=8, show_default=True)
@click.option("--distance", type=click.FloatRange(0), default=0.0, help="Seconds a round trip.")
def limits(*, file: Path, kind: str, **options: Any) -> None:  # noqa: ANN401 (click's)
    """Calculate the most that one service can do, with the costs in FILE."""
    service = Service(**options)
    costs = _read(file).costs(kind)
    most = bound(costs, service)
    click.echo(f"units/s, at most    {most.units_per_second:.1f}")
    click.echo(f"threads that search {most.searching:.1%}")
    for name in ("database", "broker", "planner", "python"):
        click.echo(f"busy: {name:13} {getattr(most, name):.1%}")
    serves = {
        **thread_limits(costs, service)._asdict(),
        "process": threads_of_a_process(costs, service),
    }
    for name, threads in serves.items():
        click.echo(f"{name + ' serves':19} {threads:,.0f} such threads")


@main.command()
@click.argument("ply", type=click.Choice([str(ply) for ply in PLIES]))
@click.argument("milliseconds", type=click.FloatRange(0, min_open=True))
@file_argument(FILE)
def book(*, ply: str, milliseconds: float, file: Path) -> None:
    """Keep in FILE the seconds that one core needs for one position of a book."""
    measured = _read(file)
    seconds = {**measured.book_seconds, int(ply): milliseconds / 1_000}
    replace(measured, book_seconds=dict(sorted(seconds.items()))).write(file)


@main.command()
@file_argument(FILE)
@page_option(Path("docs/scaling.md"))
def report(*, file: Path, page: Path) -> None:
    """Calculate the tables of the page, and write them."""
    texts = pages.sections(_read(file))
    with failures(ValueError):
        fill_file(page, texts)


def _read(file: Path) -> Measured:
    with failures(ValueError):
        return Measured.read(file)


if __name__ == "__main__":
    main(prog_name="python -m benchmarks.scaling")
