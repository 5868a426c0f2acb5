"""The data that models learn from: positions with exact labels, and final grids of games.

The labelled positions are in the NPZ files of data sets. ``train.npz``, ``validation.npz`` and
``test.npz`` hold arrays of n positions each. Training uses these:

=============  ===========================  ===================================================
planes         uint8 (n, 2, height, width)  stones of the side to move, and of the other side; row
                                            0 is the bottom row
ply            uint8 (n,)                   stones on the board
value          int8 (n,)                    -1, 0, 1: the side to move loses, draws, wins
best           uint8 (n, width)             1 for the best columns
column_scores  int8 (n, width)              the score of every column for the side to move; -128
                                            for a full column
=============  ===========================  ===================================================

Final grids come from games that are played for the training, from a file, or from the database. In
Brewer 2017, the first player is random, so either kind of stone may have moved first. Here the
first player always has ``x``; :func:`labelled` chooses player 1 at random.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from c4core.arena.file_formats import read_csv_games
from c4core.arena.game import game_seed, play_game
from c4core.arrays import MOVE_GOES_ON, canonical_keys, children
from c4core.book.build import known_children
from c4core.dataset.files import read_npz
from c4core.dataset.lots import SPLITS
from c4core.dataset.records import make_records
from c4core.errors import BoardError, DatasetError
from c4core.evaluation import NO_SCORE
from c4core.lines import BadLine
from c4core.models.planes import grids_of_planes, input_planes, words_of_planes
from c4core.notation import DEFAULT_BOARD, BoardSize, check_board, check_narrow
from c4core.players import FinalGrids, parse_player
from c4core.position import Position

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path
    from typing import BinaryIO

    from numpy.typing import NDArray

    from c4core.notation import BoardSize

    Keys = NDArray[np.uint64]

ARRAYS: Final = ("planes", "ply", "value", "best", "column_scores")
_PLANES_AXES: Final = 4


@dataclass(frozen=True, slots=True, eq=False)
class Positions:
    """Labelled positions of one board; the module's docstring describes the arrays."""

    planes: NDArray[np.uint8]
    ply: NDArray[np.uint8]
    value: NDArray[np.int8]
    """(n,): -1, 0 or 1, for the side to move."""
    best: NDArray[np.uint8]
    """(n, width): 1 for the best columns."""
    column_scores: NDArray[np.int8]
    """(n, width): the scores of columns for the side to move; :data:`NO_SCORE` for full ones."""
    board: BoardSize

    def __len__(self) -> int:
        return len(self.ply)

    @property
    def fingerprint(self) -> str:
        """A checksum of all arrays except the column scores."""
        digest = hashlib.sha256()
        for array in (self.planes, self.ply, self.value, self.best):
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()[:16]

    def sample(self, count: int, *, seed: int) -> Positions:
        """Draw at most this many positions at random; keep their order."""
        order = np.random.default_rng(seed).permutation(len(self))
        return self.take(np.sort(order[:count]))

    def take(self, rows: NDArray[np.intp]) -> Positions:
        """The positions with these indices."""
        arrays = {name: getattr(self, name)[rows] for name in ARRAYS}
        return Positions(**arrays, board=self.board)

    @property
    def keys(self) -> NDArray[np.uint64]:
        """(n,): the keys of the positions, which need not be canonical."""
        own, mask = words_of_planes(self.planes)
        width, height = self.board
        bottom = sum(1 << column * (height + 1) for column in range(width))
        return own | (mask + np.uint64(bottom))  # the layout picture is in engine/board.pxd

    @property
    def is_decisive(self) -> NDArray[np.bool_]:
        """(n,): whether the open columns differ in their results."""
        results, is_open = np.sign(self.column_scores), self.is_open
        best = np.where(is_open, results, np.int8(-1)).max(axis=1)
        return best != np.where(is_open, results, np.int8(1)).min(axis=1)

    @property
    def is_open(self) -> NDArray[np.bool_]:
        """(n, width): whether each column is not full."""
        return ~np.any(self.planes[:, :, -1], axis=1)


