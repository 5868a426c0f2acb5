"""``python -m benchmarks.matches``: play the sources' matches again, and write the page."""

from __future__ import annotations

import shlex
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import click

from benchmarks.engine.results import these_versions, this_machine, without_directories
from benchmarks.matches import pages
from benchmarks.matches.measure import play
from benchmarks.matches.outcomes import Outcome, Outcomes
from benchmarks.matches.sources import GROUPS, all_matches
from benchmarks.page import fill
from cli.reports import figures
from cli.shell import signals
from db.database import Database

FILE: Final = Path("docs/matches.json")


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Play the matches that the source documents report, and compare."""


@main.command()
@click.option(
    "--db", "url", required=True, metavar="URL", help="Keeps the games; go on with it later."
)
@click.option(
    "--group",
    "groups",
    type=click.Choice(list(GROUPS)),
    multiple=True,
    help="Only these tables; can be given again.  [default: all]",
)
@click.option("--slow", is_flag=True, help="Also matches that take minutes or hours.")
@click.option(
    "--games",
    type=click.IntRange(1),
    help="Longer matches, kept beside the others: so many games.  [default: those of the source]",
)
@click.option("--seed", type=click.IntRange(0), default=2022, show_default=True)
@click.option("--threads", type=click.IntRange(1), default=1, show_default=True)
@click.option(
    "--output", type=click.Path(dir_okay=False, path_type=Path), default=FILE, show_default=True
)
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
    """Play; matches that are in the file already are replaced, others stay."""
    chosen = [
        match
        for match in all_matches()
        if (not groups or match.group in groups) and (slow or not match.is_slow)
    ]
    command = without_directories(shlex.join(["python", "-m", "benchmarks.matches", *sys.argv[1:]]))
    before = _read(output) if output.exists() else None
    outcomes = Outcomes(
        date=datetime.now(tz=UTC).date().isoformat(),
        commands=list(dict.fromkeys([*(before.commands if before else ()), command])),
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
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path), default=FILE)
@click.option(
    "--page",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    default=Path("docs/matches.md"),
    show_default=True,
    help="Replace the tables between the page's markers.",
)
def report(*, file: Path, page: Path) -> None:
    """Write the page's tables."""
    try:
        text = fill(page.read_text(encoding="utf-8"), pages.sections(_read(file)))
    except ValueError as error:
        raise click.ClickException(str(error)) from None
    page.write_text(text, encoding="utf-8")


def _read(file: Path) -> Outcomes:
    try:
        return Outcomes.read(file)
    except ValueError as error:
        raise click.ClickException(str(error)) from None


if __name__ == "__main__":
    signals.install()  # here alone: whoever calls the command keeps their own handlers
    main(prog_name="python -m benchmarks.matches")
