"""One job under one kind of fault, from its first unit to the comparison of all its answers."""

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from math import inf
from pathlib import Path
from typing import Any, Final, NamedTuple

from c4core.solver import Solver
from tests.release.faults import ledger
from tests.release.faults.figures import Figures
from tests.release.faults.ledger import Change
from tests.release.faults.system import SupervisedWorker, System
from tests.support.boards.games import random_games
from tests.support.running.databases import PostgresDatabases
from tests.support.running.server_process import Server

EMPTY_SQUARES: Final = 28

JOB_SECONDS: Final = 35
"""Approximate duration of an undisturbed job with two threads, on any machine.

It is long enough for twenty kills, each of which needs a busy victim.
"""

UNIT_SECONDS: Final = 0.5
"""Work of a unit: long enough to be hit, and short enough to have more units than faults.

A worker finishes its unit and takes a new one within the promised second.
"""

SAMPLE: Final = 400
"""Number of positions whose time is measured beforehand."""


class Answers(NamedTuple):
    """The results of a job, without parts that may differ from run to run."""

    lines: list[tuple[str, int]]
    evaluations: dict[int, tuple[int, int]]


@dataclass(slots=True)
class Strike:
    at: float
    """Time of the fault, by the database's clock."""
    workers: frozenset[str]
    until: float = inf
    """The time when they could continue, if they could."""
    held: frozenset[int] = frozenset()
    """The units that they were working on; known when the job has ended."""


@dataclass(slots=True)
class Run:
    system: System
    job_id: int
    figures: Figures
    say: Callable[[str], None]
    expected: Answers | None
    """The expected results; None for the undisturbed run."""
    answers: Answers | None = None
    """The actual results, once the job has ended."""
    strikes: list[Strike] = field(default_factory=list)

    def strike(self, *workers: SupervisedWorker, passes: bool = False) -> Strike:
        """Record that a fault is about to hit workers.

        If ``passes`` is set, they survive, and the units that they hold now are in flight.
        """
        at = self.system.ledger.now()
        names = frozenset(worker.name for worker in workers)
        self.strikes.append(Strike(at, names, at if passes else inf))
        return self.strikes[-1]

    def finish(self) -> list[Change]:
        """Wait for the end of the job, count the damage, and return all changes of its units."""
        self.system.wait_for_end(self.job_id)
        book, figures = self.system.ledger, self.figures
        assert book.job_state(self.job_id) == "done", book.units()
        changes = book.changes()
        figures.seconds = book.job_seconds(self.job_id)
        figures.restarts = sum(worker.restarts_unasked for worker in self.system.workers)
        figures.faults = len(self.strikes)
        figures.twice = ledger.taken_twice(changes)
        for strike in self.strikes:
            strike.held = ledger.held(changes, strike.workers, strike.at, strike.until)
        figures.in_flight = sum(len(strike.held) for strike in self.strikes)
        figures.duplicated += ledger.done_twice(changes)
        self.answers = self._read_answers()
        if self.expected is not None:
            self._compare(self.answers, self.expected)
        return changes

    def _read_answers(self) -> Answers:
        # Code 1: lines without an answer, which are counted here.
        output = self.system.command("jobs", "results", str(self.job_id), codes=(0, 1))
        answers = [line for line in map(json.loads, output.splitlines()) if "error" not in line]
        scores = [(line["moves"], line["score"]) for line in answers]
        return Answers(scores, self.system.ledger.evaluations())

    def _compare(self, found: Answers, expected: Answers) -> None:
        figures = self.figures
        asked = Counter(moves for moves, _score in expected.lines)
        answered = Counter(moves for moves, _score in found.lines)
        figures.lost += (asked - answered).total()
        figures.duplicated += (answered - asked).total()
        figures.different += sum(
            mine != theirs for mine, theirs in zip(found.lines, expected.lines, strict=False)
        )
        figures.different += len(found.evaluations.items() ^ expected.evaluations.items())


@dataclass(frozen=True, slots=True)
class Scenarios:
    """Starts runs, each with its own database."""

    databases: PostgresDatabases
    broker: Server
    directory: Path
    say: Callable[[str], None]
    keep: Callable[[Figures], None]
    """Receives the figures of every finished run."""

    def elsewhere(self, server: Server) -> "Scenarios":
        return replace(self, databases=PostgresDatabases(server.url))

    @contextmanager
    def begin(self, fault: str, expected: Answers | None, **system: Any) -> Iterator[Run]:  # noqa: ANN401
        """Start a job with workers; check afterwards that all its results are right.

        ``expected`` holds the answers of the undisturbed run, or None for that run itself.
        """
        title = self.broker.title
        figures = Figures(fault, title, job_positions())
        with (
            self.databases.database(initialised=True) as url,
            System(url, self.broker.url, self.directory, **system) as begun,
            begun.telling(),
        ):
            self.say(f"{title}, fault: {fault}")
            games = random_games(figures.positions, empty=EMPTY_SQUARES)
            job_id = begun.submit(games, round(UNIT_SECONDS / _seconds_each()))
            begun.wait_for_work()
            self.say("all workers are at work")
            run = Run(begun, job_id, figures, self.say, expected)
            yield run
            if run.answers is None:
                run.finish()
        self.say(f"job done in {figures.seconds:.1f} s: {figures}")
        self.keep(figures)
        figures.check()


def job_positions() -> int:
    return 1000 * round(2 * JOB_SECONDS / _seconds_each() / 1000)


@cache
def _seconds_each() -> float:
    """Measure the time for a position on this machine with two threads."""
    solver = Solver(threads=2, table_mb=16)
    began = time.perf_counter()
    solver.solve_many(random_games(SAMPLE, empty=EMPTY_SQUARES, seed=2))
    return 2 * (time.perf_counter() - began) / SAMPLE
