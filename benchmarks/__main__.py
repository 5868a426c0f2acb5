"""``python -m benchmarks``: measure, draw positions, write the tables and the plot."""

from __future__ import annotations

import datetime as dt
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchmarks.engine import batches, boards, calls, classes, columns, plot, positions, tables
from benchmarks.engine.plan import FULL, QUICK
from benchmarks.engine.programs import Program, ProgramError
from benchmarks.engine.results import Results, these_versions, this_machine, without_directories
from benchmarks.engine.solvers import C4, BitBully
from benchmarks.page import fill
from cli.bench.positions import CLASSES, shipped_set
from cli.shell.parameters import usable_cores

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from benchmarks.engine.results import Measurement
    from benchmarks.engine.solvers import Contender

GROUPS = ("classes", "boards", "openings", "columns", "batches", "threads", "calls", "imports")
SHIPPED = "the positions that ship with the program"
KEPT = "kept from one position of a class to the next, empty at the start of each pass"
FRESH = "emptied before every position, outside the time taken"


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Measure how fast the solver is, alone and beside others."""


@main.command()
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("build/benchmark.json"),
    show_default=True,
    help="Write the results here, after every case.",
)
@click.option(
    "--positions",
    "directory",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Directory of CLASS.txt files, lines 'moves score'.  [default: positions that ship]",
)
@click.option(
    "--only", "groups", multiple=True, type=click.Choice(GROUPS), help="These groups; repeatable."
)
@click.option(
    "--rivals/--no-rivals", default=True, help="Measure bitbully as well, where it is installed."
)
@click.option(
    "--program",
    "programs",
    multiple=True,
    metavar="NAME=COMMAND",
    help="Another solver: reads moves, writes 'moves score' lines; repeatable.",
)
@click.option("--quick", is_flag=True, help="See whether it runs; the figures say little.")
@click.option("--long", is_flag=True, help="Let rivals solve the empty board too: minutes each.")
@click.option("--fresh", is_flag=True, help="Empty the table before every position of a class.")
@click.option("--table-mb", type=click.IntRange(1), default=8, show_default=True)
@click.option("--threads", type=click.IntRange(1), help="Most threads.  [default: all cores]")
def run(
    *,
    output: Path,
    directory: Path | None,
    groups: tuple[str, ...],
    rivals: bool,
    programs: tuple[str, ...],
    quick: bool,
    long: bool,
    fresh: bool,
    table_mb: int,
    threads: int | None,
) -> None:
    """Measure, and write the results as JSON."""
    plan = QUICK if quick else FULL
    own = C4(table_mb)
    in_process = [BitBully()] if rivals and BitBully.is_installed() else []
    if rivals and not in_process:
        click.echo("bitbully is not measured: pip install bitbully", err=True)
    contenders: list[Contender] = [*in_process, *map(_program, programs)]
    try:
        scored = shipped_set() if directory is None else positions.read_directory(directory)
    except (OSError, ValueError) as error:
        raise click.ClickException(str(error)) from None
    most = threads or usable_cores()
    results = Results(
        date=dt.datetime.now(dt.UTC).date().isoformat(),
        command=without_directories(shlex.join(["python", "-m", "benchmarks", *sys.argv[1:]])),
        positions=SHIPPED if directory is None else directory.name,
        table=FRESH if fresh else KEPT,
        machine=this_machine(),
        versions=these_versions() | {rival.name: rival.version for rival in [own, *contenders]},
    )
    work: dict[str, Callable[[], Iterator[Measurement]]] = {
        "classes": lambda: classes.measure(plan, scored, own, contenders, fresh=fresh),
        "boards": lambda: boards.measure_boards(plan, own, contenders, long=long),
        "openings": lambda: boards.measure_openings(plan, own),
        "columns": lambda: columns.measure(plan, scored, own, in_process),
        "batches": lambda: batches.measure_batches(plan, scored, table_mb=table_mb, threads=1),
        "threads": lambda: batches.measure_threads(plan, scored, table_mb=table_mb, most=most),
        "calls": lambda: calls.measure_calls(plan),
        "imports": lambda: calls.measure_imports(plan),
    }
    try:
        for group in groups or GROUPS:
            for measurement in work[group]():
                results.measurements.append(measurement)
                results.write(output)
                click.echo(tables.line(measurement), err=True)
    except ProgramError as error:
        raise click.ClickException(str(error)) from None
    if results.wrong:
        raise click.ClickException(f"{results.wrong} wrong answers")


@main.command()
@click.argument("results", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--page",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    default=Path("docs/performance.md"),
    show_default=True,
    help="Replace the tables between the page's markers.",
)
@click.option(
    "--plot",
    "picture",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("docs/performance"),
    show_default=True,
    help="Draw the classes to this path with .svg and .png added.",
)
def report(*, results: Path, page: Path, picture: Path) -> None:
    """Write the tables into a page and draw the plot."""
    try:
        found = Results.read(results)
        page.write_text(
            fill(page.read_text(encoding="utf-8"), tables.sections(found)),
            encoding="utf-8",
        )
    except ValueError as error:
        raise click.ClickException(str(error)) from None
    plot.draw(found, picture)


@main.command("positions")
@click.argument("output", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--seed", default=1, show_default=True)
@click.option("--count", default=100, show_default=True, help="Positions of each class.")
@click.option("--hard", default=20, show_default=True, help="Positions of begin-hard.")
def draw(*, output: Path, seed: int, count: int, hard: int) -> None:
    """Draw positions for the six classes by lot; write 'moves score' lines."""
    drawn = positions.draw(seed, dict.fromkeys(CLASSES, count) | {"begin-hard": hard})
    lines = [f"{moves} {score}\n" for scored in drawn.values() for moves, score in scored]
    output.write_text("".join(lines), encoding="ascii")


def _program(text: str) -> Program:
    name, equals, command = text.partition("=")
    if not equals or not name:
        raise click.BadParameter(f"{text!r} is not NAME=COMMAND", param_hint="--program")
    try:
        return Program(name, command)
    except ProgramError as error:
        raise click.ClickException(str(error)) from None


if __name__ == "__main__":
    main(prog_name="python -m benchmarks")
