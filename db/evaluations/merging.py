"""How two evaluations of the same position become one: in SQL, and the same in Python.

- If versions of the engine differ, the row of the newer one stays or replaces the other: results of
  the older one are in doubt. Of the same version:
- The bounds are the tighter of both: ``lower`` the greater, ``upper`` the smaller.
- Column scores, once known, stay.
- ``nodes`` are those of the search that proved the bounds: of the tighter row, of equal rows that
  of the longer search. If each row gave one bound, the larger number is stored.
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
    if incoming.engine_version != stored.engine_version:
        return max(stored, incoming, key=lambda row: row.engine_version)
    lower = max(stored.lower, incoming.lower)
    upper = min(stored.upper, incoming.upper)
    differ = None not in (stored.scores, incoming.scores) and stored.scores != incoming.scores
    if lower > upper or differ:
        raise contradiction(stored, incoming)
    incoming_inside = (lower, upper) == (incoming.lower, incoming.upper)
    stored_inside = (lower, upper) == (stored.lower, stored.upper)
    if incoming_inside and not stored_inside:
        nodes = incoming.nodes
    elif stored_inside and not incoming_inside:
        nodes = stored.nodes
    else:
        nodes = max(stored.nodes, incoming.nodes)
    return stored._replace(
        lower=lower,
        upper=upper,
        nodes=nodes,
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
    replaces = incoming.engine_version > stored.engine_version
    scores_differ = incoming.scores != stored.scores  # never true where one is NULL
    values = {
        "lower": case(
            (replaces, incoming.lower),
            (scores_differ, _IMPOSSIBLE),
            (incoming.lower > stored.lower, incoming.lower),
            else_=stored.lower,
        ),
        "upper": case(
            (or_(replaces, incoming.upper < stored.upper), incoming.upper), else_=stored.upper
        ),
        "nodes": case(
            (or_(replaces, and_(incoming_inside, not_(stored_inside))), incoming.nodes),
            (and_(stored_inside, not_(incoming_inside)), stored.nodes),
            (incoming.nodes > stored.nodes, incoming.nodes),
            else_=stored.nodes,
        ),
        "engine_version": incoming.engine_version,
        "scores": case(
            (or_(replaces, stored.scores.is_(None)), incoming.scores), else_=stored.scores
        ),
        "updated_at": incoming.updated_at,
    }
    changes = or_(
        replaces,
        and_(
            incoming.engine_version == stored.engine_version,
            or_(
                not_(stored_inside),
                and_(incoming_inside, incoming.nodes > stored.nodes),
                scores_differ,
                and_(stored.scores.is_(None), incoming.scores.is_not(None)),
            ),
        ),
    )
    return values, changes
