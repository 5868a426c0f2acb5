"""Jobs of positions whose units are worked on within the test."""

import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Row

from c4core.lines import read_lines
from c4core.notation import DEFAULT_BOARD
from c4core.solver import Solver
from db import jobs
from db.database import Database
from db.records.jobs import UnitState
from tests.support.jobs import failed_units
from tests.support.running.databases import ask
from workers.analyze.job import submit
from workers.celery.doorbell import Doorbell
from workers.celery.unit_worker import UnitWorker, WorkerSettings


def job_of_games(database: Database, games: Sequence[str], **options: Any) -> int:  # noqa: ANN401
    """A job that analyzes games on the default board; ``options`` go to ``submit``."""
    lines = read_lines(io.BytesIO("\n".join(games).encode()), board=DEFAULT_BOARD)
    return submit(database, lines, board=DEFAULT_BOARD, **options).job_id


def states(database: Database, job_id: int) -> dict[UnitState, int]:
    """The number of a job's units in each state that occurs."""
    units = ask(database, jobs.get_job, job_id).units
    return {state: number for state, number in units.items() if number}


def failed_unit(database: Database, job_id: int) -> Row[Any]:
    (unit,) = ask(database, failed_units, job_id)
    return unit


@contextmanager
def unit_worker(
    database: Database,
    solver: Solver | None = None,
    *,
    on_fatal: Callable[[Exception], object] = lambda _error: None,
    **options: float,
) -> Iterator[UnitWorker]:
    """A worker that no doorbell reaches and that may not start programs."""
    worker = UnitWorker(
        database,
        Doorbell("redis://127.0.0.1:9"),
        solver or Solver(table_mb=1),
        WorkerSettings(name="test"),
        on_fatal=on_fatal,
        **options,
    )
    worker.start()
    try:
        yield worker
    finally:
        worker.stop()