def read_positions(directory: Path, split: str) -> Positions:
    """Read a part of a data set."""
    path = directory / f"{split}.npz"
    try:
        columns, _ = read_npz(path)
    except FileNotFoundError:
        raise DatasetError(
            f"{path} is missing: make the data set with c4 dataset build --format npz"
        ) from None
    missing = [name for name in ARRAYS if name not in columns]
    if missing:
        raise DatasetError(f"{path} has no array {missing[0]}")
    return _checked(path, columns)


def _checked(path: Path, arrays: Mapping[str, NDArray[Any]]) -> Positions:
    """Check that the arrays fit each other, and return the positions."""
    planes, ply, value, best, scores = (arrays[name] for name in ARRAYS)
    shape = planes.shape
    if len(shape) != _PLANES_AXES or shape[1] != 2 or planes.dtype != np.uint8:  # noqa: PLR2004
        raise DatasetError(
            f"{path}: planes are {planes.dtype} {shape}, not uint8 (n, 2, height, width)"
        )
    try:
        board = check_narrow(check_board(shape[3], shape[2]), "models")
    except BoardError as error:
        raise DatasetError(f"{path}: {error}") from None
    n = shape[0]
    for name, array, wanted in (
        ("ply", ply, (n,)),
        ("value", value, (n,)),
        ("best", best, (n, board.width)),
        ("column_scores", scores, (n, board.width)),
    ):
        if array.shape != wanted:
            raise DatasetError(f"{path}: {name} is {array.shape}, not {wanted}")
    found = Positions(
        planes, ply, value.astype(np.int8), best, scores.astype(np.int8, casting="unsafe"), board
    )
    if n == 0:
        raise DatasetError(f"{path} has no positions")
    if not ((best != 0) & found.is_open).any(axis=1).all() or (np.abs(found.value) > 1).any():
        raise DatasetError(f"{path}: a position has no best column or no value")
    if not np.array_equal(found.column_scores != NO_SCORE, found.is_open):
        raise DatasetError(f"{path}: an open column has no score, or a full one has")
    return found


def read_joined(
    directories: Sequence[Path], *, apart_from: Sequence[Path] = ()
) -> tuple[Positions, Positions, list[Positions]]:
    """Read the positions to learn from, the held-out ones, and the sets to keep apart from.

    A position in several data sets is used once. :func:`are_apart` decides which positions are
    learned.
    """
    held_out = joined([read_positions(each, "validation") for each in directories])
    learned = joined([read_positions(each, "train") for each in directories])
    others = [_all_of(each) for each in apart_from]
    rows = np.flatnonzero(are_apart(learned, held_out, others))
    if not len(rows):
        raise DatasetError("no positions are left to learn from")
    return learned.take(rows), held_out, others


def are_apart(
    positions: Positions, held_out: Positions, others: Sequence[Positions]
) -> NDArray[np.bool_]:
    """(n,): whether each position may be learned.

    It may not be among the held-out positions, nor be near a position of the other sets. But
    positions with fewer stones than all of a set are kept, because openings decide games. Mirror
    images count as the same.
    """
    apart: NDArray[np.bool_] = ~np.isin(canonical(positions), canonical(held_out))
    for each in others:
        apart &= ~near(positions, each) | (positions.ply < each.ply.min())
    return apart


def of_scores(keys: Keys, column_scores: NDArray[np.int8], board: BoardSize) -> Positions:
    """Positions with these canonical keys, and the scores of their columns."""
    records: dict[str, Any] = make_records(
        keys, column_scores, board=board, seed=1, representations=("planes",)
    )
    return Positions(**{name: records[name] for name in ARRAYS}, board=board)


def _all_of(directory: Path) -> Positions:
    """The positions of all parts of a data set."""
    parts = [split for split in SPLITS if (directory / f"{split}.npz").exists()]
    if not parts:
        raise DatasetError(f"{directory} has no NPZ file of a data set")
    return joined([read_positions(directory, split) for split in parts])


