"""How two evaluations of the same position become one: in SQL, and the same in Python.

- The bounds are the tighter of both: ``lower`` the greater, ``upper`` the smaller.
- Column scores, once known, stay.
- ``nodes`` and ``engine_version`` are those of the search that proved the bounds: of the tighter
  row, of equal rows that of the newer engine, then that of the longer search. If each row gave one
  bound, the older engine and the larger number of nodes are stored.
- Bounds that cross, or column scores that differ, cannot both be true: a contradiction.

So what is proven in the end does not depend on the order in which workers store their results.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import ColumnElement, and_, case, literal_column, not_, or_

from db.errors import ContradictionError
from db.models import Evaluation

if TYPE_CHECKING:
    from sqlalchemy.sql.base import ReadOnlyColumnCollection

    from db.records.evaluations import StoredEvaluation

_IMPOSSIBLE: Final[ColumnElement[int]] = literal_column("32767")
"""A lower bound that violates the table's check whatever the upper bound is."""


def merge(stored: StoredEvaluation, incoming: StoredEvaluation) -> StoredEvaluation:
    """The evaluation that both together prove.

    Raises:
        ContradictionError: they cannot both be true.
    """
    lower = max(stored.lower, incoming.lower)
    upper = min(stored.upper, incoming.upper)
    differ = None not in (stored.scores, incoming.scores) and stored.scores != incoming.scores
    if lower > upper or differ:
        raise contradiction(stored, incoming)
    incoming_inside = (lower, upper) == (incoming.lower, incoming.upper)
    stored_inside = (lower, upper) == (stored.lower, stored.upper)
    newer = (incoming.engine_version, incoming.nodes) > (stored.engine_version, stored.nodes)
    if incoming_inside and (newer or not stored_inside):
        nodes, engine_version = incoming.nodes, incoming.engine_version
    elif incoming_inside or stored_inside:
        nodes, engine_version = stored.nodes, stored.engine_version
    else:
        nodes = max(stored.nodes, incoming.nodes)
        engine_version = min(stored.engine_version, incoming.engine_version)
    return stored._replace(
        lower=lower,
        upper=upper,
        nodes=nodes,
        engine_version=engine_version,
        scores=incoming.scores if stored.scores is None else stored.scores,
    )


def contradiction(stored: StoredEvaluation, incoming: StoredEvaluation) -> ContradictionError:
    """The error that names both rows."""
    return ContradictionError(
        f"contradiction at position {stored.key} of {stored.width}x{stored.height}: "
        f"stored {_describe(stored)}, new {_describe(incoming)}",
        key=stored.key,
        width=stored.width,
        height=stored.height,
    )


def _describe(row: StoredEvaluation) -> str:
    bounds = str(row.lower) if row.is_exact else f"{row.lower}..{row.upper}"
    scores = "" if row.scores is None else f" with column scores {list(row.scores)}"
    return f"score {bounds}{scores} (engine {row.engine_version})"


def merged_columns(
    incoming: ReadOnlyColumnCollection[str, Any],
) -> tuple[dict[str, ColumnElement[Any]], ColumnElement[bool]]:
    """:func:`merge` for ``ON CONFLICT DO UPDATE``: the new values, and whether anything changes.

    A contradiction yields bounds that the table's check refuses.
    """
    stored = Evaluation.__table__.c
    incoming_inside = and_(incoming.lower >= stored.lower, incoming.upper <= stored.upper)
    stored_inside = and_(incoming.lower <= stored.lower, incoming.upper >= stored.upper)
    newer = or_(
        incoming.engine_version > stored.engine_version,
        and_(
            incoming.engine_version == stored.engine_version,
            incoming.nodes > stored.nodes,
        ),
    )
    takes_over = and_(incoming_inside, or_(newer, not_(stored_inside)))
    stays = or_(incoming_inside, stored_inside)
    scores_differ = incoming.scores != stored.scores  # never true where one is NULL
    values = {
        "lower": case(
            (scores_differ, _IMPOSSIBLE),
            (incoming.lower > stored.lower, incoming.lower),
            else_=stored.lower,
        ),
        "upper": case((incoming.upper < stored.upper, incoming.upper), else_=stored.upper),
        "nodes": case(
            (takes_over, incoming.nodes),
            (or_(stays, stored.nodes > incoming.nodes), stored.nodes),
            else_=incoming.nodes,
        ),
        "engine_version": case(
            (takes_over, incoming.engine_version),
            (
                or_(stays, stored.engine_version < incoming.engine_version),
                stored.engine_version,
            ),
            else_=incoming.engine_version,
        ),
        "scores": case((stored.scores.is_(None), incoming.scores), else_=stored.scores),
        "updated_at": incoming.updated_at,
    }
    changes = or_(
        not_(stored_inside),
        takes_over,
        scores_differ,
        and_(stored.scores.is_(None), incoming.scores.is_not(None)),
    )
    return values, changes
