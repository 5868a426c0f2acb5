"""Units of jobs of kind ``analyze``: the positions of some lines of input.

The result of a unit holds what its payload (:mod:`workers.positions.payload`) does not say,
position by position, bad lines left out::

    {"score": [1, 0],                     for the side to move
     "open": [[0, -3, 2]],                index, lower and upper bound where the score is not
                                          proven, and null; only with a weak or limited question
     "columns": [[-2, 1, ..], ..],        likewise, null where a column is full; only if asked
     "nodes": [512, 0],
     "known": [1],                        indices of positions that were stored before
     "book": [0],                         indices of those that are in the job's book
     "seconds": 0.25}                     for the whole unit
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from c4core.lines import BadLine, Request
from db.decoding import decoding
from db.records.jobs import UnitState
from workers.core.kinds import UnitOutcome
from workers.positions import payload
from workers.positions.batches import bad_line_object, request_object
from workers.positions.book_answers import book_of_job
from workers.positions.evaluate import find_answers, look_up, search_with
from workers.positions.question import Question
from workers.positions.results import Answer, error_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from c4core.lines import JsonValue
    from db.database import Database
    from db.records.jobs import Claim, JobInfo, Json, UnitResult
    from workers.core.searching import Searcher
    from workers.positions.results import Source


def solve_unit(
    claim: Claim, solver: Searcher, database: Database, is_stopped: Callable[[], bool]
) -> UnitOutcome:
    """Answer the positions of a unit; stored ones are not searched again.

    Args:
        claim: a unit of a job of this kind.
        solver: may be shared with others.
        database: where known evaluations are looked up; nothing is written.
        is_stopped: whether to give up; asked after each interruption of the search.

    Raises:
        StorageError: the database cannot be read.
    """
    lines = payload.decode(claim.payload, board=claim.board, zero_based=claim.params["zero_based"])
    positions = [line.position for line in lines if isinstance(line, Request)]
    question = Question.from_params(claim.params)
    known = look_up(database, positions)
    book = book_of_job(claim.params, claim.board)
    findings = find_answers(
        positions,
        question,
        search_with(solver, is_stopped),
        known,
        book=book,
        spent=payload.read_spent(claim.payload),
    )
    answers = findings.answers
    result: Json = {"score": [answer.score for answer in answers]}
    if question.weak or question.is_limited:
        result["open"] = [
            [index, answer.lower, answer.upper]
            for index, answer in enumerate(answers)
            if answer.score is None
        ]
    if question.columns:
        result["columns"] = [answer.scores for answer in answers]
    result["nodes"] = [answer.nodes for answer in answers]
    result["known"] = [index for index, answer in enumerate(answers) if answer.source == "db"]
    result["book"] = [index for index, answer in enumerate(answers) if answer.source == "book"]
    result["seconds"] = findings.seconds
    return UnitOutcome(
        evaluations=findings.learned,
        result=result,
        nodes=findings.nodes,
        seconds=findings.seconds,
        costs=findings.costs,
        with_columns=question.columns,
        # An answer that a limit has cut short counts; one that a stop has cut short does not.
        is_complete=findings.is_complete or (question.is_limited and not is_stopped()),
        rest=payload.with_spent(claim.payload, findings.spent) if findings.spent else None,
    )


def unit_objects(job: JobInfo, unit: UnitResult) -> Iterator[dict[str, JsonValue]]:
    """The output of a unit that has come to an end: one object a line, in order.

    Args:
        job: the job, of this kind.
        unit: one of its units; the lines of one that is not done all have errors.
    """
    zero_based = bool(job.params["zero_based"])
    answers = unit_answers(unit)
    for line in payload.decode(unit.payload, board=job.board, zero_based=zero_based):
        if isinstance(line, BadLine):
            yield bad_line_object(line)
        elif answers is None:
            yield error_object(
                line=line.line, error=f"not solved: {unit.error or unit.state}", identity=line.id
            )
        else:
            yield request_object(line, _next_answer(answers), zero_based=zero_based)


def count_unanswered(unit: UnitResult) -> int:
    """How many lines of a unit that has come to an end have an error for their output.

    Raises:
        DamagedValueError: the unit's payload cannot be read.
    """
    return payload.count_lines(unit.payload, bad_only=unit_answers(unit) is not None)


def _next_answer(answers: Iterator[Answer]) -> Answer:
    # Not StopIteration, which a generator would turn into a RuntimeError.
    for answer in answers:
        return answer
    raise ValueError("a unit has fewer answers than positions")


def unit_answers(unit: UnitResult) -> Iterator[Answer] | None:
    """The answers of a unit, a position each, in order; None if it is not done.

    Raises:
        DamagedValueError: the result cannot be read; raised while the answers are iterated.
    """
    if unit.state is not UnitState.DONE or not unit.result:
        return None
    return _answers(unit.result)


def _answers(result: Json) -> Iterator[Answer]:
    with decoding("a unit's answers"):
        yield from _decode_answers(result)


def _decode_answers(result: Json) -> Iterator[Answer]:
    scores, nodes = result["score"], result["nodes"]
    sources: dict[int, Source] = dict.fromkeys(result["known"], "db")
    sources |= dict.fromkeys(result.get("book", ()), "book")
    bounds = {index: (lower, upper) for index, lower, upper in result.get("open", ())}
    columns = result.get("columns") or [None] * len(scores)
    seconds_per_node = result["seconds"] / max(sum(nodes), 1)
    for index, (score, row, visited) in enumerate(zip(scores, columns, nodes, strict=True)):
        lower, upper = bounds.get(index, (score, score))
        yield Answer(
            lower,
            upper,
            None if row is None else tuple(row),
            visited,
            visited * seconds_per_node,
            sources.get(index, "search"),
        )
