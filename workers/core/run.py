"""Solve one claimed unit and write its outcome in one transaction.

What costs an attempt:

- A claim counts as an attempt. It does not count if the unit is handed back: because the worker was
  stopped, or because the database was away, busy, full or damaged.
- A unit that raises an error is queued again; at attempt MAX_ATTEMPTS it is failed. An error that
  may be the machine's (no memory, no files) or is unknown fails it only at MAX_LOST_ATTEMPTS.
- A unit whose worker is lost is queued again when its lease expires; at attempt MAX_LOST_ATTEMPTS
  it is failed.
"""

from __future__ import annotations

from contextlib import suppress
from enum import Enum
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol, TypeVar

from c4core.players import NO_PROGRAM
from db import jobs
from db.errors import LASTING_FAULTS, PASSING_FAULTS, REQUEST_FAULTS, StorageError
from db.records.jobs import MAX_ATTEMPTS, MAX_LOST_ATTEMPTS
from workers.core.kinds import get_kind
from workers.core.searching import store_learned

if TYPE_CHECKING:
    from collections.abc import Callable

    from c4core.players import Consent
    from c4core.solver import Solver
    from db.database import Database, Session
    from db.records.jobs import Claim
    from workers.core.kinds import Continuation, UnitOutcome

T = TypeVar("T")

MAX_ERROR_CHARACTERS: Final = 2_000
"""Maximum number of characters of an error that are stored and logged: its source is untrusted."""


class Persist(Protocol):
    """Runs a write transaction, and may repeat it."""

    def __call__(self, work: Callable[[Session], T], /) -> T:
        """Return the transaction's result."""


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
    nodes: int = 0
    """Number of nodes searched."""
    seconds: float = 0.0
    """Time spent searching."""
    error: str | None = None
    """The reason of the unit's failure."""


def run_unit(
    database: Database,
    solver: Solver,
    claim: Claim,
    is_stopped: Callable[[], bool],
    *,
    programs: Consent = NO_PROGRAM,
    persist: Persist | None = None,
    on_outcome: Callable[[UnitOutcome], object] = lambda _outcome: None,
    at_end: Callable[[Session], object] = lambda _session: None,
) -> UnitReport:
    """Solve a claimed unit and write its outcome.

    Args:
        database: the database of the claim.
        solver: may be shared with other units; the caller stops it.
        claim: the claim from ``jobs.claim``.
        is_stopped: whether to give up and hand the unit back; called after each interruption.
        programs: the players that are programs and that may be started for it.
        persist: runs the write transactions; by default ``Database.run``.
        on_outcome: called when the unit is solved, before its results are written.
        at_end: called within the transaction that ends the unit, unless it is handed back; several
            times if the transaction is repeated.

    Raises:
        LookupError: this version does not know the kind of the unit's job.
        StorageError, MemoryError, OSError: the unit was handed back, if the database allows it;
            otherwise it is free when its lease expires.
    """
    persist = persist or database.run
    kind = get_kind(claim.kind)
    # No other kind may start programs.
    consent = {"programs": programs} if kind.players_of_job else {}
    try:
        outcome = kind.solve_unit(claim, solver, database, is_stopped, **consent)
        on_outcome(outcome)
        if not outcome.is_complete:
            return _hand_back(persist, claim, outcome)
        return _complete(persist, database, claim, outcome, at_end=at_end, go_on=kind.go_on)
    except REQUEST_FAULTS as error:
        return _fail(persist, claim, error, at_end)
    except (*PASSING_FAULTS, *LASTING_FAULTS, SystemExit, KeyboardInterrupt):
        with suppress(StorageError):
            persist(lambda session: jobs.release(session, claim))
        raise
    except (MemoryError, OSError, StorageError) as error:
        message = _text(error)
        with suppress(StorageError):
            persist(lambda session: jobs.fail(session, claim, message, limit=MAX_LOST_ATTEMPTS))
        raise
    except Exception as error:  # noqa: BLE001 (a job goes on after any error of one unit)
        return _fail(persist, claim, error, at_end)


def _hand_back(persist: Persist, claim: Claim, outcome: UnitOutcome) -> UnitReport:
    def hand_back(session: Session) -> bool:
        store_learned(session, outcome.evaluations)
        is_ours = jobs.release(session, claim, payload=outcome.rest)
        if is_ours and outcome.records is not None:
            outcome.records(session)
        return is_ours

    end = UnitEnd.HANDED_BACK if persist(hand_back) else UnitEnd.LOST
    return UnitReport(end, outcome.nodes, outcome.seconds)


def _complete(
    persist: Persist,
    database: Database,
    claim: Claim,
    outcome: UnitOutcome,
    *,
    at_end: Callable[[Session], object],
    go_on: Continuation | None,
) -> UnitReport:
    def complete(session: Session) -> bool:
        is_ours = jobs.complete(
            session,
            claim,
            evaluations=outcome.evaluations,
            result=outcome.result,
            nodes=outcome.nodes,
            seconds=outcome.seconds,
            grows=go_on is not None,
        )
        if is_ours and outcome.records is not None:
            outcome.records(session)
        if is_ours and go_on is not None:
            go_on(session, claim, database)
        at_end(session)
        return is_ours

    is_ours = persist(complete)
    if is_ours and outcome.afterwards is not None:
        outcome.afterwards()
    return UnitReport(UnitEnd.DONE if is_ours else UnitEnd.LOST, outcome.nodes, outcome.seconds)


def _fail(
    persist: Persist, claim: Claim, error: Exception, at_end: Callable[[Session], object]
) -> UnitReport:
    message = _text(error)

    def fail(session: Session) -> bool:
        state = jobs.fail(session, claim, message, limit=MAX_ATTEMPTS)
        at_end(session)
        return state is not None

    return UnitReport(UnitEnd.FAILED if persist(fail) else UnitEnd.LOST, error=message)


def _text(error: BaseException) -> str:
    reason = str(error)[:MAX_ERROR_CHARACTERS]
    return f"{type(error).__name__}: {reason}" if reason else type(error).__name__
