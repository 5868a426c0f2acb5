"""Create a job from a stream of units, or find the existing one for the same question.

Units are cut by the time that their searches are expected to take (:func:`expected_seconds`).
"""

from __future__ import annotations

import hashlib
from contextlib import suppress
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Final

from c4core.version import ENGINE_VERSION
from db.errors import JobNotFoundError, JobStateError
from db.jobs import control

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from c4core.batch import Keys
    from c4core.notation import BoardSize
    from db.database import Database, Session
    from db.records.jobs import Json, UnitPlan

UNITS_PER_TRANSACTION: Final = 32
"""Units written at a time; this limits the memory, and how long other writers wait."""

DIGEST_BYTES: Final = 16


def expected_seconds(board: BoardSize, ply: int, *, columns: bool) -> float:
    """The typical time for a position of a ply: for all columns, or for its score alone.

    Positions of one ply differ by a factor of a hundred, but only the sum over a unit matters.
    """
    # Fitted to the means of random games on 7x6, in milliseconds: 0.008 with 18 empty squares, 0.07
    # with 22, 0.8 with 26, 2.6 with 28, 12 with 30. A score alone takes a quarter of the time.
    seconds = 1e-5 + 6e-10 * 1.74 ** (board.cells - ply)
    return seconds if columns else seconds / 4


def submit_units(
    database: Database,
    plans: Iterable[UnitPlan],
    *,
    kind: str,
    board: BoardSize,
    params: Json,
    label: str | None = None,
    priority: int = 0,
    on_added: Callable[[Sequence[UnitPlan]], object] = lambda _plans: None,
) -> int:
    """Create a job of these units and start it; return its number.

    The plans may be made while they are read. A few units take one transaction; ``on_added`` is
    called with the units written last. If planning fails or is interrupted after the job was
    created, the job is deleted.
    """
    remaining = iter(plans)
    # Planning the first units may take long; with a job, the planner would seem to be gone.
    batch = list(islice(remaining, UNITS_PER_TRANSACTION))

    def make(session: Session) -> int:
        job_id = control.create_job(
            session,
            kind=kind,
            board=board,
            params=params,
            label=label,
            engine_version=ENGINE_VERSION,
            priority=priority,
        )
        _add(session, job_id, batch)
        return job_id

    job_id = database.run(make)
    try:
        on_added(batch)
        while len(batch) == UNITS_PER_TRANSACTION:
            batch = list(islice(remaining, UNITS_PER_TRANSACTION))
            database.run(partial(_add, job_id=job_id, batch=batch))
            on_added(batch)
    except BaseException:
        with suppress(JobNotFoundError, JobStateError):  # it was deleted, or is running
            database.run(partial(control.delete_job, job_id=job_id))
        raise
    return job_id


def _add(session: Session, job_id: int, batch: Sequence[UnitPlan]) -> None:
    """Add units to a job that is being planned; start it after the last ones."""
    control.add_units(session, job_id, batch)
    if len(batch) < UNITS_PER_TRANSACTION:
        control.start_job(session, job_id)


def topic_of(purpose: str, keys: Keys) -> str:
    """Return the topic by which a job is found again: exactly these positions, for this purpose."""
    if keys.dtype == object:  # on a wide board
        data = b"".join(key.to_bytes(16, "little") for key in keys.tolist())
    else:
        data = keys.astype("<u8").tobytes()
    digest = hashlib.blake2b(data, digest_size=DIGEST_BYTES)
    return f"{purpose} {digest.hexdigest()}"


def find_and_resume(database: Database, *, kind: str, board: BoardSize, params: Json) -> int | None:
    """Find the newest job that asks exactly this question, and resume it; None if none exists.

    Two processes that ask at the same moment find nothing, and create a job each.
    """
    with database.read() as session:
        job_id = control.newest_job(
            session, kind=kind, board=board, params=params, engine_version=ENGINE_VERSION
        )
    if job_id is not None:
        database.run(partial(control.resume_job, job_id=job_id))
    return job_id
