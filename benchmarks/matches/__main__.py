"""``python -m benchmarks.matches``: play the sources' matches again, and write the page."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from benchmarks.matches import pages
from benchmarks.matches.measure import play
from benchmarks.matches.outcomes import Outcome, Outcomes
from benchmarks.matches.sources import GROUPS, all_matches
from benchmarks.options import (
    WITH_HELP,
    failures,
    file_argument,
    output_option,
    page_option,
    threads_option,
)
from benchmarks.page import fill_file
from benchmarks.record import these_versions, this_command, this_machine, today
from cli.reports import figures
from cli.shell import signals
from db.database import Database

FILE: Final = Path("benchmarks/results/matches.json")


@click.group(context_settings=WITH_HELP)
def main() -> None:
    """Play the matches that the source documents report, and compare the outcomes."""


@main.command()
@click.option(
    "--db",
    "url",
    required=True,
    metavar="URL",
    help="The database that keeps the games; a later call goes on with it.",
)
@click.option(
    "--group",
    "groups",
    type=click.Choice(list(GROUPS)),
    multiple=True,
    help="Play only these tables; repeatable.  [default: all]",
)
@click.option("--slow", is_flag=True, help="Play also the matches that take minutes or hours.")
@click.option(
    "--games",
    type=click.IntRange(1),
    help="Play this many games; they are kept beside the others.  [default: as many as the source]",
)
@click.option("--seed", type=click.IntRange(0), default=2022, show_default=True)
@threads_option
@output_option(FILE)
def run(
    *,
    url: str,
    groups: tuple[str, ...],
    slow: bool,
    games: int | None,
    seed: int,
    threads: int,
    output: Path,
) -> None:
    """Play, and keep the outcomes in a file. An older outcome of the same match is replaced."""
    chosen = [
        match
        for match in all_matches()
        if (not groups or match.group in groups) and (slow or not match.is_slow)
    ]
    before = _read(output) if output.exists() else None
    outcomes = Outcomes(
        date=today(),
        commands=list(
            dict.fromkeys(
                [*(before.commands if before else ()), this_command("benchmarks.matches")]
            )
        ),
        machine=this_machine(),
        versions=these_versions(),
        matches=before.matches if before else [],
        longer=before.longer if before else [],
    )
    with Database.open(url, create=True) as database:
        for match, report in play(
            database, chosen, least_games=games or 1, seed=seed, threads=threads
        ):
            outcome = Outcome.of(match.name, report)
            click.echo(f"{match.name}: {figures.tally(outcome.results)}", err=True)
            outcomes.keep(outcome, longer=games is not None)
            outcomes.write(output)


@main.command()
@file_argument(FILE)
@page_option(Path("docs/matches.md"))
def report(*, file: Path, page: Path) -> None:
    """Write the page's tables."""
    with failures(ValueError):
        fill_file(page, pages.sections(Outcomes.read(file)))


def _read(file: Path) -> Outcomes:
    with failures(ValueError):
        return Outcomes.read(file)


if __name__ == "__main__":
    signals.install()  # only here: other callers of the command keep their own handlers
    main(prog_name="python -m benchmarks.matches")
