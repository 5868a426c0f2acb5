"""The columns of a data set as arrays: the content of the files in every format.

A lot (:mod:`.lots`) decides whether the canonical position or its mirror image is shown; the
columns that depend on the orientation are reversed accordingly.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from c4core.arrays import canonical_keys, split_keys, squares_of
from c4core.batch import UNPLAYABLE
from c4core.dataset.lots import are_mirrored
from c4core.dataset.moves_to import line_to
from c4core.position import Position

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from c4core.notation import BoardSize

    Keys = NDArray[np.uint64]
    Scores = NDArray[np.int8]
    Array = NDArray[np.generic]

Representation = Literal["planes", "moves"]

REPRESENTATIONS: Final[tuple[Representation, ...]] = ("planes", "moves")


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a data set."""

    name: str
    dtype: str
    """The type in numpy's notation; ``S{C}`` has as many characters as the board has squares."""
    shape: str
    """The array's shape for N positions on a board of W columns and H rows."""
    meaning: str
    """The meaning of its entries, for people."""


COLUMNS: Final = (
    Column(
        "planes",
        "uint8",
        "(N, 2, H, W)",
        "1 where a stone lies: of the side to move, then of the other; row 0 is the bottom row",
    ),
    Column(
        "moves",
        "S{C}",
        "(N,)",
        "a line of moves that leads to the position, columns counted from 1; not the one played",
    ),
    Column("ply", "uint8", "(N,)", "stones on the board"),
    Column("side", "uint8", "(N,)", "who moves: 0 the first player, 1 the second"),
    Column(
        "key", "uint64", "(N,)", "canonical key: of two mirror images the same, of all others not"
    ),
    Column("score", "int8", "(N,)", "exact score for the side to move"),
    Column("value", "int8", "(N,)", "its sign: 1 the side to move wins, 0 a draw, -1 it loses"),
    Column(
        "column_scores",
        "int8",
        "(N, W)",
        f"exact score of every column for the side to move; {UNPLAYABLE} where it is full",
    ),
    Column("best", "uint8", "(N, W)", "1 for the columns that reach the score, else 0"),
)
"""All columns; of the first two, the representations, a data set has one or both."""


def columns_of(representations: Sequence[str]) -> tuple[Column, ...]:
    """The columns of a data set with these representations of its positions."""
    return tuple(
        column
        for column in COLUMNS
        if column.name not in REPRESENTATIONS or column.name in representations
    )


def make_records(
    keys: Keys,
    column_scores: Scores,
    *,
    board: BoardSize,
    seed: int,
    representations: Sequence[str],
) -> dict[str, Array]:
    """The columns for some positions, in their order.

    Args:
        keys: canonical keys of positions that are not over.
        column_scores: a row for each key, in the orientation of the canonical position.
        board: the board of all positions.
        seed: the seed that decides which positions are shown as their mirror images.
        representations: how the positions are shown.

    Raises:
        KeyValueError: a number is not a position's key.
    """
    _, plies = canonical_keys(keys, width=board.width, height=board.height)
    mirrored = are_mirrored(keys, seed)
    turned = turn(column_scores, mirrored)
    score = turned.max(axis=1, initial=UNPLAYABLE)
    made: dict[str, Array] = {
        "ply": plies,
        "side": plies & np.uint8(1),
        "key": keys,
        "score": score,
        "value": np.sign(score),
        "column_scores": turned,
        "best": (turned == score[:, None]).astype(np.uint8),
    }
    if "planes" in representations:
        made["planes"] = _planes(keys, mirrored, board)
    if "moves" in representations:
        made["moves"] = _lines(keys, mirrored, board)
    return {column.name: made[column.name] for column in columns_of(representations)}


def turn(columns: NDArray[np.int8], mirrored: NDArray[np.bool_]) -> NDArray[np.int8]:
    """Reverse the last axis, the board's columns, of the positions that are mirrored."""
    return np.where(mirrored[:, None], columns[:, ::-1], columns)


def are_full(keys: Keys, board: BoardSize) -> NDArray[np.bool_]:
    """Shape (positions, columns): whether the columns are full, according to the keys."""
    _, taken = split_keys(keys, board)
    full: NDArray[np.bool_] = squares_of(taken, board)[:, -1, :] == 1
    return full


def _planes(keys: Keys, mirrored: NDArray[np.bool_], board: BoardSize) -> NDArray[np.uint8]:
    to_move, taken = split_keys(keys, board)
    planes = np.stack([squares_of(to_move, board), squares_of(taken ^ to_move, board)], axis=1)
    planes[mirrored] = planes[mirrored, :, :, ::-1]
    return planes


def _lines(keys: Keys, mirrored: NDArray[np.bool_], board: BoardSize) -> NDArray[np.bytes_]:
    lines = []
    for key, is_mirrored in zip(keys.tolist(), mirrored.tolist(), strict=True):
        position = Position.from_key(key, width=board.width, height=board.height)
        lines.append(line_to(position.mirrored() if is_mirrored else position))
    return np.array(lines, dtype=f"S{board.cells}")
