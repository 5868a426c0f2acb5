"""Having matches played and judged: the jobs behind the commands."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from cli.output import progress
from cli.output.render import count, duration
from cli.shell import echo, signals
from cli.work.running import Attendance

if TYPE_CHECKING:
    from collections.abc import Sequence

    from c4core.notation import BoardSize
    from c4core.players.consent import Consent
    from cli.reports.options import Judging
    from cli.shell.settings import Settings
    from cli.work.backend import Backend
    from db.database import Database
    from db.records.jobs import JobInfo
    from db.records.terms import MatchTerms
    from workers.core.progress import Progress

LONGEST_LABEL = 60
"""Characters that are enough for a list of jobs."""

TALLY_SECONDS = 1.0
"""Between two looks at the results of a match that is being played."""


def with_named(programs: Consent, terms: Sequence[MatchTerms]) -> Consent:
    """Consent to the players that the command line names, besides what it allows."""
    from c4core.players.consent import Consent
    from c4core.players.registry import program_of

    players = {player for each in terms for player in (each.player_a, each.player_b)}
    return Consent(programs.everything, frozenset(filter(None, map(program_of, players))))


def warn_of_files(settings: Settings, terms: Sequence[MatchTerms]) -> None:
    """Say it if players that are files of this machine are to play on others.

    Raises:
        PlayerError: a player's description cannot be read.
    """
    from c4core.players.registry import program_of
    from workers.matches.terms import needs_this_machine

    players = dict.fromkeys(player for each in terms for player in (each.player_a, each.player_b))
    local = [player for player in players if needs_this_machine(player)]
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
    """The job that plays some matches: the one that was made for just these, or a new one.

    Args:
        settings: how much talk.
        database: where it is, or is going to be.
        terms: of the matches.
        label: a name for a new job; one that was made before keeps its own, which is said.
        fresh: make a new one in any case.

    Raises:
        PlayerError, MatchTermsError: they cannot be played.
        MatchNotFoundError: players are to look up games of a match that there is not.
    """
    from cli.reports.reading import check_matches
    from workers.core.following import read_job
    from workers.matches.planning import find_or_plan_matches, plan_matches

    check_matches(database, terms[0].corpus)
    if fresh:
        return plan_matches(database, terms, label=label).job_id
    job_id = find_or_plan_matches(database, terms, label=label)
    if label not in (None, read_job(database, job_id).label):
        settings.say(f"job {job_id} was made for these games before: --label changes nothing")
    return job_id


def detach(
    settings: Settings, database: Database, job_id: int, backend: Backend, *, as_json: bool
) -> None:
    """Leave a job to others, and write its number."""
    backend.call(database, job_id)
    if as_json:
        from cli.output.formats import write_object

        write_object({"job": job_id})
    else:
        echo.line(str(job_id))
    if settings.broker_url is None:
        way_on = f"Work on it with: {backend.resumption(job_id)}"
    else:
        way_on = f"Watch it with: c4 jobs watch {job_id}"
    settings.say(f"{way_on}. When it is done, the same command without --detach writes the report.")


def play(settings: Settings, database: Database, job_id: int, backend: Backend) -> list[int]:
    """See to it that a job's matches are played; their numbers.

    Raises:
        KeyboardInterrupt: after the job was left in order and it was told how to go on.
    """
    from db import games
    from db.records.jobs import JobState
    from workers.core.following import read_job
    from workers.matches.sequential import settle_match

    with database.read() as session:
        matches = [match.id for match in games.matches_of_job(session, job_id)]
    if read_job(database, job_id).state is JobState.DONE:
        settings.tell(f"job {job_id} was done before")
        return matches
    began = time.monotonic()
    shown = progress.is_shown(settings, over_output=False)
    try:
        with (
            progress.solving(job_id, shown=shown, remark=_Remark(database, matches)) as tell,
            backend.runner(settings, database, job_id) as runner,
        ):
            attendance = Attendance(settings, database, job_id, backend)

            def look(so_far: Progress) -> None:
                signals.check()
                attendance.look()
                if tell is not None:
                    tell(so_far)

            runner.wait(look)
    except KeyboardInterrupt:
        settings.say(f"{backend.resume_hint(database, job_id)}, or with the same command again")
        raise
    for match in matches:
        settle_match(database, match)
    settings.say(_summary(read_job(database, job_id), time.monotonic() - began))
    return matches


def judge(
    settings: Settings,
    database: Database,
    matches: Sequence[int],
    backend: Backend,
    judging: Judging,
) -> None:
    """Search the exact scores that are needed to judge moves of some matches.

    Raises:
        KeyboardInterrupt: what was found by then is kept.
    """
    from cli.work.running import run_job
    from db import games
    from workers.matches.judging import plan_judging

    if not judging.is_wanted:
        return
    by_board: dict[BoardSize, list[int]] = {}
    with database.read() as session:
        for match in matches:
            by_board.setdefault(games.get_terms(session, match).board, []).append(match)
    for board, some in by_board.items():
        job = plan_judging(
            database,
            some,
            games=judging.games,
            least_ply=judging.least_ply_on(board),
            label=f"judge match {', '.join(map(str, some))}"[:LONGEST_LABEL],
        )
        if job is None:
            settings.tell("the scores of all these positions are known")
            continue
        settings.say(f"judging moves: {count(job.positions, 'position')} to solve")
        run_job(settings, database, job.job_id, backend, None)


class _Remark:
    """The results so far, for the bar: of one match as won-lost-drawn.

    Args:
        database: where the matches are.
        matches: their numbers; of more than one nothing is said.
    """

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


def _summary(job: JobInfo, seconds: float) -> str:
    games = sum(job.positions.values())
    parts = [f"job {job.id} {job.state}: {count(games, 'game')} in {duration(seconds)}"]
    parts += [f"failed: {error}" for error in job.errors]
    return ", ".join(parts)
