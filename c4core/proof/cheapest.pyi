import numpy as np
from numpy.typing import NDArray

from c4core.proof.walk import Half

def cheapest(
    half: Half,
    keys: NDArray[np.uint64],
    values: NDArray[np.uint8],
    after: NDArray[np.uint64],
    costs: NDArray[np.float64],
    *,
    ply: int,
) -> tuple[NDArray[np.float64], NDArray[np.uint8]]: ...
