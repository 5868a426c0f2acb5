"""The kinds of jobs whose units are measured: batches of lines, and plies of books."""

from __future__ import annotations

import io
import random
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np

from c4core.lines import read_lines
from c4core.notation import DEFAULT_BOARD, format_moves
from c4core.position import Position
from c4core.version import ENGINE_VERSION
from db import jobs
from db.records.jobs import UnitPlan
from workers.books import units as book_units
from workers.books.payload import encode_keys
from workers.books.planning import UNITS_PER_TRANSACTION
from workers.books.task import PlyTask
from workers.positions import analysis

if TYPE_CHECKING:
    from collections.abc import Iterator

    from db.database import Database
    from workers.books.payload import Keys

EMPTY_SQUARES: Final = 8
"""Of the positions: searching one takes a microsecond."""


def games(seed: int) -> Iterator[str]:
    """Random games that are not over, with so many empty squares, without end."""
    chance = random.Random(seed)  # noqa: S311
    while True:
        position, columns = Position(), list[int]()
        while position.ply < DEFAULT_BOARD.cells - EMPTY_SQUARES and not position.is_over:
            columns.append(chance.choice(position.legal_columns()))
            position = position.play(columns[-1])
        if not position.is_over:
            yield format_moves(columns)


class Kind(Protocol):
    """A kind of job."""

    name: str

    def prepare(self, units: int, positions: int) -> Any:  # noqa: ANN401 (its own affair)
        """What a job of so many units of so many positions is made of; not measured."""

    def submit(self, database: Database, prepared: Any, positions: int) -> None:  # noqa: ANN401
        """Plan the job and start it."""


class Batch:
    """Lines, as ``c4 analyze`` gets them."""

    name = analysis.KIND

    def __init__(self) -> None:
        self._games = games(seed=1)

    def prepare(self, units: int, positions: int) -> bytes:
        """The lines."""
        return "".join(f"{next(self._games)}\n" for _ in range(units * positions)).encode()

    def submit(self, database: Database, prepared: bytes, positions: int) -> None:
        """See ``workers.positions.analysis``."""
        analysis.submit(
            database,
            read_lines(io.BytesIO(prepared), board=DEFAULT_BOARD),
            board=DEFAULT_BOARD,
            unit_lines=positions,
        )


class BookPly:
    """Positions of a ply, as ``c4 book build`` cuts them; without the cutting."""

    name = book_units.KIND

    def __init__(self) -> None:
        self._games = games(seed=1)

    def prepare(self, units: int, positions: int) -> list[Keys]:
        """The keys of every unit."""
        return [
            np.unique(
                np.array(
                    [Position(moves).canonical_key for moves in islice(self._games, positions)],
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
        """As ``workers.books.planning`` does."""
        task = PlyTask(Position(), DEFAULT_BOARD.cells - EMPTY_SQUARES)
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
