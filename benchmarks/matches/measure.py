"""Play the sources' matches again, as jobs that can be interrupted and resumed.

::

    python -m benchmarks matches run --db matches.db                # as many games as the source
    python -m benchmarks matches run --db matches.db --games 2000   # stored separately
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import click

from benchmarks.matches.sources import GROUPS, all_matches
from benchmarks.options import WITH_HELP, threads_option
from benchmarks.record import Made
from c4core.arena.game import match_seed
from c4core.arena.statistics import Tally
from cli.output import render
from cli.shell.process import check_signals
from db import games as stored_games
from db.database import Database
from db.records.matches import MatchTerms
from workers.core.follow import LocalRunner
from workers.match.job import find_job, plan_matches
from workers.match.judging import Judging, read_report

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from benchmarks.matches.sources import SourceMatch
    from benchmarks.record import Part, Results
    from workers.match.report import MatchReport

NOT_JUDGED = Judging(games=0, least_ply=0)
SOURCE = "source"
"""The part with as many games per match as in the source."""
LONGER = "longer"
"""The part with more games."""
PARTS = (SOURCE, LONGER)


@click.group(context_settings=WITH_HELP)
def main() -> None:
    """Play the matches that the source documents report, and compare the outcomes."""


@main.command()
@click.option(
    "--db",
    "url",
    required=True,
    metavar="URL",
    help="The database for the games; a later call resumes with it.",
)
@click.option(
    "--group",
    "groups",
    type=click.Choice(list(GROUPS)),
    multiple=True,
    help="Play only these tables; repeatable.  [default: all]",
)
@click.option("--slow", is_flag=True, help="Also play the matches that take minutes or hours.")
@click.option(
    "--games",
    type=click.IntRange(1),
    help="Play this many games, stored separately.  [default: as many as the source]",
)
@click.option("--seed", type=click.IntRange(0), default=2022, show_default=True)
@threads_option
@click.pass_obj
def run(
    results: Results,
    *,
    url: str,
    groups: tuple[str, ...],
    slow: bool,
    games: int | None,
    seed: int,
    threads: int,
) -> None:
    """Play the matches, and store the outcomes. A new outcome of a match replaces an older one."""
    chosen = [
        match
        for match in all_matches()
        if (not groups or match.group in groups) and (slow or not match.is_slow)
    ]
    name = LONGER if games else SOURCE
    kept = results.read("matches").get(name)
    before: dict[str, Any] = kept.figures if kept else {"commands": [], "outcomes": []}
    commands = list(dict.fromkeys([*before["commands"], Made.here().command]))
    outcomes = {each["name"]: each for each in before["outcomes"]}
    with Database.open(url, create=True) as database:
        for match, report in play(database, chosen, games or 1, seed=seed, threads=threads):
            outcome = outcome_of(match.name, report)
            click.echo(f"{match.name}: {render.tally(outcome.results)}", err=True)
            outcomes[match.name] = outcome._asdict()
            found = {"commands": commands, "outcomes": list(outcomes.values())}
            results.keep("matches", name, found)


class Outcome(NamedTuple):
    """The outcome of a repeated match."""

    name: str
    wins: int
    losses: int
    draws: int
    distinct: int
    """Number of different games."""
    seconds: float
    """Seconds for all moves."""
    moves: float
    """Mean number of moves per game."""
    seed: int

    @property
    def results(self) -> Tally:
        """Player a's results."""
        return Tally(self.wins, self.losses, self.draws)


def outcome_of(name: str, report: MatchReport) -> Outcome:
    """Read the outcome from a match's report."""
    results, terms = report.a.results, report.match.terms
    counts = (results.wins, results.losses, results.draws, report.distinct)
    moves = round(report.mean_length or 0.0, 2)
    return Outcome(name, *counts, round(report.seconds, 6), moves, terms.seed)


def outcomes_of(parts: Mapping[str, Part]) -> dict[str, dict[str, Outcome]]:
    """The stored outcomes of both parts, by the names of their matches."""
    stored = {part: parts[part].figures["outcomes"] if part in parts else () for part in PARTS}
    return {
        part: {each["name"]: Outcome(**each) for each in found} for part, found in stored.items()
    }


def play(
    database: Database,
    matches: Sequence[SourceMatch],
    least_games: int,
    *,
    seed: int,
    threads: int,
) -> Iterator[tuple[SourceMatch, MatchReport]]:
    """Play matches one after the other; interrupted matches are resumed."""
    for match in matches:
        terms = MatchTerms(
            player_a=match.a,
            player_b=match.b,
            games=max(match.games, least_games),
            seats=match.seats,
            seed=match_seed(seed, match.a, match.b),
        )
        job_id = find_job(database, [terms])
        if job_id is None:
            job_id = plan_matches(database, [terms], label=match.name).job_id
        with LocalRunner(database, job_id, threads=threads) as runner:
            runner.wait(lambda _progress: check_signals())
        with database.read() as session:
            (played,) = stored_games.matches_of_job(session, job_id)
        yield match, read_report(database, played.id, NOT_JUDGED)
