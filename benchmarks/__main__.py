"""``python -m benchmarks``: measure, draw positions, write the tables and the plot."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchmarks.engine import (
    batches,
    boards,
    calls,
    classes,
    columns,
    plot,
    positions,
    sample,
    tables,
)
from benchmarks.engine.plan import FULL, QUICK
from benchmarks.engine.programs import Program, ProgramError
from benchmarks.engine.results import Results
from benchmarks.engine.solvers import C4, BitBully
from benchmarks.options import WITH_HELP, failures, output_option, page_option
from benchmarks.page import fill_file
from benchmarks.record import these_versions, this_command, this_machine, today
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


@click.group(context_settings=WITH_HELP)
def main() -> None:
    """Measure the speed of the solver, alone and beside other solvers."""


@main.command()
@output_option(Path("build/benchmark.json"), help_text="Write the results here, after every case.")
@click.option(
    "--positions",
    "directory",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A directory of CLASS.txt files, lines 'moves score'.  [default: positions that ship]",
)
@click.option(
    "--only",
    "groups",
    multiple=True,
    type=click.Choice(GROUPS),
    help="Measure only these groups; repeatable.",
)
@click.option(
    "--rivals/--no-rivals", default=True, help="Measure bitbully as well, where it is installed."
)
@click.option(
    "--program",
    "programs",
    multiple=True,
    metavar="NAME=COMMAND",
    help="Another solver, which reads moves and writes 'moves score' lines; repeatable.",
)
@click.option(
    "--quick", is_flag=True, help="Only test that everything runs; the figures mean little."
)
@click.option(
    "--long",
    is_flag=True,
    help="Let the rivals solve the empty board too, which takes each of them minutes.",
)
@click.option("--fresh", is_flag=True, help="Empty the table before every position of a class.")
@click.option("--table-mb", type=click.IntRange(1), default=8, show_default=True)
@click.option("--threads", type=click.IntRange(1), help="The most threads.  [default: all cores]")
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
    with failures(OSError, ValueError):
        scored = shipped_set() if directory is None else positions.read_directory(directory)
    most = threads or usable_cores()
    results = Results(
        date=today(),
        command=this_command("benchmarks"),
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
    with failures(ProgramError):
        for group in groups or GROUPS:
            for measurement in work[group]():
                results.measurements.append(measurement)
                results.write(output)
                click.echo(tables.line(measurement), err=True)
    if results.wrong:
        raise click.ClickException(f"{results.wrong} wrong answers")


@main.command()
@click.argument("results", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@page_option(Path("docs/performance.md"))
@click.option(
    "--plot",
    "picture",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("benchmarks/results/performance"),
    show_default=True,
    help="Draw the classes into two files: this path with .svg and with .png.",
)
def report(*, results: Path, page: Path, picture: Path) -> None:
    """Write the tables into a page and draw the plot."""
    with failures(ValueError):
        found = Results.read(results)
        fill_file(page, tables.sections(found))
    plot.draw(found, picture)


@main.command("positions")
@click.argument("output", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--seed", default=1, show_default=True)
@click.option("--count", default=100, show_default=True, help="Positions of each class.")
@click.option("--hard", default=20, show_default=True, help="Positions of begin-hard.")
def draw(*, output: Path, seed: int, count: int, hard: int) -> None:
    """Draw positions for the six classes at random; write 'moves score' lines."""
    drawn = positions.draw(seed, dict.fromkeys(CLASSES, count) | {"begin-hard": hard})
    lines = [f"{moves} {score}\n" for scored in drawn.values() for moves, score in scored]
    output.write_text("".join(lines), encoding="ascii")


@main.command("sample")
@click.option("--seed", default=sample.SEED, show_default=True)
def draw_sample(*, seed: int) -> None:
    """Print the positions of cli/data/sample-positions.txt."""
    for line in sample.sample(seed):
        click.echo(line)


def _program(text: str) -> Program:
    name, equals, command = text.partition("=")
    if not equals or not name:
        raise click.BadParameter(f"{text!r} is not NAME=COMMAND", param_hint="--program")
    with failures(ProgramError):
        return Program(name, command)


if __name__ == "__main__":
    main(prog_name="python -m benchmarks")
