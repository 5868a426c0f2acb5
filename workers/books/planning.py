"""Jobs of kind ``book``: found again where the same was asked before, and planned where not.

A unit is what lies below neighbouring ancestors a few plies up
(:mod:`c4core.book.building.units`): such positions run into the same ones further down, and a
solver that keeps its table finds half of its work done.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

import numpy as np

from c4core.book.building.units import cut_units, owners_of
from c4core.version import ENGINE_VERSION
from db import jobs
from db.records.jobs import UnitPlan
from workers.books.payload import encode_keys
from workers.books.task import KIND
from workers.core.resumption import find_and_resume, refuse_second
from workers.positions.costs import read_model
from workers.positions.question import Question

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from db.database import Database
    from db.session import Session
    from workers.books.payload import Keys
    from workers.books.task import PlyTask

ANCESTOR_PLIES: Final = 4
"""How far up a unit's common ancestors are."""

UNIT_SECONDS: Final = 10.0
"""Work that a unit is meant to hold: enough for a table to be of use, little enough to be lost when
a machine dies."""

LEAST_POSITIONS: Final = 500
"""Positions that a unit should have, if they do not take longer than that."""

LEAST_UNITS: Final = 64
"""A small ply is cut into about so many units: all threads have work to the end."""

MOST_BY_LEAST: Final = 4
"""The most positions of a unit, in terms of that number."""

UNITS_PER_TRANSACTION: Final = 32
"""Units that planning writes at a time: bounds how long others wait to write."""

EASE: Final = 0.6
"""What a position of a book takes, beside the guess for a lone one of its ply. Measured at plies
8, 10 and 12 of 7x6: 0.8, 0.4, 0.6."""


def find_job(database: Database, task: PlyTask) -> int | None:
    """The newest job that was made for this task and that can be gone on with, if there is one.

    It is set going: what was cancelled or given up is queued again.

    Raises:
        StorageError: the database cannot be read or written.
    """
    return find_and_resume(database, kind=KIND, board=task.board, params=task.as_params())


def plan_job(
    database: Database,
    task: PlyTask,
    levels: Sequence[Keys],
    *,
    label: str | None = None,
    only_one: bool = False,
) -> int:
    """Make a job for a task and start it; its number.

    When that is interrupted, the job is cancelled.

    Args:
        database: where the job shall live.
        task: what the positions are.
        levels: sorted canonical keys of neighbouring plies, the positions' own last. Those that win
            at once are left out, unless all columns are wanted.
        label: a name for people.
        only_one: make no second job for the same task.

    Raises:
        AlreadyAskedError: with ``only_one``, there is one that :func:`find_job` finds.
        StorageError: the database cannot be written.
    """
    plans = _plans(database, task, levels[-1 - ANCESTOR_PLIES :])
    # What takes long comes before the first: nobody is to take the job for abandoned meanwhile.
    batch = list(islice(plans, UNITS_PER_TRANSACTION))

    def make(session: Session) -> int:
        if only_one:
            refuse_second(session, kind=KIND, board=task.board, params=task.as_params())
        made = jobs.create_job(
            session,
            kind=KIND,
            board=task.board,
            params=task.as_params(),
            label=label,
            engine_version=ENGINE_VERSION,
        )
        jobs.leave_word(session, made)
        return made

    job_id = database.run(make)
    try:
        while batch:
            _add(database, job_id, batch)
            batch = list(islice(plans, UNITS_PER_TRANSACTION))
        database.run(lambda session: jobs.start_job(session, job_id))
    except BaseException:
        database.run(lambda session: jobs.cancel_job(session, job_id))
        raise
    return job_id


def _add(database: Database, job_id: int, plans: list[UnitPlan]) -> None:
    def add(session: Session) -> None:
        jobs.add_units(session, job_id, plans)
        jobs.leave_word(session, job_id)

    database.run(add)


def _plans(database: Database, task: PlyTask, levels: Sequence[Keys]) -> Iterator[UnitPlan]:
    costs = read_model(database, task.board, Question(columns=task.columns), ease=EASE)
    seconds = costs.seconds(task.ply)
    affordable = min(round(UNIT_SECONDS / seconds), len(levels[-1]) // LEAST_UNITS)
    least = min(max(1, affordable), LEAST_POSITIONS)
    for keys in _units(task, levels, least=least, most=MOST_BY_LEAST * least):
        yield UnitPlan(encode_keys(keys), len(keys), expected_seconds=seconds * len(keys))


def _units(task: PlyTask, levels: Sequence[Keys], *, least: int, most: int) -> Iterable[Keys]:
    width, height = task.board
    if not task.columns:
        return cut_units(levels, least=least, most=most, width=width, height=height)
    order = np.argsort(owners_of(levels, width=width, height=height), kind="stable")
    keys = levels[-1][order]
    pieces = max(1, round(len(keys) / least))
    return (np.sort(piece) for piece in np.array_split(keys, pieces)) if len(keys) else ()
