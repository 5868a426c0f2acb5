from typing import Self, final

import numpy as np
from numpy.typing import NDArray

from c4core.position import Position

@final
class Half:
    start: Position
    upper: bool
    bound: int
    rules: int
    least: int
    def __new__(
        cls, start: Position, *, upper: bool, bound: int, rules: int, code: bytes | None = None
    ) -> Self: ...
    def moves_at(self, ply: int) -> bool: ...
    def first(self) -> NDArray[np.uint64]: ...
    def write(self, keys: NDArray[np.uint64], values: NDArray[np.uint8], *, ply: int) -> None: ...
    def read(self, keys: NDArray[np.uint64], *, ply: int) -> NDArray[np.uint8]: ...
    def follow(
        self, keys: NDArray[np.uint64], values: NDArray[np.uint8], *, ply: int
    ) -> NDArray[np.uint64]: ...
    def written(self) -> bytes: ...
    def is_read(self) -> bool: ...

def cheapest(
    half: Half,
    keys: NDArray[np.uint64],
    values: NDArray[np.uint8],
    after: NDArray[np.uint64],
    costs: NDArray[np.float64],
    *,
    ply: int,
) -> tuple[NDArray[np.float64], NDArray[np.uint8]]: ...
def lasts(position: Position, *, least: int) -> bool: ...
def answers(position: Position, *, least: int) -> tuple[int, ...]: ...
def rules_that_hold(
    keys: NDArray[np.uint64], *, width: int, height: int, target: int
) -> NDArray[np.uint8]: ...
