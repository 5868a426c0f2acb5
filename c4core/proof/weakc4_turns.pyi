from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

NO_MOVE: Final[int]
WINS: Final[int]

class Replies(NamedTuple):
    keys: NDArray[np.uint64]
    parents: NDArray[np.int64]
    columns: NDArray[np.uint8]
    ends: NDArray[np.uint8]

def choose(
    keys: NDArray[np.uint64], levels: NDArray[np.uint64], *, width: int, height: int
) -> NDArray[np.uint8]: ...
def replies(
    keys: NDArray[np.uint64], columns: NDArray[np.uint8], *, width: int, height: int
) -> Replies: ...
def canonical(
    keys: NDArray[np.uint64], columns: NDArray[np.uint8], *, width: int, height: int
) -> tuple[NDArray[np.uint64], NDArray[np.uint8]]: ...
