"""Books for tests, built without the command line, and slow checks of their contents."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from c4core.book.writer import write_book
from c4core.solver import Solver
from tests.support.boards.exhaustive import mirrored
from workers.book.build import CompleteBook, ScoreSource
from workers.core.follow import LocalRunner

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from c4core.position import Position
    from db.database import Database
    from workers.book.build import Level, SparseBook


@dataclass
class Workers:
    """Threads that work on jobs, one job at a time; ``jobs`` has the numbers of past jobs."""

    database: Database
    threads: int = 2
    table_mb: int = 1
    jobs: list[int] = field(default_factory=list)

    def __call__(self, job_id: int) -> None:
        self.jobs.append(job_id)
        options = {"threads": self.threads, "table_mb": self.table_mb}
        with LocalRunner(self.database, job_id, **options) as runner:
            runner.wait()


def source(
    database: Database, *, threads: int = 2, table_mb: int = 1, fresh: bool = False
) -> ScoreSource:
    return ScoreSource(database, Workers(database, threads, table_mb), fresh=fresh)


def write(book: CompleteBook | SparseBook, levels: list[Level], path: Path) -> str:
    """Write a book; return the digest of its bytes."""
    write_book(path, levels, start=book.start, kind=book.kind, description=book.description)
    return digest(path)


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def scores_of(levels: list[Level]) -> list[dict[int, int]]:
    """The scores of each ply, by key."""
    return [dict(zip(keys.tolist(), scores.tolist(), strict=True)) for keys, scores in levels]


@dataclass
class Oracle:
    """Scores and moves of positions, each searched once."""

    solver: Solver = field(default_factory=lambda: Solver(table_mb=1))
    known: dict[int, tuple[int | None, ...]] = field(default_factory=dict)

    def columns(self, position: Position) -> tuple[int | None, ...]:
        key = position.key
        if key not in self.known:
            self.known[key] = self.solver.analyze(position).scores
        return self.known[key]

    def score(self, position: Position) -> int:
        return max(score for score in self.columns(position) if score is not None)

    def good(self, position: Position, within: int) -> Iterator[int]:
        """The columns that lose at most ``within`` points."""
        best = self.score(position)
        for column, score in enumerate(self.columns(position)):
            if score is not None and score >= best - within:
                yield column


def reached(
    oracle: Oracle, start: Position, last: int, *, within: int, chooser: int
) -> list[set[int]]:
    """The canonical keys reached from a start while one side plays well, ply by ply.

    A good move loses at most ``within`` points. ``chooser`` is 0 if the first player plays well,
    and 1 if the second does.
    """
    level = {start.key: start}
    found = []
    for ply in range(start.ply, last + 1):
        found.append({position.canonical_key for position in level.values()})
        following: dict[int, Position] = {}
        for position in level.values():
            chooses = ply % 2 == chooser
            columns = oracle.good(position, within) if chooses else position.legal_columns()
            for column in columns:
                child = position.play(column)
                if not child.is_over:
                    following[child.key] = child
        level = following
    return found


def unreduced(keys: np.ndarray[tuple[int], np.dtype[np.uint64]], width: int, height: int) -> int:
    """The number of positions that canonical keys stand for, counting mirror images."""
    return 2 * len(keys) - int(np.count_nonzero(mirrored(keys, width, height) == keys))
