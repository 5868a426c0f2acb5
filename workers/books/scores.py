"""The scores that a job of kind ``book`` has found, put together from its units."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from db.decoding import decoding
from db.records.jobs import JobState, UnitState
from workers.books.payload import decode_keys, decode_scores
from workers.core.follow import iterate_units, read_job, why_not_done
from workers.errors import BookIncompleteError

if TYPE_CHECKING:
    from db.database import Database
    from workers.books.payload import Keys, Scores
    from workers.books.task import PlyTask


def read_scores(database: Database, job_id: int, task: PlyTask, keys: Keys) -> Scores:
    """The scores of positions, from the job that has searched them.

    Args:
        database: where the job is.
        job_id: its number.
        task: what it is about.
        keys: sorted; exactly the positions that the job has.

    Returns:
        One score for each key, or with columns a row of them.

    Raises:
        BookIncompleteError: the job is not done, or has other positions.
        StorageError: the database cannot be read.
    """
    job = read_job(database, job_id)
    if job.state is not JobState.DONE:
        raise BookIncompleteError(why_not_done(job), job_id=job_id)
    columns = task.board.width if task.columns else 1
    found_keys = [np.empty(0, dtype=np.uint64)]
    found_scores = [np.empty((0, columns), dtype=np.int8)]
    for unit in iterate_units(database, job_id):
        found_keys.append(decode_keys(unit.payload))
        if unit.state is UnitState.DONE and unit.result is not None:
            with decoding(f"the result of a unit of job {job_id}"):
                found_scores.append(decode_scores(unit.result["scores"], columns=columns))
    all_keys, all_scores = np.concatenate(found_keys), np.concatenate(found_scores)
    order = np.argsort(all_keys)
    if len(all_scores) != len(all_keys) or not np.array_equal(all_keys[order], keys):
        raise BookIncompleteError(
            f"job {job_id} has {len(all_scores):,} scores of {len(all_keys):,} positions, and not "
            f"those of the {len(keys):,} that the book needs; build it with --fresh",
            job_id=job_id,
        )
    scores: Scores = all_scores[order]
    return scores if task.columns else scores[:, 0]
