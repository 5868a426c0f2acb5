from typing import Final, Self, final

import numpy as np
from numpy.typing import NDArray

from c4core.position import Position

MAX_DIGITS: Final[int]

@final
class Ranking:
    def __new__(cls, start: Position, *, last: int) -> Self: ...
    @property
    def start(self) -> Position: ...
    def count(self, ply: int) -> int: ...
    def slots(
        self, keys: NDArray[np.uint64], *, ply: int, goes_on: bool = False
    ) -> NDArray[np.uint64]: ...
    def keys(self, slots: NDArray[np.uint64], *, ply: int) -> NDArray[np.uint64]: ...

def pons_keys(
    keys: NDArray[np.uint64], *, width: int = 7, height: int = 6
) -> NDArray[np.uint64]: ...
def read_pons_keys(
    numbers: NDArray[np.uint64], *, width: int = 7, height: int = 6
) -> NDArray[np.uint64]: ...
