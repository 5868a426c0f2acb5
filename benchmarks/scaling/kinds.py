"""The kinds of jobs whose units are measured: batches of lines, and plies of books."""

from __future__ import annotations

import io
import random
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np

from benchmarks.random_play import random_games
from c4core.lines import read_lines
from c4core.notation import DEFAULT_BOARD
from c4core.position import Position
from c4core.version import ENGINE_VERSION
from db import jobs
from db.records.jobs import UnitPlan
from workers.books.payload import encode_keys
from workers.books.task import KIND as BOOK
from workers.books.task import PlyTask
from workers.core.submission import UNITS_PER_TRANSACTION
from workers.positions import analysis

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.random_play import Game
    from db.database import Database
    from workers.books.payload import Keys

STONES: Final = DEFAULT_BOARD.cells - 8
"""The number of stones on the boards: the search of such a position takes a microsecond."""


def games(seed: int) -> Iterator[Game]:
    """An endless stream of random games with this many stones."""
    return random_games(random.Random(seed), STONES)  # noqa: S311


class Kind(Protocol):
    """A kind of job."""

    name: str

    def prepare(self, units: int, positions: int) -> Any:  # noqa: ANN401 (each kind has its own)
        """Prepare a job with this many units of this many positions; this is not measured."""

    def submit(self, database: Database, prepared: Any, positions: int) -> None:  # noqa: ANN401
        """Plan the job and start it."""


class Batch:
    """Batches of lines, as in ``c4 analyze``."""

    name = analysis.KIND

    def __init__(self) -> None:
        self._games = games(seed=1)

    def prepare(self, units: int, positions: int) -> bytes:
        """The lines."""
        return "".join(f"{next(self._games).moves}\n" for _ in range(units * positions)).encode()

    def submit(self, database: Database, prepared: bytes, positions: int) -> None:
        """Plan the job as ``workers.positions.analysis`` does."""
        analysis.submit(
            database,
            read_lines(io.BytesIO(prepared), board=DEFAULT_BOARD),
            board=DEFAULT_BOARD,
            unit_lines=positions,
        )


class BookPly:
    """Units of a ply of a book, as ``c4 book build`` plans them."""

    name = BOOK

    def __init__(self) -> None:
        self._games = games(seed=1)

    def prepare(self, units: int, positions: int) -> list[Keys]:
        """The keys of every unit."""
        return [
            np.unique(
                np.array(
                    [game.position.canonical_key for game in islice(self._games, positions)],
                    dtype=np.uint64,
                )
            )
            for _ in range(units)
        ]

    def submit(
        self,
        database: Database,
        prepared: list[Keys],
        positions: int,  # noqa: ARG002
    ) -> None:
        """Plan the job as ``workers.books.planning`` does."""
        task = PlyTask(Position(), STONES)
        job_id = database.run(
            lambda session: jobs.create_job(
                session,
                kind=self.name,
                board=task.board,
                params=task.as_params(),
                engine_version=ENGINE_VERSION,
            )
        )
        plans = (UnitPlan(encode_keys(keys), len(keys), 1.0) for keys in prepared)
        while some := list(islice(plans, UNITS_PER_TRANSACTION)):
            _add(database, job_id, some)
        database.run(lambda session: jobs.start_job(session, job_id))


def _add(database: Database, job_id: int, plans: list[UnitPlan]) -> None:
    database.run(lambda session: jobs.add_units(session, job_id, plans))
