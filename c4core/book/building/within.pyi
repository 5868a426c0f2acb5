from typing import Final

import numpy as np
from numpy.typing import NDArray

MERIT_FIRST: Final = 1
MERIT_SECOND: Final = 2

def hand_down_merits(
    parent_keys: NDArray[np.uint64],
    parent_scores: NDArray[np.int8],
    parent_merits: NDArray[np.uint8],
    child_keys: NDArray[np.uint64],
    child_scores: NDArray[np.int8],
    *,
    within: int,
    width: int = 7,
    height: int = 6,
) -> NDArray[np.uint8]: ...
