"""Jobs of kind ``prove``: the certificate does not depend on the workers or their order.

Payloads and results are read as written; all others are refused.
"""

import random
from base64 import b64encode
from functools import partial
from typing import Any

import numpy as np
import pytest

from c4core.book.units import pack_keys
from c4core.errors import C4Error, ClaimError
from c4core.position import Position
from c4core.proof import Certificate, Prover, make, making
from c4core.proof.format import EVERY_RULE
from c4core.proof.making import Bound, find_part, find_trunk
from c4core.solver import Solver
from c4core.version import ENGINE_VERSION
from db import evaluations
from db.database import Database
from db.jobs import control, queue
from db.records.evaluations import StoredEvaluation
from db.records.jobs import JobState, UnitState
from tests.support.boards.matches import run_job
from tests.support.certificates import independent_checker
from tests.support.jobs import state_of, take
from tests.support.running.databases import do
from workers.core.follow import iterate_units, read_job
from workers.core.kinds import unit_objects
from workers.core.run import UnitEnd, run_unit
from workers.errors import CertificateIncompleteError
from workers.prove.job import find_job, plan_job, read_certificate
from workers.prove.task import SCORE, Piece, ProofTask, read_payload

START = Position(board="5x5")
TASK = ProofTask(START, table_mb=1)


@pytest.fixture
def in_parts(monkeypatch: pytest.MonkeyPatch) -> bytes:
    """Split even small proofs into parts; return the certificate made without a job."""
    monkeypatch.setattr(making, "SMALL_NODES", 0)
    monkeypatch.setattr(making, "FRONTIER", 100)
    return make(START, prover=Prover(table_mb=1))


@pytest.mark.parametrize("threads", [1, 3])
def test_threads_do_not_change_the_result(sqlite: Database, in_parts: bytes, threads: int) -> None:
    job_id = plan_job(sqlite, TASK)
    assert len(run_job(sqlite, job_id, threads=threads)) > 20
    assert state_of(sqlite, job_id) is JobState.DONE
    assert read_certificate(sqlite, job_id) == in_parts
    Certificate(in_parts).check()
    assert "at least 0 and at most 0" in independent_checker().check(in_parts)


def test_the_order_of_units_does_not_matter(sqlite: Database, in_parts: bytes) -> None:
    """Taking the last unit first, or releasing it, changes nothing."""
    job_id = plan_job(sqlite, TASK)
    chance, solver = random.Random(1), Solver(table_mb=1)
    while claims := list(iter(partial(take, sqlite, lease_seconds=600), None)):
        chance.shuffle(claims)
        for claim in claims:
            if chance.random() < 0.3:
                assert do(sqlite, queue.release, claim)
            else:
                done = run_unit(sqlite, solver, claim, lambda: False)
                assert done.end is UnitEnd.DONE
    do(sqlite, control.finish_if_complete, job_id)
    assert read_certificate(sqlite, job_id) == in_parts


def test_a_stored_score_saves_a_search_and_changes_nothing(
    sqlite: Database, in_parts: bytes
) -> None:
    row = StoredEvaluation(START.canonical_key, 5, 5, 0, 0, 0, 1000, ENGINE_VERSION)
    do(sqlite, evaluations.store, START.board, [row])
    job_id = plan_job(sqlite, TASK)
    run_job(sqlite, job_id)
    assert read_certificate(sqlite, job_id) == in_parts
    first = next(iterate_units(sqlite, job_id)).result
    assert first is not None
    assert (first["score"], first["known"], first["nodes"]) == (0, 1, 0)


def test_the_same_claim_finds_its_job(sqlite: Database) -> None:
    """A job that is not done has no certificate."""
    job_id = plan_job(sqlite, TASK)
    assert find_job(sqlite, TASK) == job_id
    for other in (
        ProofTask(START, table_mb=2),
        ProofTask(START, at_least=0, table_mb=1),
        ProofTask(START, rules=0, table_mb=1),
        ProofTask(Position("1", board="5x5"), table_mb=1),
    ):
        assert find_job(sqlite, other) is None
        assert ProofTask.from_params(other.as_params(), other.board) == other
    with pytest.raises(CertificateIncompleteError, match="running: it has to be done first"):
        read_certificate(sqlite, job_id)
    (unit,) = iterate_units(sqlite, job_id)
    (shown,) = unit_objects(read_job(sqlite, job_id), unit)
    assert shown["error"] == "not proven: queued"