def joined(sets: Sequence[Positions]) -> Positions:
    """Join sets of positions. Of equal positions in several sets, only the first is kept."""
    boards = {str(each.board) for each in sets}
    if len(boards) > 1:
        raise DatasetError(f"the data sets have different boards: {', '.join(sorted(boards))}")
    if len(sets) == 1:
        return sets[0]
    arrays = {name: np.concatenate([getattr(each, name) for each in sets]) for name in ARRAYS}
    together = Positions(**arrays, board=sets[0].board)
    _, first = np.unique(canonical(together), return_index=True)
    return together.take(np.sort(first))


def canonical(positions: Positions) -> Keys:
    """(n,): the canonical keys of positions."""
    return canonical_keys(positions.keys, positions.board)[0]


def near(positions: Positions, others: Positions) -> NDArray[np.bool_]:
    """(n,): whether each position is one of the others, or a neighbour of one."""
    if positions.board != others.board:
        raise DatasetError(
            f"the data sets have different boards: {positions.board}, {others.board}"
        )
    keys, known = canonical(positions), np.unique(canonical(others))
    after, moves = children(known, positions.board)
    found = np.isin(keys, np.concatenate([known, after[moves == MOVE_GOES_ON]]))
    for piece, _, places in known_children(keys, known, positions.board):
        found[piece] |= (places >= 0).any(axis=1)
    return found


GAMES_PER_REPORT = 500


@dataclass(frozen=True, slots=True, eq=False)
class Labelled:
    """Final grids and their labels."""

    grids: NDArray[np.int8]
    """(n, 1, height, width), as in :mod:`c4core.models.planes`; player 1's stones are 1."""
    won: NDArray[np.bool_]
    """(n,): whether player 1 has won; False for a loss or a draw."""
    board: BoardSize

    def __len__(self) -> int:
        return len(self.won)

    @property
    def fingerprint(self) -> str:
        """A checksum of all grids and labels."""
        digest = hashlib.sha256(self.grids.tobytes())
        digest.update(self.won.tobytes())
        return digest.hexdigest()[:16]


def play_finals(
    games: int,
    *,
    seed: int = 0,
    board: BoardSize = DEFAULT_BOARD,
    tell: Callable[[int], object] = lambda _games: None,
) -> FinalGrids:
    """Play games of the player ``set`` against itself, and keep the final grids.

    ``tell`` is called after every :data:`GAMES_PER_REPORT` games with the number of games so far.
    """
    check_narrow(board, "models")
    start = Position(board=board)
    player = parse_player("set").make()
    finals = []
    for number in range(games):
        finals.append(play_game(player, player, seed=game_seed(seed, number), start=start).final())
        if number % GAMES_PER_REPORT == 0:
            tell(number)
    tell(games)
    return FinalGrids.from_positions(finals)


def read_finals(stream: BinaryIO, *, name: str, board: BoardSize = DEFAULT_BOARD) -> FinalGrids:
    """Read a file of final grids in the format of Brewer 2017; ``name`` is for messages."""
    check_narrow(board, "models")
    finals = []
    for entry in read_csv_games(stream, board=board):
        if isinstance(entry, BadLine):
            raise DatasetError(f"{name}, line {entry.line}: {entry.error}")
        finals.append(entry.final)
    if not finals:
        raise DatasetError(f"{name} has no games")
    return FinalGrids.from_positions(finals)


def labelled(finals: FinalGrids, *, seed: int) -> Labelled:
    """Label final grids: choose player 1 of each at random, and leave out repeated grids."""
    first, second, winner = finals.words()
    is_second = np.random.default_rng(seed).integers(0, 2, len(finals), dtype=np.int8).astype(bool)
    own, other = np.where(is_second, second, first), np.where(is_second, first, second)
    won = np.where(is_second, -winner, winner) == 1
    # Two words determine the grid, and the grid determines the winner.
    pairs = np.stack([own, other], axis=1)
    _, chosen = np.unique(pairs, axis=0, return_index=True)
    chosen.sort()
    own, other = own[chosen], other[chosen]
    planes = input_planes(own, np.bitwise_or(own, other), finals.board, planes=2)
    return Labelled(grids_of_planes(planes), won[chosen], finals.board)
