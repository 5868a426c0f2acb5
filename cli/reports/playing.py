"""Having matches played and judged: the jobs behind the commands."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from cli.output.render import count

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from c4core.players.player import Consent
    from cli.shell.settings import Settings
    from cli.work.job import JobContext
    from db.database import Database
    from db.records.terms import MatchTerms
    from workers.matches.reports.reading import Judging

TALLY_SECONDS = 1.0
"""Between two looks at the results of a match that is being played."""


def with_named(programs: Consent, terms: Iterable[MatchTerms]) -> Consent:
    """Consent to the players that the command line names, besides what it allows."""
    from c4core.players.player import Consent
    from c4core.players.registry import program_of
    from workers.matches.playing import players_of

    named = filter(None, map(program_of, players_of(terms)))
    return Consent(programs.everything, frozenset(named))


def warn_of_files(settings: Settings, terms: Iterable[MatchTerms]) -> None:
    """Say which players are files of this machine, if the matches are played on others."""
    from c4core.players.registry import program_of
    from workers.matches.playing import players_of_this_machine

    local = players_of_this_machine(terms)
    if settings.broker_url is not None and local:
        consent = ", and --allow-programs" if any(map(program_of, local)) else ""
        settings.say(
            f"{', '.join(local)}: every worker needs this file, in the same place{consent}"
        )


def find_or_plan(
    settings: Settings,
    database: Database,
    terms: Sequence[MatchTerms],
    *,
    label: str | None,
    fresh: bool,
) -> int:
    """The job that plays some matches, found or planned; says so if its label stays another one.

    Arguments and errors as of :func:`workers.matches.playing.job_of_matches`.
    """
    from workers.core.following import read_job
    from workers.matches.playing import job_of_matches

    job_id = job_of_matches(database, terms, label=label, fresh=fresh)
    if label not in (None, read_job(database, job_id).label):
        settings.say(f"job {job_id} was made for these games before: --label changes nothing")
    return job_id


def play(work: JobContext, job_id: int) -> list[int]:
    """Play a job's matches to their end, and give their numbers.

    Raises:
        KeyboardInterrupt: after the job was left in order and it was said how to go on.
    """
    from workers.matches.playing import matches_of, settle_matches

    matches = matches_of(work.database, job_id)
    work.finish(job_id, makes="the report", remark=_Remark(work.database, matches))
    settle_matches(work.database, matches)
    return matches


def judge(work: JobContext, matches: Iterable[int], judging: Judging) -> None:
    """Search the exact scores by which moves of some matches are judged."""
    from workers.matches.reports.reading import judging_jobs

    for job in judging_jobs(work.database, matches, judging):
        if job is None:
            work.settings.say_if_verbose("the scores of all these positions are known")
            continue
        work.settings.say(f"judging moves: {count(job.positions, 'position')} to solve")
        work.run(job.job_id)


class _Remark:
    """The results so far, for the bar: of one match as won-lost-drawn."""

    def __init__(self, database: Database, matches: Sequence[int]) -> None:
        self._database = database
        self._matches = matches
        self._text = ""
        self._next = 0.0

    def __call__(self) -> str:
        """``A 12-30-1``; read anew once a second."""
        from cli.reports import figures
        from db import games

        now = time.monotonic()
        if len(self._matches) == 1 and now >= self._next:
            with self._database.read() as session:
                tally = games.get_match(session, self._matches[0]).tally.a
            self._text = f"A {figures.tally(tally)}"
            self._next = now + TALLY_SECONDS
        return self._text
