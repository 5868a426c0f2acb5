"""Writes the positions of a data set in the formats of public evaluation sets."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from c4core.arrays import split_keys, squares_of
from c4core.batch import UNPLAYABLE
from c4core.dataset.lots import are_mirrored
from c4core.dataset.records import lines_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from c4core.dataset.records import Array
    from c4core.notation import BoardSize

ExchangeFormat = Literal["c4solver", "refmoves"]
"""The formats that the package explains."""

PONS_FULL: Final = -1000
"""A full column's score in the lines of Pascal Pons's program."""
REFMOVES_FULL: Final = -99
"""A full column's score in a validation set for ConnectX."""


def exchange_lines(
    records: Mapping[str, Array],
    board: BoardSize,
    seed: int,
    form: ExchangeFormat,
    *,
    all_moves: bool = False,
    weak: bool = False,
) -> Iterator[str]:
    """The positions of a part as lines of a format, without line ends.

    Args:
        records: the columns of the part, of which ply, key, score and column_scores count.
        board: the board of all positions.
        seed: the data set's, by which positions are mirrored.
        form: the format.
        all_moves: with ``c4solver``: whether to write the scores of all columns instead of the
            position's.
        weak: whether to write only who wins: 1, 0 or -1.

    Raises:
        DatasetError: no line of moves leads to a position.
    """
    if form == "refmoves":
        return _refmoves_lines(records, board, seed, weak=weak)
    return _c4solver_lines(records, board, seed, all_moves=all_moves, weak=weak)


def _c4solver_lines(
    records: Mapping[str, Array], board: BoardSize, seed: int, *, all_moves: bool, weak: bool
) -> Iterator[str]:
    keys = _keys(records)
    lines = lines_of(keys, are_mirrored(keys, seed), board).astype(str).tolist()
    scores = records["column_scores"] if all_moves else records["score"][:, None]
    shown = _shown(scores, full=PONS_FULL, weak=weak)
    for moves, row in zip(lines, shown.tolist(), strict=True):
        yield " ".join([moves, *map(str, row)])


def _refmoves_lines(
    records: Mapping[str, Array], board: BoardSize, seed: int, *, weak: bool
) -> Iterator[str]:
    keys = _keys(records)
    mirrored = are_mirrored(keys, seed)
    to_move, taken = split_keys(keys, board)
    own, both = squares_of(to_move, board), squares_of(taken, board)
    # The first player, mark 1, moves when the number of stones is even.
    is_first = (records["ply"].astype(np.uint8) % 2 == 0)[:, None, None]
    marks = np.where(both == 0, 0, np.where((own == 1) == is_first, 1, 2))
    marks[mirrored] = marks[mirrored, :, ::-1]
    squares = marks[:, ::-1, :].reshape(len(keys), -1)
    scores = _shown(records["score"][:, None], full=REFMOVES_FULL, weak=weak)[:, 0]
    columns = _shown(records["column_scores"], full=REFMOVES_FULL, weak=weak)
    rows = zip(squares.tolist(), scores.tolist(), columns.tolist(), strict=True)
    for square, score, column in rows:
        yield json.dumps({"board": square, "score": score, "move score": column})


def _keys(records: Mapping[str, Array]) -> NDArray[np.uint64]:
    return np.ascontiguousarray(records["key"]).astype(np.uint64)


def _shown(scores: Array, *, full: int, weak: bool) -> NDArray[np.int16]:
    """The scores as they are written; UNPLAYABLE becomes ``full``."""
    exact = scores.astype(np.int16)
    shown: NDArray[np.int16] = np.where(
        exact == UNPLAYABLE, np.int16(full), np.sign(exact) if weak else exact
    )
    return shown
