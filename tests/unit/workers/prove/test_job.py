"""Jobs of kind ``prove``: the certificate does not depend on the workers or their order."""

from __future__ import annotations

import random
from functools import partial
from typing import TYPE_CHECKING

import pytest

from c4core.errors import ClaimError
from c4core.position import Position
from c4core.proof import Certificate, Prover, make, making
from c4core.solver import Solver
from c4core.version import ENGINE_VERSION
from db import evaluations, jobs
from db.database import Database
from db.records.evaluations import StoredEvaluation
from db.records.jobs import JobState, UnitState
from tests.support.certificates import independent_checker
from workers.core.follow import iterate_units, read_job
from workers.core.kinds import unit_objects
from workers.core.run import UnitEnd, run_unit
from workers.errors import CertificateIncompleteError
from workers.prove.job import find_job, plan_job, read_certificate
from workers.prove.task import ProofTask
from workers.runners.local import LocalRunner

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from db.records.jobs import Claim, UnitResult

START = Position(width=5, height=5)
TASK = ProofTask(START, table_mb=1)


@pytest.fixture
def database(sqlite_path: Path) -> Iterator[Database]:
    with Database.open(f"sqlite:///{sqlite_path}") as opened:
        yield opened


@pytest.fixture
def in_parts(monkeypatch: pytest.MonkeyPatch) -> bytes:
    """Split even small proofs into parts; return the certificate made without a job."""
    monkeypatch.setattr(making, "SMALL_NODES", 0)
    monkeypatch.setattr(making, "FRONTIER", 100)
    return make(START, prover=Prover(table_mb=1))


def work(database: Database, job_id: int, threads: int = 2) -> JobState:
    with LocalRunner(database, job_id, threads=threads, table_mb=1) as runner:
        return runner.wait().state


def found_units(database: Database, job_id: int) -> list[UnitResult]:
    return list(iterate_units(database, job_id))


@pytest.mark.parametrize("threads", [1, 3])
def test_threads_do_not_change_the_result(
    database: Database, in_parts: bytes, threads: int
) -> None:
    job_id = plan_job(database, TASK)
    assert work(database, job_id, threads) is JobState.DONE
    assert read_certificate(database, job_id) == in_parts
    assert len(found_units(database, job_id)) > 20
    Certificate(in_parts).check()
    assert "at least 0 and at most 0" in independent_checker().check(in_parts)


def test_the_order_of_units_does_not_matter(database: Database, in_parts: bytes) -> None:
    """Taking the last unit first, or releasing it, changes nothing."""
    job_id = plan_job(database, TASK)
    chance, solver = random.Random(1), Solver(table_mb=1)
    while claims := claim_all(database, job_id):
        chance.shuffle(claims)
        for claim in claims:
            if chance.random() < 0.3:
                assert database.run(partial(jobs.release, claim=claim))
            else:
                done = run_unit(database, solver, claim, lambda: False)
                assert done.end is UnitEnd.DONE
    database.run(partial(jobs.finish_if_complete, job_id=job_id))
    assert read_certificate(database, job_id) == in_parts


def claim_all(database: Database, job_id: int) -> list[Claim]:
    take: Callable[..., Claim | None] = partial(
        jobs.claim, owner="ada", lease_seconds=600, engine_version=ENGINE_VERSION, job_id=job_id
    )
    claims = []
    while claim := database.run(take):
        claims.append(claim)
    return claims


def test_a_stored_score_saves_a_search_and_changes_nothing(
    database: Database, in_parts: bytes
) -> None:
    row = StoredEvaluation(START.canonical_key, 5, 5, 0, 0, 0, 1000, ENGINE_VERSION)
    database.run(lambda session: evaluations.store(session, START.board, [row]))
    job_id = plan_job(database, TASK)
    work(database, job_id)
    assert read_certificate(database, job_id) == in_parts
    first = found_units(database, job_id)[0].result
    assert first is not None
    assert (first["score"], first["known"], first["nodes"]) == (0, 1, 0)


def test_the_same_claim_finds_its_job(database: Database) -> None:
    job_id = plan_job(database, TASK)
    assert find_job(database, TASK) == job_id
    for other in (
        ProofTask(START, table_mb=2),
        ProofTask(START, at_least=0, table_mb=1),
        ProofTask(START, rules=0, table_mb=1),
        ProofTask(Position("1", width=5, height=5), table_mb=1),
    ):
        assert find_job(database, other) is None
        assert ProofTask.from_params(other.as_params(), other.board) == other


def test_a_single_bound_takes_half_of_the_proof_of_both(database: Database) -> None:
    task = ProofTask(START, at_most=0, table_mb=1)
    job_id = plan_job(database, task)
    work(database, job_id)
    (half,) = Certificate(read_certificate(database, job_id)).info.halves
    assert half == Certificate(make(START, prover=Prover(table_mb=1))).info.halves[1]


def test_a_wrong_claim_is_reported_once(database: Database) -> None:
    job_id = plan_job(database, ProofTask(START, at_least=1, at_most=1, table_mb=1))
    assert work(database, job_id) is JobState.DONE
    with pytest.raises(ClaimError, match="the claim is wrong: the score is less than 1"):
        read_certificate(database, job_id)
    assert [unit.state for unit in found_units(database, job_id)] == [UnitState.DONE] * 2


def test_an_unfinished_job_has_no_certificate(database: Database) -> None:
    job_id = plan_job(database, TASK)
    with pytest.raises(CertificateIncompleteError, match="running: it has to be done first"):
        read_certificate(database, job_id)
    (unit,) = found_units(database, job_id)
    (shown,) = unit_objects(read_job(database, job_id), unit)
    assert shown["error"] == "not proven: queued"
    assert unit.state is UnitState.QUEUED