def test_a_single_bound_takes_half_of_the_proof_of_both(sqlite: Database) -> None:
    job_id = plan_job(sqlite, ProofTask(START, at_most=0, table_mb=1))
    run_job(sqlite, job_id)
    (half,) = Certificate(read_certificate(sqlite, job_id)).info.halves
    assert half == Certificate(make(START, prover=Prover(table_mb=1))).info.halves[1]


def test_a_wrong_claim_is_reported_once(sqlite: Database) -> None:
    job_id = plan_job(sqlite, ProofTask(START, at_least=1, at_most=1, table_mb=1))
    run_job(sqlite, job_id)
    assert state_of(sqlite, job_id) is JobState.DONE
    with pytest.raises(ClaimError, match="the claim is wrong: the score is less than 1"):
        read_certificate(sqlite, job_id)
    assert [unit.state for unit in iterate_units(sqlite, job_id)] == [UnitState.DONE] * 2


NARROW = Position(board="5x4")
NARROW_TASK = ProofTask(NARROW, table_mb=1)
BOUND = Bound(NARROW, False, 0, EVERY_RULE)
TRUNK = Piece(BOUND)


def part() -> Piece:
    """A part that starts after the first moves of the proof."""
    keys, ply = find_trunk(BOUND, Prover(table_mb=1))[4][0], 4
    return Piece(BOUND, keys, ply)


def packed(*keys: int) -> str:
    return b64encode(pack_keys(np.array(keys, dtype=np.uint64))).decode("ascii")


def test_payloads_and_results_round_trip() -> None:
    assert read_payload(NARROW_TASK, SCORE) is None
    assert read_payload(NARROW_TASK, TRUNK.as_payload()) == TRUNK
    written = part()
    read = read_payload(NARROW_TASK, written.as_payload())
    assert read is not None
    assert read.as_payload() == written.as_payload()
    prover = Prover(table_mb=1)
    assert written.keys is not None
    for piece, plies in (
        (TRUNK, find_trunk(BOUND, prover)),
        (written, find_part(BOUND, prover, written.keys, written.ply)),
    ):
        np.testing.assert_equal(piece.read_result(piece.as_result(plies)), plies)


@pytest.mark.parametrize(
    "payload",
    [
        {"stage": "part", "upper": False, "bound": 0, "ply": 4, "keys": "?"},
        {"stage": "part", "upper": False, "bound": 0, "ply": 20, "keys": packed(NARROW.key)},
        {"stage": "part", "upper": False, "bound": 0, "ply": 4, "keys": packed(NARROW.key)},
        {"stage": "part", "upper": False, "bound": 0, "ply": 0, "keys": packed((1 << 64) - 1)},
    ],
)
def test_keys_of_other_positions_are_refused(payload: dict[str, Any]) -> None:
    """The engine trusts the keys that it searches."""
    with pytest.raises((C4Error, ValueError)):
        read_payload(NARROW_TASK, payload)


def test_bad_results_are_refused() -> None:
    """More positions than the counts say, or a part that ends too early, are refused."""
    written = part()
    assert written.keys is not None
    plies = find_part(BOUND, Prover(table_mb=1), written.keys, written.ply)
    good = written.as_result(plies)
    counts = good["counts"]
    for damage in (
        {"code": ""},
        {"code": "AAAA" + good["code"]},
        {"counts": counts[:-1]},
        {"counts": [*counts, 1]},
        {"counts": [counts[0] + 1, *counts[1:]]},
    ):
        with pytest.raises((C4Error, ValueError)):
            written.read_result(good | damage)
    with pytest.raises(ClaimError, match="less than 0"):
        TRUNK.read_result({"holds": False})
