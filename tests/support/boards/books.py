"""Books for tests, built without the command line."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from tests.support.boards.exhaustive import mirrored
from workers.book.build import ScoreSource
from workers.core.follow import LocalRunner

if TYPE_CHECKING:
    from pathlib import Path

    from db.database import Database


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


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def unreduced(keys: np.ndarray[tuple[int], np.dtype[np.uint64]], width: int, height: int) -> int:
    """The number of positions that canonical keys stand for, counting mirror images."""
    return 2 * len(keys) - int(np.count_nonzero(mirrored(keys, width, height) == keys))
