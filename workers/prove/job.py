"""Jobs of kind ``prove``: create, work on and resume them, and read their certificates.

The proof of a trunk or a part depends only on its payload: one thread searches it, with its own
table that is empty at first. A stored score, or a score from the included book, saves the search
for the score, and is the same as a searched one.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

from c4core.errors import ClaimError, ProvingStoppedError
from c4core.proof.format import pack
from c4core.proof.making import find_part, find_trunk, frontier, write_half
from c4core.proof.prover import Prover
from db.jobs import control, watching
from db.records.jobs import JobState, UnitPlan, UnitState
from workers.answers.find import solve_positions
from workers.answers.lines import error_object
from workers.answers.question import Question, usable_book
from workers.core.follow import iterate_units, read_job, why_not_done
from workers.core.kinds import JobKind, UnitOutcome
from workers.core.searching import interrupting
from workers.core.submit import find_and_resume, submit_units
from workers.errors import CertificateIncompleteError
from workers.prove.task import KIND, SCORE, Piece, ProofTask, read_payload

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from c4core.lines import JsonValue
    from c4core.proof.certificate import Ply
    from c4core.proof.format import HalfInfo
    from c4core.proof.making import Bound
    from c4core.solver import Solver
    from db.database import Database, Session
    from db.records.jobs import Claim, JobInfo, Json, UnitResult


def job_for(
    database: Database, task: ProofTask, *, label: str | None = None, fresh: bool = False
) -> int:
    """Find and resume the job for a task, or create it; return its number."""
    found = None if fresh else find_job(database, task)
    return found or plan_job(database, task, label=label)


def find_job(database: Database, task: ProofTask) -> int | None:
    """Find the newest job for this task, and queue its cancelled and failed units again."""
    return find_and_resume(database, kind=KIND, board=task.board, params=task.as_params())


def plan_job(database: Database, task: ProofTask, *, label: str | None = None) -> int:
    """Create a job for a task and start it; return its number."""
    first = [UnitPlan(SCORE, 1)] if task.is_exact else _trunks(task.bounds())
    return submit_units(
        database,
        first,
        kind=KIND,
        board=task.board,
        params=task.as_params(),
        label=label,
    )


def go_on(session: Session, claim: Claim, _database: Database) -> None:
    """Plan the units that follow from a completed unit: trunks from the score, parts from a trunk.

    The session is in the transaction that has locked the job and completed the unit.
    """
    if claim.payload.get("stage") == "part":
        return
    task = ProofTask.from_params(claim.params, claim.board)
    (unit,) = watching.unit_results(session, claim.job_id, after_seq=claim.seq - 1, limit=1)
    plans = list(_following(task, unit.payload, unit.result or {}))
    if plans:
        control.add_units(session, claim.job_id, plans)


def _following(task: ProofTask, payload: Json, result: Json) -> Iterable[UnitPlan]:
    piece = read_payload(task, payload)
    if piece is None:
        return _trunks(task.bounds(result["score"]))
    try:
        firsts, ply = frontier(piece.bound, piece.read_result(result))
    except ClaimError:
        return ()
    return (UnitPlan(Piece(piece.bound, keys, ply).as_payload(), 1) for keys in firsts)


def _trunks(bounds: Iterable[Bound]) -> Iterator[UnitPlan]:
    return (UnitPlan(Piece(bound).as_payload(), 1) for bound in bounds)


def solve_unit(
    claim: Claim, solver: Solver, database: Database, is_stopped: Callable[[], bool]
) -> UnitOutcome:
    """Find a score with the solver, or prove a trunk or a part.

    Proofs use a table of their own. Nothing is written.
    """
    task = ProofTask.from_params(claim.params, claim.board)
    piece = read_payload(task, claim.payload)
    if piece is None:
        return _find_score(task, solver, database, is_stopped)
    return _prove(task, piece, is_stopped)


def _find_score(
    task: ProofTask, solver: Solver, database: Database, is_stopped: Callable[[], bool]
) -> UnitOutcome:
    question, book = Question(columns=False), usable_book(task.board)
    findings = solve_positions([task.start], question, solver, database, is_stopped, book=book)
    (answer,) = findings.answers
    return UnitOutcome(
        evaluations=findings.learned,
        result={"score": answer.score, "known": int(answer.source in {"db", "book"})}
        | _effort(findings.nodes, findings.seconds),
        nodes=findings.nodes,
        seconds=findings.seconds,
        is_complete=findings.is_complete,
    )


def _prove(task: ProofTask, piece: Piece, is_stopped: Callable[[], bool]) -> UnitOutcome:
    began = time.perf_counter()
    prover = Prover(table_mb=task.table_mb)
    result: dict[str, Any] = {}
    is_complete = True
    with interrupting(is_stopped, prover.stop):
        try:
            plies = (
                find_trunk(piece.bound, prover)
                if piece.keys is None
                else find_part(piece.bound, prover, piece.keys, piece.ply)
            )
            result = piece.as_result(plies)
        except ProvingStoppedError:
            is_complete = False
        except ClaimError:
            if piece.keys is not None:
                raise
            result = {"holds": False}
    seconds = time.perf_counter() - began
    return UnitOutcome(
        evaluations=(),
        result=result | _effort(prover.searched, seconds),
        nodes=prover.searched,
        seconds=seconds,
        is_complete=is_complete,
    )


def _effort(nodes: int, seconds: float) -> dict[str, Any]:
    return {"nodes": nodes, "seconds": seconds}


def unit_objects(job: JobInfo, unit: UnitResult) -> Iterator[dict[str, JsonValue]]:
    """The output of a finished unit: one object, without the proof itself."""
    piece = read_payload(ProofTask.from_params(job.params, job.board), unit.payload)
    shown: dict[str, JsonValue] = {"board": str(job.board), **SCORE}
    if piece is not None:
        shown |= {
            "stage": "trunk" if piece.keys is None else "part",
            "bound": "upper" if piece.bound.upper else "lower",
            "score": piece.bound.score,
            "ply": piece.first,
        }
    if unit.state is not UnitState.DONE or not unit.result:
        error = f"not proven: {unit.error or unit.state}"
        yield shown | error_object(line=unit.seq + 1, error=error)
        return
    result = dict(unit.result)
    result.pop("code", None)
    yield shown | result


PROVE: Final = JobKind(KIND, "part", solve_unit, unit_objects, go_on)
"""Proves a position's score, part by part."""


