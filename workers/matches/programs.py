"""Programs among the players of a match: which ones, and who may start them.

A stored match may be a stranger's, so units whose players are programs need a worker with consent
(:mod:`c4core.players.player`). Such workers say so in the register. Others leave these units to
them. If there are none, they fail the units with a message: such units must neither wait for ever
nor count as lost games.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from c4core.players import NO_PROGRAM, ProgramRefusedError, program_of
from db import games, registry
from db.errors import CorruptError, DamagedValueError
from workers.core.lanes import lane_of_job
from workers.matches.units import KIND

if TYPE_CHECKING:
    from c4core.players import Consent
    from db.database import Database
    from db.records.jobs import Claim, JobInfo
    from db.records.terms import MatchTerms
    from db.session import Session

TAKES_PROGRAMS: Final = "programs"
"""The register lists this beside the queues of a worker with consent."""


def refused(terms: MatchTerms, programs: Consent) -> str | None:
    """A player of a match that is a program and may not be started; None if all may play."""
    found = map(program_of, (terms.player_a, terms.player_b))
    return next((player for player in found if player and not programs.covers(player)), None)


def check_consent(database: Database, job: JobInfo, programs: Consent) -> None:
    """Refuse to work on a job whose matches need a program that may not be started.

    Args:
        database: where the matches are.
        job: of any kind.
        programs: which may be started.

    Raises:
        ProgramRefusedError: names one of them.
        StorageError: the database cannot be read.
    """
    found = _refused_of_job(database, job, programs)
    if found is not None:
        raise ProgramRefusedError(
            f"job {job.id} plays with a program, started only with --allow-programs: {found}",
            player=found.partition(":")[0],
        )


def has_consent(database: Database, job: JobInfo) -> bool:
    """Whether the live workers may start all programs of a job; it may need none.

    Raises:
        StorageError: the database cannot be read.
    """
    if _refused_of_job(database, job, NO_PROGRAM) is None:
        return True
    with database.read() as session:
        return _is_started_by_somebody(session, job.priority)


def is_for_others(database: Database, claim: Claim, programs: Consent) -> bool:
    """Whether a unit needs a program that may not be started here, while another worker may.

    Raises:
        StorageError: the database cannot be read.
    """
    if claim.kind != KIND or programs.everything:
        return False
    try:
        with database.read() as session:
            terms = games.get_terms(session, claim.payload["match"])
    except (AttributeError, LookupError, TypeError, ValueError, CorruptError):
        return False  # the worker will find out what is wrong with the unit
    if refused(terms, programs) is None:
        return False
    with database.read() as session:
        return _is_started_by_somebody(session, claim.priority)


def _is_started_by_somebody(session: Session, priority: int) -> bool:
    wanted = {lane_of_job(priority).queue, TAKES_PROGRAMS}
    return any(wanted <= set(worker.queues) for worker in registry.live_workers(session))


def _refused_of_job(database: Database, job: JobInfo, programs: Consent) -> str | None:
    if job.kind != KIND:
        return None
    try:
        with database.read() as session:
            matches = games.matches_of_job(session, job.id)
    except DamagedValueError:
        return None  # the units of that match fail; none starts a program without consent
    found = (refused(match.terms, programs) for match in matches)
    return next((player for player in found if player), None)
