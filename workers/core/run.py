"""Solve one claimed unit and write its outcome in one transaction.

What costs an attempt:

- A claim counts as an attempt. It does not count if the unit is handed back: because the worker was
  stopped, or because the database was away, busy, full or damaged.
- A unit that raises an error is queued again; at attempt MAX_ATTEMPTS it is failed. An error that
  may be the machine's (no memory, no files) or is unknown fails it only at MAX_LOST_ATTEMPTS.
- A unit whose worker is lost is queued again when its lease expires; at attempt MAX_LOST_ATTEMPTS
  it is failed.
- There is one count of attempts. An error after two lost workers therefore fails the unit: it
  probably ended them, too.
"""

from __future__ import annotations

from contextlib import suppress
from enum import Enum
from typing import TYPE_CHECKING, Final, NamedTuple

from c4core.players import NO_PROGRAM
from db.errors import LASTING_FAULTS, PASSING_FAULTS, REQUEST_FAULTS, StorageError
from db.jobs import queue
from db.records.jobs import MAX_ATTEMPTS, MAX_LOST_ATTEMPTS
from workers.core.kinds import find_kind
from workers.core.searching import store_learned

if TYPE_CHECKING:
    from collections.abc import Callable

    from c4core.players import Consent
    from c4core.solver import Solver
    from db.database import Database, Session, Writer
    from db.records.jobs import Claim
    from workers.core.kinds import JobKind, UnitOutcome

    AtEnd = Callable[[Session], object]

MAX_ERROR_CHARACTERS: Final = 2_000
"""Maximum number of characters of an error that are stored and logged: its source is untrusted."""


class UnitEnd(Enum):
    """The end of the work on a unit."""

    DONE = "done"
    """Results are stored; the unit is done."""
    HANDED_BACK = "handed back"
    """The unit was stopped and is queued again; the results so far are stored."""
    FAILED = "failed"
    """Solving the unit raised an error; it is queued again, or failed for good."""
    LOST = "lost"
    """Another worker has the unit, or it was cancelled; nothing was written about it."""


class UnitReport(NamedTuple):
    """The outcome of the work on a unit."""

    end: UnitEnd
    outcome: UnitOutcome | None = None
    """None if solving raised an error."""
    error: str | None = None
    """The reason of the unit's failure."""


def run_unit(
    database: Database,
    solver: Solver,
    claim: Claim,
    is_stopped: Callable[[], bool],
    *,
    programs: Consent = NO_PROGRAM,
    redis: str | None = None,
    writer: Writer | None = None,
    at_end: AtEnd = lambda _session: None,
) -> UnitReport:
    """Solve a claimed unit and write its outcome.

    The solver may be shared with other units; the caller stops it. ``is_stopped`` is called after
    each interruption, and returns whether to hand the unit back. ``redis`` is the URL of a server
    through which processes share searches. ``writer`` runs the write transactions; by default the
    database. ``at_end`` is called within the transaction that ends the
    unit, unless it is handed back, and again if the transaction is repeated.

    Raises:
        StorageError, MemoryError, OSError: the unit was handed back, if the database allows it;
            otherwise it is free when its lease expires.
    """
    writer = writer or database
    kind = find_kind(claim.kind)
    if kind is None:
        raise LookupError(f"this version of c4 does not know the job kind {claim.kind!r}")
    more: dict[str, object] = {}
    if kind.players_of_job:  # no other kind may start programs
        more["programs"] = programs
    if kind.shares_searches:
        more["redis"] = redis
    try:
        outcome = kind.solve_unit(claim, solver, database, is_stopped, **more)
        if not outcome.is_complete:
            return _hand_back(writer, claim, outcome)
        return _complete(writer, claim, outcome, at_end, kind=kind, database=database)
    except REQUEST_FAULTS as error:
        return _fail(writer, claim, error, at_end)
    except (*PASSING_FAULTS, *LASTING_FAULTS):
        with suppress(StorageError):
            writer.run(lambda session: queue.release(session, claim))
        raise
    except (MemoryError, OSError, StorageError) as error:
        message = _text(error)
        with suppress(StorageError):
            writer.run(lambda session: queue.fail(session, claim, message, limit=MAX_LOST_ATTEMPTS))
        raise
    except Exception as error:  # noqa: BLE001 (a job goes on after any error of one unit)
        return _fail(writer, claim, error, at_end)


def _hand_back(writer: Writer, claim: Claim, outcome: UnitOutcome) -> UnitReport:
    def hand_back(session: Session) -> bool:
        store_learned(session, outcome.evaluations)
        is_ours = queue.release(session, claim, payload=outcome.rest)
        if is_ours and outcome.records is not None:
            outcome.records(session)
        return is_ours

    return UnitReport(UnitEnd.HANDED_BACK if writer.run(hand_back) else UnitEnd.LOST, outcome)


def _complete(
    writer: Writer,
    claim: Claim,
    outcome: UnitOutcome,
    at_end: AtEnd,
    *,
    kind: JobKind,
    database: Database,
) -> UnitReport:
    def complete(session: Session) -> bool:
        is_ours = queue.complete(
            session,
            claim,
            evaluations=outcome.evaluations,
            result=outcome.result,
            nodes=outcome.nodes,
            seconds=outcome.seconds,
            grows=kind.go_on is not None,
        )
        if is_ours and outcome.records is not None:
            outcome.records(session)
        if is_ours and kind.go_on is not None:
            kind.go_on(session, claim, database)
        at_end(session)
        return is_ours

    is_ours = writer.run(complete)
    if is_ours and outcome.afterwards is not None:
        outcome.afterwards()
    return UnitReport(UnitEnd.DONE if is_ours else UnitEnd.LOST, outcome)


def _fail(writer: Writer, claim: Claim, error: Exception, at_end: AtEnd) -> UnitReport:
    message = _text(error)

    def fail(session: Session) -> bool:
        state = queue.fail(session, claim, message, limit=MAX_ATTEMPTS)
        at_end(session)
        return state is not None

    return UnitReport(UnitEnd.FAILED if writer.run(fail) else UnitEnd.LOST, error=message)


def _text(error: BaseException) -> str:
    reason = str(error)[:MAX_ERROR_CHARACTERS]
    return f"{type(error).__name__}: {reason}" if reason else type(error).__name__
