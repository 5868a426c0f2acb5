"""The claim, solve, complete core: what is done with one unit, whoever drives it.

A driver (the threads of :mod:`workers.local`) claims a unit, keeps its lease alive
(:mod:`workers.leases`) and calls :func:`run_unit`. Whatever becomes of the unit, done, handed back
or failed, is written by one transaction and only while the claim's fence is the unit's newest.
A driver that finds nothing to claim closes the job (``jobs.finish_if_complete``).
"""

from __future__ import annotations

from contextlib import suppress
from enum import Enum
from typing import TYPE_CHECKING

from db import jobs
from db.errors import ContradictionError, StorageError
from workers import analysis
from workers.evaluate import store_learned

if TYPE_CHECKING:
    from collections.abc import Callable

    from c4core.solver import Solver
    from db.database import Database
    from db.jobs import Claim
    from workers.outcome import UnitOutcome

    Handler = Callable[[Claim, Solver, Database, Callable[[], bool]], UnitOutcome]

HANDLERS: dict[str, Handler] = {analysis.KIND: analysis.solve_unit}
"""Who solves the units of a kind of job."""


class UnitEnd(Enum):
    """How working on a unit came to its end."""

    DONE = "done"
    """Results are stored; the unit is done."""
    HANDED_BACK = "handed back"
    """It was stopped and is queued again; what had been found is stored."""
    FAILED = "failed"
    """Solving it raised an error; it is queued again, or failed for good."""
    LOST = "lost"
    """It was somebody else's by then, or cancelled: nothing was written about the unit."""


def run_unit(
    database: Database, solver: Solver, claim: Claim, is_stopped: Callable[[], bool]
) -> UnitEnd:
    """Solve a claimed unit and write down what came of it.

    Args:
        database: where the claim is from.
        solver: may be shared with other units; it is for the caller to stop it.
        claim: as ``jobs.claim`` gave it.
        is_stopped: whether to give up and hand the unit back; looked at after each interruption.

    Raises:
        StorageError, MemoryError: the database failed, or there is no room for the solver's table.
            That is not the unit's fault: it is handed back if the database lets it, and else comes
            free when its lease runs out.
    """
    try:
        outcome = HANDLERS[claim.kind](claim, solver, database, is_stopped)
        return _write(database, claim, outcome)
    except ContradictionError as error:
        return _fail(database, claim, error)
    except (StorageError, MemoryError):
        with suppress(StorageError):
            database.run(lambda session: jobs.release(session, claim))
        raise
    except Exception as error:  # noqa: BLE001  # whatever solving a unit raises, the job goes on
        return _fail(database, claim, error)


def _write(database: Database, claim: Claim, outcome: UnitOutcome) -> UnitEnd:
    if not outcome.is_complete:
        store_learned(database, outcome.evaluations)
        is_ours = database.run(lambda session: jobs.release(session, claim))
        return UnitEnd.HANDED_BACK if is_ours else UnitEnd.LOST
    is_ours = database.run(
        lambda session: jobs.complete(
            session,
            claim,
            evaluations=outcome.evaluations,
            result=outcome.result,
            nodes=outcome.nodes,
            seconds=outcome.seconds,
        )
    )
    return UnitEnd.DONE if is_ours else UnitEnd.LOST


def _fail(database: Database, claim: Claim, error: Exception) -> UnitEnd:
    message = f"{type(error).__name__}: {error}"
    state = database.run(lambda session: jobs.fail(session, claim, message))
    return UnitEnd.LOST if state is None else UnitEnd.FAILED
