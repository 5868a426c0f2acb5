"""Which positions the jobs of kind ``analyze`` ask about."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from c4core.lines import Request
from db import jobs
from db.decoding import decoding, field
from db.errors import JobStateError
from workers.core.follow import iterate_units, read_job
from workers.positions import payload
from workers.positions.analysis import KIND

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from c4core.notation import BoardSize
    from db.database import Database


def asked_keys(database: Database, job_id: int, board: BoardSize) -> NDArray[np.uint64]:
    """The canonical keys of all positions that a job asks about, sorted, each once.

    Args:
        database: where the job lives.
        job_id: its number.
        board: the board that its positions must be on.

    Raises:
        JobNotFoundError: there is no job of this number.
        JobStateError: it asks about no positions, or about those of another board.
        StorageError: the database cannot be read.
    """
    job = read_job(database, job_id)
    if job.kind != KIND:
        problem = f"is of kind {job.kind}: only those of kind {KIND} ask about positions"
    elif job.board != board:
        problem = f"asks about positions of {job.board}, and not of {board} (see --board)"
    else:
        with decoding(f"the parameters of job {job_id}"):
            zero_based = field(job.params, "zero_based", bool)
        keys = (
            line.position.canonical_key
            for unit in iterate_units(database, job_id)
            for line in payload.decode(unit.payload, board=board, zero_based=zero_based)
            if isinstance(line, Request)
        )
        return np.unique(np.fromiter(keys, np.uint64))
    raise JobStateError(f"job {job_id} {problem}", job_id=job_id, state=job.state)


def keys_of_label(database: Database, label: str, board: BoardSize) -> NDArray[np.uint64]:
    """The canonical keys of all positions that jobs with this label ask about.

    Jobs of other kinds and of other boards are left out.

    Raises:
        StorageError: the database cannot be read.
    """
    with database.read() as session:
        numbers = jobs.jobs_of_label(session, label, kind=KIND, board=board)
    found = [asked_keys(database, number, board) for number in numbers]
    return np.unique(np.concatenate([np.empty(0, np.uint64), *found]))
