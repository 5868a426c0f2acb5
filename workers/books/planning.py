"""Jobs of kind ``book``: found if the same was asked before, or else planned.

A unit holds the positions below neighbouring ancestors a few plies up
(:mod:`c4core.book.units`). They lead to many common positions further down, so a solver
that keeps its table finds half of its work done.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from c4core.book.units import cut_units, owners_of
from db.records.jobs import UnitPlan
from workers.books.payload import encode_keys
from workers.books.task import KIND
from workers.core.submit import find_and_resume, submit_units
from workers.positions.costs import read_model
from workers.positions.question import Question

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from db.database import Database
    from workers.books.payload import Keys
    from workers.books.task import PlyTask

ANCESTOR_PLIES: Final = 4
"""How far up a unit's common ancestors are."""

UNIT_SECONDS: Final = 10.0
"""Work in a unit: enough to profit from the transposition table, and not too much to lose when a
machine dies."""

LEAST_POSITIONS: Final = 500
"""A unit has at least so many positions, unless they take longer than UNIT_SECONDS."""

LEAST_UNITS: Final = 64
"""A small ply is cut into about so many units, so that all threads have work until the end."""

MAX_BY_LEAST: Final = 4
"""Positions of a unit at most, as a multiple of the least number."""

EASE: Final = 0.6
"""The time of a position in a book's unit, as a share of the guess for a single position of its
ply. Measured at plies 8, 10 and 12 of 7x6: 0.8, 0.4, 0.6."""


def find_job(database: Database, task: PlyTask) -> int | None:
    """The newest job for this task, if there is one.

    Its cancelled and failed units are queued again.

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
    """Make a job for a task and start it; returns its number.

    If planning is interrupted, the job is cancelled.

    Args:
        database: keeps the job.
        task: describes the positions.
        levels: sorted canonical keys of neighbouring plies, the positions' own last. Those that win
            at once are left out, unless all columns are wanted.
        label: a name for people.
        only_one: make no second job for the same task.

    Raises:
        AlreadyAskedError: with ``only_one``, there is one that :func:`find_job` finds.
        StorageError: the database cannot be written.
    """
    return submit_units(
        database,
        _plans(database, task, levels[-1 - ANCESTOR_PLIES :]),
        kind=KIND,
        board=task.board,
        params=task.as_params(),
        label=label,
        only_one=only_one,
    )


def _plans(database: Database, task: PlyTask, levels: Sequence[Keys]) -> Iterator[UnitPlan]:
    costs = read_model(database, task.board, Question(columns=task.columns), ease=EASE)
    seconds = costs.seconds(task.ply)
    affordable = min(round(UNIT_SECONDS / seconds), len(levels[-1]) // LEAST_UNITS)
    least = min(max(1, affordable), LEAST_POSITIONS)
    for keys in _units(task, levels, least=least, most=MAX_BY_LEAST * least):
        yield UnitPlan(encode_keys(keys), len(keys), expected_seconds=seconds * len(keys))


def _units(task: PlyTask, levels: Sequence[Keys], *, least: int, most: int) -> Iterable[Keys]:
    width, height = task.board
    if not task.columns:
        return cut_units(levels, least=least, most=most, width=width, height=height)
    order = np.argsort(owners_of(levels, width=width, height=height), kind="stable")
    keys = levels[-1][order]
    pieces = max(1, round(len(keys) / least))
    return (np.sort(piece) for piece in np.array_split(keys, pieces)) if len(keys) else ()