def read_certificate(database: Database, job_id: int) -> bytes:
    """The certificate of a job, as the bytes of its file.

    The bytes are the same as from :func:`c4core.proof.make`. They do not depend on who worked on
    the job, in what order, or what was interrupted.

    Raises:
        CertificateIncompleteError: the job is not done, or is of another kind.
        ClaimError: the claim is wrong.
    """
    job = read_job(database, job_id)
    if job.kind != KIND:
        raise CertificateIncompleteError(
            f"job {job_id} is of kind {job.kind}: only jobs of kind {KIND} have a certificate",
            job_id=job_id,
        )
    if job.state is not JobState.DONE:
        raise CertificateIncompleteError(why_not_done(job), job_id=job_id)
    task = ProofTask.from_params(job.params, job.board)
    found = _Found(task)
    for unit in iterate_units(database, job_id):
        found.add(unit.payload, unit.result or {})
    if found.wrong is not None:
        raise found.wrong
    halves = [found.half(bound) for bound in task.bounds(found.score)]
    return pack(task.start, task.rules, halves, engine_version=job.engine_version)


class _Found:
    """The results of a job's units: the exact score if requested, and any wrong bound."""

    def __init__(self, task: ProofTask) -> None:
        self._task = task
        self._pieces: dict[tuple[bool, int | None], tuple[Piece, list[Ply]]] = {}
        self.score: int | None = None
        self.wrong: ClaimError | None = None

    def add(self, payload: Json, result: Json) -> None:
        """Read the result of one unit."""
        piece = read_payload(self._task, payload)
        if piece is None:
            self.score = result["score"]
            return
        first = None if piece.keys is None else int(piece.keys[0])
        try:
            self._pieces[piece.bound.upper, first] = piece, piece.read_result(result)
        except ClaimError as error:
            self.wrong = self.wrong or error

    def half(self, bound: Bound) -> tuple[HalfInfo, bytes]:
        """A half of the certificate; LookupError if a part is missing or different."""
        trunk = self._plies(Piece(bound))
        firsts, ply = frontier(bound, trunk)
        return write_half(bound, trunk, [self._plies(Piece(bound, keys, ply)) for keys in firsts])

    def _plies(self, wanted: Piece) -> list[Ply]:
        first = None if wanted.keys is None else int(wanted.keys[0])
        piece, plies = self._pieces[wanted.bound.upper, first]
        if piece.as_payload() != wanted.as_payload():
            raise LookupError(f"the part at ply {wanted.first} differs from the planned one")
        return plies
