from typing import Final

import numpy as np
from numpy.typing import NDArray

NOBODY: Final[int]

def inherit(
    parent_keys: NDArray[np.uint64],
    parent_owners: NDArray[np.int32],
    child_keys: NDArray[np.uint64],
    *,
    width: int = 7,
    height: int = 6,
) -> NDArray[np.int32]: ...
