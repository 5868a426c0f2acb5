"""Jobs of kind ``analyze``: lines of input in, their answers out in the same order.

The result of a unit holds what its payload (:mod:`workers.positions.payload`) does not say,
position by position, bad lines left out::

    {"score": [1, 0],                     for the side to move
     "open": [[0, -3, 2]],                index, lower and upper bound where the score is not
                                          proven, and null; only with a weak or limited question
     "columns": [[-2, 1, ..], ..],        likewise, null where a column is full; only if asked
     "nodes": [512, 0],
     "known": [1],                        the positions, counted from 0, that were stored before
     "book": [0],                         those that are in the job's book
     "seconds": 0.25}                     of the whole unit
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from c4core.errors import C4Error
from c4core.lines import BadLine, Request
from c4core.version import ENGINE_VERSION
from db import jobs
from db.decoding import decoding
from db.records.jobs import UnitState
from workers.core.outcome import UnitOutcome
from workers.core.resumption import find_and_resume, refuse_second
from workers.positions import payload
from workers.positions.book_answers import book_of_job
from workers.positions.costs import read_model
from workers.positions.evaluate import find_answers, look_up
from workers.positions.planning import UNIT_LINES, plan_units
from workers.positions.question import Question
from workers.positions.results import Answer, answer_object, error_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from c4core.lines import JsonValue
    from c4core.notation import BoardSize
    from db.database import Database
    from db.records.jobs import Claim, JobInfo, Json, UnitPlan, UnitResult
    from db.session import Session
    from workers.core.rationing import Searcher
    from workers.positions.results import Source

KIND = "analyze"

EVERYTHING = Question()
"""Exact scores of every position and of its columns."""

UNITS_PER_TRANSACTION = 32
"""Units that planning writes at a time: bounds its memory, and how long others wait to write."""


class NoInputError(C4Error, ValueError):
    """The input has not a single line."""


@dataclass(frozen=True, slots=True)
class Submission:
    """A job that has been planned."""

    job_id: int
    """Its number."""
    positions: int
    """Positions that are asked."""
    bad_lines: int
    """Lines that name no position; each yields an error in its place."""


def submit(
    database: Database,
    lines: Iterable[Request | BadLine],
    *,
    board: BoardSize,
    question: Question = EVERYTHING,
    zero_based: bool = False,
    book: str | None = None,
    topic: str | None = None,
    label: str | None = None,
    priority: int = 0,
    unit_lines: int = UNIT_LINES,
    only_one: bool = False,
    on_planned: Callable[[int], None] = lambda _lines: None,
) -> Submission:
    """Make a job of a stream of lines and start it. Memory is constant, whatever the length.

    A short stream takes one transaction. When reading the lines fails or is interrupted, the job
    is cancelled, if it was begun.

    Args:
        database: where the job shall live.
        lines: from ``c4core.lines.read_lines``.
        board: the board of all of them.
        question: what is asked about each position.
        zero_based: moves count columns from 0, in the lines and in the output.
        book: as :func:`workers.positions.book_answers.book_of_job` finds it among the parameters.
        topic: what the lines are, for :func:`find_job`; None where nobody is going to look.
        label: a name for people.
        priority: jobs of higher priority are worked on first.
        unit_lines: most lines of a unit: what is given to one worker as a whole.
        only_one: make no second job for the same topic.
        on_planned: told now and then how many lines are planned by now.

    Raises:
        AlreadyAskedError: with ``only_one``, there is one that :func:`find_job` finds.
        NoInputError: there is no line at all; no job was made.
        StorageError: the database cannot be written.
    """
    costs = read_model(database, board, question)
    plans = plan_units(lines, costs, unit_lines=unit_lines)
    batch = list(islice(plans, UNITS_PER_TRANSACTION))
    if not batch:
        raise NoInputError("the input is empty: there is nothing to analyze")
    params = _params(question, zero_based=zero_based, book=book, topic=topic)
    is_last = len(batch) < UNITS_PER_TRANSACTION

    def begin(session: Session) -> int:
        if only_one:
            refuse_second(session, kind=KIND, board=board, params=params)
        job_id = jobs.create_job(
            session,
            kind=KIND,
            board=board,
            params=params,
            label=label,
            engine_version=ENGINE_VERSION,
            priority=priority,
        )
        jobs.add_units(session, job_id, batch)
        if is_last:
            jobs.start_job(session, job_id)
        else:
            jobs.leave_word(session, job_id)
        return job_id

    job_id = database.run(begin)
    positions, planned = _count(batch)
    try:
        on_planned(planned)
        while not is_last:
            batch = list(islice(plans, UNITS_PER_TRANSACTION))
            is_last = len(batch) < UNITS_PER_TRANSACTION
            _add(database, job_id, batch, is_last=is_last)
            more_positions, more_lines = _count(batch)
            positions, planned = positions + more_positions, planned + more_lines
            on_planned(planned)
    except BaseException:
        database.run(lambda session: jobs.cancel_job(session, job_id))
        raise
    return Submission(job_id, positions, planned - positions)


def find_job(
    database: Database,
    *,
    board: BoardSize,
    topic: str,
    question: Question = EVERYTHING,
    book: str | None = None,
) -> int | None:
    """The newest job that was submitted with these arguments, set going; None if there is none.

    Raises:
        StorageError: the database cannot be read or written.
    """
    params = _params(question, zero_based=False, book=book, topic=topic)
    return find_and_resume(database, kind=KIND, board=board, params=params)


def _params(question: Question, *, zero_based: bool, book: str | None, topic: str | None) -> Json:
    return {
        **question.as_params(),
        "zero_based": zero_based,
        **({} if book is None else {"book": book}),
        **({} if topic is None else {"topic": topic}),
    }


def _add(database: Database, job_id: int, plans: list[UnitPlan], *, is_last: bool) -> None:
    def add(session: Session) -> None:
        jobs.add_units(session, job_id, plans)
        if is_last:
            jobs.start_job(session, job_id)
        else:
            jobs.leave_word(session, job_id)

    database.run(add)


def _count(plans: list[UnitPlan]) -> tuple[int, int]:
    """How many positions and how many lines some units have."""
    positions = sum(plan.positions for plan in plans)
    return positions, sum(len(plan.payload["entries"]) for plan in plans)


def solve_unit(
    claim: Claim, solver: Searcher, database: Database, is_stopped: Callable[[], bool]
) -> UnitOutcome:
    """Answer the positions of a unit; what is stored is not searched again.

    Args:
        claim: a unit of a job of this kind.
        solver: may be shared with others.
        database: where known evaluations are looked up; nothing is written.
        is_stopped: whether to give up; looked at after each interruption of the search.

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
        solver,
        known,
        book=book,
        is_stopped=is_stopped,
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
        # An answer that a limit has cut short is an answer; one that a stop has is none.
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
            yield error_object(line=line.line, error=line.error, field=line.field, identity=line.id)
        elif answers is None:
            yield error_object(
                line=line.line, error=f"not solved: {unit.error or unit.state}", identity=line.id
            )
        else:
            yield answer_object(
                _next_answer(answers),
                board=job.board,
                ply=line.position.ply,
                moves=line.moves,
                key=None if line.moves is not None else line.position.key,
                identity=line.id,
                zero_based=zero_based,
            )


def count_unanswered(unit: UnitResult) -> int:
    """How many lines of a unit that has come to an end have an error for their output.

    Raises:
        DamagedValueError: the unit's payload cannot be read.
    """
    return payload.count_lines(unit.payload, bad_only=unit_answers(unit) is not None)


def _next_answer(answers: Iterator[Answer]) -> Answer:
    # Not StopIteration: that would be a RuntimeError to whoever iterates the output.
    for answer in answers:
        return answer
    raise ValueError("a unit has fewer answers than positions")


def unit_answers(unit: UnitResult) -> Iterator[Answer] | None:
    """The answers of a unit, a position each, in order; None if it is not done.

    Raises:
        DamagedValueError: the result holds something else; when the answers are iterated.
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
