from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

def plies(
    *, width: int = 7, height: int = 6, canonical: bool = False
) -> Iterator[NDArray[np.uint64]]: ...
