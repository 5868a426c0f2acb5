from collections.abc import Sequence
from typing import Final, Self, final

import numpy as np
from numpy.typing import NDArray

START_OF_COLUMN: Final[int]

@final
class KeyTable:
    def __new__(cls, stride: int) -> Self: ...
    @property
    def count(self) -> int: ...
    @property
    def nbytes(self) -> int: ...
    def add(self, key: Sequence[int]) -> int: ...

def move_level(
    states: KeyTable,
    level: NDArray[np.uint32],
    below: NDArray[np.uint32] | None,
    following: KeyTable | None,
    *,
    bit: int,
    mover: bool,
    last_column: bool,
) -> NDArray[np.uint32]: ...
def meet_level(
    states: KeyTable,
    one: NDArray[np.uint32],
    other: NDArray[np.uint32],
    following: KeyTable | None,
) -> NDArray[np.uint32]: ...
def lines_level(
    states: KeyTable,
    following: KeyTable | None,
    through: NDArray[np.uint32],
    first: NDArray[np.uint32],
    last: NDArray[np.uint32],
    *,
    bit: int,
    side: bool,
) -> NDArray[np.uint32]: ...
def reduce_level(
    arcs: NDArray[np.uint32], nodes_after: NDArray[np.uint32]
) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]: ...
def count_level(
    level: NDArray[np.uint32], counts_after: NDArray[np.uint64]
) -> NDArray[np.uint64]: ...
