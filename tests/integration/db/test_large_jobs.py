"""A job with many finished units: frequent queries of workers and watchers stay cheap."""

from typing import TYPE_CHECKING

import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session

from db.database import Database
from db.jobs import control, queue, watching
from tests.support.jobs import ELIGIBLE
from tests.support.running.databases import make_job, query_plans, units_read

if TYPE_CHECKING:
    from collections.abc import Callable

DONE = 20_000
LEFT = 100
FEW = 2_000
"""Limit for the units read: more than the remaining ones, and far fewer than all."""
PAYLOAD = '{"line":1,"entries":[' + ",".join(['"44535362"'] * 30) + "]}"

NUMBERS = {
    "sqlite": "WITH RECURSIVE numbers(n) AS "
    "(SELECT 3 UNION ALL SELECT n + 1 FROM numbers WHERE n < :last) SELECT n FROM numbers",
    "postgresql": "SELECT generate_series(3, :last) AS n",
}
FILL = (
    "INSERT INTO units (job_id, seq, state, payload, positions, fence, attempts,"
    " result, nodes, seconds, finished_at) "
    "SELECT :job, n, CASE WHEN n < :done THEN 'done' ELSE 'queued' END, :payload, 30,"
    " 1, 1, :payload, 1000, 0.5, CASE WHEN n < :done THEN 1e9 + n END FROM "
)


@pytest.fixture
def large(database: Database) -> Database:
    """A job with many finished and a few queued units, with statistics as after some time."""
    job_id = make_job(database, 3)
    with database.write() as session:
        values = {"job": job_id, "done": DONE, "last": DONE + LEFT - 1, "payload": PAYLOAD}
        numbers = NUMBERS[database.dialect]
        session.execute(text(f"{FILL} ({numbers}) AS numbers"), values)
        if database.dialect == "postgresql":
            session.execute(text("ANALYZE units"))
    return database


def test_nothing_reads_all_units(large: Database) -> None:
    with large.read() as session:
        job_id: int = session.scalar(text("SELECT id FROM jobs"))
    claimer = {"owner": "ada", "lease_seconds": -1.0}
    often: dict[str, Callable[[Session], object]] = {
        "claim": lambda session: queue.claim(session, ELIGIBLE, **claimer),
        "requeue_expired": queue.requeue_expired,
        "survey": lambda session: queue.survey(session, [ELIGIBLE]),
        "finish_if_complete": lambda session: control.finish_if_complete(session, job_id),
        "totals": watching.totals,
    }
    for name, ask in often.items():
        # The index of leases is read as a whole, because it has only the leased units.
        plans = query_plans(large, ask).replace("SCAN units USING INDEX ix_units_leased", "")
        for scan in ("Seq Scan on units", "SCAN units", "uq_units", "autoindex_units"):
            assert scan not in plans, f"{name}: {plans}"
        assert units_read(large, ask) < FEW, name
    # A watcher counts each of them once.
    assert units_read(large, lambda session: watching.get_job(session, job_id)) < 2 * (DONE + LEFT)

    def complete_one(session: Session) -> None:
        taken = queue.claim(session, ELIGIBLE, **claimer)
        assert taken is not None
        assert queue.complete(session, taken, evaluations=[], result={}, nodes=1, seconds=0.1)

    assert units_read(large, complete_one) < FEW
