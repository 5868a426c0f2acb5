"""Jobs of kind ``book``: create them, work on them, and read their scores.

A job scores certain positions of one ply. Its parameters identify the positions, not how they are
cut into units. So the same command finds and resumes the job that it created before.

A unit holds the positions below neighbouring ancestors a few plies up (:mod:`c4core.book.units`).
They lead to many common positions, so a solver that keeps its table finds half of its work done.
The payload has the sorted canonical keys of the positions. The result has their scores in the same
order::

    {"scores": "AAH/...",  for the side to move
     "nodes": 51200,
     "known": 12,          positions that were stored before
     "seconds": 0.25}      for the whole unit

A finished unit stores no evaluations, because the book keeps its scores. If a
unit is interrupted, the scores found so far are stored and not searched again.

Keys and scores are base64 text, because storage keeps JSON. A key takes about three characters, a
score less than two.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from c4core.book.units import cut_units, pack_keys, unpack_keys
from c4core.position import Position
from db.records.jobs import JobState, UnitPlan, UnitState
from workers.answers.find import solve_positions
from workers.answers.lines import answer_object, error_object
from workers.answers.question import Answer, Question
from workers.core.follow import iterate_units, read_job, why_not_done
from workers.core.kinds import JobKind, UnitOutcome
from workers.core.submit import expected_seconds, find_and_resume, submit_units
from workers.errors import BookIncompleteError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from c4core.lines import JsonValue
    from c4core.notation import BoardSize
    from c4core.solver import Solver
    from db.database import Database
    from db.records.jobs import Claim, JobInfo, Json, UnitResult

    Keys = NDArray[np.uint64]
    Scores = NDArray[np.int8]

KIND: Final = "book"

FORM: Final = 1
"""Format version of payloads and results. Jobs with another version are not found."""


@dataclass(frozen=True, slots=True)
class PlyTask:
    """The positions of one ply of a book."""

    board: BoardSize
    ply: int
    """Number of stones on the board."""

    def as_params(self) -> Json:
        """The job parameters, always in the same order."""
        return {"form": FORM, "ply": self.ply}

    @classmethod
    def from_params(cls, params: Json, board: BoardSize) -> PlyTask:
        """Read the task from a job's parameters."""
        return cls(board, params["ply"])


def encode_keys(keys: Keys) -> Json:
    """The payload for sorted, unique keys."""
    return {"keys": b64encode(pack_keys(keys)).decode("ascii")}


def decode_keys(payload: Json) -> Keys:
    """The keys of a payload."""
    return unpack_keys(b64decode(payload["keys"], validate=True))


def encode_scores(scores: Scores) -> str:
    """Scores as base64 text."""
    return b64encode(scores.tobytes()).decode("ascii")


def decode_scores(text: str) -> Scores:
    """Decode the output of :func:`encode_scores`."""
    return np.frombuffer(b64decode(text, validate=True), dtype=np.int8)


ANCESTOR_PLIES: Final = 4
"""Distance in plies to the common ancestors of a unit."""

UNIT_SECONDS: Final = 10.0
"""Target seconds of work in a unit: enough to profit from the transposition table, but not too much
to lose if a machine dies."""

LEAST_POSITIONS: Final = 500
"""Minimum number of positions in a unit, unless they take longer than UNIT_SECONDS."""

LEAST_UNITS: Final = 64
"""Approximate number of units in a small ply, so that all threads have work until the end."""

MAX_BY_LEAST: Final = 4
"""Maximum number of positions in a unit, as a multiple of the minimum."""


def find_job(database: Database, task: PlyTask) -> int | None:
    """Find the newest job for this task, and queue its cancelled and failed units again."""
    return find_and_resume(database, kind=KIND, board=task.board, params=task.as_params())


