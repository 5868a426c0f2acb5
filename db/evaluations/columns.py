"""Evaluations as plain tuples, the form in which they pass to and from the driver in bulk.

Tuples and not ORM objects or dictionaries: measured with SQLite, 248,000 upserts/s against 104,000
with dictionaries, and a single lookup takes 24 microseconds against 190 through the ORM.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import type_coerce

from c4core.version import ENGINE_VERSION
from db.errors import DamagedValueError
from db.models import Evaluation
from db.records.evaluations import StoredEvaluation
from db.types import KEY_SHIFT, pack_scores, unpack_scores

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy import ColumnElement

    from c4core.notation import BoardSize

ColumnValues = tuple[int, int, int, int, int, int, int, int, bytes | None, float]
"""A row as the driver sees it, in the order of COLUMN_NAMES; sorts by board, then by key."""

# The order of the table's columns, which is that of an INSERT compiled for it.
COLUMN_NAMES: Final = (
    "width",
    "height",
    "key",
    "ply",
    "lower",
    "upper",
    "nodes",
    "engine_version",
    "scores",
    "updated_at",
)

COLUMNS: Final[tuple[ColumnElement[Any], ...]] = tuple(
    type_coerce(column, getattr(column.type, "impl", column.type)).label(name)
    for name in COLUMN_NAMES
    for column in [Evaluation.__table__.c[name]]
)
"""The columns to select for :func:`decode`: as they are stored."""

stored_key: Final = COLUMNS[2]
"""The stored key: the position's key less KEY_SHIFT."""

SCORES_CHANGED: Final = "its column scores have changed since they were stored"

_new = tuple.__new__

_unpack = lru_cache(maxsize=1 << 14)(unpack_scores)
# Column scores repeat: one tuple serves all rows that have the same.


def decode(rows: Sequence[ColumnValues]) -> list[StoredEvaluation]:
    """The rows that the driver has returned.

    Raises:
        DamagedValueError: column scores are not what was stored; names the position.
    """
    try:
        return _decode(rows)
    except DamagedValueError:
        for row in rows:
            if not is_sound(row):
                where = f"position {row[2] + KEY_SHIFT} of {row[0]}x{row[1]}"
                raise DamagedValueError(f"{where} is damaged: {SCORES_CHANGED}") from None
        raise


def decode_known(rows: Sequence[ColumnValues]) -> list[StoredEvaluation]:
    """As :func:`decode`, but only the rows that count as known.

    Those that are damaged do not, nor do those of another version of the engine. The version
    changes when older results are in doubt, and all results of a job come from one version.
    """
    try:
        found = _decode(rows)
    except DamagedValueError:
        found = _decode([row for row in rows if is_sound(row)])
    return [row for row in found if row.engine_version == ENGINE_VERSION]


def is_sound(row: ColumnValues) -> bool:
    """Whether the column scores of a row are those that were stored."""
    try:
        _decode([row])
    except DamagedValueError:
        return False
    return True


def _decode(rows: Iterable[ColumnValues]) -> list[StoredEvaluation]:
    # In one go and without StoredEvaluation's own __new__, which would take twice as long.
    return [
        _new(
            StoredEvaluation,
            (
                key + KEY_SHIFT,
                width,
                height,
                ply,
                lower,
                upper,
                nodes,
                version,
                None if scores is None else _unpack(scores),
                updated_at,
            ),
        )
        for width, height, key, ply, lower, upper, nodes, version, scores, updated_at in rows
    ]


def encode(row: StoredEvaluation, updated_at: float) -> ColumnValues:
    """A row as the driver takes it."""
    return (
        row.width,
        row.height,
        row.key - KEY_SHIFT,
        row.ply,
        row.lower,
        row.upper,
        row.nodes,
        row.engine_version,
        pack_scores(row.scores),
        updated_at,
    )


def full_column_bits(board: BoardSize) -> int:
    """The bits of a key that are set where a column is full: the topmost of every column."""
    stride = board.height + 1
    return sum(1 << (column * stride + board.height) for column in range(board.width))


def check_row(row: StoredEvaluation, board: BoardSize, full_bits: int) -> None:
    """Refuse a row that cannot be an evaluation on this board.

    Args:
        row: what is to be stored.
        board: the board that it must be of.
        full_bits: :func:`full_column_bits` of the board.

    Raises:
        ValueError: says what is wrong.
    """
    if row.width != board.width or row.height != board.height:
        raise ValueError(f"evaluation of {row.width}x{row.height} among those of {board}: {row}")
    if not 0 <= row.key < 1 << 64:
        raise ValueError(f"no 64-bit key: {row}")
    if row.lower > row.upper:
        raise ValueError(f"bounds cross: {row}")
    if row.scores is not None:
        missing = row.scores.count(None)
        # A game that is over has no columns to play, full or not.
        if len(row.scores) != board.width or missing not in (
            (row.key & full_bits).bit_count(),
            board.width,
        ):
            raise ValueError(
                f"column scores are not those of all columns that can be played: {row}"
            )
