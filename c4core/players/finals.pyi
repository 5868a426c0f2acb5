import numpy as np
from numpy.typing import NDArray

from c4core.position import Position

def tally_columns(
    position: Position,
    first: NDArray[np.uint64],
    second: NDArray[np.uint64],
    winner: NDArray[np.int8],
) -> tuple[tuple[int, int, int] | None, ...]: ...
