from collections.abc import Iterable, Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from c4core.batch import Keys
from c4core.notation import BoardSize
from c4core.position import Position

MOVE_NONE: Final = 0
MOVE_GOES_ON: Final = 1
MOVE_WINS: Final = 2
MOVE_FILLS: Final = 3

def key_array(keys: Iterable[int], board: BoardSize) -> Keys: ...
def split_keys(
    keys: NDArray[np.uint64], board: BoardSize
) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]: ...
def squares_of(words: NDArray[np.uint64], board: BoardSize) -> NDArray[np.uint8]: ...
def are_over(keys: NDArray[np.uint64], board: BoardSize) -> NDArray[np.bool_]: ...
def wins_now(keys: NDArray[np.uint64], *, width: int = 7, height: int = 6) -> NDArray[np.bool_]: ...
def is_threatened(
    keys: NDArray[np.uint64], *, width: int = 7, height: int = 6
) -> NDArray[np.bool_]: ...
def canonical_keys(
    keys: Keys, *, width: int = 7, height: int = 6
) -> tuple[Keys, NDArray[np.uint8]]: ...
def children(
    keys: NDArray[np.uint64], *, width: int = 7, height: int = 6
) -> tuple[NDArray[np.uint64], NDArray[np.uint8]]: ...
def open_plies(start: Position) -> Iterator[NDArray[np.uint64]]: ...
