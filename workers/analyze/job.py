"""Jobs of kind ``analyze``: they answer lines of input in the same order.

A stream of lines is cut into units of about a second of work. Neighbouring lines stay together in
their order. They tend to be similar, so they share entries of the transposition table.

A payload holds consecutive lines, including bad ones, so that the output can be written from the
units alone::

    {"line": 501,                               number of the first line
     "entries": ["4453",                        bare moves
                 {"id": 7, "moves": "4453"},
                 {"id": 8, "key": 4432676798593},  a grid or a key
                 {"error": "empty line", "field": "line"}],
     "spent": [[4432676798593, 51200, 0.25]]}       only in a unit with limits that was handed back:
                                                    canonical key, nodes, seconds

The result has one entry for each position, in order, without the bad lines::

    {"score": [1, 0],                     for the side to move
     "open": [[0, -3, 2]],                index, lower and upper bound if the score is unproven and
                                          null; only with a weak or limited question
     "columns": [[-2, 1, ...], ...],      likewise, null if a column is full; only if requested
     "nodes": [512, 0],
     "known": [1],                        indices of positions that were stored before
     "book": [0],                         indices of positions found in the job's book
     "seconds": 0.25}                     for the whole unit
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Final

import numpy as np

from c4core.arrays import canonical_keys
from c4core.errors import C4Error
from c4core.lines import BadLine, Request, play_moves
from c4core.position import Position
from db.records.jobs import JobState, UnitPlan, UnitState
from workers.answers.find import solve_positions, unknown_keys
from workers.answers.lines import bad_line_object, error_object, request_object
from workers.answers.question import (
    EVERYTHING,
    Answer,
    Effort,
    Question,
    plies_answered,
    usable_book,
)
from workers.core.follow import read_job
from workers.core.kinds import JobKind, UnitOutcome
from workers.core.submit import expected_seconds, find_and_resume, submit_units

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from c4core.batch import Keys
    from c4core.evaluation import ColumnBounds
    from c4core.lines import JsonValue
    from c4core.notation import BoardSize
    from c4core.solver import Solver
    from db.database import Database
    from db.records.jobs import Claim, JobInfo, Json, UnitResult
    from workers.answers.question import Source

KIND: Final = "analyze"

UNIT_SECONDS: Final = 1.0
"""Target seconds of work in a unit: a worker that dies loses about this much work."""

UNIT_LINES = 1000
"""Maximum number of lines in a unit; its payload and its result are read and written whole."""

MOST_TOLD = 5
"""Maximum number of bad lines that a submission lists."""


class NoInputError(C4Error, ValueError):
    """The input has no lines."""


@dataclass(frozen=True, slots=True)
class Submission:
    """A job that has been planned."""

    job_id: int
    positions: int
    """Number of positions in the lines."""
    bad_lines: int
    """Number of lines that name no position; each yields an error instead of an answer."""
    first_bad: tuple[BadLine, ...] = ()
    """The first of these lines, at most :data:`MOST_TOLD`."""


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
    on_planned: Callable[[int], None] = lambda _lines: None,
) -> Submission:
    """Create a job from a stream of lines and start it, in constant memory.

    A short stream takes one transaction. If reading the lines fails or is interrupted after the job
    was created, the job is cancelled.

    Args:
        database: stores the job.
        lines: from ``c4core.lines.read_lines``.
        board: the board of all lines.
        question: the question about each position.
        zero_based: count columns from 0, in the lines and in the output.
        book: the path of a book, as in :func:`workers.answers.question.find_book`.
        topic: identifies the lines for :func:`find_job`; None for a job that is not found again.
        label: a name for users.
        priority: jobs with higher priority come first.
        unit_lines: maximum number of lines in a unit.
        on_planned: called at intervals with the number of lines planned so far.

    Raises:
        NoInputError: the input has no lines; no job was created.
    """
    answered = plies_answered(usable_book(board, book), question)
    seconds = [
        0.0 if ply in answered else expected_seconds(board, ply, columns=question.columns)
        for ply in range(board.cells + 1)
    ]
    first_bad: list[BadLine] = []
    plans = plan_units(_noting(lines, first_bad), seconds, unit_lines=unit_lines)
    first = next(plans, None)
    if first is None:
        raise NoInputError("the input is empty: there is nothing to analyze")
    positions = planned = 0

    def add_up(batch: Sequence[UnitPlan]) -> None:
        nonlocal positions, planned
        positions += sum(plan.positions for plan in batch)
        planned += sum(len(plan.payload["entries"]) for plan in batch)
        on_planned(planned)

    job_id = submit_units(
        database,
        chain([first], plans),
        kind=KIND,
        board=board,
        params=_params(question, zero_based=zero_based, book=book, topic=topic),
        label=label,
        priority=priority,
        on_added=add_up,
    )
    return Submission(job_id, positions, planned - positions, tuple(first_bad))


def _noting(
    lines: Iterable[Request | BadLine], first_bad: list[BadLine]
) -> Iterator[Request | BadLine]:
    """Pass on all lines; add the first bad ones to a list."""
    for line in lines:
        if isinstance(line, BadLine) and len(first_bad) < MOST_TOLD:
            first_bad.append(line)
        yield line


def find_job(
    database: Database,
    *,
    board: BoardSize,
    topic: str,
    question: Question = EVERYTHING,
    book: str | None = None,
) -> int | None:
    """Find and resume the newest job that was submitted with these arguments; None if none was."""
    params = _params(question, zero_based=False, book=book, topic=topic)
    return find_and_resume(database, kind=KIND, board=board, params=params)


def find_or_submit(
    database: Database,
    keys: Keys,
    *,
    board: BoardSize,
    topic: str,
    book: str | None = None,
    label: str | None = None,
    priority: int = 0,
    fresh: bool = False,
    on_planned: Callable[[int], None] = lambda _positions: None,
) -> int:
    """Find and resume the job that scores every column of these positions, or create it.

    With ``fresh`` a new job is created in any case. The positions are searched in the order of
    ``keys``. :func:`workers.core.submit.topic_of` makes the topic. The other arguments are as in
    :func:`submit`. Returns the number of the job.
    """
    found = None if fresh else find_job(database, board=board, topic=topic, book=book)
    if found is not None:
        return found
    lines = (
        Request(line, Position.from_key(key, board=board))
        for line, key in enumerate(keys.tolist(), start=1)
    )
    return submit(
        database,
        lines,
        board=board,
        book=book,
        topic=topic,
        label=label,
        priority=priority,
        on_planned=on_planned,
    ).job_id


def find_or_submit_unknown(
    database: Database,
    unknown: Keys,
    *,
    board: BoardSize,
    topic: str,
    label: str | None = None,
    priority: int = 0,
) -> Submission:
    """Find or create the job that scores the positions from :func:`unknown_keys`."""
    _, plies = canonical_keys(unknown, board)
    find = partial(
        find_or_submit,
        database,
        # Positions with the most stones come first: they are the cheapest, and their scores help
        # with the positions that lead to them.
        unknown[np.argsort(-plies.astype(np.int16), kind="stable")],
        board=board,
        topic=topic,
        label=label,
        priority=priority,
    )
    job_id = find()
    # A finished job has stored all these scores, unless they were deleted since.
    is_done = read_job(database, job_id).state is JobState.DONE
    if is_done and len(unknown_keys(database, board, unknown)):
        job_id = find(fresh=True)
    return Submission(job_id, len(unknown), 0)


def _params(question: Question, *, zero_based: bool, book: str | None, topic: str | None) -> Json:
    return {
        **question.as_params(),
        "zero_based": zero_based,
        **({} if book is None else {"book": book}),
        **({} if topic is None else {"topic": topic}),
    }


def plan_units(
    lines: Iterable[Request | BadLine], seconds: Sequence[float], *, unit_lines: int = UNIT_LINES
) -> Iterator[UnitPlan]:
    """Cut lines into units, with at most one unit in memory.

    ``seconds`` has the expected time for a position, by ply.
    """
    unit: list[Request | BadLine] = []
    left = UNIT_SECONDS
    for line in lines:
        needed = 0.0 if isinstance(line, BadLine) else seconds[line.position.ply]
        if unit and (needed > left or len(unit) == unit_lines):
            yield _unit(unit)
            unit, left = [], UNIT_SECONDS
        unit.append(line)
        left -= needed
    if unit:
        yield _unit(unit)


def _unit(lines: list[Request | BadLine]) -> UnitPlan:
    positions = sum(1 for line in lines if isinstance(line, Request))
    return UnitPlan(encode_lines(lines), positions)


def encode_lines(lines: Sequence[Request | BadLine]) -> Json:
    """The payload for lines with consecutive numbers, at least one."""
    return {"line": lines[0].line, "entries": [_encode_line(line) for line in lines]}


def decode_lines(
    payload: Json, *, board: BoardSize, zero_based: bool = False
) -> Iterator[Request | BadLine]:
    """The lines of a payload, in order."""
    for line, entry in enumerate(payload["entries"], start=payload["line"]):
        if isinstance(entry, str):
            yield Request(line, play_moves(entry, board, zero_based=zero_based), entry)
        elif "error" in entry:
            yield BadLine(line, entry["error"], entry["field"], entry.get("id"))
        elif "key" in entry:
            position = Position.from_key(entry["key"], board=board)
            yield Request(line, position, None, entry.get("id"))
        else:
            moves = entry["moves"]
            position = play_moves(moves, board, zero_based=zero_based)
            yield Request(line, position, moves, entry.get("id"))


def with_spent(payload: Json, spent: Mapping[int, Effort]) -> Json:
    """The payload of a unit that is handed back, with the effort spent on its positions."""
    return payload | {"spent": [[key, *effort] for key, effort in sorted(spent.items())]}


def read_spent(payload: Json) -> dict[int, Effort]:
    """The effort already spent on a payload's positions, by canonical key."""
    return {key: Effort(nodes, seconds) for key, nodes, seconds in payload.get("spent", ())}


