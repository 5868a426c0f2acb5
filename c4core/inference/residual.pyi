from typing import Self, final

import numpy as np
from numpy.typing import NDArray

from c4core.inference.evaluator import Evaluator

LARGEST: dict[str, int]

@final
class ResidualEngine(Evaluator):
    def __new__(
        cls,
        *,
        width: int,
        height: int,
        channels: int,
        blocks: int,
        hidden: int,
        weights: NDArray[np.float32],
        averages: bool = True,
        portable: bool = False,
    ) -> Self: ...

def weight_shapes(
    height: int, channels: int, blocks: int, hidden: int
) -> dict[str, tuple[int, ...]]: ...
