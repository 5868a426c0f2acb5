from typing import Self, final

import numpy as np
from numpy.typing import NDArray

from c4core.dice import Dice
from c4core.models.evaluator import Evaluator

MAX_ENTRIES: int

@final
class TupleEngine(Evaluator):
    def __new__(
        cls,
        *,
        width: int,
        height: int,
        squares: NDArray[np.uint8],
        tables: NDArray[np.float32],
    ) -> Self: ...
    def learn(
        self,
        own: NDArray[np.uint64],
        mask: NDArray[np.uint64],
        best: NDArray[np.uint8],
        scores: NDArray[np.int8],
        weights: NDArray[np.float32],
        *,
        rate: float,
    ) -> tuple[float, float]: ...

def table_shape(tuples: int, length: int) -> tuple[int, int, int]: ...
def random_tuples(
    dice: Dice, *, tuples: int, length: int, width: int = 7, height: int = 6
) -> NDArray[np.uint8]: ...
