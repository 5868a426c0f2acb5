"""Solve one claimed unit and write its outcome, for all drivers.

A driver (for instance a thread of :mod:`workers.runners.local`) claims a unit, keeps its lease
alive (:mod:`workers.core.leases`) and calls :func:`run_unit`. One transaction writes how the unit
ends (done, handed back or failed), and only while the claim's fence is the unit's newest. A driver
that finds no unit to claim closes the job (``jobs.finish_if_complete``).

:func:`run_unit` and :class:`RetryingWriter` decide what a fault costs:

- A fault of the request itself (``REQUEST_FAULTS``, or any error that does not come from the
  database) is the unit's own. It counts as an attempt, and the unit fails after MAX_ATTEMPTS.
- The writer waits for the end of a temporary fault (``PASSING_FAULTS``), with the results in
  memory.
- A fault that lasts (``LASTING_FAULTS``) ends the try. The unit is handed back, and the attempt
  does not count.
- The writer treats any other fault of the database as a temporary one, but for UNKNOWN_SECONDS
  only. Then the unit is handed back as if its lease had run out, because it may have caused the
  fault. It can be handed back in this way MAX_LAPSES times.
"""

from __future__ import annotations

import errno
import random
import time
from contextlib import suppress
from enum import Enum
from itertools import count
from logging import DEBUG, WARNING
from math import inf
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from c4core.players import NO_PROGRAM
from db import jobs
from db.database import Database
from db.errors import (
    LASTING_FAULTS,
    PASSING_FAULTS,
    REQUEST_FAULTS,
    StorageError,
    UnreachableError,
)
from workers.core.kinds import get_kind
from workers.core.searching import store_learned
from workers.errors import LeaseLostError
from workers.logs import LOGGER

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable

    from c4core.players import Consent
    from db.database import Session, Writer
    from db.records.jobs import Claim
    from workers.core.kinds import Continuation, UnitOutcome
    from workers.core.searching import Searcher

T = TypeVar("T")

MAX_ERROR_CHARACTERS: Final = 2_000
"""Maximum number of characters of an error that are stored and logged: its source is untrusted."""

UNKNOWN_SECONDS: Final = 60.0
"""Maximum time that a writer retries after an error of the database without a class of its own."""

FIRST_PAUSE: Final = 0.2
LONGEST_PAUSE: Final = 3.0
"""Seconds between two attempts: they double from the first to the longest."""

_EXHAUSTED: Final = frozenset(
    {errno.EAGAIN, errno.EDQUOT, errno.EIO, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOSPC}
)
"""Errors of a machine that has run out of a resource, such as space or open files."""


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
        database: the database of the claim.
        solver: may be shared with other units; the caller stops it.
        claim: the claim from ``jobs.claim``.
        is_stopped: whether to give up and hand the unit back; called after each interruption.
        programs: the players that are programs and that may be started for it.
        writer: writes to the database, and may retry; None for the database itself.
        at_end: called within the transaction that ends the unit, unless it is handed back; several
            times if the transaction is repeated.

    Raises:
        LookupError: this version does not know the kind of the unit's job.
        StorageError, SystemExit, KeyboardInterrupt: the database failed, or the process must end.
            The unit is not the cause. It is handed back if the database allows it; otherwise it is
            free when its lease runs out.
        MemoryError, OSError: the solver's table or the unit does not fit, or this machine lacks
            another resource. It is unknown whether the unit caused this, as after an error of the
            database that has no class of its own.
    """
    writer = writer or database
    kind = get_kind(claim.kind)
    # No other kind may start programs.
    consent = {"programs": programs} if kind.players_of_job else {}
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
    except Exception as error:  # a job goes on after any error of one unit
        if isinstance(error, OSError) and error.errno in _EXHAUSTED:
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
    """Hand the unit back as if its lease had run out, so that it cannot come back forever."""
    message = _text(error)
    with suppress(StorageError):
        writer.run(lambda session: jobs.lapse(session, claim, message))


def _fail(
    writer: Writer, claim: Claim, error: Exception, at_end: Callable[[Session], object]
) -> UnitReport:
    message = _text(error)

    def fail(session: Session) -> bool:
        state = jobs.fail(session, claim, message)
        at_end(session)
        return state is not None

    return UnitReport(UnitEnd.FAILED if writer.run(fail) else UnitEnd.LOST, error=message)


def _text(error: BaseException) -> str:
    reason = str(error)[:MAX_ERROR_CHARACTERS]
    return f"{type(error).__name__}: {reason}" if reason else type(error).__name__


class RetryingWriter:
    """Writes to a database, and waits while it cannot be written. Thread-safe.

    It waits for the end of the faults in ``passing``, for at most ``patience`` seconds, until
    ``stopping`` is set.
    """

    def __init__(
        self,
        database: Database,
        stopping: threading.Event,
        *,
        passing: tuple[type[StorageError], ...] = PASSING_FAULTS,
        patience: float = inf,
    ) -> None:
        self._database = database
        self._stopping = stopping
        self._passing = passing
        self._patience = patience
        self._is_away = False

    def run(self, work: Callable[[Session], T]) -> T:
        """Run a transaction as ``Database.run``; retry while the database cannot be written."""
        began = time.monotonic()
        for tries in count():
            try:
                result = self._database.run(work)
            except StorageError as error:
                if time.monotonic() >= began + self._waits_for(error):
                    raise
                self._log(error)
                if self._stopping.wait(pause(tries)):
                    raise
            else:
                if self._is_away:
                    self._is_away = False
                    LOGGER.warning("the database is back")
                return result
        raise AssertionError  # count() does not end

    def _waits_for(self, error: StorageError) -> float:
        """The number of seconds to retry after this error."""
        if isinstance(error, REQUEST_FAULTS):
            return 0.0
        if isinstance(error, self._passing):
            return self._patience
        if isinstance(error, PASSING_FAULTS + LASTING_FAULTS):
            return 0.0
        return min(self._patience, UNKNOWN_SECONDS)

    def _log(self, error: Exception) -> None:
        LOGGER.log(DEBUG if self._is_away else WARNING, "trying again: %s", error)
        self._is_away = True


def open_patiently(url: str, stopping: threading.Event) -> Database | None:
    """Open a database as soon as it can be reached; None if ``stopping`` was set first."""
    for tries in count():
        try:
            return Database.open(url)
        except UnreachableError as error:
            if not url.startswith("postgres"):
                raise  # a missing directory does not come back by itself
            LOGGER.log(DEBUG if tries else WARNING, "waiting for the database: %s", error)
            if stopping.wait(pause(tries)):
                return None
    raise AssertionError  # count() does not end


def pause(tries: int) -> float:
    """Return the seconds to wait after this number of failed attempts.

    With jitter, workers that lost the database together come back at different times.
    """
    longest = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** min(tries, 10))
    return random.uniform(0.5, 1) * longest  # noqa: S311 (no secret)
