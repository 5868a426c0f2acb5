"""Labels of positions: an analysis of all columns as a job, and its answers as an array."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from c4core.arrays import canonical_keys
from c4core.batch import UNPLAYABLE
from db.records.jobs import JobState
from workers.core.follow import iterate_units, read_job, why_not_done
from workers.core.submit import topic_of
from workers.errors import DatasetIncompleteError
from workers.positions import analysis
from workers.positions.units import unit_answers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from c4core.notation import BoardSize
    from db.database import Database

    Keys = NDArray[np.uint64]


def labelling_job(
    database: Database,
    keys: Keys,
    *,
    board: BoardSize,
    book: str | None = None,
    label: str | None = None,
    fresh: bool = False,
    on_planned: Callable[[int], None] = lambda _positions: None,
) -> int:
    """The number of the job that labels some positions: it is found and resumed, or planned.

    It is an ordinary analysis. Positions with few stones come first, because they take longest and
    should not be left to the end. Stored positions are not searched.

    Args:
        database: where the job lives.
        keys: canonical, of positions that are not over; sorted, and at least one.
        board: of all of them.
        book: as :func:`workers.positions.book_answers.book_of_job` finds it among the parameters.
        label: a name for people.
        fresh: make a new job even if there is one for the same positions.
        on_planned: called now and then with the number of positions planned so far.

    Raises:
        StorageError: the database cannot be read or written.
    """
    return analysis.find_or_submit(
        database,
        keys[_work_order(keys, board)],
        board=board,
        topic=topic_of("dataset", keys),
        book=book,
        label=label,
        fresh=fresh,
        on_planned=on_planned,
    )


def read_labels(database: Database, job_id: int, keys: Keys, board: BoardSize) -> NDArray[np.int8]:
    """The exact scores of every column, from the job that has found them.

    Args:
        database: where the job is.
        job_id: its number.
        keys: its positions.
        board: that of the positions.

    Returns:
        Shape (positions, columns of the board), in the order of the keys; UNPLAYABLE where a column
        is full.

    Raises:
        DatasetIncompleteError: the job is not done.
        StorageError: the database cannot be read.
    """
    job = read_job(database, job_id)
    if job.state is not JobState.DONE:
        raise DatasetIncompleteError(why_not_done(job), job_id=job_id)
    labels = np.empty((len(keys), board.width), dtype=np.int8)
    row = np.dtype((np.int8, (board.width,)))
    labels[_work_order(keys, board)] = np.fromiter(_rows(database, job_id), row, count=len(keys))
    return labels


def _rows(database: Database, job_id: int) -> Iterator[list[int]]:
    for unit in iterate_units(database, job_id):
        for answer in unit_answers(unit) or ():
            scores = answer.scores or ()
            yield [UNPLAYABLE if score is None else score for score in scores]


def _work_order(keys: Keys, board: BoardSize) -> NDArray[np.intp]:
    """The indices of positions by ply, then by key, so that neighbours are alike."""
    _, plies = canonical_keys(keys, width=board.width, height=board.height)
    return np.lexsort((keys, plies))
