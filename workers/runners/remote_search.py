"""Searches by remote workers for an interactive user: a job for each batch of positions."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from c4core.evaluation import score_limits
from c4core.lines import Request
from db import jobs
from db.errors import JobStateError
from db.records.jobs import INTERACTIVE_PRIORITY, JobState
from workers.analyze.job import submit, unit_answers
from workers.answers.find import find_answers, look_up
from workers.answers.question import Answer, settles
from workers.core.follow import iterate_units
from workers.errors import NotSolvedError
from workers.runners.remote import call_workers, has_workers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from c4core.book import Book
    from c4core.position import Position
    from db.database import Database
    from db.records.jobs import JobInfo
    from workers.answers.question import Effort, Question
    from workers.celery.doorbell import Doorbell

FIRST_LOOK_SECONDS: Final = 0.01
LAST_LOOK_SECONDS: Final = 0.25
"""Seconds between two reads of a job; they grow from the first to the last value."""

LABEL: Final = "c4 solve"
"""The label of such a job."""


class RemoteSearch:
    """Lets workers search positions.

    - ``is_stopped`` returns whether to give up; the present job is then cancelled.
    - ``on_nobody`` is called if there are positions to search, but no worker yet.
    - ``book`` names the book that the workers may use, as ``workers.answers.question.find_book``
      takes it.
    """

    def __init__(
        self,
        database: Database,
        doorbell: Doorbell,
        *,
        is_stopped: Callable[[], bool],
        on_nobody: Callable[[], object],
        book: str | None = None,
    ) -> None:
        self._database = database
        self._doorbell = doorbell
        self._is_stopped = is_stopped
        self._on_nobody = on_nobody
        self._book = book

    def evaluate(
        self, positions: Sequence[Position], question: Question, book: Book | None = None
    ) -> list[Answer]:
        """Answer a question about each of some positions of one board.

        Stored answers are found without a worker.

        Raises:
            NotSolvedError: the workers have given up, or the job was cancelled.
        """
        known = look_up(self._database, positions)
        return find_answers(positions, question, self._search, known, book=book).answers

    def stored_bounds(self, position: Position) -> Answer:
        """The bounds of a position's score that the database has now."""
        lower, upper = score_limits(position.ply, *position.board)
        row = look_up(self._database, [position]).get(position.canonical_key)
        known = Answer(lower, upper)
        return known if row is None else known.tightened(row.lower, row.upper)

    def _search(
        self, missing: Mapping[int, Position], question: Question, _spent: Mapping[int, Effort]
    ) -> tuple[dict[int, Answer], bool]:
        if not missing:
            return {}, True
        job = self._await_end(self._submit(list(missing.values()), question))
        if job.state is not JobState.DONE:
            reason = job.errors[0] if job.errors else str(job.state)
            raise NotSolvedError(f"job {job.id} was not solved: {reason}")
        found = dict(zip(missing, _answers(self._database, job), strict=True))
        return found, all(settles(found[key], missing[key], question) for key in missing)

    def _submit(self, positions: Sequence[Position], question: Question) -> int:
        submission = submit(
            self._database,
            (Request(number, position) for number, position in enumerate(positions, start=1)),
            board=positions[0].board,
            question=question,
            book=self._book,
            label=LABEL,
            priority=INTERACTIVE_PRIORITY,
        )
        if not has_workers(self._database, INTERACTIVE_PRIORITY):
            self._on_nobody()
        call_workers(self._database, self._doorbell, submission.job_id)
        return submission.job_id

    def _await_end(self, job_id: int) -> JobInfo:
        seconds = FIRST_LOOK_SECONDS
        while True:
            with self._database.read() as session:
                job = jobs.get_job(session, job_id)
            if job.state is not JobState.RUNNING:
                return job
            if self._is_stopped():
                with suppress(JobStateError):  # it has ended meanwhile
                    self._database.run(lambda session: jobs.cancel_job(session, job_id))
            time.sleep(seconds)
            seconds = min(1.5 * seconds, LAST_LOOK_SECONDS)


def _answers(database: Database, job: JobInfo) -> Iterator[Answer]:
    for unit in iterate_units(database, job.id):
        yield from unit_answers(unit) or ()
