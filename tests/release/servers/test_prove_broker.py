"""Real workers over a real broker make the same certificate bytes, although one is killed."""

import pytest

from c4core.position import Position
from c4core.proof import Prover, make
from db.records.jobs import UnitState
from tests.support.running.service import Service
from tests.support.running.waiting import await_that

START = Position(width=7, height=5)
PROOF = ("prove", "", "--board", "7x5", "--at-most", "0", "--table-mb", "8")
"""A trunk and about seventy parts."""


@pytest.mark.servers
def test_workers_prove_together_although_one_is_killed(one_service: Service) -> None:
    detached = one_service(*PROOF, "--detach", "-q")
    assert detached.code == 0, detached.err
    job_id = int(detached.out)
    with one_service.worker("--threads=1", name="ada"):
        with one_service.worker("--threads=1", name="bob") as victim:
            await_that(lambda: one_service.job(job_id).units[UnitState.DONE] > 2, victim)
            victim.process.kill()
        done = one_service(*PROOF, "--out", "x.c4proof")
    assert done.code == 0, done.err
    written = (one_service.directory / "x.c4proof").read_bytes()
    assert written == make(START, at_most=0, prover=Prover(table_mb=8))
    job = one_service.job(job_id)
    assert job.units[UnitState.DONE] == sum(job.units.values()) > 50
