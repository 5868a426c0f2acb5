"""The claim, solve, complete core: the work on one unit, for all drivers.

A driver (for instance a thread of :mod:`workers.runners.local`) claims a unit, keeps its lease
alive (:mod:`workers.core.leases`) and calls :func:`run_unit`. One transaction writes how the unit
ends: done, handed back or failed; and only while the claim's fence is the unit's newest.
A driver that finds nothing to claim closes the job (``jobs.finish_if_complete``).
"""

from __future__ import annotations

from contextlib import suppress
from enum import Enum
from typing import TYPE_CHECKING, Final, NamedTuple

from c4core.players import NO_PROGRAM
from db import jobs
from db.errors import LASTING_FAULTS, PASSING_FAULTS, REQUEST_FAULTS, StorageError
from workers.core.kinds import get_kind
from workers.core.outages import is_machines_fault
from workers.core.outcome import store_learned
from workers.errors import LeaseLostError

if TYPE_CHECKING:
    from collections.abc import Callable

    from c4core.players import Consent
    from db.database import Database, Session, Writer
    from db.records.jobs import Claim
    from workers.core.kinds import Continuation
    from workers.core.outcome import UnitOutcome
    from workers.core.rationing import Searcher

MAX_ERROR_CHARACTERS: Final = 2_000
"""Characters of an error that are stored and logged: a stranger may have written its text."""


class UnitEnd(Enum):
    """How the work on a unit ended."""

    DONE = "done"
    """Results are stored; the unit is done."""
    HANDED_BACK = "handed back"
    """It was stopped and is queued again; the results so far are stored."""
    FAILED = "failed"
    """Solving it raised an error; it is queued again, or failed for good."""
    LOST = "lost"
    """Another worker has taken it over, or it was cancelled; nothing was written about it."""


class UnitReport(NamedTuple):
    """The outcome of working on a unit."""

    end: UnitEnd
    nodes: int = 0
    """Positions searched."""
    seconds: float = 0.0
    """Time spent searching."""
    error: str | None = None
    """The reason of its failure."""


def run_unit(
    database: Database,
    solver: Searcher,
    claim: Claim,
    is_stopped: Callable[[], bool],
    *,
    programs: Consent = NO_PROGRAM,
    writer: Writer | None = None,
    at_end: Callable[[Session], object] = lambda _session: None,
) -> UnitReport:
    """Solve a claimed unit and write its outcome.

    Args:
        database: the claim's.
        solver: may be shared with other units; the caller stops it.
        claim: as ``jobs.claim`` gave it.
        is_stopped: whether to give up and hand the unit back; asked after each interruption.
        programs: which players that are programs may be started for it.
        writer: writes to the database, and may retry; None for the database itself.
        at_end: called within the transaction that ends the unit, unless it is handed back; several
            times if the transaction has to be repeated.

    Raises:
        LookupError: this version does not know the kind of the unit's job.
        StorageError, SystemExit, KeyboardInterrupt: the database failed, or the process must end.
            This is not the unit's fault. It is handed back if the database allows it, and otherwise
            is free when its lease runs out.
        MemoryError, OSError: there is no room for the solver's table, or for the unit, or this
            machine lacks something else. Nobody knows whether the unit has caused it, nor with an
            error of the database that has no class of its own: see :mod:`workers.core.outages`.
    """
    writer = writer or database
    kind = get_kind(claim.kind)
    # No other kind may start programs.
    consent = {"programs": programs} if kind.takes_programs else {}
    try:
        outcome = kind.solve_unit(claim, solver, database, is_stopped, **consent)
        return _write(writer, database, claim, outcome, at_end=at_end, go_on=kind.go_on)
    except LeaseLostError:
        return UnitReport(UnitEnd.LOST)
    except REQUEST_FAULTS as error:
        return _fail(writer, claim, error, at_end)
    except (*PASSING_FAULTS, *LASTING_FAULTS, SystemExit, KeyboardInterrupt):
        with suppress(StorageError):
            writer.run(lambda session: jobs.release(session, claim))
        raise
    except (MemoryError, StorageError) as error:
        _lapse(writer, claim, error)
        raise
    except Exception as error:  # whatever solving a unit raises, the job goes on
        if isinstance(error, OSError) and is_machines_fault(error):
            _lapse(writer, claim, error)
            raise
        return _fail(writer, claim, error, at_end)


def _write(
    writer: Writer,
    database: Database,
    claim: Claim,
    outcome: UnitOutcome,
    *,
    at_end: Callable[[Session], object],
    go_on: Continuation | None,
) -> UnitReport:
    nodes, seconds = outcome.nodes, outcome.seconds
    if not outcome.is_complete:
        store_learned(writer, outcome.evaluations)

        def hand_back(session: Session) -> bool:
            is_ours = jobs.release(session, claim, payload=outcome.rest)
            if is_ours and outcome.records is not None:
                outcome.records(session)
            return is_ours

        is_ours = writer.run(hand_back)
        return UnitReport(UnitEnd.HANDED_BACK if is_ours else UnitEnd.LOST, nodes, seconds)

    def complete(session: Session) -> bool:
        is_ours = jobs.complete(
            session,
            claim,
            evaluations=outcome.evaluations,
            result=outcome.result,
            nodes=nodes,
            seconds=seconds,
            costs=outcome.costs,
            columns=outcome.with_columns,
            grows=go_on is not None,
        )
        if is_ours and outcome.records is not None:
            outcome.records(session)
        if is_ours and go_on is not None:
            go_on(session, claim, database)
        at_end(session)
        return is_ours

    is_ours = writer.run(complete)
    if is_ours and outcome.afterwards is not None:
        outcome.afterwards()
    return UnitReport(UnitEnd.DONE if is_ours else UnitEnd.LOST, nodes, seconds)


def _lapse(writer: Writer, claim: Claim, error: Exception) -> None:
    """Give the unit back as if its lease had run out, so that it cannot come back for ever."""
    message = _told(error)
    with suppress(StorageError):
        writer.run(lambda session: jobs.lapse(session, claim, message))


def _fail(
    writer: Writer, claim: Claim, error: Exception, at_end: Callable[[Session], object]
) -> UnitReport:
    message = _told(error)

    def fail(session: Session) -> bool:
        state = jobs.fail(session, claim, message)
        at_end(session)
        return state is not None

    return UnitReport(UnitEnd.FAILED if writer.run(fail) else UnitEnd.LOST, error=message)


def _told(error: BaseException) -> str:
    reason = str(error)[:MAX_ERROR_CHARACTERS]
    return f"{type(error).__name__}: {reason}" if reason else type(error).__name__
