import numpy as np
from numpy.typing import NDArray

from c4core.position import Position

def lasts(position: Position, *, least: int) -> bool: ...
def answers(position: Position, *, least: int) -> tuple[int, ...]: ...
def rules_that_hold(
    keys: NDArray[np.uint64], *, width: int, height: int, target: int
) -> NDArray[np.uint8]: ...
