"""Jobs of kind ``analyze``: lines of input in, their answers out in the same order."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from c4core.errors import C4Error
from c4core.lines import BadLine, Request
from c4core.position import Position
from workers.core.submit import find_and_resume, find_or_plan, submit_units
from workers.positions.book_answers import book_of_job, plies_answered
from workers.positions.costs import read_model
from workers.positions.planning import UNIT_LINES, plan_units
from workers.positions.question import Question

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from c4core.notation import BoardSize
    from db.database import Database
    from db.records.jobs import Json, UnitPlan

KIND = "analyze"

EVERYTHING = Question()
"""The question for the exact scores of every position and of its columns."""


class NoInputError(C4Error, ValueError):
    """The input has not a single line."""


@dataclass(frozen=True, slots=True)
class Submission:
    """A job that has been planned."""

    job_id: int
    """Its number."""
    positions: int
    """Positions that are asked about."""
    bad_lines: int
    """Lines that name no position; each yields an error in place of an answer."""


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

    A short stream takes one transaction. If reading the lines fails or is interrupted after the job
    was made, the job is cancelled.

    Args:
        database: keeps the job.
        lines: from ``c4core.lines.read_lines``.
        board: the board of all of them.
        question: the question about each position.
        zero_based: moves count columns from 0, in the lines and in the output.
        book: as :func:`workers.positions.book_answers.book_of_job` finds it among the parameters.
        topic: identifies the lines for :func:`find_job`; None for a job that is not found again.
        label: a name for people.
        priority: jobs of higher priority are worked on first.
        unit_lines: lines of a unit at most; a worker takes a unit as a whole.
        only_one: make no second job for the same topic.
        on_planned: called now and then with the number of lines planned so far.

    Raises:
        AlreadyAskedError: with ``only_one``, there is one that :func:`find_job` finds.
        NoInputError: there is no line at all; no job was made.
        StorageError: the database cannot be written.
    """
    answered = plies_answered(book_of_job({"book": book}, board), question)
    costs = read_model(database, board, question, answered=answered)
    plans = plan_units(lines, costs, unit_lines=unit_lines)
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
        only_one=only_one,
        on_added=add_up,
    )
    return Submission(job_id, positions, planned - positions)


def find_job(
    database: Database,
    *,
    board: BoardSize,
    topic: str,
    question: Question = EVERYTHING,
    book: str | None = None,
) -> int | None:
    """The newest job that was submitted with these arguments, resumed; None if there is none.

    Raises:
        StorageError: the database cannot be read or written.
    """
    params = _params(question, zero_based=False, book=book, topic=topic)
    return find_and_resume(database, kind=KIND, board=board, params=params)


def find_or_submit(
    database: Database,
    keys: NDArray[np.uint64],
    *,
    board: BoardSize,
    topic: str,
    book: str | None = None,
    label: str | None = None,
    priority: int = 0,
    fresh: bool = False,
    on_planned: Callable[[int], None] = lambda _positions: None,
) -> int:
    """The number of the job that finds the scores of every column of some positions.

    The job is found and resumed, or made.

    Args:
        database: where the job lives.
        keys: of at least one position, in the order in which they are to be searched.
        board: of all of them.
        topic: identifies the positions, as :func:`workers.core.submit.topic_of` makes it.
        book: as for :func:`submit`, like all that follows.
        label: likewise.
        priority: likewise.
        fresh: make a new job, even if there is one.
        on_planned: likewise.

    Raises:
        StorageError: the database cannot be read or written.
    """
    width, height = board

    def make() -> int:
        lines = (
            Request(line, Position.from_key(key, width=width, height=height))
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
            only_one=not fresh,
            on_planned=on_planned,
        ).job_id

    if fresh:
        return make()
    return find_or_plan(lambda: find_job(database, board=board, topic=topic, book=book), make)


def _params(question: Question, *, zero_based: bool, book: str | None, topic: str | None) -> Json:
    return {
        **question.as_params(),
        "zero_based": zero_based,
        **({} if book is None else {"book": book}),
        **({} if topic is None else {"topic": topic}),
    }
