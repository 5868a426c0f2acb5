"""``python -m benchmarks.scaling``: measure costs, simulate growth, write the page."""

from __future__ import annotations

import shlex
import sys
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from benchmarks.engine.results import without_directories
from benchmarks.page import fill
from benchmarks.scaling import pages, plot
from benchmarks.scaling.books import PLIES
from benchmarks.scaling.check import run_and_compare
from benchmarks.scaling.costs import Measured
from benchmarks.scaling.limits import thread_limits
from benchmarks.scaling.measure import measure_everything, open_place
from benchmarks.scaling.meters import MeterError
from benchmarks.scaling.model import Activity, Scenario
from benchmarks.scaling.studies import simulate as simulate_long_enough
from db.errors import StorageError
from db.masking import masked
from workers.errors import BrokerError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

FILE: Final = Path("docs/scaling.json")

RUNS: Final = (
    {"workers": 1, "threads": 1, "units": 400, "positions": 10},
    {"workers": 2, "threads": 1, "units": 800, "positions": 10},
    {"workers": 1, "threads": 2, "units": 800, "positions": 10},
    {"workers": 2, "threads": 1, "units": 400, "positions": 100},
    {"workers": 2, "threads": 1, "units": 100, "positions": 1_000},
)
"""Real ones, that are simulated as well."""

file_argument = click.argument(
    "file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    default=FILE,
)


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


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Measure what units and messages cost, and simulate services of any size."""


@main.command()
@servers_options
@click.option(
    "--output", type=click.Path(dir_okay=False, path_type=Path), default=FILE, show_default=True
)
@click.option("--rounds", type=click.IntRange(1), default=7, show_default=True)
def measure(*, postgres: str, redis: str, output: Path, rounds: int) -> None:
    """Measure all costs, on real servers that run on this machine."""
    with ExitStack() as at_end, _failures():
        measured = measure_everything(
            open_place(postgres, redis, at_end),
            rounds=rounds,
            command=_command(),
            say=lambda what: click.echo(f"measuring {what}", err=True),
        )
    if output.exists():
        before = Measured.read(output)
        measured = replace(measured, runs=before.runs, book_seconds=before.book_seconds)
    measured.write(output)


@main.command()
@servers_options
@file_argument
def check(*, postgres: str, redis: str, file: Path) -> None:
    """Let real workers do jobs, and simulate the same; keep both in FILE."""
    measured = _read(file)
    runs = []
    with ExitStack() as at_end, _failures():
        place = open_place(postgres, redis, at_end)
        for one in RUNS:
            runs.append(run_and_compare(place, measured.costs("analyze"), **one))
            click.echo(str(runs[-1]), err=True)
    replace(measured, runs=runs).write(file)


@main.command()
@file_argument
@click.option("--kind", type=click.Choice(["analyze", "book"]), default="analyze")
@click.option("--workers", type=click.IntRange(1), default=1, show_default=True)
@click.option("--threads", type=click.IntRange(1), default=1, show_default=True)
@click.option("--unit-seconds", type=click.FloatRange(0, min_open=True), default=1.0)
@click.option("--unit-positions", type=click.IntRange(1), default=100, show_default=True)
@click.option("--unit-spread", type=click.FloatRange(0, min_open=True), default=0.5)
@click.option("--database-cores", type=click.IntRange(1), default=8, show_default=True)
@click.option("--distance", type=click.FloatRange(0), default=0.0, help="Seconds a round trip.")
@click.option("--seed", type=int, default=1, show_default=True)
def simulate(*, file: Path, kind: str, **options: Any) -> None:  # noqa: ANN401 (click's)
    """Simulate one service, with the costs in FILE."""
    scenario = Scenario(**options)
    costs = _read(file).costs(kind)
    outcome = simulate_long_enough(costs, scenario)
    click.echo(f"units/s             {outcome.units_per_second:.1f}")
    for activity in Activity:
        click.echo(f"threads: {activity:10} {outcome.shares[activity]:.1%}")
    for name in ("database", "broker", "planner", "python"):
        click.echo(f"busy: {name:13} {getattr(outcome, name):.1%}")
    for name, threads in thread_limits(costs, scenario)._asdict().items():
        click.echo(f"{name + ' serves':19} {threads:,.0f} such threads")


@main.command()
@click.argument("ply", type=click.Choice([str(ply) for ply in PLIES]))
@click.argument("milliseconds", type=click.FloatRange(0, min_open=True))
@file_argument
def book(*, ply: str, milliseconds: float, file: Path) -> None:
    """Say in FILE what searching a position of a book takes on one core."""
    measured = _read(file)
    seconds = {**measured.book_seconds, int(ply): milliseconds / 1_000}
    replace(measured, book_seconds=dict(sorted(seconds.items()))).write(file)


@main.command()
@file_argument
@click.option(
    "--page",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    default=Path("docs/scaling.md"),
    show_default=True,
    help="Replace the tables between the page's markers.",
)
@click.option(
    "--plot",
    "picture",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("docs/scaling.svg"),
    show_default=True,
)
def report(*, file: Path, page: Path, picture: Path) -> None:
    """Simulate everything that the page shows; write its tables and its plot."""
    measured = _read(file)
    texts = pages.measured_sections(measured) | pages.simulated_sections(measured)
    try:
        page.write_text(fill(page.read_text(encoding="utf-8"), texts), encoding="utf-8")
    except ValueError as error:
        raise click.ClickException(str(error)) from None
    plot.draw(measured, picture)


@contextmanager
def _failures() -> Iterator[None]:
    """Say what went wrong with the servers, instead of a trace."""
    try:
        yield
    except (MeterError, StorageError, BrokerError) as error:
        raise click.ClickException(str(error)) from error


def _read(file: Path) -> Measured:
    try:
        return Measured.read(file)
    except ValueError as error:
        raise click.ClickException(str(error)) from None


def _command() -> str:
    arguments = [masked(argument) for argument in sys.argv[1:]]
    return without_directories(shlex.join(["python", "-m", "benchmarks.scaling", *arguments]))


if __name__ == "__main__":
    main(prog_name="python -m benchmarks.scaling")
