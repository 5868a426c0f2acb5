"""Measured search costs, by engine, board, question and ply."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import and_, bindparam, select, update

from db.models import MeasuredCost
from db.sql import dialect_of, insert_into

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session

    from c4core.notation import BoardSize


class Cost(NamedTuple):
    """The total cost of searching some positions."""

    positions: int
    seconds: float


def add_costs(
    session: Session,
    *,
    engine_version: int,
    board: BoardSize,
    columns: bool,
    costs: Mapping[int, Cost],
) -> None:
    """Add new costs to the stored sums, by ply.

    All workers add to the same few rows, and would wait for each other's commits. In PostgreSQL a
    sum that another transaction is changing is therefore skipped. The sums then cover only a
    sample, which is enough for the mean.
    """
    if not costs:
        return
    like = _like(engine_version, board, columns=columns)
    known = set(session.scalars(select(MeasuredCost.ply).where(like)))
    _add_to_known(session, like, {ply: costs[ply] for ply in sorted(costs.keys() & known)})
    new = [
        {
            "engine_version": engine_version,
            "width": board.width,
            "height": board.height,
            "columns": columns,
            "ply": ply,
            **costs[ply]._asdict(),
        }
        for ply in sorted(costs.keys() - known)
    ]
    # Only missing rows are inserted: an insert waits for the transaction that updates the same row.
    if new:
        insert = insert_into(dialect_of(session), MeasuredCost).on_conflict_do_nothing()
        session.connection().execute(insert, new)


def read_costs(
    session: Session, *, engine_version: int, board: BoardSize, columns: bool
) -> dict[int, Cost]:
    """Return the stored costs by ply; plies without a measurement are left out."""
    query = select(MeasuredCost.ply, MeasuredCost.positions, MeasuredCost.seconds).where(
        _like(engine_version, board, columns=columns)
    )
    rows = session.connection().execute(query)
    return {ply: Cost(positions, seconds) for ply, positions, seconds in rows}


def _add_to_known(session: Session, like: ColumnElement[bool], costs: Mapping[int, Cost]) -> None:
    """Add to existing rows. Rows that another transaction has locked are skipped."""
    if not costs:
        return
    free = (
        select(MeasuredCost.ply)
        .where(like, MeasuredCost.ply == bindparam("of_ply"))
        .with_for_update(skip_locked=True)
    )
    session.connection().execute(
        update(MeasuredCost)
        .where(like, MeasuredCost.ply.in_(free))
        .values(
            positions=MeasuredCost.positions + bindparam("more_positions"),
            seconds=MeasuredCost.seconds + bindparam("more_seconds"),
        ),
        [
            {"of_ply": ply, "more_positions": cost.positions, "more_seconds": cost.seconds}
            for ply, cost in costs.items()
        ],
    )


def _like(engine_version: int, board: BoardSize, *, columns: bool) -> ColumnElement[bool]:
    return and_(
        MeasuredCost.engine_version == engine_version,
        MeasuredCost.width == board.width,
        MeasuredCost.height == board.height,
        MeasuredCost.columns == columns,
    )
