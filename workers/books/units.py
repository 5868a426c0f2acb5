"""Units of jobs of kind ``book``: the scores of positions of one ply.

The payload has the positions' keys, canonical and sorted; the result has their scores in the same
order (:mod:`workers.books.payload`)::

    {"scores": "AAH/..",   for the side to move: one a position, or with columns one for each
                           column, -128 where it cannot be played
     "nodes": 51200,
     "known": 12,          positions that were stored before
     "seconds": 0.25}      for the whole unit

A unit of a complete book stores no evaluations when it is done: the book keeps its scores. If it is
interrupted, the scores found so far are stored, and not searched again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from c4core.batch import UNPLAYABLE
from c4core.position import Position
from db.records.jobs import UnitState
from workers.books.payload import decode_keys, decode_scores, encode_scores
from workers.books.task import PlyTask
from workers.core.kinds import UnitOutcome
from workers.positions.evaluate import find_answers, look_up, search_with
from workers.positions.question import Question
from workers.positions.results import Answer, answer_object, error_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from c4core.lines import JsonValue
    from db.database import Database
    from db.records.jobs import Claim, JobInfo, UnitResult
    from workers.books.payload import Scores
    from workers.core.searching import Searcher


def solve_unit(
    claim: Claim, solver: Searcher, database: Database, is_stopped: Callable[[], bool]
) -> UnitOutcome:
    """Score the positions of a unit; stored ones are not searched again.

    Args:
        claim: a unit of a job of this kind.
        solver: may be shared with others; its table is kept from position to position.
        database: where known evaluations are looked up; nothing is written.
        is_stopped: whether to give up; asked after each interruption of the search.

    Raises:
        StorageError: the database cannot be read.
    """
    task = PlyTask.from_params(claim.params, claim.board)
    width, height = claim.board
    positions = [
        Position.from_key(key, width=width, height=height)
        for key in decode_keys(claim.payload).tolist()
    ]
    question = Question(columns=task.columns)
    known = look_up(database, positions)
    findings = find_answers(
        positions, question, search_with(solver, is_stopped, related=True), known
    )
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
        [UNPLAYABLE if score is None else score for score in answer.scores or ()]
        for answer in answers
    ]
    return np.array(rows, dtype=np.int8)


def unit_objects(job: JobInfo, unit: UnitResult) -> Iterator[dict[str, JsonValue]]:
    """The output of a unit that has come to an end: one object a position, in order.

    Args:
        job: the job, of this kind.
        unit: one of its units; the positions of one that is not done all have errors.
    """
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
        shown = tuple(None if score == UNPLAYABLE else score for score in row)
        answer = Answer(max(row), max(row), shown if task.columns else None)
        yield answer_object(answer, board=job.board, ply=task.ply, moves=None, key=key)
