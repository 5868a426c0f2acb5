from typing import Final

import numpy as np
from numpy.typing import NDArray

MAX_DIGITS: Final[int]

def pons_keys(
    keys: NDArray[np.uint64], *, width: int = 7, height: int = 6
) -> NDArray[np.uint64]: ...
def read_pons_keys(
    numbers: NDArray[np.uint64], *, width: int = 7, height: int = 6
) -> NDArray[np.uint64]: ...