def _encode_line(line: Request | BadLine) -> JsonValue:
    entry: dict[str, JsonValue]
    if isinstance(line, BadLine):
        entry = {"error": line.error, "field": line.field}
    elif line.moves is None:
        entry = {"key": line.position.key}
    elif line.id is None:
        return line.moves
    else:
        entry = {"moves": line.moves}
    if line.id is not None:
        entry["id"] = line.id
    return entry


def solve_unit(
    claim: Claim, solver: Solver, database: Database, is_stopped: Callable[[], bool]
) -> UnitOutcome:
    """Answer the positions of a unit; stored positions are not searched again."""
    lines = decode_lines(claim.payload, board=claim.board, zero_based=claim.params["zero_based"])
    positions = [line.position for line in lines if isinstance(line, Request)]
    question = Question.from_params(claim.params)
    findings = solve_positions(
        positions,
        question,
        solver,
        database,
        is_stopped,
        book=usable_book(claim.board, claim.params.get("book")),
        spent=read_spent(claim.payload),
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
        if question.is_limited:
            result["open_columns"] = [
                [index, answer.open_bounds]
                for index, answer in enumerate(answers)
                if answer.open_bounds is not None
            ]
    result["nodes"] = [answer.nodes for answer in answers]
    result["known"] = [index for index, answer in enumerate(answers) if answer.source == "db"]
    result["book"] = [index for index, answer in enumerate(answers) if answer.source == "book"]
    result["seconds"] = findings.seconds
    return UnitOutcome(
        evaluations=findings.learned,
        result=result,
        nodes=findings.nodes,
        seconds=findings.seconds,
        # An answer cut short by a limit counts; an answer cut short by a stop does not.
        is_complete=findings.is_complete or (question.is_limited and not is_stopped()),
        rest=with_spent(claim.payload, findings.spent) if findings.spent else None,
    )


def unit_objects(job: JobInfo, unit: UnitResult) -> Iterator[dict[str, JsonValue]]:
    """The output of a finished unit: one object per line, in order; errors if the unit failed."""
    zero_based = bool(job.params["zero_based"])
    answers = unit_answers(unit)
    for line in decode_lines(unit.payload, board=job.board, zero_based=zero_based):
        if isinstance(line, BadLine):
            yield bad_line_object(line)
        elif answers is None:
            yield error_object(
                line=line.line, error=f"not solved: {unit.error or unit.state}", identity=line.id
            )
        else:
            answer = next(answers, None)
            if answer is None:
                raise ValueError("a unit has fewer answers than positions")
            yield request_object(line, answer, zero_based=zero_based)


def count_unanswered(unit: UnitResult) -> int:
    """Count the lines of a finished unit whose output is an error, without decoding them."""
    entries = unit.payload["entries"]
    if unit_answers(unit) is None:
        return len(entries)
    return sum(1 for entry in entries if isinstance(entry, dict) and "error" in entry)


def unit_answers(unit: UnitResult) -> Iterator[Answer] | None:
    """The answers of a unit, one per position, in order; None if the unit is not done."""
    if unit.state is not UnitState.DONE or not unit.result:
        return None
    return _answers(unit.result)


def _answers(result: Json) -> Iterator[Answer]:
    scores, nodes = result["score"], result["nodes"]
    sources: dict[int, Source] = dict.fromkeys(result["known"], "db")
    sources |= dict.fromkeys(result.get("book", ()), "book")
    bounds = {index: (lower, upper) for index, lower, upper in result.get("open", ())}
    columns = result.get("columns") or [None] * len(scores)
    open_columns = dict(result.get("open_columns", ()))
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
            _pairs(open_columns.get(index)),
        )


def _pairs(bounds: list[list[int] | None] | None) -> ColumnBounds | None:
    if bounds is None:
        return None
    return tuple([None if pair is None else (pair[0], pair[1]) for pair in bounds])


ANALYZE: Final = JobKind(
    KIND,
    "position",
    solve_unit,
    unit_objects,
    has_table=True,
    count_unanswered=count_unanswered,
)
"""Answers lines of input in the same order."""
