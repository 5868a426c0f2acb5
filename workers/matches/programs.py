"""Players of a match that need consent: programs, and those that cost much memory or time.

A stored match may be a stranger's, so units with such players need a worker with consent
(:mod:`c4core.players.player`). Such workers say so in the register. Others leave these units to
them. If there are none, they fail the units with a message: such units must neither wait for ever
nor count as lost games.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from c4core.players import NO_PROGRAM, ProgramRefusedError
from c4core.players import check_consent as check_player
from db import games, registry
from db.errors import CorruptError, DamagedValueError
from workers.core.lanes import lane_of_job
from workers.matches.units import KIND

if TYPE_CHECKING:
    from c4core.players import Consent
    from db.database import Database, Session
    from db.records.jobs import Claim, JobInfo
    from db.records.matches import MatchTerms

TAKES_PROGRAMS: Final = "programs"
"""The register lists this beside the queues of a worker with consent."""


def refusal(terms: MatchTerms, programs: Consent) -> ProgramRefusedError | None:
    """Why a player of a match may not play; None if all may play."""
    try:
        for player in (terms.player_a, terms.player_b):
            check_player(player, programs)
    except ProgramRefusedError as error:
        return error
    return None


def check_consent(database: Database, job: JobInfo, programs: Consent) -> None:
    """Refuse to work on a job with players that may not play here.

    Args:
        database: where the matches are.
        job: of any kind.
        programs: the players that somebody has consented to.

    Raises:
        ProgramRefusedError: names one of the others.
        StorageError: the database cannot be read.
    """
    found = _refused_of_job(database, job, programs)
    if found is not None:
        raise type(found)(f"job {job.id} cannot be worked on here: {found}", player=found.player)


def has_consent(database: Database, job: JobInfo) -> bool:
    """Whether live workers may play all players of a job.

    Raises:
        StorageError: the database cannot be read.
    """
    if _refused_of_job(database, job, NO_PROGRAM) is None:
        return True
    with database.read() as session:
        return _is_started_by_somebody(session, job.priority)


def is_for_others(database: Database, claim: Claim, programs: Consent) -> bool:
    """Whether a unit has a player that may not play here, while another worker may play it.

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
    if refusal(terms, programs) is None:
        return False
    with database.read() as session:
        return _is_started_by_somebody(session, claim.priority)


def _is_started_by_somebody(session: Session, priority: int) -> bool:
    wanted = {lane_of_job(priority).queue, TAKES_PROGRAMS}
    return any(wanted <= set(worker.queues) for worker in registry.live_workers(session))


def _refused_of_job(
    database: Database, job: JobInfo, programs: Consent
) -> ProgramRefusedError | None:
    if job.kind != KIND:
        return None
    try:
        with database.read() as session:
            matches = games.matches_of_job(session, job.id)
    except DamagedValueError:
        return None  # the units of that match fail; none starts a program without consent
    found = (refusal(match.terms, programs) for match in matches)
    return next((error for error in found if error is not None), None)
