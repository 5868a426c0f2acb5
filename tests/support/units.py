"""Jobs of positions whose units are worked on within the test."""

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Row

from c4core.lines import read_lines
from c4core.notation import DEFAULT_BOARD
from c4core.solver import Solver
from db.database import Database
from db.jobs import watching
from db.records.jobs import UnitState
from tests.support.jobs import failed_units
from tests.support.running.databases import ask
from workers.analyze.job import submit
from workers.core.worker import Worker, WorkerSettings


def job_of_games(database: Database, games: Sequence[str], **options: Any) -> int:  # noqa: ANN401
    """A job that analyzes games on the default board; ``options`` go to ``submit``."""
    lines = read_lines(io.BytesIO("\n".join(games).encode()), board=DEFAULT_BOARD)
    return submit(database, lines, board=DEFAULT_BOARD, **options).job_id


def states(database: Database, job_id: int) -> dict[UnitState, int]:
    """The number of a job's units in each state that occurs."""
    units = ask(database, watching.get_job, job_id).units
    return {state: number for state, number in units.items() if number}


def failed_unit(database: Database, job_id: int) -> Row[Any]:
    (unit,) = ask(database, failed_units, job_id)
    return unit


@contextmanager
def working(
    database: Database,
    solver: Solver | None = None,
    *,
    threads: int = 1,
    **options: Any,  # noqa: ANN401
) -> Iterator[Worker]:
    """A worker that may not start programs; it looks for work after its ``start()``."""
    settings = WorkerSettings("test", threads=threads)
    worker = Worker(database, solver or Solver(table_mb=1), settings, **options)
    try:
        yield worker
    finally:
        worker.stop()
