"""Deep jobs whose process is really killed still find the score."""

from pathlib import Path

from c4core.batch import BOUND
from c4core.position import Position
from c4core.solver import Solver
from db import jobs
from db.database import Database
from db.records.jobs import UnitState
from tests.support.kills import check_proof
from tests.support.running.waiting import await_that
from tests.support.running.watching import end_leases, kill_at_work, units, working
from workers.deep.job import submit
from workers.deep.sharing import LEAST_NODES, Exchange
from workers.deep.task import DeepTask
from workers.runners.local import LocalRunner

TASK = DeepTask(Position(width=6, height=5), "", split_plies=3, unit_nodes=5_000)
"""Has 112 pieces."""
ENDLESS = DeepTask(Position(width=8, height=7), "", split_plies=0, unit_nodes=10**15)
"""Has one piece that cannot be solved during a test."""


def test_killing_a_process_loses_nothing(sqlite_path: Path) -> None:
    url = str(sqlite_path)
    with Database.open(url) as database:
        job_id = submit(database, TASK, threads=2)
    with working(url, job_id, lease=3600, searches=6) as process:
        await_that(lambda: units(url, job_id)[UnitState.DONE] >= 2, process)
        kill_at_work(url, process)
        end_leases(url, process)
    assert units(url, job_id)[UnitState.DONE] <= 6
    with (
        Database.open(url) as database,
        LocalRunner(database, job_id, threads=2, table_mb=1) as runner,
    ):
        runner.wait()
    check_proof(url, job_id, TASK.start)


def test_bounds_shared_by_a_killed_process_help_the_next(sqlite_path: Path) -> None:
    """The most expensive bounds of a killed search are in the database."""
    url, start = str(sqlite_path), ENDLESS.start
    with Database.open(url) as database:
        job_id = submit(database, ENDLESS)
        with working(url, job_id, lease=3600) as process:
            # On a busy machine the first exchange happens before there is much to share.
            await_that(lambda: shared_bounds(database, job_id) > 100, process)
            process.kill()
        assert units(url, job_id)[UnitState.DONE] == 0
        solver = Solver(table_mb=16)
        Exchange(database, job_id, start.board).take_turn(solver)
    shared = solver.table_bounds(width=start.width, height=start.height, least_nodes=LEAST_NODES)
    assert len(shared) > 10
    judge = Solver(table_mb=16)
    for bound in shared[:: len(shared) // 10]:
        position = Position.from_key(int(bound["key"]), width=start.width, height=start.height)
        beta = int(bound["score"]) + (1 if bound["is_upper"] else 0)
        assert (judge.test(position, beta).lower >= beta) is not bool(bound["is_upper"])


def shared_bounds(database: Database, job_id: int) -> int:
    """The number of bounds that the processes have sent."""
    with database.read() as session:
        parcels = jobs.new_parcels(session, job_id, {})
    return sum(len(parcel.bounds) for parcel in parcels) // BOUND.itemsize
