import numpy as np
from numpy.typing import NDArray

def rules_that_hold(
    keys: NDArray[np.uint64], *, width: int, height: int, target: int
) -> NDArray[np.uint8]: ...
