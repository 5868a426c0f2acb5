from typing import Final

import numpy as np
from numpy.typing import NDArray

NOBODY: Final[int]

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
def inherit(
    parent_keys: NDArray[np.uint64],
    parent_owners: NDArray[np.int32],
    child_keys: NDArray[np.uint64],
    *,
    width: int = 7,
    height: int = 6,
) -> NDArray[np.int32]: ...
