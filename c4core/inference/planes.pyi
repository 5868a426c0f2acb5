import numpy as np
from numpy.typing import NDArray

def words_of_planes(
    planes: NDArray[np.uint8],
) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]: ...
def input_planes(
    own: NDArray[np.uint64], mask: NDArray[np.uint64], *, width: int = 7, height: int = 6
) -> NDArray[np.uint8]: ...
