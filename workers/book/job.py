"""Jobs of kind ``book``: create them, work on them, and read their scores.

A unit holds the positions below neighbouring ancestors a few plies up (:mod:`c4core.book.units`).
They lead to many common positions, so a solver that keeps its table finds half of its work done.
The payload has the sorted canonical keys of the positions. The result has their scores in the same
order::

    {"scores": "AAH/...",  for the side to move: one for each position, or with columns one for
                           each column, -128 if it cannot be played
     "nodes": 51200,
     "known": 12,          positions that were stored before
     "seconds": 0.25}      for the whole unit

A finished unit of a complete book stores no evaluations, because the book keeps its scores. If a
unit is interrupted, the scores found so far are stored and not searched again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from c4core.book.units import cut_units, owners_of
from c4core.evaluation import NO_SCORE
from c4core.position import Position
from db.decoding import decoding
from db.records.jobs import JobState, UnitPlan, UnitState
from workers.answers.find import solve_positions
from workers.answers.lines import answer_object, error_object
from workers.answers.question import Answer, Question
from workers.book.task import KIND, PlyTask, decode_keys, decode_scores, encode_keys, encode_scores
from workers.core.follow import iterate_units, read_job, why_not_done
from workers.core.kinds import JobKind, UnitOutcome
from workers.core.submit import cost_model, find_and_resume, submit_units
from workers.errors import BookIncompleteError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from c4core.lines import JsonValue
    from db.database import Database
    from db.records.jobs import Claim, JobInfo, UnitResult
    from workers.book.task import Keys, Scores
    from workers.core.searching import Searcher


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

EASE: Final = 0.6
"""The time of a position in a book's unit, as a share of the guess for a single position of its
ply. Measured on 7x6: 0.8 at ply 8, 0.4 at ply 10, 0.6 at ply 12."""


def find_job(database: Database, task: PlyTask) -> int | None:
    """Find the newest job for this task, and queue its cancelled and failed units again."""
    return find_and_resume(database, kind=KIND, board=task.board, params=task.as_params())


def plan_job(
    database: Database,
    task: PlyTask,
    levels: Sequence[Keys],
    *,
    label: str | None = None,
    only_one: bool = False,
) -> int:
    """Create a job for a task and start it; return its number.

    If planning is interrupted, the job is cancelled. ``levels`` are the sorted canonical keys of
    neighbouring plies, the positions to score last. Without columns, positions that win at once are
    left out.

    Raises:
        AlreadyAskedError: with ``only_one``, if :func:`find_job` finds a job.
    """
    return submit_units(
        database,
        _plans(database, task, levels[-1 - ANCESTOR_PLIES :]),
        kind=KIND,
        board=task.board,
        params=task.as_params(),
        label=label,
        only_one=only_one,
    )


def _plans(database: Database, task: PlyTask, levels: Sequence[Keys]) -> Iterator[UnitPlan]:
    costs = cost_model(database, task.board, columns=task.columns, ease=EASE)
    seconds = costs.seconds(task.ply)
    affordable = min(round(UNIT_SECONDS / seconds), len(levels[-1]) // LEAST_UNITS)
    least = min(max(1, affordable), LEAST_POSITIONS)
    for keys in _units(task, levels, least=least, most=MAX_BY_LEAST * least):
        yield UnitPlan(encode_keys(keys), len(keys), expected_seconds=seconds * len(keys))


def _units(task: PlyTask, levels: Sequence[Keys], *, least: int, most: int) -> Iterable[Keys]:
    width, height = task.board
    if not task.columns:
        return cut_units(levels, least=least, most=most, width=width, height=height)
    order = np.argsort(owners_of(levels, width=width, height=height), kind="stable")
    keys = levels[-1][order]
    pieces = max(1, round(len(keys) / least))
    return (np.sort(piece) for piece in np.array_split(keys, pieces)) if len(keys) else ()


def solve_unit(
    claim: Claim, solver: Searcher, database: Database, is_stopped: Callable[[], bool]
) -> UnitOutcome:
    """Score the positions of a unit; stored positions are not searched again."""
    task = PlyTask.from_params(claim.params, claim.board)
    width, height = claim.board
    positions = [
        Position.from_key(key, width=width, height=height)
        for key in decode_keys(claim.payload).tolist()
    ]
    question = Question(columns=task.columns)
    findings = solve_positions(positions, question, solver, database, is_stopped, related=True)
    keeps = task.is_sparse or not findings.is_complete
    return UnitOutcome(
        evaluations=findings.learned if keeps else (),
        result={
            "scores": encode_scores(_scores(findings.answers, columns=task.columns)),
            "nodes": findings.nodes,
            "known": sum(answer.source == "db" for answer in findings.answers),
            "seconds": findings.seconds,
        }
        if findings.is_complete
        else {},
        nodes=findings.nodes,
        seconds=findings.seconds,
        costs=findings.costs,
        with_columns=task.columns,
        is_complete=findings.is_complete,
    )


def _scores(answers: list[Answer], *, columns: bool) -> Scores:
    if not columns:
        return np.array([answer.score for answer in answers], dtype=np.int8)
    rows = [
        [NO_SCORE if score is None else score for score in answer.scores or ()]
        for answer in answers
    ]
    return np.array(rows, dtype=np.int8)


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
    scores = decode_scores(unit.result["scores"], columns=job.board.width if task.columns else 1)
    for key, row in zip(keys, scores.tolist(), strict=True):
        shown = tuple(None if score == NO_SCORE else score for score in row)
        answer = Answer(max(row), max(row), shown if task.columns else None)
        yield answer_object(answer, board=job.board, ply=task.ply, moves=None, key=key)


BOOK: Final = JobKind(KIND, "position", solve_unit, unit_objects)
"""Scores the positions of one ply."""


def read_scores(database: Database, job_id: int, task: PlyTask, keys: Keys) -> Scores:
    """The scores from the job that searched the keys: one per key, or with columns a row per key.

    Raises:
        BookIncompleteError: the job is not done, or has other positions.
    """
    job = read_job(database, job_id)
    if job.state is not JobState.DONE:
        raise BookIncompleteError(why_not_done(job), job_id=job_id)
    columns = task.board.width if task.columns else 1
    found_keys = [np.empty(0, dtype=np.uint64)]
    found_scores = [np.empty((0, columns), dtype=np.int8)]
    for unit in iterate_units(database, job_id):
        found_keys.append(decode_keys(unit.payload))
        if unit.state is UnitState.DONE and unit.result is not None:
            with decoding(f"the result of a unit of job {job_id}"):
                found_scores.append(decode_scores(unit.result["scores"], columns=columns))
    all_keys, all_scores = np.concatenate(found_keys), np.concatenate(found_scores)
    order = np.argsort(all_keys)
    if len(all_scores) != len(all_keys) or not np.array_equal(all_keys[order], keys):
        raise BookIncompleteError(
            f"job {job_id} has {len(all_scores):,} scores for {len(all_keys):,} positions, but the "
            f"book needs {len(keys):,} other positions: build it with --fresh",
            job_id=job_id,
        )
    scores: Scores = all_scores[order]
    return scores if task.columns else scores[:, 0]
