"""Units of jobs of kind ``prove``: the exact score, a trunk, or a part of a proof.

What a trunk or a part finds depends on its payload alone: it is searched by one thread, with a
table of its own that is empty at first. What is stored, or in the book that comes with the program,
saves the search for the score. It is the same wherever it comes from.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from c4core.proof.errors import ClaimError, ProvingStoppedError
from c4core.proof.making import find_part, find_trunk
from c4core.proof.prover import Prover
from db.records.jobs import UnitState
from workers.certificates.stages import SCORE, read_payload
from workers.certificates.task import ProofTask
from workers.core.kinds import UnitOutcome
from workers.core.searching import interrupting, turn_of
from workers.positions.book_answers import book_of_job
from workers.positions.evaluate import find_answers, look_up, search_with
from workers.positions.question import Question
from workers.positions.results import error_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from c4core.lines import JsonValue
    from db.database import Database
    from db.records.jobs import Claim, JobInfo, UnitResult
    from workers.certificates.stages import Piece
    from workers.core.searching import Searcher


def solve_unit(
    claim: Claim, solver: Searcher, database: Database, is_stopped: Callable[[], bool]
) -> UnitOutcome:
    """Find a score, or a part of a proof.

    Args:
        claim: a unit of a job of this kind.
        solver: finds the score; proofs wait for its turn, and use a table of their own.
        database: where the score is looked up; nothing is written.
        is_stopped: whether to give up.

    Raises:
        StorageError: the database cannot be read, or the unit cannot.
    """
    task = ProofTask.from_params(claim.params, claim.board)
    piece = read_payload(task, claim.payload)
    if piece is None:
        return _find_score(task, solver, database, is_stopped)
    with turn_of(solver):
        return _prove(task, piece, is_stopped)


def _find_score(
    task: ProofTask, solver: Searcher, database: Database, is_stopped: Callable[[], bool]
) -> UnitOutcome:
    findings = find_answers(
        [task.start],
        Question(columns=False),
        search_with(solver, is_stopped),
        look_up(database, [task.start]),
        book=book_of_job({}, task.board),
    )
    (answer,) = findings.answers
    return UnitOutcome(
        evaluations=findings.learned,
        result={"score": answer.score, "known": int(answer.source in {"db", "book"})}
        | _effort(findings.nodes, findings.seconds),
        nodes=findings.nodes,
        seconds=findings.seconds,
        costs=findings.costs,
        with_columns=False,
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
        costs={},
        with_columns=False,
        is_complete=is_complete,
    )


def _effort(nodes: int, seconds: float) -> dict[str, Any]:
    return {"nodes": nodes, "seconds": seconds}


def unit_objects(job: JobInfo, unit: UnitResult) -> Iterator[dict[str, JsonValue]]:
    """The output of a unit that has ended: one object, without the proof itself.

    Args:
        job: the job, of this kind.
        unit: one of its units; one that is not done has an error.
    """
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
