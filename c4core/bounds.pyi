import numpy as np
from numpy.typing import NDArray

def upper_bounds(
    keys: NDArray[np.uint64], *, width: int, height: int, target: int
) -> NDArray[np.int8]: ...
