"""Play and judge the matches of a command, and write their report."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from c4core.players.player import Consent
from c4core.players.registry import program_of
from cli.output import render
from cli.output.formats import opened, write_object, write_rows
from cli.output.tables import write_parts
from cli.reports.tables import match_parts, tournament_parts, tournament_standings
from cli.work.job import Backend, JobContext
from db import games
from workers.core.follow import read_job
from workers.match.job import (
    job_of_matches,
    matches_of,
    players_of,
    players_of_this_machine,
    settle_matches,
)
from workers.match.judging import judging_jobs, read_report
from workers.match.report import finite, match_object, standing_objects
from workers.text import count

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from c4core.arena.judging import Accuracy
    from cli.output.tables import Part
    from cli.reports.options import Playing, Report, ReportFormat
    from cli.shell.settings import Settings
    from db.database import Database
    from db.records.matches import MatchTerms
    from workers.match.judging import Judging
    from workers.match.report import MatchReport

TALLY_SECONDS = 1.0
"""Time between updates of the results of a running match."""


def played(
    settings: Settings,
    terms: Sequence[MatchTerms],
    options: Playing,
    judging: Judging,
    format_name: ReportFormat,
) -> list[MatchReport] | None:
    """Play and judge some matches; None if their job was left to other processes.

    After an interruption the job can be resumed; a message says how.
    """
    backend = Backend.found(
        settings,
        options.engine,
        priority=options.priority,
        programs=_with_named(options.programs, terms),
    )
    _warn_of_files(settings, terms)
    with settings.open_database(create=True) as database:
        work = JobContext(settings, database, backend)
        label = options.label
        job_id = job_of_matches(database, terms, label=label, fresh=options.fresh)
        if label not in (None, read_job(database, job_id).label):
            settings.say(f"job {job_id} for these games exists already, so --label is ignored")
        if options.detach:
            way = "without --detach writes the report"
            work.detach(job_id, as_json=format_name == "json", afterwards=way)
            return None
        matches = matches_of(database, job_id)
        work.finish(job_id, makes="the report", remark=_Remark(database, matches))
        settle_matches(database, matches)
        judge(work, matches, judging)
        return [read_report(database, match, judging) for match in matches]


def _with_named(programs: Consent, terms: Iterable[MatchTerms]) -> Consent:
    """Add the players that the command line names to the allowed programs."""
    named = filter(None, map(program_of, players_of(terms)))
    return Consent(programs.everything, frozenset(named))


def _warn_of_files(settings: Settings, terms: Iterable[MatchTerms]) -> None:
    """Say which players are files on this machine, if workers play the matches."""
    local = players_of_this_machine(terms)
    if settings.broker_url is not None and local:
        consent = ", and --allow-programs" if any(map(program_of, local)) else ""
        settings.say(
            f"{', '.join(local)}: every worker needs this file, in the same place{consent}"
        )


def judge(work: JobContext, matches: Iterable[int], judging: Judging) -> None:
    """Search the exact scores needed to judge the moves of some matches."""
    for job in judging_jobs(work.database, matches, judging):
        if job is None:
            work.settings.say_if_verbose("the scores of all these positions are known")
            continue
        work.settings.say(f"judging moves: {count(job.positions, 'position')} to solve")
        work.run(job.job_id)


class _Remark:
    """The text beside the progress bar: the results so far, if there is a single match."""

    def __init__(self, database: Database, matches: Sequence[int]) -> None:
        self._database = database
        self._matches = matches
        self._text = ""
        self._next = 0.0

    def __call__(self) -> str:
        """Player A's wins, losses and draws, as ``A 12-30-1``; read at most once a second."""
        now = time.monotonic()
        if len(self._matches) == 1 and now >= self._next:
            with self._database.read() as session:
                tally = games.get_match(session, self._matches[0]).tally.a
            self._text = f"A {render.tally(tally)}"
            self._next = now + TALLY_SECONDS
        return self._text


def write_match(report: MatchReport, writing: Report, format_name: ReportFormat) -> None:
    """Write the report of one match."""
    _write(
        writing.output,
        format_name,
        [report],
        as_object=lambda: match_object(report),
        as_parts=lambda: match_parts(report, by_ply=writing.by_ply),
    )


def write_tournament(
    reports: Sequence[MatchReport],
    writing: Report,
    format_name: ReportFormat,
) -> None:
    """Write one report of several matches."""

    def as_parts() -> list[Part]:
        parts = tournament_parts(reports)
        for report in reports if writing.by_ply else ():
            parts += match_parts(report, by_ply=True)
        return parts

    _write(
        writing.output,
        format_name,
        reports,
        as_object=lambda: {
            "standings": standing_objects(tournament_standings(reports)),
            "matches": [match_object(report) for report in reports],
        },
        as_parts=as_parts,
    )


def _write(
    output: str | None,
    format_name: ReportFormat,
    reports: Sequence[MatchReport],
    *,
    as_object: Callable[[], dict[str, Any]],
    as_parts: Callable[[], Sequence[Part]],
) -> None:
    with opened(output) as target:
        if format_name == "json":
            write_object(as_object(), target)
        elif format_name == "csv":
            write_rows(map(match_row, reports), "csv", (), target=target)
        else:
            write_parts(as_parts(), target, markdown=format_name == "markdown")


def match_row(report: MatchReport) -> dict[str, Any]:
    """A match as a flat row."""
    results, interval, elo = report.a.results, report.decisive_interval, report.elo
    return {
        "match": report.match.id,
        "a": report.a.description,
        "b": report.b.description,
        "seats": str(report.match.terms.seats),
        "seed": report.match.terms.seed,
        "games": report.games,
        "distinct_games": report.distinct,
        "a_wins": results.wins,
        "b_wins": results.losses,
        "draws": results.draws,
        "x_wins": report.first_mover.wins,
        "o_wins": report.first_mover.losses,
        "a_forfeits": report.a.forfeits,
        "b_forfeits": report.b.forfeits,
        "leader": report.leader,
        "decisive_rate": report.decisive_rate,
        "decisive_low": None if interval is None else interval.low,
        "decisive_high": None if interval is None else interval.high,
        "p_two_sided": report.p_two_sided,
        "p_one_sided": report.p_one_sided,
        "significant": report.is_significant,
        "elo": None if elo is None else finite(elo.difference),
        "elo_low": None if elo is None else finite(elo.low),
        "elo_high": None if elo is None else finite(elo.high),
        "sprt": report.match.verdict,
        "mean_length": report.mean_length,
        "seconds": report.seconds,
        "seconds_per_game": report.seconds_per_game,
        "a_seconds_per_move": report.a.seconds_per_move,
        "b_seconds_per_move": report.b.seconds_per_move,
        "games_per_second": report.games_per_second,
        "judged_games": report.judged_games,
        "judged_from": report.judged_from,
        **_accuracy_row("a", report.a.accuracy),
        **_accuracy_row("b", report.b.accuracy),
    }


def _accuracy_row(name: str, accuracy: Accuracy) -> dict[str, Any]:
    return {
        f"{name}_best_share": accuracy.best_share,
        f"{name}_blunder_share": accuracy.blunder_share,
        f"{name}_mean_loss": accuracy.mean_loss,
    }
