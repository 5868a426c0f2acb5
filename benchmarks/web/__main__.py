"""``python -m benchmarks.web``: measure one server under load, write the tables."""

from __future__ import annotations

from pathlib import Path

import click

from benchmarks.options import WITH_HELP, failures, file_argument, output_option, page_option
from benchmarks.page import fill_file
from benchmarks.record import write_json
from benchmarks.web.load import require_wrk
from benchmarks.web.measure import FULL, QUICK
from benchmarks.web.measure import measure as measure_all
from benchmarks.web.results import read, sections


@click.group(context_settings=WITH_HELP)
def main() -> None:
    """Measure what one `c4 serve` answers."""


@main.command()
@output_option(Path("benchmarks/results/web.json"))
@click.option("--quick", is_flag=True, help="Only try whether everything runs.")
def measure(*, output: Path, quick: bool) -> None:
    """Measure, and write the figures as JSON. Needs wrk, Debian's package of that name."""
    require_wrk()
    figures = measure_all(QUICK if quick else FULL, lambda what: click.echo(what, err=True))
    write_json(output, figures)


@main.command()
@file_argument(Path("benchmarks/results/web.json"))
@page_option(Path("docs/web.md"))
def report(*, file: Path, page: Path) -> None:
    """Write the tables into the page."""
    with failures(ValueError):
        fill_file(page, sections(read(file)))


if __name__ == "__main__":
    main(prog_name="python -m benchmarks.web")
