"""Stored evaluations of positions, and the filters to select them.

Every score and bound is from the point of view of the side to move. Columns are in the order of the
canonical image: of a position and its left-right mirror image, this is the image with the smaller
key.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from c4core.evaluation import Bounded
from c4core.notation import MAX_BITS

if TYPE_CHECKING:
    from c4core.evaluation import Value
    from c4core.notation import BoardSize


class _StoredFields(NamedTuple):
    """The fields of :class:`StoredEvaluation`; a NamedTuple cannot inherit anything itself."""

    key: int
    """Canonical key, 0 <= key < 2**128."""
    width: int
    """Number of columns of the board."""
    height: int
    """Number of rows of the board."""
    ply: int
    """Number of stones on the board."""
    lower: int
    """Lower bound of the score of the side to move."""
    upper: int
    """Upper bound of the score of the side to move."""
    nodes: int
    """Number of nodes of the search that proved the bounds."""
    engine_version: int
    """Version of the engine that proved the bounds."""
    scores: tuple[int | None, ...] | None = None
    """Exact score of every column, None for a full one; None for all if they were not solved."""
    updated_at: float = 0.0
    """Epoch seconds of the last change, by the database's clock; ignored by ``store``."""


class StoredEvaluation(_StoredFields, Bounded):
    """The proven bounds and scores of a position.

    It is a tuple because a frozen dataclass takes four times as long to create, and hundreds of
    thousands a second are streamed.
    """

    __slots__ = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationFilter:
    """Conditions on evaluations; ``None`` means no condition."""

    board: BoardSize
    min_ply: int | None = None
    """Minimum number of stones."""
    max_ply: int | None = None
    """Maximum number of stones."""
    min_score: int | None = None
    """The score is proven to be at least this."""
    max_score: int | None = None
    """The score is proven to be at most this."""
    value: Value | None = None
    """Proven outcome for the side to move."""
    exact: bool | None = None
    """True: the bounds are equal; False: they are not."""
    has_scores: bool | None = None
    """True: the score of every column is stored; False: it is not."""


COSTLY_NODES: Final = 1 << 20
"""Evaluations that took this many nodes have an index of their own (:mod:`db.models`)."""


class Cursor(NamedTuple):
    """The place of a row in the order of ``search`` and ``stream``: by ply, then by key."""

    ply: int
    key: int

    def __str__(self) -> str:
        """Return ``PLY:KEY``, for a command line; :meth:`parse` reads it."""
        return f"{self.ply}:{self.key}"

    @classmethod
    def parse(cls, text: str) -> Cursor:
        """Read ``PLY:KEY``.

        Raises:
            ValueError: the text is not a cursor.
        """
        ply, colon, key = text.partition(":")
        if not (colon and ply.isdecimal() and key.isdecimal() and int(key) < 1 << MAX_BITS):
            raise ValueError(f"not a cursor: {text!r} (PLY:KEY, as given by the previous page)")
        return cls(int(ply), int(key))


class Page(NamedTuple):
    """One page of a search."""

    rows: tuple[StoredEvaluation, ...]
    """The rows, by ply, then by key."""
    next: Cursor | None
    """The ``after`` of the following page; None on the last one."""


class PlySummary(NamedTuple):
    """The number of stored positions of a ply. Outcomes are for the side to move."""

    ply: int
    positions: int
    exact: int
    wins: int
    draws: int
    losses: int
    with_scores: int
