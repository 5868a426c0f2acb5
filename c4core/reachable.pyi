from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from c4core.position import Position

def plies(
    *, width: int = 7, height: int = 6, canonical: bool = False
) -> Iterator[NDArray[np.uint64]]: ...
def open_plies(start: Position) -> Iterator[NDArray[np.uint64]]: ...
