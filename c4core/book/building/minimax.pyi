from typing import Final

import numpy as np
from numpy.typing import NDArray

MOVE_NONE: Final = 0
MOVE_GOES_ON: Final = 1
MOVE_WINS: Final = 2
MOVE_FILLS: Final = 3
UNKNOWN: Final = -128

def wins_now(keys: NDArray[np.uint64], *, width: int = 7, height: int = 6) -> NDArray[np.bool_]: ...
def is_threatened(
    keys: NDArray[np.uint64], *, width: int = 7, height: int = 6
) -> NDArray[np.bool_]: ...
def canonical_keys(
    keys: NDArray[np.uint64], *, width: int = 7, height: int = 6
) -> tuple[NDArray[np.uint64], NDArray[np.uint8]]: ...
def children(
    keys: NDArray[np.uint64], *, width: int = 7, height: int = 6
) -> tuple[NDArray[np.uint64], NDArray[np.uint8]]: ...
def best_of_known(
    parent_keys: NDArray[np.uint64],
    child_keys: NDArray[np.uint64],
    child_scores: NDArray[np.int8],
    *,
    width: int = 7,
    height: int = 6,
) -> tuple[NDArray[np.int8], NDArray[np.bool_]]: ...
def derive(
    parent_keys: NDArray[np.uint64],
    child_keys: NDArray[np.uint64],
    child_scores: NDArray[np.int8],
    *,
    width: int = 7,
    height: int = 6,
) -> NDArray[np.int8]: ...
