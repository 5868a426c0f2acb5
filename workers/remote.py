"""Let workers elsewhere search positions for an interactive user, with a job for each batch."""

from __future__ import annotations

import time
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Final

from c4core.evaluation import score_limits
from c4core.lines import Request
from db.errors import JobStateError
from db.jobs import control
from db.records.jobs import INTERACTIVE_PRIORITY, JobState
from workers.analyze.job import submit, unit_answers
from workers.answers.find import find_answers, look_up
from workers.answers.question import Answer, settles
from workers.core.follow import iterate_units, read_job
from workers.core.kinds import Lane, has_workers
from workers.errors import NotSolvedError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from c4core.book import Book
    from c4core.position import Position
    from db.database import Database
    from workers.answers.question import Effort, Question
    from workers.celery.broker import Broker

FIRST_LOOK_SECONDS: Final = 0.01
LAST_LOOK_SECONDS: Final = 0.25
"""Seconds between two reads of a job; they grow from the first to the last value."""

LABEL: Final = "c4 solve"
"""The label of such a job."""


_PRUNE: Final = partial(control.prune_jobs, older_than=86_400.0, priority=INTERACTIVE_PRIORITY)
"""Deletes some of the interactive jobs that ended more than a day ago: their answers were read."""


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
        broker: Broker,
        *,
        is_stopped: Callable[[], bool],
        on_nobody: Callable[[], object],
        book: str | None = None,
    ) -> None:
        self._database = database
        self._broker = broker
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
        known = Answer(*score_limits(position.ply, position.board))
        row = look_up(self._database, [position]).get(position.canonical_key)
        return known if row is None else known.tightened(row.lower, row.upper)

    def _search(
        self, missing: Mapping[int, Position], question: Question, _spent: Mapping[int, Effort]
    ) -> tuple[dict[int, Answer], bool]:
        if not missing:
            return {}, True
        job_id = self._submit(list(missing.values()), question)
        if self._await_end(job_id) is not JobState.DONE:
            job = read_job(self._database, job_id)
            reason = job.errors[0] if job.errors else str(job.state)
            raise NotSolvedError(f"job {job_id} was not solved: {reason}")
        answers = (
            answer
            for unit in iterate_units(self._database, job_id)
            for answer in unit_answers(unit) or ()
        )
        found = dict(zip(missing, answers, strict=True))
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
        self._broker.wake(Lane.INTERACTIVE)
        self._database.run(_PRUNE)
        return submission.job_id

    def _await_end(self, job_id: int) -> JobState:
        seconds = FIRST_LOOK_SECONDS
        while True:
            state = self._database.ask(partial(control.state_of, job_id=job_id))
            if state is not JobState.RUNNING:
                return state
            if self._is_stopped():
                with suppress(JobStateError):  # it has ended meanwhile
                    self._database.run(lambda session: control.cancel_job(session, job_id))
            time.sleep(seconds)
            seconds = min(1.5 * seconds, LAST_LOOK_SECONDS)
