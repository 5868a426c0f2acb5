from typing import Self, final

import numpy as np
from numpy.typing import NDArray

from c4core.position import Position

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
