"""Jobs of the match commands: playing games and judging moves."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from c4core.players.player import Consent
from c4core.players.registry import consent_needed, program_of
from cli.output import render
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
from workers.text import count

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from cli.reports.options import PlayOptions
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
    options: PlayOptions,
    judging: Judging,
    *,
    as_json: bool,
) -> list[MatchReport] | None:
    """Play and judge some matches; None if their job was left to other processes.

    After an interruption the job can be resumed; a message says how.
    """
    backend = Backend.found(
        settings,
        threads=options.threads,
        table_mb=options.table_mb,
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
            work.detach(job_id, as_json=as_json, afterwards=way)
            return None
        matches = matches_of(database, job_id)
        work.finish(job_id, makes="the report", remark=_Remark(database, matches))
        settle_matches(database, matches)
        judge(work, matches, judging)
        return [read_report(database, match, judging) for match in matches]


def _with_named(programs: Consent, terms: Iterable[MatchTerms]) -> Consent:
    """Add the players that the command line names to the allowed programs."""
    named = filter(None, map(consent_needed, players_of(terms)))
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
