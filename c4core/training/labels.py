"""Positions with exact labels: the NPZ files of a data set's directory.

``train.npz``, ``validation.npz`` and ``test.npz`` hold arrays of n positions each. Training uses
these:

=============  ===========================  ===================================================
planes         uint8 (n, 2, height, width)  stones of the side to move, and of the other; row 0 is
                                            the bottom one
ply            uint8 (n,)                   stones on the board
value          int8 (n,)                    -1, 0, 1: the side to move loses, draws, wins
best           uint8 (n, width)             1 for the best columns
column_scores  int8 (n, width)              the score of every column for the side to move; -128
                                            for a full one
=============  ===========================  ===================================================
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

import numpy as np

from c4core.batch import UNPLAYABLE
from c4core.dataset.errors import DatasetError
from c4core.dataset.npz import read_npz
from c4core.errors import BoardError
from c4core.inference.planes import words_of_planes
from c4core.learning.errors import LearningError
from c4core.notation import BoardSize, check_board

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

Split = Literal["train", "validation", "test"]
SPLITS: Final[tuple[Split, ...]] = get_args(Split)

ARRAYS: Final = ("planes", "ply", "value", "best", "column_scores")
_PLANES_AXES: Final = 4


@dataclass(frozen=True, slots=True, eq=False)
class Positions:
    """Positions of one board and their labels."""

    planes: NDArray[np.uint8]
    """(n, 2, height, width); see the module."""
    ply: NDArray[np.uint8]
    """(n,): stones on the board."""
    value: NDArray[np.int8]
    """(n,): -1, 0 or 1, for the side to move."""
    best: NDArray[np.uint8]
    """(n, width): 1 for the best columns."""
    column_scores: NDArray[np.int8]
    """(n, width): the scores of columns for the side to move; :data:`UNPLAYABLE` for full ones."""
    board: BoardSize
    """The size of all positions."""

    def __len__(self) -> int:
        """Positions."""
        return len(self.ply)

    @property
    def fingerprint(self) -> str:
        """A checksum of all arrays."""
        digest = hashlib.sha256()
        for array in (self.planes, self.ply, self.value, self.best):
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()[:16]

    def sample(self, count: int, *, seed: int) -> Positions:
        """So many of the positions, drawn at random, in their order; all if there are fewer."""
        order = np.random.default_rng(seed).permutation(len(self))
        return self.take(np.sort(order[:count]))

    def take(self, rows: NDArray[np.intp]) -> Positions:
        """Some of the positions."""
        arrays = {name: getattr(self, name)[rows] for name in ARRAYS}
        return Positions(**arrays, board=self.board)

    @property
    def keys(self) -> NDArray[np.uint64]:
        """(n,): the keys of the positions as they are shown, not of their mirror images."""
        own, mask = words_of_planes(self.planes)
        width, height = self.board
        bottom = sum(1 << column * (height + 1) for column in range(width))
        return own | (mask + np.uint64(bottom))  # the layout picture is in board.pyx

    @property
    def is_decisive(self) -> NDArray[np.bool_]:
        """(n,): whether the open columns differ in the result that they lead to."""
        results, is_open = np.sign(self.column_scores), self.is_open
        best = np.where(is_open, results, np.int8(-1)).max(axis=1)
        decisive: NDArray[np.bool_] = best != np.where(is_open, results, np.int8(1)).min(axis=1)
        return decisive

    @property
    def is_open(self) -> NDArray[np.bool_]:
        """(n, width): whether each column is not full."""
        open_: NDArray[np.bool_] = ~np.any(self.planes[:, :, -1], axis=1)
        return open_


def read_positions(directory: Path, split: Split) -> Positions:
    """Read a split of a data set.

    Raises:
        DatasetError: its file is missing or damaged, or has other arrays.
    """
    path = directory / f"{split}.npz"
    try:
        columns, _ = read_npz(path)
    except FileNotFoundError:
        raise DatasetError(
            f"{path} is missing: a data set is made by c4 dataset build --format npz",
            path=str(path),
        ) from None
    missing = [name for name in ARRAYS if name not in columns]
    if missing:
        raise DatasetError(f"{path} has no array {missing[0]}", path=str(path))
    return _checked(path, columns)


def _checked(path: Path, arrays: Mapping[str, NDArray[Any]]) -> Positions:
    """The positions, after a check that the arrays fit each other.

    Raises:
        DatasetError: they do not fit.
    """
    planes, ply, value, best, scores = (arrays[name] for name in ARRAYS)
    shape = planes.shape
    if len(shape) != _PLANES_AXES or shape[1] != 2 or planes.dtype != np.uint8:  # noqa: PLR2004
        raise DatasetError(
            f"{path}: planes are {planes.dtype} {shape}, not uint8 (n, 2, height, width)",
            path=str(path),
        )
    try:
        board = check_board(shape[3], shape[2])
    except BoardError as error:
        raise DatasetError(f"{path}: {error}", path=str(path)) from None
    n = shape[0]
    for name, array, wanted in (
        ("ply", ply, (n,)),
        ("value", value, (n,)),
        ("best", best, (n, board.width)),
        ("column_scores", scores, (n, board.width)),
    ):
        if array.shape != wanted:
            raise DatasetError(f"{path}: {name} is {array.shape}, not {wanted}", path=str(path))
    found = Positions(
        planes, ply, value.astype(np.int8), best, scores.astype(np.int8, casting="unsafe"), board
    )
    if n == 0:
        raise DatasetError(f"{path} has no positions", path=str(path))
    if not ((best != 0) & found.is_open).any(axis=1).all() or (np.abs(found.value) > 1).any():
        raise DatasetError(f"{path}: a position has no best column or no value", path=str(path))
    if not np.array_equal(found.column_scores != UNPLAYABLE, found.is_open):
        raise DatasetError(
            f"{path}: an open column has no score, or a full one has", path=str(path)
        )
    return found


def course_settings(
    positions: Positions, held_out: Positions, settings: Mapping[str, Any]
) -> dict[str, Any]:
    """The settings of a training on labels: how it learns, and from what.

    Raises:
        LearningError: the two sets have different boards.
    """
    if positions.board != held_out.board:
        raise LearningError(f"trained on {positions.board}, tested on {held_out.board}")
    return {**settings, "positions": len(positions), "data": positions.fingerprint}