def plan_job(
    database: Database,
    task: PlyTask,
    levels: Sequence[Keys],
    *,
    label: str | None = None,
) -> int:
    """Create a job for a task and start it; return its number.

    If planning is interrupted, the job is cancelled. ``levels`` are the sorted canonical keys of
    neighbouring plies, the positions to score last. Positions that win at once are left out.
    """
    return submit_units(
        database,
        _plans(task, levels[-1 - ANCESTOR_PLIES :]),
        kind=KIND,
        board=task.board,
        params=task.as_params(),
        label=label,
    )


def _plans(task: PlyTask, levels: Sequence[Keys]) -> Iterator[UnitPlan]:
    seconds = expected_seconds(task.board, task.ply, columns=False)
    affordable = min(round(UNIT_SECONDS / seconds), len(levels[-1]) // LEAST_UNITS)
    least = min(max(1, affordable), LEAST_POSITIONS)
    for keys in cut_units(levels, task.board, least=least, most=MAX_BY_LEAST * least):
        yield UnitPlan(encode_keys(keys), len(keys))


def solve_unit(
    claim: Claim, solver: Solver, database: Database, is_stopped: Callable[[], bool]
) -> UnitOutcome:
    """Score the positions of a unit; stored positions are not searched again."""
    keys = decode_keys(claim.payload).tolist()
    positions = [Position.from_key(key, board=claim.board) for key in keys]
    question = Question(columns=False)
    findings = solve_positions(positions, question, solver, database, is_stopped, related=True)
    scores = [answer.score for answer in findings.answers]
    return UnitOutcome(
        evaluations=() if findings.is_complete else findings.learned,
        result={
            "scores": encode_scores(np.array(scores, dtype=np.int8)),
            "nodes": findings.nodes,
            "known": sum(answer.source == "db" for answer in findings.answers),
            "seconds": findings.seconds,
        }
        if findings.is_complete
        else {},
        nodes=findings.nodes,
        seconds=findings.seconds,
        is_complete=findings.is_complete,
    )


def unit_objects(job: JobInfo, unit: UnitResult) -> Iterator[dict[str, JsonValue]]:
    """The output of a finished unit: one object per position, in order; errors if it failed."""
    task = PlyTask.from_params(job.params, job.board)
    keys = decode_keys(unit.payload).tolist()
    if unit.state is not UnitState.DONE or not unit.result:
        for line, key in enumerate(keys, start=1):
            yield {"key": key} | error_object(
                line=line, error=f"not solved: {unit.error or unit.state}"
            )
        return
    scores = decode_scores(unit.result["scores"])
    for key, score in zip(keys, scores.tolist(), strict=True):
        answer = Answer(score, score)
        yield answer_object(answer, board=job.board, ply=task.ply, moves=None, key=key)


BOOK: Final = JobKind(KIND, "position", solve_unit, unit_objects)
"""Scores the positions of one ply."""


def read_scores(database: Database, job_id: int, keys: Keys) -> Scores:
    """The scores from the job that searched the keys.

    Raises:
        BookIncompleteError: the job is not done, or has other positions.
    """
    job = read_job(database, job_id)
    if job.state is not JobState.DONE:
        raise BookIncompleteError(why_not_done(job), job_id=job_id)
    found_keys = [np.empty(0, dtype=np.uint64)]
    found_scores = [np.empty(0, dtype=np.int8)]
    for unit in iterate_units(database, job_id):
        found_keys.append(decode_keys(unit.payload))
        if unit.state is UnitState.DONE and unit.result is not None:
            found_scores.append(decode_scores(unit.result["scores"]))
    all_keys, all_scores = np.concatenate(found_keys), np.concatenate(found_scores)
    order = np.argsort(all_keys)
    if len(all_scores) != len(all_keys) or not np.array_equal(all_keys[order], keys):
        raise BookIncompleteError(
            f"job {job_id} has {len(all_scores):,} scores for {len(all_keys):,} positions, but the "
            f"book needs {len(keys):,} other positions: build it with --fresh",
            job_id=job_id,
        )
    scores: Scores = all_scores[order]
    return scores
