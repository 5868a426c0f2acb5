"""The outcome of solving a unit, before it is written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from c4core.notation import BoardSize
from db import evaluations

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from db.costs import Cost
    from db.database import Session, Writer
    from db.records.evaluations import StoredEvaluation
    from db.records.jobs import Json


@dataclass(frozen=True, slots=True)
class UnitOutcome:
    """Everything that will be written about a unit."""

    evaluations: Sequence[StoredEvaluation]
    """New evaluations, of one board."""
    result: Json
    """The source of the job's output; meaningless while the outcome is not complete."""
    nodes: int
    """Positions searched."""
    seconds: float
    """Time spent searching."""
    costs: Mapping[int, Cost]
    """The costs of the searched positions, by ply, for planning others."""
    with_columns: bool
    """Whether they were searched for the scores of all columns."""
    is_complete: bool
    """Whether the unit is done; False if it was stopped."""
    records: Callable[[Session], object] | None = None
    """Writes further rows in the transaction that completes the unit or hands it back, and only if
    the lease is still held."""
    rest: Json | None = None
    """The payload to go on with after a stop; None keeps the one it has."""
    afterwards: Callable[[], object] | None = None
    """Called after the commit that has marked the unit as done."""


def store_learned(writer: Writer, learned: Sequence[StoredEvaluation]) -> None:
    """Store evaluations of one board, in a transaction of their own."""
    if learned:
        board = BoardSize(learned[0].width, learned[0].height)
        writer.run(lambda session: evaluations.store(session, board, learned))
